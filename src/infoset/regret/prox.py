"""The prox (proximal step) of dilated distances on treeplexes, in closed form by one sweep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import Treeplex, action_major_layout, realize_policy
from infoset.regret._prox_kernels import MIN_LOGARITHM, ProxProblem, deepest_sums, prox_sweep
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_choice, check_type

DistanceKind: TypeAlias = Literal["entropy", "euclidean"]
"""The local distance, between probability vectors, which is dilated over the treeplex."""

ABSENT = 1e-200
"""Weight of infostates to which no play leads: it does not count, but can be divided by."""

Weights: TypeAlias = Callable[[Treeplex], FloatArray]
"""A function that returns [I] the dilation weights of a treeplex, which are positive."""


def unit_weights(treeplex: Treeplex) -> FloatArray:
    """Return [I] ones, for which dilated entropy is the entropy of the reduced normal form."""
    return np.ones(treeplex.num_infostates)


def balanced_weights(treeplex: Treeplex) -> FloatArray:
    """Return [I] the weights β_I = 2 + 2 max_a Σ β_J; the sum is over infostates J below action a.

    These weights make both dilated distances strongly convex with modulus 1 in the Euclidean norm
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

    Examples
    --------
    >>> Distance("euclidean", balanced_weights).kind
    'euclidean'
    """

    kind: DistanceKind = "entropy"
    """`entropy`, with φ(b) = Σ b log b, or `euclidean`, with φ(b) = ½ |b|²."""
    weights: Weights = unit_weights
    """Returns β: `unit_weights`, `balanced_weights`, or a custom function."""

    def __post_init__(self) -> None:
        check_choice("distance", self.kind, get_args(DistanceKind))

    @property
    def is_euclidean(self) -> bool:
        """Whether the distance is Euclidean."""
        return self.kind == "euclidean"

    def weights_of(self, treeplex: Treeplex, multiplicity: LongArray | None = None) -> FloatArray:
        """Return [I] the dilation weights on a treeplex, after checking them.

        Parameters
        ----------
        multiplicity
            [I] how often each infostate counts; see `Form.multiplicities`. The weights are those of
            the treeplex without infostates that do not count, multiplied by these numbers. By
            default, each counts once.
        """
        if multiplicity is not None and not multiplicity.all():
            counts, weights = multiplicity > 0, np.full(treeplex.num_infostates, ABSENT)
            # The rule sees only infostates that count: a weight may depend on everything below.
            weights[counts] = self.weights_of(treeplex.restricted(counts), multiplicity[counts])
            return weights
        weights = np.asarray(self.weights(treeplex), dtype=np.float64)
        if weights.shape != (treeplex.num_infostates,) or not (weights > 0).all():
            raise ParameterError(
                f"{getattr(self.weights, '__name__', self.weights)} returned weights of "
                f"shape {weights.shape} with minimum {weights.min(initial=np.inf):g}: return one "
                f"positive number for each of the {treeplex.num_infostates} infostates"
            )
        return weights if multiplicity is None else weights * multiplicity

    def coordinates(self, policy: FloatArray) -> FloatArray:
        """Return [Q] the coordinates in which the kernels represent a behavior [Q]."""
        if self.is_euclidean:
            return policy.copy()
        return np.log(np.maximum(policy, np.exp(MIN_LOGARITHM)))


def check_distance(distance: object) -> None:
    """Raise unless `distance` is a `Distance`; a name is not accepted."""
    check_type("distance", distance, Distance, 'a Distance, such as Distance("entropy")')


class ProxResponse(NamedTuple):
    """The solution of a prox problem."""

    policy: FloatArray
    """[Q] behavior, including at infostates that the player's own actions exclude."""
    plan: FloatArray
    """[Q] realization plan."""
    value: float
    """The maximum."""


class TreeplexProx:
    """The prox of a dilated distance on a treeplex, in closed form.

    Parameters
    ----------
    treeplex
        The player's treeplex.
    distance
        The dilated distance.
    multiplicity
        As in `Distance.weights_of`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> plex = build_tree(load_game("matrix_mp")).sequence_form.treeplexes[0]
    >>> prox = TreeplexProx(plex, Distance("entropy"))
    >>> prox.respond(np.array([0.0, 1.0, 0.0]), temperature=1.0).policy[1:].round(6)
    array([0.731059, 0.268941])

    Source: Hoda, Gilpin, Peña and Sandholm (2010).
    """

    def __init__(
        self, treeplex: Treeplex, distance: Distance, multiplicity: LongArray | None = None
    ) -> None:
        check_distance(distance)
        self.treeplex = treeplex
        self.distance = distance
        self._weights = distance.weights_of(treeplex, multiplicity)
        self._layout = action_major_layout(treeplex)
        self._workspace = (
            np.zeros(self._layout.largest_group),
            np.zeros(self._layout.largest_group),
        )
        self._zeros = np.zeros(treeplex.num_sequences)

    def respond(
        self,
        gradient: FloatArray,
        *,
        temperature: float = 0.0,
        magnet: FloatArray | None = None,
        inverse_step_size: float = 0.0,
        center: FloatArray | None = None,
    ) -> ProxResponse:
        """Maximize <gradient, x> − temperature · D(x, magnet) − D(x, center) / step_size.

        Parameters
        ----------
        gradient
            [Q] utility per sequence.
        temperature, inverse_step_size
            Not negative, and at least one of them positive.
        magnet, center
            [Q] behaviors. If one is omitted, D(x, ·) is the regularizer ψ(x).
        """
        if not (min(temperature, inverse_step_size) >= 0 and temperature + inverse_step_size > 0):
            raise ParameterError(
                f"temperature={temperature} and inverse_step_size={inverse_step_size} must not be "
                "negative, and at least one must be positive: with both 0, the problem is a best "
                "response, not a prox"
            )
        layout = self._layout
        values = layout.to_positions(gradient)
        coordinates, policy, plan = (np.ones(len(values)) for _ in range(3))
        problem = ProxProblem(
            inverse_step_size,
            temperature,
            values,
            self._coordinates(center),
            self._coordinates(magnet),
            coordinates,
            policy,
        )
        prox_sweep(
            self.distance.is_euclidean,
            layout.groups,
            layout.parent,
            self._weights[layout.infostate],
            problem,
            *self._workspace,
        )
        realize_policy(layout.groups, layout.parent, policy, plan)
        return ProxResponse(
            layout.to_sequences(policy), layout.to_sequences(plan), float(values[0])
        )

    def _coordinates(self, policy: FloatArray | None) -> FloatArray:
        if policy is None:
            return self._zeros
        return self._layout.to_positions(self.distance.coordinates(policy))

    def divergence(
        self, policy: FloatArray, plan: FloatArray, center: FloatArray | None = None
    ) -> float:
        """Return D(x, center) for the plan x [Q] of a behavior [Q], or ψ(x) without a center.

        The center is a behavior [Q]. Infostates that the plan does not reach contribute zero.
        """
        plex = self.treeplex
        at = self.distance.coordinates(policy)[1:]
        # Without the empty sequence, so that actions line up with the repeats below.
        from_center = at if center is None else at - self.distance.coordinates(center)[1:]
        if self.distance.is_euclidean:
            # Euclidean: the reach of the infostate times ½ (b(a) - c(a))².
            reach = np.repeat(plan[plex.parent_sequence], plex.num_actions)
            terms = 0.5 * reach * from_center**2
        else:
            # Entropy: Σ_a x(Ia) (log b(a) - log c(a)), where x is reach times behavior.
            terms = plan[1:] * from_center
        return float(terms @ np.repeat(self._weights, plex.num_actions))

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Minimum and maximum of ψ on the treeplex; the maximum is at a pure plan."""
        plex = self.treeplex
        below = np.zeros(plex.num_sequences)
        # φ of a pure choice is ½ or 0; ψ is convex, so its maximum is at a vertex.
        at_pure = self._weights * (0.5 if self.distance.is_euclidean else 0.0)
        deepest_sums(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, at_pure, 1.0, below
        )
        # With gradient 0 and temperature 1, the maximum is that of -ψ.
        minimum = -self.respond(self._zeros, temperature=1.0).value
        return minimum, float(below[0])
