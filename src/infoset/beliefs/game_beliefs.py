"""Beliefs over histories, computed from the rules of a game without a compiled tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from infoset.beliefs.belief import Belief, ModelNoise, SamplingLimits, batch_reach, unreached_error
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import Information, get_history_filter
from infoset.beliefs.history_sampling import drawn_histories, sampled_histories
from infoset.errors import ParameterError
from infoset.game import Game, History, Infostate, PublicState
from infoset.game.broken_rules import rules_at
from infoset.game.protocol import has_hook
from infoset.policy import Policy
from infoset.typing import FloatArray


@dataclass(frozen=True)
class GameBeliefs:
    """Beliefs computed from the rules of a game, under assumed policies."""

    game: Game
    policies: Sequence[Policy | None]
    """One per player."""
    limits: SamplingLimits
    noise: ModelNoise

    def private(self, infostate: Infostate) -> Belief:
        """Return the belief of a player at an infostate."""
        return _of_batch(*self._weighted(infostate))

    def public(self, public_state: PublicState) -> Belief:
        """Return the belief given a public state."""
        return _of_batch(*self._weighted(public_state))

    def mixture(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture `(1 - public_weight) * private + public_weight * public`."""
        batch, public, noise = self._weighted(infostate.public_state)
        inside = batch.is_at(infostate)
        is_whole = batch.method == "enumeration" and bool(inside.any())
        if public_weight == 1 and is_whole:
            return _of_batch(batch, public, noise)
        if not is_whole:
            of_public = _of_batch(batch, public, noise)
            return self._joined(self.private(infostate), of_public, public_weight)
        here = batch.select(np.flatnonzero(inside))
        own, own_noise = self.noise.attempt(partial(self._probability, here, infostate))
        private = np.zeros(len(batch))
        private[inside] = own
        mixed = (1 - public_weight) * private + public_weight * public
        return _of_batch(batch, mixed, max(noise, own_noise))

    def _joined(self, private: Belief, public: Belief, public_weight: float) -> Belief:
        """Return the mixture of two beliefs over different batches, merging equal histories."""
        total: dict[History, float] = {}
        for belief, part in ((private, 1 - public_weight), (public, public_weight)):
            for history, probability in zip(belief.histories, belief.probability, strict=True):
                total[history] = total.get(history, 0.0) + part * float(probability)
        kept = {history: probability for history, probability in total.items() if probability}
        method = private.method if private.method == "rejection" else public.method
        noise = max(private.model_noise, public.model_noise)
        return Belief(tuple(kept), np.array([*kept.values()]), self.game, method, noise)

    def histories(self, information: Information, noise: float = 0.0) -> HistoryBatch:
        """Return the histories that agree with some information: all of them, or a sample.

        noise : weight of uniform play in the policies by which histories are sampled.
        """
        limits = self.limits
        with rules_at(self.game):  # comparing observations calls code of the game
            histories = get_history_filter(self.game, limits.max_worlds)
            whole = histories.listed(information)
            if whole is not None:
                return whole
            # A game that can list histories has not done so, because they are too many. In other
            # games, enumeration shows whether they are.
            lists = has_hook(self.game, "histories_as_seen")
            drawn = drawn_histories(histories.root, information, limits) if lists else None
            if drawn is not None:
                return drawn
            batch, length = histories.enumerated(information)
            if length == _num_steps(information):
                return batch
            drawn = None if lists else drawn_histories(histories.root, information, limits)
            if drawn is not None:
                return drawn
        if limits.rng is None:
            raise ParameterError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} observed steps, so they must be sampled; give a random "
                f"generator, such as rng=np.random.default_rng(0), or raise max_worlds"
            )
        return sampled_histories(batch, information, self.policies, limits, limits.rng, noise=noise)

    def _weighted(self, information: Information) -> tuple[HistoryBatch, FloatArray, float]:
        """Return the histories, their probabilities [K], and the noise in the policies."""

        def weigh(noise: float) -> tuple[HistoryBatch, FloatArray]:
            batch = self.histories(information, noise)
            return batch, self._probability(batch, information, noise)

        (batch, probability), noise = self.noise.attempt(weigh)
        return batch, probability, noise

    def _probability(
        self, batch: HistoryBatch, information: Information, noise: float
    ) -> FloatArray:
        """Return [K] the probability of each history of a batch."""
        player = information.player if isinstance(information, Infostate) else None
        reach = batch_reach(batch, self.policies, player, noise)
        total = float(reach.sum())
        if not total > 0:
            raise unreached_error(self.game, player)
        return reach / total


def _of_batch(batch: HistoryBatch, probability: FloatArray, noise: float) -> Belief:
    kept = probability > 0
    if not kept.all():
        batch = batch.select(np.flatnonzero(kept))
    return Belief(batch, probability[kept], batch.game, batch.method, noise)


def _num_steps(information: Information) -> int:
    """Return the number of observed transitions."""
    if isinstance(information, Infostate):
        return len(information.steps)
    return len(information.observations)
