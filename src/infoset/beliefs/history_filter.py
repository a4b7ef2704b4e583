"""Filtering by the rules: histories that agree with some information, found step by step."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice, product
from typing import TypeAlias

import numpy as np

from infoset.beliefs.history_batches import (
    HistoryBatch,
    ObservedStep,
    Outcomes,
    Successor,
    TooManyWorldsError,
    enumerated_outcomes,
)
from infoset.beliefs.listed_histories import listed_batch
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate, PublicState, Step, step_text
from infoset.game.checked_rules import checked_observation
from infoset.game.hooks import actions_as_seen, histories_as_seen, public_observations
from infoset.game.infostate import join_steps
from infoset.typing import NOOP, Action, JointAction, LongArray, Player
from infoset.utils.clocks import check_deadline

Information: TypeAlias = Infostate | PublicState
"""The information of a player, or of the public."""

CACHED_HISTORIES = 2_000_000
"""Limit on the number of histories in all cached batches of a game."""

LISTED_OBSERVATIONS = 12
"""Limit on the number of possible observations that an error message lists."""

TRIED_TRANSITIONS = 100_000
"""Limit on the number of transitions that are tried to find these observations."""


def successors(
    batch: HistoryBatch, observed: ObservedStep | None, outcomes: Outcomes
) -> Iterator[Successor]:
    """Yield the transitions from a batch that agree with an observation; None means all."""
    game, public_action = batch.game, None
    for origin, choices in _choices(batch, observed):
        world = batch.worlds[origin]
        tried: Iterable[JointAction] = product(*choices)
        # In a game of public actions, all transitions that agree have the same joint action. Once
        # it is known, no other is tried.
        if public_action is not None:
            legal = zip(public_action, choices, strict=True)
            tried = (public_action,) if all(one in actions for one, actions in legal) else ()
        for joint_action in tried:
            check_deadline()
            for next_world, probability in outcomes(game, world, joint_action):
                seen, _ = checked_observation(game, world, joint_action, next_world)
                if observed is None or observed.agrees(seen):
                    is_public = observed is not None and game.public_actions
                    public_action = joint_action if is_public else None
                    yield Successor(origin, joint_action, next_world, float(probability), seen)


def _choices(
    batch: HistoryBatch, observed: ObservedStep | None
) -> Iterator[tuple[int, Sequence[Sequence[Action]]]]:
    """Yield the positions of a batch with the actions that each player may have taken there.

    For a player who does not act, this is `NOOP` alone. The observer took the action it remembers;
    of the others, a game can say which actions agree with what the public saw.
    """
    agreeing: dict[Player, tuple[Action, ...] | None] = {}
    if observed is not None:
        public = observed.step.public
        for player in range(batch.game.num_players):
            agreeing[player] = actions_as_seen(batch.game, player, public)
    for origin in range(len(batch)):
        choices = batch.choices(origin)
        for player, seen in agreeing.items():
            if seen is not None:
                choices[player] = tuple([a for a in choices[player] if a is NOOP or a in seen])
        if observed is not None and observed.player is not None:
            own = observed.step.action
            choices[observed.player] = (own,) if own in choices[observed.player] else ()
        yield origin, choices


class HistoryFilter:
    """Finds the histories that agree with some information, and caches intermediate batches.

    A batch is a function of the information alone, so that the cache does not affect results.

    Parameters
    ----------
    max_worlds
        Maximum number of histories in a batch.
    """

    def __init__(self, game: Game, max_worlds: int) -> None:
        self.root = HistoryBatch.root(game)
        self.max_worlds = max_worlds
        self._cache: OrderedDict[Information, HistoryBatch | None] = OrderedDict()
        self._size = 0

    def enumerated(self, information: Information) -> tuple[HistoryBatch, int]:
        """Return the longest batch that can be enumerated, and its number of steps.

        The number is smaller than the length of the information if an intermediate batch has more
        than `max_worlds` histories.

        Raises
        ------
        UnknownNameError
            If no history agrees with the information.
        """
        steps = observed_steps(information)
        whole = self.listed(information)
        if whole is not None:
            return whole, len(steps)
        batch = self.root
        for length, observed in enumerate(steps):
            further = self._further(batch, observed, _prefix(information, length + 1))
            if further is None:
                return batch, length
            batch = further
        return batch, len(steps)

    def listed(self, information: Information) -> HistoryBatch | None:
        """Return the histories that are cached, or that the game lists; None if there are none."""
        public = public_observations(information)
        if information in self._cache or not public:
            return self._recall(information)
        moves = histories_as_seen(self.root.game, information, self.max_worlds)
        if moves is None or not len(moves):
            return None
        batch = listed_batch(self._last_listed(information), moves, public)
        self._store(information, batch)
        return batch

    def _last_listed(self, information: Information) -> HistoryBatch:
        """Return the longest cached batch that the game listed for the first steps."""
        for length in range(len(public_observations(information)) - 1, 0, -1):
            batch = self._recall(_prefix(information, length))
            if batch is not None and batch.moves is not None:
                return batch
        return self.root

    def _further(
        self, batch: HistoryBatch, observed: ObservedStep, information: Information
    ) -> HistoryBatch | None:
        """Return the histories one step longer that agree with an observation.

        None if there are more than `max_worlds` of them, or of the outcomes of one transition.
        """
        if information in self._cache:
            return self._recall(information)
        if batch.parent is not None:
            further = self._enumerate(batch, observed)
        elif self._first_batch is not None:
            further = self._first_batch.select(_agreeing(self._first_batch, observed))
        else:
            further = None
        if further is not None and not len(further):
            raise no_history_error(batch, observed, information)
        self._store(information, further)
        return further

    def _enumerate(self, batch: HistoryBatch, observed: ObservedStep | None) -> HistoryBatch | None:
        outcomes = partial(enumerated_outcomes, limit=self.max_worlds)
        try:
            further = batch.extend(
                islice(successors(batch, observed, outcomes), self.max_worlds + 1)
            )
        except TooManyWorldsError:
            return None
        return further if len(further) <= self.max_worlds else None

    @cached_property
    def _first_batch(self) -> HistoryBatch | None:
        """All histories of length one, such as all deals, enumerated once for all observers."""
        return self._enumerate(self.root, None)

    def _recall(self, information: Information) -> HistoryBatch | None:
        if information in self._cache:
            self._cache.move_to_end(information)
        return self._cache.get(information)

    def _store(self, information: Information, batch: HistoryBatch | None) -> None:
        """Cache a batch, and drop the least recently used ones beyond the limit."""
        self._cache[information] = batch
        self._size += 0 if batch is None else len(batch)
        while self._size > CACHED_HISTORIES and len(self._cache) > 1:
            _, oldest = self._cache.popitem(last=False)
            self._size -= 0 if oldest is None else len(oldest)


def _agreeing(first: HistoryBatch, observed: ObservedStep) -> LongArray:
    """Return the positions of the histories of length one that agree with an observation."""
    if observed.player is not None:
        return first.positions_at(Infostate(observed.player, (observed.step,)))
    # Every player sees what is public, so that the infostates of one player are enough.
    index = first.infostate_indexes[0]
    agrees = np.array([index.public(n) == observed.step.public for n in range(len(index))], bool)
    return np.flatnonzero(agrees[first.infostate[:, 0]])


@lru_cache(maxsize=8)
def _shared_filter(game: Game, max_worlds: int) -> HistoryFilter:
    return HistoryFilter(game, max_worlds)


def get_history_filter(game: Game, max_worlds: int) -> HistoryFilter:
    """Return the filter of a game; equal hashable games share a filter."""
    try:
        hash(game)
    except TypeError:
        return HistoryFilter(game, max_worlds)
    return _shared_filter(game, max_worlds)


def observed_steps(information: Information) -> list[ObservedStep]:
    """Return the observation of each transition, by a player or by the public."""
    if isinstance(information, Infostate):
        return [ObservedStep(information.player, step) for step in information.steps]
    return [ObservedStep(None, Step(NOOP, None, seen)) for seen in information.observations]


def _prefix(information: Information, length: int) -> Information:
    """Return the information after its first steps."""
    if isinstance(information, Infostate):
        return Infostate(information.player, information.steps[:length])
    return PublicState(information.observations[:length])


def no_history_error(
    batch: HistoryBatch, observed: ObservedStep, information: Information
) -> UnknownNameError:
    """Return the error that names the first step with which no history agrees."""
    steps = observed_steps(information)
    observer = "the public" if observed.player is None else f"player {observed.player}"
    possible = _possible_observations(batch, observed.player)
    could = f"{observer} could observe {possible}" if possible else "the game is over"
    before = join_steps(step_text(*each.step) for each in steps[:-1])
    return UnknownNameError(
        f"no history of {batch.game} agrees with step {len(steps)} of {information}: after "
        f"{before!r} {could}"
    )


def _possible_observations(batch: HistoryBatch, player: int | None) -> list[str]:
    """Return the next steps that a player, or the public, can observe, as text."""
    texts: dict[str, None] = {}
    transitions = successors(batch, None, partial(enumerated_outcomes, limit=TRIED_TRANSITIONS))
    for one in islice(transitions, TRIED_TRANSITIONS):
        action = NOOP if player is None else one.joint_action[player]
        private = None if player is None else one.seen.seen_by(player)
        texts[step_text(action, private, one.seen.public)] = None
        if len(texts) > LISTED_OBSERVATIONS:
            return [*list(texts)[:LISTED_OBSERVATIONS], "..."]
    return list(texts)
