"""Sampling of histories that agree with some information, when there are too many to enumerate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from infoset.beliefs.assumed_policies import AssumedReach, unreached_error
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import (
    Information,
    no_history_error,
    observed_steps,
    successors,
)
from infoset.beliefs.listed_histories import listed_batch, path_batch
from infoset.beliefs.transitions import ObservedStep, SampledOutcomes
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.game.hooks import public_observations, sample_histories_as_seen
from infoset.utils.arguments import check_count, check_generator
from infoset.utils.subsampling import inclusion_probabilities, systematic_sample

MAX_WORLDS: Final = 200_000
"""Maximum number of histories that are enumerated."""

NUM_SAMPLES: Final = 10_000
"""Default number of sampled histories if there are more than `MAX_WORLDS`."""


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
    reach: AssumedReach,
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
    reach
        Reach of the players, which weights histories besides chance.
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
    steps = observed_steps(information)
    for observed in steps[batch.depth :]:
        sample = _subsample(batch, observed, reach, limits.num_samples, rng, noise)
        batch = _further(sample, observed, information, limits, rng)
    return _subsample(batch, steps[-1], reach, limits.num_samples, rng, noise)


def _subsample(
    batch: HistoryBatch,
    observed: ObservedStep,
    reach: AssumedReach,
    number: int,
    rng: np.random.Generator,
    noise: float,
) -> HistoryBatch:
    """Return at most a number of the histories, reweighted to represent all."""
    if len(batch) <= number:
        return batch
    # The observer's own policy is left out: it does not change what the observer believes.
    weight = reach.of(batch, observed.player, noise)
    kept_with = inclusion_probabilities(weight, number)
    kept = systematic_sample(kept_with, rng)
    if not kept.any():
        raise unreached_error(batch.game, observed.player)
    sample = batch.select(np.flatnonzero(kept)).as_samples()
    # Horvitz-Thompson: dividing by the inclusion probability keeps every sum unbiased.
    inclusion = kept_with[kept]
    before = 1.0 if sample.inclusion is None else sample.inclusion
    return replace(sample, weight=sample.weight / inclusion, inclusion=before * inclusion)


def _further(
    batch: HistoryBatch,
    observed: ObservedStep,
    information: Information,
    limits: SamplingLimits,
    rng: np.random.Generator,
) -> HistoryBatch:
    """Return histories that are one step longer and agree with the observation."""
    # Rejection wastes draws. A game without `sample_observed_transition` is therefore enumerated
    # while the total number of histories is at most `max_worlds`.
    draws_agree = _draws_agree(batch.game)
    enumerated = limits.num_samples
    if not draws_agree:
        enumerated = max(enumerated, limits.max_worlds // len(batch))
    # The draws of all histories together are as many as the samples, rounded up.
    num_draws = -(-limits.num_samples // len(batch))
    outcomes = SampledOutcomes(enumerated, num_draws, observed, rng)
    found = list(successors(batch, observed, outcomes))
    starts = ((batch.worlds[one.origin], one.joint_action) for one in found)
    is_rejected = outcomes.drawn.total() > sum(start in outcomes.drawn for start in starts)
    if not found and not is_rejected and batch.method == "enumeration":
        raise no_history_error(batch, observed, information)  # nothing was left to chance
    if not found:
        advice = " define sample_observed_transition in the game, or deal in several steps"
        if draws_agree:
            advice = " max_worlds, so that more histories are enumerated"
        raise UnsupportedGameError(
            f"no sampled history of {batch.game} agrees with step {batch.depth + 1} of "
            f"{information}; raise num_samples={limits.num_samples}, or{advice}"
        )
    further = batch.extend(found)
    if not outcomes.drawn:
        return further
    # How probable an outcome was to be drawn is known to the game alone.
    unknown = np.full(len(further), np.nan)
    method = "rejection" if is_rejected else further.as_samples().method
    return replace(further, method=method, inclusion=unknown)


def _draws_agree(game: Game) -> bool:
    """Return whether a game draws outcomes that agree with an observation."""
    return type(game).sample_observed_transition is not Game.sample_observed_transition
