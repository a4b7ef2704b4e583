"""Beliefs over histories, computed from the rules of a game without a compiled tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.beliefs.assumed_policies import batch_reach, unreached_error
from infoset.beliefs.belief import Belief
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import Information, get_history_filter
from infoset.beliefs.history_sampling import SamplingLimits, drawn_histories, sampled_histories
from infoset.errors import ParameterError
from infoset.game import Game, History, Infostate, PublicState
from infoset.game.broken_rules import rules_at
from infoset.policy import Policy
from infoset.typing import FloatArray

__all__ = ["GameBeliefs"]


@dataclass(frozen=True)
class GameBeliefs:
    """Beliefs computed from the rules of a game, under assumed policies.

    Attributes
    ----------
    game : Game
    policies : Sequence[Policy or None]
        One per player.
    limits : SamplingLimits
    """

    game: Game
    policies: Sequence[Policy | None]
    limits: SamplingLimits

    def private(self, infostate: Infostate) -> Belief:
        """Return the belief of a player at an infostate."""
        return self._belief(self.histories(infostate), infostate)

    def public(self, public_state: PublicState) -> Belief:
        """Return the belief given a public state."""
        return self._belief(self.histories(public_state), public_state)

    def mixture(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture `(1 - public_weight) * private + public_weight * public`."""
        batch = self.histories(infostate.public_state)
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
        """Return the mixture of two beliefs over different batches, merging equal histories."""
        total: dict[History, float] = {}
        for belief, part in ((private, 1 - public_weight), (public, public_weight)):
            for history, probability in zip(belief.histories, belief.probability, strict=True):
                total[history] = total.get(history, 0.0) + part * float(probability)
        kept = {history: probability for history, probability in total.items() if probability}
        method = private.method if private.method == "rejection" else public.method
        return Belief(tuple(kept), np.array([*kept.values()]), self.game, method)

    def histories(self, information: Information) -> HistoryBatch:
        """Return the histories that agree with some information: all of them, or a sample."""
        limits = self.limits
        with rules_at(self.game):  # comparing observations calls code of the game
            histories = get_history_filter(self.game, limits.max_worlds)
            whole = histories.listed(information)
            if whole is not None:
                return whole
            drawn = drawn_histories(histories.root, information, limits)
            if drawn is not None:
                return drawn
            batch, length = histories.enumerated(information)
        if length == _num_steps(information):
            return batch
        if limits.rng is None:
            raise ParameterError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} observed steps, so they must be sampled; give a random "
                f"generator, such as rng=np.random.default_rng(0), or raise max_worlds"
            )
        return sampled_histories(batch, information, self.policies, limits, limits.rng)

    def _belief(self, batch: HistoryBatch, information: Information) -> Belief:
        return _of_batch(batch, self._probability(batch, information))

    def _probability(self, batch: HistoryBatch, information: Information) -> FloatArray:
        """Return [K] the probability of each history of a batch."""
        player = information.player if isinstance(information, Infostate) else None
        reach = batch_reach(batch, self.policies, without=player)
        total = float(reach.sum())
        if not total > 0:
            raise unreached_error(self.game, player)
        return reach / total


def _of_batch(batch: HistoryBatch, probability: FloatArray) -> Belief:
    kept = probability > 0
    if not kept.all():
        batch = batch.select(np.flatnonzero(kept))
    return Belief(batch, probability[kept], batch.game, batch.method)


def _num_steps(information: Information) -> int:
    """Return the number of observed transitions."""
    if isinstance(information, Infostate):
        return len(information.steps)
    return len(information.observations)
