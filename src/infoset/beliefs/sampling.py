"""Finding some of the histories that agree with what was seen, where all are too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoset.beliefs.assumed_policies import batch_reach, unreached
from infoset.beliefs.filtering import Known, nothing_left, sights_of
from infoset.beliefs.layers import HistoryBatch, Sight
from infoset.beliefs.limits import Limits
from infoset.beliefs.thinning import inclusion_probabilities, systematic_sample
from infoset.beliefs.transitions import Drawing, knows_what_is_seen, successors
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.policy import Policy

__all__ = ["sampled_batch"]


def sampled_batch(
    batch: HistoryBatch,
    known: Known,
    policies: Sequence[Policy | None],
    limits: Limits,
    rng: np.random.Generator,
) -> HistoryBatch:
    """Return histories that agree with what is known, drawn step by step.

    In front of each step histories are left out at random until `num_samples` remain, the likely
    ones rather kept, and what is kept gets the weight of what is not. Then all their
    transitions that agree are listed. What nature draws from is itself drawn from where it is too
    long to list: by `sample_observed_transition`
    if the game defines it; otherwise by rejecting draws that do not agree with the observation.

    Parameters
    ----------
    batch : HistoryBatch
        Where to begin: all histories that agree with the first steps.
    known : Known
    policies : Sequence[Policy or None]
        Those by which histories are likely.
    limits : Limits
    rng : np.random.Generator

    Raises
    ------
    UnsupportedGameError
        If nothing that was drawn agrees.
    """
    sampler = _Sampler(policies, limits, rng)
    for sight in sights_of(known)[batch.depth :]:
        batch = sampler.further(batch, sight, known)
    return sampler.thin(batch, sights_of(known)[-1])


def _help(game: Game) -> str:
    """Return what else than more samples helps where none agrees."""
    if knows_what_is_seen(game):
        return " max_worlds, so that more histories are listed"
    return " let the game draw what was seen (sample_observed_transition), or deal in several steps"


@dataclass(frozen=True)
class _Sampler:
    """Extends a batch by one step at random."""

    policies: Sequence[Policy | None]
    limits: Limits
    rng: np.random.Generator

    def further(self, batch: HistoryBatch, sight: Sight, known: Known) -> HistoryBatch:
        """Return histories one step longer that agree with what was seen."""
        batch = self.thin(batch, sight)
        most = self.limits.num_samples
        if not knows_what_is_seen(batch.game):
            most = max(most, self.limits.max_worlds // len(batch))
        drawing = Drawing(most, -(-self.limits.num_samples // len(batch)), sight, self.rng)
        found = list(successors(batch, sight, drawing))
        is_rejected = drawing.num_outcomes > drawing.count(batch, found)
        if not found and (is_rejected or batch.method != "enumeration"):
            raise UnsupportedGameError(
                f"nothing that was drawn agrees with step {batch.depth + 1} of {known} in "
                f"{batch.game}, of whose histories some were drawn; raise num_samples="
                f"{self.limits.num_samples}, or{_help(batch.game)}"
            )
        if not found:
            raise nothing_left(batch, sight, known)
        further = batch.extend(found)
        if is_rejected:
            return replace(further, method="rejection")
        return further.as_samples() if drawing.num_outcomes else further

    def thin(self, batch: HistoryBatch, sight: Sight) -> HistoryBatch:
        """Return at most `num_samples` of the histories, with the weight of all."""
        number = self.limits.num_samples
        if len(batch) <= number:
            return batch
        likely = batch_reach(batch, self.policies, sight.player)
        kept_with = inclusion_probabilities(likely, number)
        kept = systematic_sample(kept_with, self.rng)
        if not kept.any():
            raise unreached(batch.game, sight.player)
        thinned = batch.select(np.flatnonzero(kept)).as_samples()
        return replace(thinned, weight=thinned.weight / kept_with[kept])
