"""EPIMC: perfect-information Monte Carlo that postpones perfect information.

The steps are those of PIMC (`pimc.py`), with another value:

    score(a) = max over plans of the mean over w of value(w, a, plan), by weight(w)

The mean is over the worlds where a is legal. A plan fixes the player's next `depth` decisions, of
which a is the first. At each infostate it takes the same action in all worlds; the other players
act with perfect information. The values are the perfect-information values after the last of these
decisions. The decisions form a tree of infostates, built over all worlds together, in which the
best plan is found backwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search._perfect_information_kernels import (
    after_transitions,
    next_movers,
)
from infoset.search.determinization import Worlds, WorldScores, mean_where_legal
from infoset.search.leaf_values import LeafValue
from infoset.search.models import END, SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import MAX_N, run_on
from infoset.search.pimc import PIMC
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count


class EPIMC(PIMC):
    """PIMC in which the player's next decisions use only the player's own information.

    In its next `depth` decisions, including the one at the root, the player takes the same action
    in all worlds that it cannot tell apart. The other players see everything and take their best
    actions; ties are split evenly. After these decisions all players see everything. The answer is
    a best response over infostates to opponents with perfect information, as in PIMC; with depth 1
    it is PIMC.

    Parameters
    ----------
    model, belief, num_worlds, milliseconds, opponents, seed
        As in `PIMC`.
    depth
        Number of decisions of the player before it gets perfect information. Decisions with a
        single action do not count.
    leaf_value : Rollouts, Policy or LeafFunction, optional
        The value of the positions after these decisions, in place of perfect information to the
        end. The other players maximize it too.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        Result and cost of the last search.

    Notes
    -----
    After Arjonilla, Saffidine, Cazenave, "Perfect information Monte Carlo with postponing
    reasoning", arXiv 2408.02380 (2024). Differs from the paper: there, the first decisions of all
    players form a game of imperfect information; here, the other players have perfect information
    from the root on.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> queen = Infostate(0, (Step(None, "Q", None),))
    >>> EPIMC(kuhn, num_worlds=None, depth=2).search(
    ...     queen, np.random.default_rng(0)
    ... ).tolist()
    [1.0, 0.0]
    """

    depth: int

    def __init__(
        self,
        model: SearchModel,
        *,
        depth: int = 2,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 1000,
        milliseconds: float | None = None,
        opponents: str = MAX_N,
        leaf_value: LeafValue | None = None,
        seed: int = 0,
    ) -> None:
        check_count("depth", depth, minimum=1)
        super().__init__(
            model,
            belief=belief,
            num_worlds=num_worlds,
            milliseconds=milliseconds,
            opponents=opponents,
            # The player's last decision is followed by perfect information or by leaf values.
            depth=None if leaf_value is None else 1,
            leaf_value=leaf_value,
            seed=seed,
        )
        self.depth = depth

    def _scores(self, worlds: Worlds, draws: Iterable[FloatArray]) -> Iterator[WorldScores]:
        """Yield score(a) for each draw: the largest mean over plans, times the total weight."""
        search = PostponedSearch(worlds, self.depth)
        for weight in draws:
            drawn = np.flatnonzero(weight)
            total, scale = search.best_totals(drawn, weight[drawn])
            score = mean_where_legal(total, weight[drawn], worlds.indices[drawn] >= 0)
            yield WorldScores(score, scale)


class Plays(NamedTuple):
    """A batch of plays from the root positions, all after the same number of transitions."""

    states: LongArray
    rewards_so_far: FloatArray
    """[M, L] and [M, N], as in `RootPositions`."""
    weight: FloatArray
    """[M] weight of the world times the probabilities of the actions of chance and the other
    players."""
    infostate: LongArray
    """[M] number of the player's infostate; different infostates have different numbers."""
    entry: LongArray
    """[M] the player's last action, as an entry of `OwnDecisions`."""
    left: LongArray
    """[M] number of the player's remaining decisions before perfect information."""

    def pick(self, which: LongArray | BoolArray) -> Plays:
        """Return a selection of the plays."""
        return Plays._make(column[which] for column in self)


def _join(parts: list[Plays]) -> Plays:
    return Plays._make(map(np.concatenate, zip(*parts, strict=True)))


class OwnDecisions:
    """The tree of the player's decisions, with a value for each action at each infostate.

    Values are in `SUM_UNIT`.

    Parameters
    ----------
    num_actions
        Number of actions at the root.
    """

    def __init__(self, num_actions: int) -> None:
        self.value = np.zeros(num_actions)
        self.scale = 0.0
        self._levels: list[tuple[LongArray, LongArray]] = []

    def add(self, entry: LongArray, weight: FloatArray, value: FloatArray) -> None:
        """Add values [M], times their weights [M], to entries [M]."""
        weighted = weight * (value / SUM_UNIT)
        self.value += np.bincount(entry, weighted, len(self.value))
        self.scale += float(abs(weighted).sum())

    def extend(self, parent: LongArray, num_actions: LongArray) -> LongArray:
        """Add J infostates below the entries `parent` [J]; return the first entry [J] of each."""
        first = len(self.value) + np.cumsum(num_actions) - num_actions
        self.value = np.concatenate([self.value, np.zeros(num_actions.sum())])
        self._levels.append((parent, first))
        return first

    def back_up(self) -> None:
        """Add the best action value of each infostate to its parent entry, deepest first."""
        end = len(self.value)
        for parent, first in reversed(self._levels):
            best = np.maximum.reduceat(self.value[:end], first)
            self.value[: first[0]] += np.bincount(parent, best, first[0])
            end = first[0]


class PostponedSearch:
    """Depth-limited best response over infostates to opponents with perfect information.

    Parameters
    ----------
    depth
        Number of decisions of the player, including the root, before perfect information.
    """

    def __init__(self, worlds: Worlds, depth: int) -> None:
        self.worlds, self.perfect = worlds, worlds.perfect
        self._model, self._player, self._depth = worlds.perfect.model, worlds.player, depth

    def best_totals(self, drawn: LongArray, weight: FloatArray) -> tuple[FloatArray, float]:
        """Return [A] the largest sum over plans that begin with each action, and its scale.

        Parameters
        ----------
        drawn, weight
            [R] different worlds and their weights.
        """
        num_actions = self.worlds.indices.shape[1]
        decisions = OwnDecisions(num_actions)
        plays = self._after_root_actions(drawn, weight)
        while len(plays.weight):
            self.perfect.check_time()
            # Repeat: value the leaves, apply one transition, take the decisions before the next.
            plays = self._value_leaves(plays, decisions)
            if len(plays.weight):
                plays = self._act(self._transition(plays), decisions)
        # Backwards: at each infostate of the player, the best action over all its worlds together.
        decisions.back_up()
        return decisions.value[:num_actions], decisions.scale

    def _after_root_actions(self, drawn: LongArray, weight: FloatArray) -> Plays:
        """Return the plays after each root action that is legal at the true infostate."""
        roots, indices = self.worlds.positions, self.worlds.indices[drawn]
        states, rewards_so_far = roots.states[drawn], roots.rewards_so_far[drawn]
        after, origin, action = self.perfect.after_actions(states, rewards_so_far, self._player)
        infostate = roots.infostates[drawn, self._player]
        is_same = indices[origin] == action[:, None]
        entry = is_same.argmax(axis=1)
        num_actions = indices.shape[1]
        plays = Plays(
            after,
            rewards_so_far[origin],
            weight[origin],
            infostate[origin] * num_actions + entry,
            entry,
            np.full(len(origin), self._depth - 1),
        )
        return plays.pick(is_same.any(axis=1))

    def _value_leaves(self, plays: Plays, decisions: OwnDecisions) -> Plays:
        """Value the plays that have no decision of the player left; return the others."""
        is_leaf = plays.left == 0
        leaves = plays.pick(is_leaf)
        if len(leaves.weight):
            value = self.perfect.values(leaves.states, leaves.rewards_so_far, self._player)
            decisions.add(leaves.entry, leaves.weight, value)
        return plays.pick(~is_leaf)

    def _transition(self, plays: Plays) -> Plays:
        """Return the plays after one more transition."""
        states, rewards_so_far, observation, origin, probability = run_on(
            self._model, after_transitions
        )(self._model.arrays, plays.states, plays.rewards_so_far, self._player)
        moved = plays.pick(origin)
        # The new infostate is the previous infostate plus the observation.
        known = np.stack([moved.infostate, observation], axis=1)
        _, infostate = np.unique(known, axis=0, return_inverse=True)
        return moved._replace(
            states=states,
            rewards_so_far=rewards_so_far,
            weight=moved.weight * probability,
            infostate=infostate.reshape(-1),
        )

    def _act(self, plays: Plays, decisions: OwnDecisions) -> Plays:
        """Return the plays after the next actor has chosen; value those that have ended."""
        movers = run_on(self._model, next_movers)(
            self._model.arrays, plays.states, self._model.num_players
        )
        over = plays.pick(movers == END)
        decisions.add(over.entry, over.weight, over.rewards_so_far[:, self._player])
        parts = [plays.pick((movers < 0) & (movers != END))]
        for mover in sorted(set(movers[movers >= 0].tolist())):
            there = plays.pick(movers == mover)
            is_own = mover == self._player
            parts.append(self._decide(there, decisions) if is_own else self._respond(there, mover))
        return _join(parts)

    def _decide(self, plays: Plays, decisions: OwnDecisions) -> Plays:
        """Return the plays after each of the player's actions, with new entries by infostate."""
        after, origin, action = self.perfect.after_actions(
            plays.states, plays.rewards_so_far, self._player
        )
        _, first_play, place = np.unique(plays.infostate, return_index=True, return_inverse=True)
        counts = np.bincount(origin, minlength=len(plays.weight))[first_play]
        first = decisions.extend(plays.entry[first_play], counts)
        chosen = plays.pick(origin)
        entry = first[place.reshape(-1)][origin] + action
        # Infostates after an action but before the next transition have negative numbers.
        return chosen._replace(
            states=after, infostate=-1 - entry, entry=entry, left=chosen.left - 1
        )

    def _respond(self, plays: Plays, other: Player) -> Plays:
        """Return the plays after another player's best actions under perfect information."""
        states, rewards_so_far = plays.states, plays.rewards_so_far
        preference = self.perfect.preferences(states, rewards_so_far, other, self._player)
        best = np.nanmax(preference, axis=1, keepdims=True)
        is_best = preference >= best - TIE_TOLERANCE * np.nanmax(abs(preference))
        after, origin, action = self.perfect.after_actions(states, rewards_so_far, other)
        is_taken = is_best[origin, action]
        weight = plays.weight / is_best.sum(axis=1)
        return plays.pick(origin)._replace(states=after, weight=weight[origin]).pick(is_taken)
