"""Beliefs over histories that the rules allow, of a game of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.beliefs.assumed_policies import batch_reach, unreached
from infoset.beliefs.belief import Belief
from infoset.beliefs.filtering import Known, history_filter
from infoset.beliefs.layers import HistoryBatch
from infoset.beliefs.limits import Limits
from infoset.beliefs.sampling import sampled_batch
from infoset.errors import ParameterError
from infoset.game import Game, History, Infostate, PublicState
from infoset.policy import Policy
from infoset.typing import FloatArray

__all__ = ["RulesBeliefs"]


@dataclass(frozen=True)
class RulesBeliefs:
    """Beliefs in a game that is not compiled, under policies assumed of its players.

    Attributes
    ----------
    game : Game
    policies : Sequence[Policy or None]
        One per player.
    limits : Limits
    """

    game: Game
    policies: Sequence[Policy | None]
    limits: Limits

    def private(self, infostate: Infostate) -> Belief:
        """Return what a player believes at an infostate."""
        return self._belief(self._batch(infostate), infostate)

    def public(self, public_state: PublicState) -> Belief:
        """Return what somebody believes who sees only what everybody sees."""
        return self._belief(self._batch(public_state), public_state)

    def mixed(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture of both, with the weight of the public one."""
        batch = self._batch(infostate.public_state)
        public = self._probability(batch, infostate.public_state)
        inside = batch.is_at(infostate)
        is_whole = batch.method == "enumeration" and bool(inside.any())
        if public_weight == 1 and is_whole:
            return _of_batch(batch, public)
        if not is_whole:
            return self._joined(self.private(infostate), _of_batch(batch, public), public_weight)
        private = np.zeros(len(batch))
        private[inside] = self._probability(batch.select(np.flatnonzero(inside)), infostate)
        return _of_batch(batch, (1 - public_weight) * private + public_weight * public)

    def _joined(self, private: Belief, public: Belief, public_weight: float) -> Belief:
        """Return the mixture of two beliefs found apart; what is in both is there once."""
        total: dict[History, float] = {}
        for belief, part in ((private, 1 - public_weight), (public, public_weight)):
            for history, probability in zip(belief.histories, belief.probability, strict=True):
                total[history] = total.get(history, 0.0) + part * float(probability)
        kept = {history: probability for history, probability in total.items() if probability}
        method = private.method if private.method == "rejection" else public.method
        return Belief(tuple(kept), np.array([*kept.values()]), self.game, method)

    def _batch(self, known: Known) -> HistoryBatch:
        """Return the histories that agree with what is known: all, or some that were drawn."""
        limits = self.limits
        batch, length = history_filter(self.game, limits.max_worlds).listed(known)
        if length == _num_steps(known):
            return batch
        if limits.rng is None:
            raise ParameterError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} steps of what was seen, so that some are to be drawn: give "
                "rng=np.random.default_rng(0), or raise max_worlds"
            )
        return sampled_batch(batch, known, self.policies, limits, limits.rng)

    def _belief(self, batch: HistoryBatch, known: Known) -> Belief:
        return _of_batch(batch, self._probability(batch, known))

    def _probability(self, batch: HistoryBatch, known: Known) -> FloatArray:
        """Return [K] the probability of each history of a batch."""
        player = known.player if isinstance(known, Infostate) else None
        reach = batch_reach(batch, self.policies, without=player)
        total = float(reach.sum())
        if not total > 0:
            raise unreached(self.game, player)
        return reach / total


def _of_batch(batch: HistoryBatch, probability: FloatArray) -> Belief:
    kept = probability > 0
    if not kept.all():
        batch = batch.select(np.flatnonzero(kept))
    return Belief(batch, probability[kept], batch.game, batch.method)


def _num_steps(known: Known) -> int:
    """Return how many transitions were seen."""
    return len(known.steps if isinstance(known, Infostate) else known.observations)
