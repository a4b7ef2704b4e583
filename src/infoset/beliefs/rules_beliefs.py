"""Beliefs over histories that the rules allow, of a game of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.beliefs.assumed_policies import layer_reach, unreached
from infoset.beliefs.belief import Belief
from infoset.beliefs.filtering import Known, history_filter
from infoset.beliefs.layers import Layer
from infoset.beliefs.limits import Limits
from infoset.beliefs.sampling import sampled_layer
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
        return self._belief(self._layer(infostate), infostate)

    def public(self, public_state: PublicState) -> Belief:
        """Return what somebody believes who sees only what everybody sees."""
        return self._belief(self._layer(public_state), public_state)

    def mixed(self, infostate: Infostate, public_weight: float) -> Belief:
        """Return the mixture of both, `public_weight` being that of the public one."""
        layer = self._layer(infostate.public_state)
        public = self._probability(layer, infostate.public_state)
        inside = layer.is_at(infostate)
        is_whole = layer.method == "enumeration" and bool(inside.any())
        if public_weight == 1 and is_whole:
            return _of_layer(layer, public)
        if not is_whole:
            return self._joined(self.private(infostate), _of_layer(layer, public), public_weight)
        private = np.zeros(len(layer))
        private[inside] = self._probability(layer.select(np.flatnonzero(inside)), infostate)
        return _of_layer(layer, (1 - public_weight) * private + public_weight * public)

    def _joined(self, private: Belief, public: Belief, public_weight: float) -> Belief:
        """Return the mixture of two beliefs found apart; what is in both is there once."""
        total: dict[History, float] = {}
        for belief, part in ((private, 1 - public_weight), (public, public_weight)):
            for history, probability in zip(belief.histories, belief.probability, strict=True):
                total[history] = total.get(history, 0.0) + part * float(probability)
        kept = {history: probability for history, probability in total.items() if probability}
        method = private.method if private.method == "rejection" else public.method
        return Belief(tuple(kept), np.array([*kept.values()]), self.game, method)

    def _layer(self, known: Known) -> Layer:
        """Return the histories that agree with what is known: all, or some that were drawn."""
        limits = self.limits
        layer, length = history_filter(self.game, limits.max_worlds).listed(known)
        if length == _num_steps(known):
            return layer
        if limits.rng is None:
            raise ParameterError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} steps of what was seen, so that some are to be drawn: give "
                "rng=np.random.default_rng(0), or raise max_worlds"
            )
        return sampled_layer(layer, known, self.policies, limits, limits.rng)

    def _belief(self, layer: Layer, known: Known) -> Belief:
        return _of_layer(layer, self._probability(layer, known))

    def _probability(self, layer: Layer, known: Known) -> FloatArray:
        """Return [K] the probability of each history of a layer."""
        player = known.player if isinstance(known, Infostate) else None
        reach = layer_reach(layer, self.policies, without=player)
        total = float(reach.sum())
        if not total > 0:
            raise unreached(self.game, player)
        return reach / total


def _of_layer(layer: Layer, probability: FloatArray) -> Belief:
    kept = probability > 0
    if not kept.all():
        layer = layer.select(np.flatnonzero(kept))
    return Belief(layer, probability[kept], layer.game, layer.method)


def _num_steps(known: Known) -> int:
    """Return how many transitions were seen."""
    return len(known.steps if isinstance(known, Infostate) else known.observations)
