"""Where the histories of a belief come from: a compiled tree, or the rules of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from infoset.beliefs.assumed_policies import AssumedReach, unreached_error
from infoset.beliefs.belief import TreeHistories
from infoset.beliefs.history_batches import (
    HistoryBatch,
    ObservedStep,
    TooManyWorldsError,
    enumerated_outcomes,
)
from infoset.beliefs.history_filter import (
    HistoryFilter,
    Information,
    get_history_filter,
    no_history_error,
    observed_steps,
    successors,
)
from infoset.beliefs.listed_histories import listed_batch, path_batch
from infoset.beliefs.public_belief_state import (
    check_public_state,
    find_public_state,
    histories_at,
)
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.game import Game, Infostate, PublicState
from infoset.game.broken_rules import rules_at
from infoset.game.hooks import public_observations, sample_histories_as_seen
from infoset.game.protocol import has_hook
from infoset.tree import GameTree
from infoset.typing import JointAction, World
from infoset.utils.arguments import check_count, check_generator
from infoset.utils.subsampling import inclusion_probabilities, systematic_sample

MAX_WORLDS: Final = 200_000
"""Maximum number of histories that are enumerated."""

NUM_SAMPLES: Final = 10_000
"""Default number of sampled histories if there are more than `MAX_WORLDS`."""


class UnlistedHistoriesError(ParameterError):
    """There are too many histories to list, and sampling is not allowed."""


@dataclass(frozen=True)
class SamplingLimits:
    """Limits on the number of histories that are enumerated or sampled."""

    rng: np.random.Generator | None = None
    """None if sampling is not allowed."""
    max_worlds: int = MAX_WORLDS
    num_samples: int = NUM_SAMPLES

    def __post_init__(self) -> None:
        if self.rng is not None:
            check_generator(self.rng)
        check_count("max_worlds", self.max_worlds, minimum=1)
        check_count("num_samples", self.num_samples, minimum=1)


@dataclass(frozen=True)
class TreeSource:
    """Histories of public states of a compiled tree. They are listed completely."""

    tree: GameTree

    def histories(self, information: Information | int, noise: float = 0.0) -> TreeHistories:
        """Return the histories of a public state; outside an infostate, they have weight 0."""
        if isinstance(information, Infostate):
            found, _ = self.histories(self.public_state(information)).within(information)
            return found
        if isinstance(information, PublicState):
            information = find_public_state(self.tree, information)
        check_public_state(self.tree, information)
        index = histories_at(self.tree, information)
        return TreeHistories(self.tree, index, np.take(self.tree.chance_reach, index))

    def public_state(self, infostate: Infostate) -> int:
        """Return the index of the public state of an infostate."""
        own = self.tree.infostate_trees[infostate.player]
        try:
            return int(own.public_state[own.index_of(infostate)])
        except UnknownNameError:
            # The filter raises a better error, which names the first step that no history agrees
            # with.
            HistoryFilter(self.tree.game, self.tree.num_histories).enumerated(infostate)
            raise


@dataclass(frozen=True)
class RulesSource:
    """Histories found by the rules of a game. There may be too many to list."""

    game: Game
    limits: SamplingLimits
    reach: AssumedReach
    """Weights histories of which a part is sampled."""

    def public_state(self, infostate: Infostate) -> PublicState:
        """Return the public state of an infostate."""
        return infostate.public_state

    def histories(self, information: Information | int, noise: float = 0.0) -> HistoryBatch:
        """Return the histories that agree with some information: all of them, or a sample.

        noise : weight of uniform play in the policies by which histories are sampled.
        """
        assert not isinstance(information, int)
        limits = self.limits
        with rules_at(self.game):  # comparing observations calls code of the game
            histories = get_history_filter(self.game, limits.max_worlds)
            # 1. The list of the game itself, or one found before.
            whole = histories.listed(information)
            if whole is not None:
                return whole
            # 2. A game that can list histories has not done so, because they are too many: it may
            # draw them. In other games, enumeration shows first whether they are too many.
            lists = has_hook(self.game, "histories_as_seen")
            drawn = drawn_histories(histories.root, information, limits) if lists else None
            if drawn is not None:
                return drawn
            # 3. Enumeration, step by step.
            batch, length = histories.enumerated(information)
            if length == len(public_observations(information)):
                return batch
            drawn = None if lists else drawn_histories(histories.root, information, limits)
            if drawn is not None:
                return drawn
        if limits.rng is None:
            raise UnlistedHistoriesError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} observed steps, so they must be sampled; give a random "
                f"generator, such as rng=np.random.default_rng(0), or raise max_worlds"
            )
        # 4. A particle filter, from the last step at which all histories could be listed.
        return self._sampled(batch, information, limits.rng, noise)

    def _sampled(
        self, batch: HistoryBatch, information: Information, rng: np.random.Generator, noise: float
    ) -> HistoryBatch:
        """Return a sample of the histories, found step by step after those of a batch.

        Before each step, histories are subsampled to `num_samples` with inclusion probabilities
        that increase with their weight; the selected histories are reweighted to represent all.
        Then all of their transitions that agree with the observation are enumerated. If a
        transition has too many outcomes, they are sampled: among the outcomes that agree if the
        game defines `sample_observed_transition`, otherwise by rejection.

        Raises
        ------
        UnsupportedGameError
            If no sampled history agrees, or all have probability zero under the policies.

        Notes
        -----
        Source: Fearnhead and Clifford (2003), for the resampling step.
        """
        steps = observed_steps(information)
        for observed in steps[batch.depth :]:
            sample = self._subsample(batch, observed, rng, noise)
            batch = self._further(sample, observed, information, rng)
        return self._subsample(batch, steps[-1], rng, noise)

    def _subsample(
        self, batch: HistoryBatch, observed: ObservedStep, rng: np.random.Generator, noise: float
    ) -> HistoryBatch:
        """Return at most `num_samples` of the histories, reweighted to represent all."""
        if len(batch) <= self.limits.num_samples:
            return batch
        # The observer's own policy is left out: it does not change what the observer believes.
        weight = self.reach.of(batch, observed.player, noise)
        kept_with = inclusion_probabilities(weight, self.limits.num_samples)
        kept = systematic_sample(kept_with, rng)
        if not kept.any():
            raise unreached_error(batch.game, observed.player)
        sample = batch.select(np.flatnonzero(kept)).as_samples()
        # Horvitz-Thompson: dividing by the inclusion probability keeps every sum unbiased.
        inclusion = kept_with[kept]
        before = 1.0 if sample.inclusion is None else sample.inclusion
        return replace(sample, weight=sample.weight / inclusion, inclusion=before * inclusion)

    def _further(
        self,
        batch: HistoryBatch,
        observed: ObservedStep,
        information: Information,
        rng: np.random.Generator,
    ) -> HistoryBatch:
        """Return histories that are one step longer and agree with the observation."""
        # Rejection wastes draws. A game that cannot draw outcomes that agree is therefore
        # enumerated while the total number of histories is at most `max_worlds`.
        num_samples, enumerated = self.limits.num_samples, self.limits.num_samples
        rejects = type(batch.game).sample_observed_transition is Game.sample_observed_transition
        if rejects:
            enumerated = max(enumerated, self.limits.max_worlds // len(batch))
        # All histories together draw as many outcomes as there are samples, rounded up for each.
        num_draws = -(-num_samples // len(batch))
        outcomes = SampledOutcomes(enumerated, num_draws, observed, rng)
        found = list(successors(batch, observed, outcomes))
        starts = ((batch.worlds[one.origin], one.joint_action) for one in found)
        is_rejected = outcomes.drawn.total() > sum(start in outcomes.drawn for start in starts)
        if not found and not is_rejected and batch.method == "enumeration":
            raise no_history_error(batch, observed, information)  # nothing was left to chance
        if not found:
            advice = " max_worlds, so that more histories are enumerated"
            if rejects:
                advice = " define sample_observed_transition in the game, or deal in several steps"
            raise UnsupportedGameError(
                f"no sampled history of {batch.game} agrees with step {batch.depth + 1} of "
                f"{information}; raise num_samples={num_samples}, or{advice}"
            )
        further = batch.extend(found)
        if not outcomes.drawn:
            return further
        # Only the game knows the probability with which it draws an outcome.
        unknown = np.full(len(further), np.nan)
        method = "rejection" if is_rejected else further.as_samples().method
        return replace(further, method=method, inclusion=unknown)


HistorySource: TypeAlias = TreeSource | RulesSource
"""Lists or draws the histories that agree with what a player or the public knows. All beliefs are
computed from these histories, their weights, and the numbers of their infostates."""


def drawn_histories(
    root: HistoryBatch, information: Information, limits: SamplingLimits
) -> HistoryBatch | None:
    """Return histories that the game itself draws; None if it does not, or must not."""
    public = public_observations(information)
    if limits.rng is None or not public:
        return None
    drawn = sample_histories_as_seen(root.game, information, limits.num_samples, limits.rng)
    if drawn is None or not len(drawn[0]):
        return None
    histories, weight = drawn
    if isinstance(histories, np.ndarray):
        return listed_batch(root, histories, public, weight)
    return path_batch(root, histories, weight, observed_steps(information))


@dataclass(frozen=True)
class SampledOutcomes:
    """Enumerates the outcomes of chance, and samples them if there are too many.

    Only games that define `sample_transition` are sampled; other games are always enumerated. If a
    game defines `sample_observed_transition`, only outcomes that agree with the observation are
    drawn.
    """

    limit: int
    """Maximum number of next world states that are enumerated."""
    num_draws: int
    """Number of draws if there are more."""
    observed: ObservedStep
    rng: np.random.Generator
    drawn: Counter[tuple[World, JointAction]] = field(default_factory=Counter)
    """Number of distinct next world states that were sampled, by the transition's start."""

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return the next world states with probabilities, or the sampled ones with weights."""
        if type(game).sample_transition is Game.sample_transition:
            return enumerated_outcomes(game, world, joint_action)
        with suppress(TooManyWorldsError):
            return enumerated_outcomes(game, world, joint_action, self.limit)
        weights: dict[World, float] = {}
        for _ in range(self.num_draws):
            next_world, weight = self._draw(game, world, joint_action)
            weights[next_world] = weights.get(next_world, 0.0) + weight / self.num_draws
        self.drawn[world, joint_action] += len(weights)
        return weights.items()

    def _draw(self, game: Game, world: World, joint_action: JointAction) -> tuple[World, float]:
        """Return a next world state, and its weight: the probability of the observation."""
        with rules_at(game, world):
            found = game.sample_observed_transition(world, joint_action, *self.observed, self.rng)
            # Without a draw that is known to agree, any draw is tried: its weight is 1, and it is
            # rejected if it contradicts the observation.
            return found or (game.sample_transition(world, joint_action, self.rng), 1.0)
