"""The next own decisions as a tree of infostates, with perfect information only below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models import RootPositions
from infoset.search.models._kernels import END
from infoset.search.pimc._max_n_kernels import TIE_TOLERANCE
from infoset.search.pimc._step_kernels import after_actions, after_transitions, who_decides
from infoset.search.pimc.deciding import Scores
from infoset.search.pimc.values import PerfectInformation, choose_at_once, on_model
from infoset.typing import BoolArray, FloatArray, LongArray, Player

__all__ = ["PostponedSearch"]


class Plays(NamedTuple):
    """Plays from the worlds that are thought possible, after the same number of transitions.

    Attributes
    ----------
    states, rewards_so_far : LongArray, FloatArray
        [M, L] and [M, N], as in `RootPositions`.
    weight : FloatArray
        [M] that of the world, times the probabilities of nature and of the others.
    infostate : LongArray
        [M] a number that tells apart what the player knows.
    option : LongArray
        [M] the last own action at the last own infostate, as a number of `Options`.
    left : LongArray
        [M] how many own decisions are still taken without seeing everything.
    """

    states: LongArray
    rewards_so_far: FloatArray
    weight: FloatArray
    infostate: LongArray
    option: LongArray
    left: LongArray

    def pick(self, which: LongArray | BoolArray) -> Plays:
        """Return some of the plays."""
        return Plays._make(column[which] for column in self)


def _join(parts: list[Plays]) -> Plays:
    return Plays._make(map(np.concatenate, zip(*parts, strict=True)))


class Options:
    """What own actions are worth, at the root and at the infostates after it.

    Parameters
    ----------
    num_actions : int
        At the root.
    """

    def __init__(self, num_actions: int) -> None:
        self.value = np.zeros(num_actions)
        self.size = 0.0
        self._above: list[tuple[LongArray, LongArray]] = []

    def add(self, option: LongArray, value: FloatArray) -> None:
        """Add values [M] to options [M]."""
        self.value += np.bincount(option, value, len(self.value))
        self.size += float(abs(value).sum())

    def extend(self, above: LongArray, num_actions: LongArray) -> LongArray:
        """Return [J] the first option at each of J new infostates, met after options `above`."""
        first = len(self.value) + np.cumsum(num_actions) - num_actions
        self.value = np.concatenate([self.value, np.zeros(num_actions.sum())])
        self._above.append((above, first))
        return first

    def fold(self) -> None:
        """Add what the best option of each infostate is worth to the option above it."""
        end = len(self.value)
        for above, first in reversed(self._above):
            best = np.maximum.reduceat(self.value[:end], first)
            self.value[: first[0]] += np.bincount(above, best, first[0])
            end = first[0]


class PostponedSearch:
    """Finds the best reply to opponents who see everything, oneself not seeing it for a while.

    Parameters
    ----------
    perfect : PerfectInformation
    roots : RootPositions
    numbers : LongArray
        [K, A] see `SearchModel.action_indices`.
    player : Player
    depth : int
        How many own decisions, the one at the root included, are taken without seeing everything.
    """

    def __init__(
        self,
        perfect: PerfectInformation,
        roots: RootPositions,
        numbers: LongArray,
        player: Player,
        depth: int,
    ) -> None:
        self._perfect = perfect
        self._model = perfect.model
        self._roots = roots
        self._numbers = numbers
        self._player = player
        self._depth = depth

    def scores(self, weight: FloatArray) -> Scores:
        """Return what the actions at the root are worth, summed over worlds of weights [K]."""
        num_actions = self._numbers.shape[1]
        options = Options(num_actions)
        chosen = self._first_choices(weight)
        while len(chosen.weight):
            chosen = self._set_aside(chosen, options)
            if len(chosen.weight):
                chosen = self._choose(self._move(chosen), options)
        options.fold()
        return Scores(options.value[:num_actions], options.size)

    def _first_choices(self, weight: FloatArray) -> Plays:
        """Return the plays after each action at the root that is legal in truth."""
        roots, numbers = self._roots, self._numbers
        held = np.flatnonzero(weight > 0)
        states, rewards_so_far = roots.states[held], roots.rewards_so_far[held]
        after, origin, action = self._after_actions(states, rewards_so_far, self._player)
        known = roots.infostates[held, self._player]
        is_same = numbers[held[origin]] == action[:, None]
        option = is_same.argmax(axis=1)
        num_actions = numbers.shape[1]
        plays = Plays(
            after,
            rewards_so_far[origin],
            weight[held[origin]],
            known[origin] * num_actions + option,
            option,
            np.full(len(origin), self._depth - 1),
        )
        return plays.pick(is_same.any(axis=1))

    def _set_aside(self, plays: Plays, options: Options) -> Plays:
        """Value the plays whose own decisions are all taken; return the others."""
        is_done = plays.left == 0
        self._value(plays.pick(is_done), options)
        return plays.pick(~is_done)

    def _value(self, plays: Plays, options: Options) -> None:
        if len(plays.weight):
            value = self._perfect.values(plays.states, plays.rewards_so_far, self._player)
            options.add(plays.option, plays.weight * value)

    def _move(self, plays: Plays) -> Plays:
        """Return the plays after one transition more."""
        follow = on_model(after_transitions, self._model)
        states, rewards_so_far, seen, origin, probability = follow(
            self._model.arrays, plays.states, plays.rewards_so_far, self._player
        )
        moved = plays.pick(origin)
        known = np.stack([moved.infostate, seen], axis=1)
        _, infostate = np.unique(known, axis=0, return_inverse=True)
        return moved._replace(
            states=states,
            rewards_so_far=rewards_so_far,
            weight=moved.weight * probability,
            infostate=infostate.reshape(-1),
        )

    def _choose(self, plays: Plays, options: Options) -> Plays:
        """Return the plays after whoever is to decide has; those that are over are valued."""
        who = on_model(who_decides, self._model)(
            self._model.arrays, plays.states, self._model.num_players
        )
        over = plays.pick(who == END)
        options.add(over.option, over.weight * over.rewards_so_far[:, self._player])
        chosen = [plays.pick((who < 0) & (who != END))]
        for other in sorted(set(who[who >= 0].tolist())):
            there = plays.pick(who == other)
            is_own = other == self._player
            chosen.append(self._decide(there, options) if is_own else self._answer(there, other))
        return _join(chosen)

    def _decide(self, plays: Plays, options: Options) -> Plays:
        """Return the plays after each own action, which are new options."""
        after, origin, action = self._after_actions(
            plays.states, plays.rewards_so_far, self._player
        )
        _, first_play, place = np.unique(plays.infostate, return_index=True, return_inverse=True)
        counts = np.bincount(origin, minlength=len(plays.weight))[first_play]
        first = options.extend(plays.option[first_play], counts)
        chosen = plays.pick(origin)
        option = first[place.reshape(-1)][origin] + action
        return chosen._replace(
            states=after, infostate=-1 - option, option=option, left=chosen.left - 1
        )

    def _answer(self, plays: Plays, other: Player) -> Plays:
        """Return the plays after another player took what is best for it, seeing everything."""
        states, rewards_so_far = plays.states, plays.rewards_so_far
        wanted = self._perfect.preferences(states, rewards_so_far, other, self._player)
        best = np.nanmax(wanted, axis=1, keepdims=True)
        is_best = wanted >= best - TIE_TOLERANCE * np.maximum(1.0, abs(best))
        after, origin, action = self._after_actions(states, rewards_so_far, other)
        is_taken = is_best[origin, action]
        share = plays.weight / is_best.sum(axis=1)
        return plays.pick(origin)._replace(states=after, weight=share[origin]).pick(is_taken)

    def _after_actions(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player
    ) -> tuple[LongArray, LongArray, LongArray]:
        run = on_model(after_actions, self._model)
        after, origin, action = run(self._model.arrays, states, rewards_so_far, actor)
        if (action < 0).any():
            raise choose_at_once(self._model)
        return after, origin, action
