"""Sampling of histories that agree with some information, when there are too many to enumerate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoset.beliefs.belief import SamplingLimits, batch_reach, unreached_error
from infoset.beliefs.drawn_paths import path_batch
from infoset.beliefs.history_batches import HistoryBatch, ObservedStep
from infoset.beliefs.history_filter import (
    Information,
    SampledOutcomes,
    no_history_error,
    observed_steps,
    samples_observations,
    successors,
)
from infoset.beliefs.listed_histories import listed_batch
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.game.hooks import public_observations, sample_histories_as_seen
from infoset.policy import Policy
from infoset.utils.subsampling import inclusion_probabilities, systematic_sample


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


def sampled_histories(
    batch: HistoryBatch,
    information: Information,
    policies: Sequence[Policy | None],
    limits: SamplingLimits,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
) -> HistoryBatch:
    """Return histories that agree with some information, sampled step by step (particle filter).

    Before each step, histories are subsampled to `num_samples` with inclusion probabilities that
    increase with their weight; the selected histories are reweighted to represent all. Then all of
    their transitions that agree with the observation are enumerated. If a transition has too many
    outcomes, they are sampled: among the outcomes that agree if the game defines
    `sample_observed_transition`, otherwise by rejection.

    Parameters
    ----------
    batch
        All histories that agree with the first steps.
    policies
        The policies that weight histories.
    noise
        Weight of uniform play that is mixed into the policies.

    Raises
    ------
    UnsupportedGameError
        If no sampled history agrees, or all have probability zero under the policies.

    Notes
    -----
    Source: Fearnhead and Clifford (2003), for the resampling step.
    """
    sampler = _Sampler(policies, limits, rng, noise)
    steps = observed_steps(information)
    for observed in steps[batch.depth :]:
        batch = sampler.further(batch, observed, information)
    return sampler.subsample(batch, steps[-1])


def _advice(game: Game) -> str:
    """Return advice, besides more samples, for the error that no sampled history agrees."""
    if samples_observations(game):
        return " max_worlds, so that more histories are enumerated"
    return " define sample_observed_transition in the game, or deal in several steps"


@dataclass(frozen=True)
class _Sampler:
    """Extends a batch by one sampled step."""

    policies: Sequence[Policy | None]
    limits: SamplingLimits
    rng: np.random.Generator
    noise: float

    def further(
        self, batch: HistoryBatch, observed: ObservedStep, information: Information
    ) -> HistoryBatch:
        """Return histories that are one step longer and agree with the observation."""
        batch = self.subsample(batch, observed)
        # Rejection wastes draws. A game without `sample_observed_transition` is therefore
        # enumerated while the total number of histories is at most `max_worlds`.
        enumerated = self.limits.num_samples
        if not samples_observations(batch.game):
            enumerated = max(enumerated, self.limits.max_worlds // len(batch))
        num_draws = -(-self.limits.num_samples // len(batch))
        outcomes = SampledOutcomes(enumerated, num_draws, observed, self.rng)
        found = list(successors(batch, observed, outcomes))
        is_rejected = outcomes.num_outcomes > outcomes.count(batch, found)
        if not found and (is_rejected or batch.method != "enumeration"):
            raise UnsupportedGameError(
                f"no sampled history of {batch.game} agrees with step {batch.depth + 1} of "
                f"{information}; raise num_samples={self.limits.num_samples}, or"
                f"{_advice(batch.game)}"
            )
        if not found:
            raise no_history_error(batch, observed, information)
        further = batch.extend(found)
        if not outcomes.num_outcomes:
            return further
        unknown = np.full(len(further), np.nan)
        method = "rejection" if is_rejected else further.as_samples().method
        return replace(further, method=method, inclusion=unknown)

    def subsample(self, batch: HistoryBatch, observed: ObservedStep) -> HistoryBatch:
        """Return at most `num_samples` of the histories, reweighted to represent all."""
        number = self.limits.num_samples
        if len(batch) <= number:
            return batch
        reach = batch_reach(batch, self.policies, observed.player, self.noise)
        kept_with = inclusion_probabilities(reach, number)
        kept = systematic_sample(kept_with, self.rng)
        if not kept.any():
            raise unreached_error(batch.game, observed.player)
        sample = batch.select(np.flatnonzero(kept)).as_samples()
        # Horvitz-Thompson: dividing by the inclusion probability keeps every sum unbiased.
        inclusion = kept_with[kept]
        before = 1.0 if sample.inclusion is None else sample.inclusion
        return replace(sample, weight=sample.weight / inclusion, inclusion=before * inclusion)
