"""Distances on treeplexes, dilated from distances of probabilities, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from infoset.errors import ParameterError
from infoset.regret.prox._kernels import LEAST_LOGARITHM, deepest_sums
from infoset.tree import Treeplex
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice, check_type

__all__ = [
    "Distance",
    "DistanceKind",
    "Weights",
    "balanced_weights",
    "check_distance",
    "unit_weights",
]

DistanceKind: TypeAlias = Literal["entropy", "euclidean"]
"""Which distance of probabilities is dilated."""

Weights: TypeAlias = Callable[[Treeplex], FloatArray]
"""Gives [I] the weight of every infostate of a treeplex, each positive."""


def unit_weights(treeplex: Treeplex) -> FloatArray:
    """Return [I] ones: with entropy, the entropy of the reduced normal form."""
    return np.ones(treeplex.num_infostates)


def balanced_weights(treeplex: Treeplex) -> FloatArray:
    """Return [I] weights that make up for the weights below: β = 2 + 2 max_a Σ_{J below a} β_J.

    With them both dilated distances are strongly convex with modulus 1 in the Euclidean norm
    of plans.

    Source: Kroer, Waugh, Kılınç-Karzan and Sandholm (2020).
    """
    return deepest_sums(
        treeplex.parent_sequence,
        treeplex.first_sequence,
        treeplex.num_actions,
        np.full(treeplex.num_infostates, 2.0),
        2.0,
        np.zeros(treeplex.num_sequences),
    )


@dataclass(frozen=True)
class Distance:
    """A dilated distance: ψ(x) = Σ_I β_I x_p(I) φ(x_I / x_p(I)), and its Bregman divergence.

    Attributes
    ----------
    kind : DistanceKind
        `entropy`, with φ(b) = Σ b log b, or `euclidean`, with φ(b) = ½ |b|².
    weights : callable
        Gives β: `unit_weights`, `balanced_weights`, or a function of your own.

    Raises
    ------
    UnknownNameError
        If there is no such kind.

    Examples
    --------
    >>> Distance("euclidean", balanced_weights).kind
    'euclidean'
    """

    kind: DistanceKind = "entropy"
    weights: Weights = unit_weights

    def __post_init__(self) -> None:
        check_choice("distance", self.kind, get_args(DistanceKind))

    @property
    def is_euclidean(self) -> bool:
        """Whether it is the Euclidean one."""
        return self.kind == "euclidean"

    def weights_of(self, treeplex: Treeplex) -> FloatArray:
        """Return [I] the weights on a treeplex, checked.

        Raises
        ------
        ParameterError
            If there is not one positive number for each infostate.
        """
        weights = np.asarray(self.weights(treeplex), dtype=np.float64)
        if weights.shape != (treeplex.num_infostates,) or not (weights > 0).all():
            raise ParameterError(
                f"{getattr(self.weights, '__name__', self.weights)} gave weights of shape "
                f"{weights.shape}; there must be one positive number for each of the "
                f"{treeplex.num_infostates} infostates"
            )
        return weights

    def coordinates(self, policy: FloatArray) -> FloatArray:
        """Return [Q] the coordinates in which the kernels keep a behavior [Q]."""
        if self.is_euclidean:
            return policy.copy()
        return np.log(np.maximum(policy, np.exp(LEAST_LOGARITHM)))


def check_distance(distance: object) -> None:
    """Raise unless a distance is given, and not its name.

    Raises
    ------
    ParameterError
        If something else is.
    """
    check_type("distance", distance, Distance, 'a Distance, such as Distance("entropy")')
