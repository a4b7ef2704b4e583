"""Mixtures of private and public beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeAlias

import numpy as np

from infoset.beliefs.assumed_policies import MODEL_NOISE, AssumedPolicies, ModelNoise
from infoset.beliefs.belief import Belief
from infoset.beliefs.history_sampling import MAX_WORLDS, NUM_SAMPLES, SamplingLimits
from infoset.beliefs.posterior_beliefs import beliefs_of, check_infostate
from infoset.errors import ParameterError, show
from infoset.game import Game, Infostate, PublicState
from infoset.tree import GameTree
from infoset.typing import NOOP

__all__ = ["PublicPrivateBelief", "PublicWeight"]

PublicWeight: TypeAlias = float | Sequence[float] | Mapping[PublicState, float]
"""The weight of the public belief: a number, one per number of own moves, or one per public
state."""


@dataclass(frozen=True)
class PublicPrivateBelief:
    """A mixture of the private and the public belief, as one distribution over histories.

    `B(h) = (1 - public_weight) * B_private(h) + public_weight * B_public(h)`.
    With weight 0 a player reasons from its private information. With weight 1 it reasons like an
    observer without private information, so that its actions leak nothing.

    Attributes
    ----------
    public_weight : float, Sequence[float] or Mapping[PublicState, float]
        Weight λ of the public belief, from 0 to 1. A sequence gives one weight per number of own
        actions so far; its last entry applies from then on. A mapping gives one weight per public
        state.
    policies : Policy, callable or Sequence, optional
        Assumed policies, as in `private_belief`. By default nothing is inferred from actions, as in
        the paper.
    model_noise, always_noisy
        Uniform play in the assumed policies, as in `private_belief`. It is decided separately for
        the private and the public belief.
    default : float
        Weight at public states that are missing from a mapping.
    max_worlds, num_samples : int
        As in `private_belief`.

    Raises
    ------
    ParameterError
        If a weight is not a number from 0 to 1, or a sequence of weights is empty.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). Policies and public weights by public
    state are additions.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> dice = load_game("liars_dice(dice_sides=2)")
    >>> one = Infostate(0, (Step(None, (1,), None),))
    >>> belief = PublicPrivateBelief(0.5).at(dice, one)
    >>> dict(
    ...     zip(
    ...         ["/".join(map(str, w.hands)) for w in belief.worlds],
    ...         belief.probability.tolist(),
    ...     )
    ... )
    {'(1,)/(1,)': 0.375, '(1,)/(2,)': 0.375, '(2,)/(1,)': 0.125, '(2,)/(2,)': 0.125}
    """

    public_weight: PublicWeight
    policies: AssumedPolicies = field(default=None, kw_only=True)
    default: float = field(default=0.0, kw_only=True)
    model_noise: float = field(default=MODEL_NOISE, kw_only=True)
    always_noisy: bool = field(default=False, kw_only=True)
    max_worlds: int = field(default=MAX_WORLDS, kw_only=True)
    num_samples: int = field(default=NUM_SAMPLES, kw_only=True)

    def __post_init__(self) -> None:
        SamplingLimits(None, self.max_worlds, self.num_samples)
        ModelNoise(self.model_noise, self.always_noisy)
        _check_public_weight("default", self.default)
        if isinstance(self.public_weight, Mapping):
            for public_state, public_weight in self.public_weight.items():
                _check_public_state(public_state)
                _check_public_weight(f"public_weight at {public_state}", public_weight)
        elif isinstance(self.public_weight, (tuple, list)):
            object.__setattr__(self, "public_weight", tuple(self.public_weight))
            if not self.public_weight:
                raise ParameterError(
                    "public_weight=() is empty; give one weight for each move of the player, "
                    "or a number such as 0.0"
                )
            for number, public_weight in enumerate(self.public_weight):
                _check_public_weight(f"public_weight of own move {number}", public_weight)
        else:
            _check_public_weight("public_weight", self.public_weight)

    def public_weight_at(self, infostate: Infostate) -> float:
        """Return the weight of the public belief at an infostate."""
        if isinstance(self.public_weight, Mapping):
            return float(self.public_weight.get(infostate.public_state, self.default))
        if isinstance(self.public_weight, tuple):
            num_moves = sum(step.action is not NOOP for step in infostate.steps)
            return float(self.public_weight[min(num_moves, len(self.public_weight) - 1)])
        return float(self.public_weight)  # type: ignore[arg-type]

    def at(
        self,
        source: Game | GameTree,
        infostate: Infostate,
        *,
        rng: np.random.Generator | None = None,
    ) -> Belief:
        """Return the mixture at an infostate; histories in both beliefs are merged.

        Parameters
        ----------
        source : Game or GameTree
        infostate : Infostate
        rng : np.random.Generator, optional
            Required only if there are more histories than `max_worlds`.

        Raises
        ------
        ParameterError, UnknownNameError, UnsupportedGameError
            As in `private_belief`.
        """
        noise = ModelNoise(self.model_noise, self.always_noisy)
        limits = SamplingLimits(rng, self.max_worlds, self.num_samples)
        found = beliefs_of(source, self.policies, noise, limits)
        check_infostate(source, infostate)
        public_weight = self.public_weight_at(infostate)
        return (
            found.mixture(infostate, public_weight) if public_weight else found.private(infostate)
        )


def _check_public_weight(name: str, public_weight: object) -> None:
    is_number = isinstance(public_weight, Real) and not isinstance(public_weight, bool)
    if not (is_number and 0 <= public_weight <= 1):  # type: ignore[operator]
        raise ParameterError(
            f"{name} is {show(public_weight)}; it must be a number from 0 (private belief) to 1 "
            f"(public belief)"
        )


def _check_public_state(public_state: object) -> None:
    if not isinstance(public_state, PublicState):
        raise ParameterError(
            f"public_weight has the key {public_state!r}; its keys must be public states, such as "
            f"history.public_state"
        )
