"""Depth-limited public forms: leaf values stand for what follows the leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import Evaluation, PublicLeafFunction, PublicLeafValues
from infoset.forms import (
    PublicForm,
    PublicTrunk,
    Treeplex,
    cut_public_form,
    sequences_of_nodes,
    unblocked_reach,
)
from infoset.policy import TabularPolicy, check_policy
from infoset.regret import RegretScheme
from infoset.runs import Budget, SolveResult
from infoset.solvers.gradient_regret import evaluate_gradients, solve_by_gradients
from infoset.solvers.methods import MethodSpec
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["CutPublicGame", "cut_public_game"]


@dataclass(frozen=True, eq=False)
class CutPublicGame:
    """A public form that ends at leaves, where a function gives the value of each hand.

    The leaf function is called at the ranges of each iteration. Where it returns the values of a
    fixed continuation (`PublicContinuation`), this is a game: the whole game with the policy locked
    after the leaves, with its equilibria and guarantees. Where it returns values of approximate
    equilibria of what follows, given the ranges, the average policy approaches the trunk of an
    equilibrium up to a constant times the error of the values (Moravčík et al. 2017, Theorem 1).
    Values of any other function have no such meaning.

    Attributes
    ----------
    trunk : PublicTrunk
        The form up to the leaves; policies of results belong to `trunk.form`.
    leaf_function : PublicLeafFunction
        A function of a node of `trunk.whole` and of ranges.

    Notes
    -----
    Source: Moravčík et al. (2017), "DeepStack"; Brown, Bakhtin, Lerer and Gong (2020), "Combining
    deep reinforcement learning and search for imperfect-information games".
    """

    trunk: PublicTrunk
    leaf_function: PublicLeafFunction

    def solve(self, method: str | RegretScheme | MethodSpec, budget: Budget) -> SolveResult:
        """Solve the trunk with any member of the CFR family.

        Parameters
        ----------
        method : str, RegretScheme or MethodSpec
            A method as in `infoset.solve`.
        budget : Budget

        Returns
        -------
        SolveResult
            The result, with policies for `trunk.form`. Values and gains count the leaf values at
            the ranges of the average policy; they are exact if the values depend on the opponent's
            range only, and estimates otherwise. There are no security levels.

        Raises
        ------
        InfosetError
            If the method is unknown or is not a member of the CFR family, or the leaf function
            returns values of the wrong shape, or values that are not finite.
        """
        return solve_by_gradients(self, method, budget)

    def evaluate(self, policy: TabularPolicy[PublicForm]) -> Evaluation:
        """Measure a policy for the trunk, with the leaf values at its ranges.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another form.
        ParameterError
            If the leaf function returns wrong values.
        """
        check_policy(policy)
        form, other = self.trunk.form, policy.form
        if other is not form and other.fingerprint != form.fingerprint:
            raise PolicyMismatchError(
                f"the policy is for {other.name}, not for {form.name}; give a policy for the trunk"
            )
        first, second = policy.realization_plans()
        return evaluate_gradients(self, (first, second))

    @property
    def name(self) -> str:
        """The name in results."""
        return f"cut({self.trunk.whole.name})"

    @property
    def public_form(self) -> PublicForm:
        """The trunk."""
        return self.trunk.form

    @property
    def is_exact(self) -> bool:
        """Whether values have guarantees: False, because leaf values are whatever is given."""
        return False

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the form that was cut and of the name of the leaf function."""
        name = getattr(self.leaf_function, "__qualname__", type(self.leaf_function).__name__)
        return hashlib.sha256(f"{self.trunk.whole.fingerprint} {name}".encode()).hexdigest()

    @property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of the trunk."""
        return self.trunk.form.treeplexes

    def gradient(self, plans: tuple[FloatArray, FloatArray], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's utility, given plans [Q] for the trunk."""
        form, leaves, other = self.trunk.form, self.trunk.leaves, 1 - player
        gradient = form.gradient(plans, player)
        dealt = _weights(form, player)
        for leaf in range(len(leaves)):
            alive = [own[leaves.hand_set[leaf]] for own in form.hand_sets]
            places = self._places[0][leaf], self._places[1][leaf]
            reach = tuple(np.where(alive[p], plans[p][places[p]], 0.0) for p in range(2))
            met = unblocked_reach(form.prior, player, reach[other]) * leaves.chance_reach[leaf]
            values = self._values(leaf, (reach[0], reach[1]), player)
            met = np.where(alive[player], met, 0.0)
            unknown = (met > 0) & ~np.isfinite(values)
            if unknown.any():
                raise ParameterError(
                    f"the leaf function returned {values[unknown][0]} for player {player} at "
                    f"{leaves.label[leaf]!r}; return a finite number for each hand that meets a "
                    "hand of the opponent"
                )
            # Values of hands that meet nobody may be NaN, and count nothing.
            earned = np.where(met > 0, values, 0.0) * met * dealt
            # Hands of one class, and before the first action all hands, share a sequence.
            np.add.at(gradient, places[player], earned)
        return gradient

    @cached_property
    def _places(self) -> tuple[LongArray, LongArray]:
        """Per player, [L, hands] the last sequence of each hand at each leaf."""
        form, leaves = self.trunk.form, self.trunk.leaves
        found = []
        for player, own in enumerate(form.sequences):
            acts = (form.player[leaves.parent] == player) & (leaves.action >= 0)
            after = own.first[leaves.parent] + leaves.action
            found.append(form.places(player, np.where(acts, after, own.last[leaves.parent])))
        return found[0], found[1]

    def _values(
        self, leaf: int, reach: tuple[FloatArray, FloatArray], player: Player
    ) -> FloatArray:
        """Return [hands] what a leaf is worth to a player."""
        node = int(self.trunk.leaves.node[leaf])
        answer = self.leaf_function(node, reach)
        sizes = self.trunk.form.num_hands
        shapes = [np.shape(own) for own in answer] if np.iterable(answer) else []
        if shapes != [(size,) for size in sizes]:
            raise ParameterError(
                f"the leaf function returned values of shapes {shapes} at "
                f"{self.trunk.leaves.label[leaf]!r}; return two arrays, with the values of the "
                f"{sizes[0]} and {sizes[1]} hands"
            )
        return np.asarray(answer[player], np.float64)

    def to_policy(self, weights: tuple[FloatArray, FloatArray]) -> TabularPolicy[PublicForm]:
        """Return the policy for the trunk, given weights [Q] of its sequences."""
        return TabularPolicy.from_weights(self.trunk.form, weights)

    def complete(
        self, trunk_policy: TabularPolicy[PublicForm], continuation: TabularPolicy[PublicForm]
    ) -> TabularPolicy[PublicForm]:
        """Return a policy for the whole form: that of the trunk, and another after the leaves.

        Raises
        ------
        PolicyMismatchError
            If a policy belongs to another form.
        """
        whole = self.trunk.whole
        for policy, form in ((trunk_policy, self.trunk.form), (continuation, whole)):
            if policy.form.fingerprint != form.fingerprint:
                raise PolicyMismatchError(
                    f"the policy is for {policy.form.name}, not for {form.name}"
                )
        filled = [own.copy() for own in continuation.probabilities]
        for player, own in enumerate(filled):
            kept = sequences_of_nodes(whole, player, self.trunk.nodes)
            own[kept] = trunk_policy.probabilities[player][1:]
        return TabularPolicy(whole, (filled[0], filled[1]))


def cut_public_game(
    form: PublicForm,
    leaf_values: PublicLeafValues,
    *,
    depth: int | None = None,
    nodes: Collection[int] | None = None,
) -> CutPublicGame:
    """Return a public form that ends at leaves, with values for what follows.

    Parameters
    ----------
    form : PublicForm
    leaf_values : PublicLeafFunction or Mapping[int, tuple[FloatArray, FloatArray]]
        A function `f(node, ranges)` of a node of `form` and of each player's own reach [hands] of
        it, which returns the expected utility of each hand of both players there; or such values by
        node, if they do not depend on the ranges. `infoset.evaluation.PublicContinuation` is the
        function of a policy.
    depth : int, optional
        Number of actions after which the form is cut.
    nodes : Collection[int], optional
        The public nodes at which it is cut, instead of `depth`.

    Raises
    ------
    ParameterError
        As in `infoset.forms.cut_public_form`, or if `leaf_values` lacks a leaf.
    UnsupportedGameError
        As in `infoset.forms.cut_public_form`.

    Examples
    --------
    Leduc poker up to the second action, after which both play uniformly:

    >>> from infoset.evaluation import PublicContinuation
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.runs import Budget
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> follow = PublicContinuation(uniform_policy(form))
    >>> cut = cut_public_game(form, follow, depth=2)
    >>> result = cut.solve("cfr+", Budget(iterations=30))
    >>> result.exploitability < 0.05
    True
    """
    trunk = cut_public_form(form, depth=depth, nodes=nodes)
    if not isinstance(leaf_values, Mapping):
        if not callable(leaf_values):
            raise ParameterError(
                f"leaf_values is of type {type(leaf_values).__name__}; give a function of a node "
                "and of ranges, such as infoset.evaluation.PublicContinuation(policy), or values "
                "by node"
            )
        return CutPublicGame(trunk, leaf_values)
    missing = [node for node in trunk.leaves.node.tolist() if node not in leaf_values]
    if missing:
        raise ParameterError(
            f"leaf_values lacks {len(missing)} of {len(trunk.leaves)} leaves, such as node "
            f"{missing[0]}, {form.label(missing[0])!r}; give the values of all of them"
        )
    return CutPublicGame(trunk, _FixedValues(leaf_values))


class _FixedValues:
    """A leaf function whose values do not depend on the ranges."""

    def __init__(self, values: Mapping[int, tuple[FloatArray, FloatArray]]) -> None:
        self._values = dict(values)

    def __call__(
        self, node: int, ranges: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values of both players at a node."""
        return self._values[node]


def _weights(form: PublicForm, player: Player) -> FloatArray | float:
    """Return [hands] the weight of a player's hands in the prior; 1 if the prior is a matrix."""
    return 1.0 if form.prior.joint is not None else form.prior.weights[player]
