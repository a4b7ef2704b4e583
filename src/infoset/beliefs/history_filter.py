"""Filtering by the rules: histories that agree with some information, found step by step."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import islice, product
from sys import maxsize
from typing import TypeAlias

import numpy as np

from infoset.beliefs.enumerated_outcomes import EnumeratedOutcomes, Outcomes, TooManyWorldsError
from infoset.beliefs.history_batches import HistoryBatch, ObservedStep, Successor
from infoset.beliefs.listed_histories import listed_batch
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate, PublicState, Step, step_text
from infoset.game.broken_rules import rules_at
from infoset.game.checked_rules import checked_observation
from infoset.game.hooks import actions_as_seen, histories_as_seen, public_observations
from infoset.game.infostate import join_steps
from infoset.typing import NOOP, Action, JointAction, LongArray, Player, World
from infoset.utils.clocks import check_deadline

Information: TypeAlias = Infostate | PublicState
"""The information of a player, or of the public."""

Choices: TypeAlias = Sequence[Sequence[Action]]
"""Per player, its legal actions; `NOOP` alone if it does not act."""

CACHED_HISTORIES = 2_000_000
"""Limit on the number of histories in all cached batches of a game."""

LISTED_OBSERVATIONS = 12
"""Limit on the number of possible observations that an error message lists."""

TRIED_TRANSITIONS = 100_000
"""Limit on the number of transitions that are tried to find these observations."""


# Transitions


class SampledOutcomes:
    """Enumerates the outcomes of chance, and samples them if there are too many.

    Only games that define `sample_transition` are sampled; other games are always enumerated. If a
    game defines `sample_observed_transition`, only outcomes that agree with the observation are
    drawn.

    Parameters
    ----------
    limit
        Maximum number of next world states that are enumerated.
    num_draws
        Number of draws if there are more.
    observed
        The observation.
    """

    def __init__(
        self, limit: int, num_draws: int, observed: ObservedStep, rng: np.random.Generator
    ) -> None:
        self.limit = limit
        self.num_draws = num_draws
        self._observed = observed
        self._rng = rng
        self._drawn: Counter[tuple[World, JointAction]] = Counter()

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return the next world states with probabilities, or the sampled ones with weights."""
        if type(game).sample_transition is Game.sample_transition:
            return EnumeratedOutcomes(maxsize)(game, world, joint_action)
        with suppress(TooManyWorldsError):
            return EnumeratedOutcomes(self.limit)(game, world, joint_action)
        drawn: dict[World, float] = {}
        for _ in range(self.num_draws):
            next_world, weight = self._draw(game, world, joint_action)
            drawn[next_world] = drawn.get(next_world, 0.0) + weight / self.num_draws
        self._drawn[world, joint_action] += len(drawn)
        return drawn.items()

    def _draw(self, game: Game, world: World, joint_action: JointAction) -> tuple[World, float]:
        """Return a next world state, and its weight: the probability of the observation."""
        with rules_at(game, world):
            found = game.sample_observed_transition(world, joint_action, *self._observed, self._rng)
            return found or (game.sample_transition(world, joint_action, self._rng), 1.0)

    @property
    def num_outcomes(self) -> int:
        """Number of distinct next world states that were sampled."""
        return self._drawn.total()

    def count(self, batch: HistoryBatch, found: Iterable[Successor]) -> int:
        """Return how many successors of a batch were sampled rather than enumerated."""
        return sum((batch.worlds[one.origin], one.joint_action) in self._drawn for one in found)


def samples_observations(game: Game) -> bool:
    """Return whether a game defines its own `sample_observed_transition`."""
    return type(game).sample_observed_transition is not Game.sample_observed_transition


def successors(
    batch: HistoryBatch, observed: ObservedStep | None, outcomes: Outcomes
) -> Iterator[Successor]:
    """Yield the transitions from a batch that agree with an observation; None means all."""
    game, public_action = batch.game, None
    for origin, choices in _choices(batch, observed):
        world = batch.worlds[origin]
        # In a game of public actions, all transitions that agree have the same joint action. Once
        # it is known, no other is tried.
        tried = product(*choices) if public_action is None else _if_legal(public_action, choices)
        for joint_action in tried:
            check_deadline()
            for next_world, probability in outcomes(game, world, joint_action):
                seen, _ = checked_observation(game, world, joint_action, next_world)
                if observed is None or observed.agrees(seen):
                    is_public = observed is not None and game.public_actions
                    public_action = joint_action if is_public else None
                    yield Successor(origin, joint_action, next_world, float(probability), seen)


def _if_legal(joint_action: JointAction, choices: Choices) -> Sequence[JointAction]:
    is_legal = all(action in legal for action, legal in zip(joint_action, choices, strict=True))
    return (joint_action,) if is_legal else ()


def _choices(batch: HistoryBatch, observed: ObservedStep | None) -> Iterator[tuple[int, Choices]]:
    """Yield the positions of a batch with the actions that each player may have taken there."""
    observer = None if observed is None else observed.player
    own = NOOP if observed is None else observed.step.action
    agreeing = [] if observed is None else _agreeing_actions(batch.game, observed.step.public)
    numbers = batch.infostate.tolist()
    for origin, world in enumerate(batch.worlds):
        choices = [
            index.choices(number, batch.game, world)
            for index, number in zip(batch.infostate_indexes, numbers[origin], strict=True)
        ]
        for player, actions in agreeing:
            choices[player] = tuple([one for one in choices[player] if one in actions])
        if observer is not None:
            choices[observer] = (own,) if own in choices[observer] else ()
        yield origin, choices


def _agreeing_actions(game: Game, public: Hashable) -> list[tuple[Player, tuple[Action, ...]]]:
    """Return the players of whom a public observation shows something, with their actions."""
    return [
        (player, (NOOP, *actions))
        for player in range(game.num_players)
        if (actions := actions_as_seen(game, player, public)) is not None
    ]


# Filtering


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
        """Return the batch one step further; None if it cannot be enumerated."""
        if information in self._cache:
            return self._recall(information)
        try:
            further = self._extend(batch, observed)
        except TooManyWorldsError:
            further = None
        if further is not None and not len(further):
            raise no_history_error(batch, observed, information)
        self._store(information, further)
        return further

    def _extend(self, batch: HistoryBatch, observed: ObservedStep) -> HistoryBatch:
        """Return the histories one step longer that agree with an observation.

        Raises
        ------
        TooManyWorldsError
            If there are more than `max_worlds` of these histories, or outcomes of one transition.
        """
        if batch.parent is not None:
            return self._enumerate(batch, observed)
        if self._first_batch is None:
            raise TooManyWorldsError
        return self._first_batch.select(_agreeing(self._first_batch, observed))

    def _enumerate(self, batch: HistoryBatch, observed: ObservedStep | None) -> HistoryBatch:
        found = successors(batch, observed, EnumeratedOutcomes(self.max_worlds))
        further = batch.extend(islice(found, self.max_worlds + 1))
        if len(further) > self.max_worlds:
            raise TooManyWorldsError
        return further

    @cached_property
    def _first_batch(self) -> HistoryBatch | None:
        """All histories of length one, such as all deals, enumerated once for all observers."""
        try:
            return self._enumerate(self.root, None)
        except TooManyWorldsError:
            return None

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
    if observed.player is None:
        return np.flatnonzero(first.has_public_observation(observed.step.public))
    return np.flatnonzero(first.is_at(Infostate(observed.player, (observed.step,))))


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
    transitions = successors(batch, None, EnumeratedOutcomes(TRIED_TRANSITIONS))
    for one in islice(transitions, TRIED_TRANSITIONS):
        action = NOOP if player is None else one.joint_action[player]
        private = None if player is None else one.seen.seen_by(player)
        texts[step_text(action, private, one.seen.public)] = None
        if len(texts) > LISTED_OBSERVATIONS:
            return [*list(texts)[:LISTED_OBSERVATIONS], "..."]
    return list(texts)
