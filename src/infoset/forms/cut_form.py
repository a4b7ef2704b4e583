"""Depth-limited public forms: values by hand stand for what follows the leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError, UserFunctionError
from infoset.forms.form import Form
from infoset.forms.locked import lock_infostates
from infoset.forms.payoffs import FormPayoffs, composition_of, with_collection
from infoset.forms.public_form import PublicForm
from infoset.forms.public_operators import Fold
from infoset.forms.public_parts import (
    PublicLeaves,
    PublicTrunk,
    cut_public_form,
    sequences_of_nodes,
)
from infoset.forms.public_reach import unblocked_reach
from infoset.forms.transform import Transform
from infoset.forms.transformed_form import TransformedForm
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray, LongArray, Player

LeafFunction: TypeAlias = Callable[
    [int, tuple[FloatArray, FloatArray]], tuple[FloatArray, FloatArray]
]
"""A function of a public node and of ranges, per player [hands] the player's own reach of the node,
that returns per player [hands] the expected utility of each hand at the node, against the
opponent's range there. Values of hands that meet no opponent are not used and may be NaN. The same
arguments must give the same values."""

LeafValues: TypeAlias = LeafFunction | Mapping[int, tuple[FloatArray, FloatArray]]
"""A leaf function, or values [hands] of both players by public node, whatever the ranges are."""


@dataclass(frozen=True, eq=False, repr=False)
class CutForm(TransformedForm):
    """A public form that ends at leaves, where each hand has a value; see `cut`.

    In `base`, both players arrive at a leaf by a forced move, and the leaf pays 1. The values are
    what gradients at the arrivals are multiplied by: arrays that kernels read.
    """

    trunk: PublicTrunk
    """The form up to the leaves; policies of results belong to `trunk.form`."""
    leaf_function: LeafFunction | None
    """The function that gives the values at the ranges of each iteration; None if they are fixed.
    """

    @property
    def whole(self) -> Form:
        """The trunk."""
        return self.trunk.form

    def complete(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return the same probabilities: the trunk has the same sequences."""
        return probabilities

    def extend(
        self, trunk: tuple[FloatArray, ...], continuation: tuple[FloatArray, ...]
    ) -> tuple[FloatArray, ...]:
        """Return per player [Q] probabilities in the form that was cut.

        Parameters
        ----------
        trunk : tuple[FloatArray, FloatArray]
            Per player, [Q of the trunk] its probabilities.
        continuation : tuple[FloatArray, FloatArray]
            Per player, [Q] probabilities of which those after the leaves are used.
        """
        filled = [own.copy() for own in continuation]
        for player, own in enumerate(filled):
            kept = sequences_of_nodes(self.trunk.whole, player, self.trunk.nodes)
            own[kept] = trunk[player][1:]
        return tuple(filled)

    @property
    def constant_sum(self) -> None:
        """None: the values of the players at a leaf need not have a constant sum."""
        return None

    @property
    def centered(self) -> CutForm:
        """The form itself: no midrange is known of values that a function gives."""
        return self

    @cached_property
    def payoff_range(self) -> tuple[float, float]:
        """Minimum and maximum utility over ends and fixed values at leaves."""
        found = [np.array(self.trunk.form.payoff_range)]
        if self.leaf_function is None:
            found += [
                own.scale[places]
                for own, places in zip(self.transform.maps, self.arrivals, strict=True)
            ]
        values = np.concatenate([own.ravel() for own in found])
        return float(values.min()), float(values.max())

    @property
    def payoff_width(self) -> float:
        """Largest difference between two utilities."""
        low, high = self.payoff_range
        return high - low

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return the payoff width: values at leaves are means, whose deviations are unknown."""
        return self.payoff_width

    @cached_property
    def arrivals(self) -> tuple[LongArray, LongArray]:
        """Per player, [L, hands] the sequence of `base` with which each hand arrives at a leaf."""
        # The forced moves are at the last nodes of `base`, so their sequences follow the trunk's.
        first, second = (
            (own.num_sequences + np.arange(len(self.trunk.leaves) * size)).reshape(-1, size)
            for own, size in zip(self.transform.maps, self.trunk.form.num_hands, strict=True)
        )
        return first, second

    @cached_property
    def alive(self) -> tuple[FloatArray, FloatArray]:
        """Per player, [L, hands] 1 for hands that chance has not removed at a leaf, otherwise 0."""
        leaves = self.trunk.leaves
        first, second = (
            own[leaves.hand_set].astype(np.float64) for own in self.trunk.form.hand_sets
        )
        return first, second

    @property
    def reach_transform(self) -> Transform:
        """The transform as if all utilities, and so all values at leaves, were 1."""
        maps = tuple(own._replace(scale=own.weight) for own in self.transform.maps)
        return self.transform._replace(maps=maps)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of the trunk and of fixed values, or of the name of the leaf function."""
        function = self.leaf_function
        name = getattr(function, "__qualname__", type(function).__name__)
        text = f"{super().fingerprint} {self.trunk.whole.fingerprint} {name}"
        return hashlib.sha256(text.encode()).hexdigest()

    def composed_payoffs(
        self,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of this form; see `Form.composed_payoffs`."""
        # Leaves pay 1 in the composition; their values are then written over these entries.
        chained = transform.then(self.reach_transform)
        return self._with_values(chained, layouts, precision, of_reach)

    def _composed_payoffs(self, precision: str = "float64") -> FormPayoffs:
        return self._with_values(self.reach_transform, self.layouts, precision, False)

    def _with_values(
        self, chained: Transform, layouts: tuple[Layout, ...], precision: str, of_reach: bool
    ) -> FormPayoffs:
        """Return the payoffs of a transform of `base`, with the values at the leaves."""
        found = self.base.composed_payoffs(chained, layouts, precision, of_reach)
        if of_reach:
            return found
        found = with_collection(found)
        scales = LeafScales(
            self.arrivals, self.values_at, chained, layouts, self.base.layouts, found
        )
        if self.leaf_function is not None:
            return found._replace(refresh=scales.refresh)
        for player in range(2):
            scales.write(player, self.transform.maps[player].scale[self.arrivals[player]])
        return found

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        whole = self.base.gradient(self.transform.expand(plans), player)
        if self.leaf_function is not None:
            reach = [own.expand(plan) for own, plan in zip(self.transform.maps, plans, strict=True)]
            first, second = (own[places] for own, places in zip(reach, self.arrivals, strict=True))
            whole[self.arrivals[player]] *= self.values_at((first, second), player)
            return self.reach_transform.collect(whole, plans, player)
        return self.transform.collect(whole, plans, player)

    def values_at(self, reach: tuple[FloatArray, FloatArray], player: Player) -> FloatArray:
        """Return [L, hands] what the leaves are worth to a player, given ranges [L, hands].

        Raises
        ------
        ParameterError
            If the leaf function returns values of the wrong shape, or not finite ones for hands
            that meet a hand of the opponent.
        """
        assert self.leaf_function is not None
        form, leaves, other = self.trunk.form, self.trunk.leaves, 1 - player
        # Hands that chance has removed have a reach in plans, but not at the leaf.
        first, second = (own * alive for own, alive in zip(reach, self.alive, strict=True))
        found = np.empty_like(self.alive[player])
        for leaf, node in enumerate(leaves.node.tolist()):
            ranges = first[leaf], second[leaf]
            answer = leaf_values_at(self.leaf_function, self.trunk.whole, node, ranges)
            values = self._checked_shape(leaf, answer, player)
            unknown = ~np.isfinite(values)
            if unknown.any():
                met = unblocked_reach(form.prior, player, ranges[other]) * self.alive[player][leaf]
                if (met[unknown] > 0).any():
                    raise ParameterError(
                        f"the leaf function returned {values[unknown][0]} for player {player} at "
                        f"{leaves.label[leaf]!r}; return a finite number for each hand that meets "
                        "a hand of the opponent"
                    )
                values = np.where(unknown, 0.0, values)
            found[leaf] = values * self.alive[player][leaf]
        return found

    def _checked_shape(self, leaf: int, answer: object, player: Player) -> FloatArray:
        """Return [hands] a player's values in the answer of the leaf function."""
        sizes = self.trunk.form.num_hands
        shapes = [np.shape(own) for own in answer] if np.iterable(answer) else []
        if shapes != [(size,) for size in sizes]:
            raise ParameterError(
                f"the leaf function returned values of shapes {shapes} at "
                f"{self.trunk.leaves.label[leaf]!r}; return two arrays, with the values of the "
                f"{sizes[0]} and {sizes[1]} hands"
            )
        return np.asarray(answer[player], np.float64)  # type: ignore[index]


def leaf_values_at(
    function: LeafFunction, form: PublicForm, node: int, ranges: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the answer of a leaf function at a public node of a form.

    Raises
    ------
    UserFunctionError
        If a function of the user raises an exception; the message names the node.
    """
    try:
        return function(node, ranges)
    except Exception as error:
        place = f"after {form.labels[node]!r}"
        UserFunctionError.check(error, function, "the leaf function", place)
        raise


def cut(
    form: PublicForm,
    leaf_values: LeafValues,
    *,
    depth: int | None = None,
    nodes: Collection[int] | None = None,
) -> CutForm:
    """Return a public form that ends at leaves, with values for what follows.

    Fixed values are arrays that kernels read: methods run in compiled chunks. A function is called
    at the ranges of each gradient, so that iterations of the CFR family are stepped, and other
    methods that run in compiled chunks refuse it.

    If the function returns values of approximate equilibria of what follows, given the ranges, the
    average policy approaches the trunk of an equilibrium up to a constant times the error of the
    values (Moravčík et al. 2017, Theorem 1). If it returns the values of a fixed policy
    (`infoset.evaluation.PublicContinuation`), this is the whole form with the policy locked after
    the leaves: `lock` gives that game with its equilibria and guarantees. Other values have no such
    meaning. Values and gains in results count the values at the ranges of the average policy.

    Parameters
    ----------
    leaf_values : LeafFunction or Mapping[int, tuple[FloatArray, FloatArray]]
        A function `f(node, ranges)` of a node of `form` and of each player's own reach [hands] of
        it, which returns the expected utility of each hand of both players there; or such values by
        node, if they do not depend on the ranges.
    depth
        Number of actions after which the form is cut.
    nodes
        The public nodes at which it is cut, instead of `depth`.

    Raises
    ------
    ParameterError
        As in `cut_public_form`, or if `leaf_values` lacks a leaf or has wrong values.
    UnsupportedGameError
        As in `cut_public_form`.

    Notes
    -----
    Source: Moravčík et al. (2017), "DeepStack"; Brown, Bakhtin, Lerer and Gong (2020), "Combining
    deep reinforcement learning and search for imperfect-information games".

    Examples
    --------
    Leduc poker up to the second action, after which both play uniformly:

    >>> import infoset
    >>> from infoset.evaluation import PublicContinuation
    >>> form = infoset.build_public_form("leduc_poker")
    >>> follow = PublicContinuation(infoset.uniform_policy(form))
    >>> result = infoset.solve(cut(form, follow, depth=2), "cfr+", iterations=30)
    >>> result.nash_conv < 0.1
    True
    """
    trunk = cut_public_form(form, depth=depth, nodes=nodes)
    if isinstance(leaf_values, Mapping):
        return _with_fixed_values(_cut_at(trunk, None), leaf_values)
    if not callable(leaf_values):
        raise ParameterError(
            f"leaf_values is of type {type(leaf_values).__name__}; give a function of a node "
            "and of ranges, such as infoset.evaluation.PublicContinuation(policy), or values "
            "by node"
        )
    return _cut_at(trunk, leaf_values)


def _cut_at(trunk: PublicTrunk, leaf_function: LeafFunction | None) -> CutForm:
    """Return a trunk as a form whose leaves pay 1."""
    base = _with_arrivals(trunk.form, trunk.leaves)
    # The forced moves are locked at 1, so that the choices left are those of the trunk.
    ones = tuple(np.ones(plex.num_sequences) for plex in base.treeplexes)
    locked = tuple(
        np.arange(plex.num_infostates) >= own.num_infostates
        for plex, own in zip(base.treeplexes, trunk.form.treeplexes, strict=True)
    )
    found = lock_infostates(base, ones, locked)
    return CutForm(
        name=f"cut({trunk.whole.name})",
        base=base,
        transform=found.transform,
        treeplexes=found.treeplexes,
        infostates=found.infostates,
        added=found.added,
        trunk=trunk,
        leaf_function=leaf_function,
    )


def _with_fixed_values(
    form: CutForm, leaf_values: Mapping[int, tuple[FloatArray, FloatArray]]
) -> CutForm:
    """Return a cut form with the values of a mapping by node."""
    whole, nodes = form.trunk.whole, form.trunk.leaves.node.tolist()
    missing = [node for node in nodes if node not in leaf_values]
    if missing:
        raise ParameterError(
            f"leaf_values lacks {len(missing)} of {len(nodes)} leaves, such as node "
            f"{missing[0]}, {whole.label(missing[0])!r}; give the values of all of them"
        )
    fixed = replace(form, leaf_function=lambda node, _: leaf_values[node])
    maps = []
    for player, own in enumerate(form.transform.maps):
        # As if all hands were reached: every value must be finite.
        scale = own.scale.copy()
        scale[form.arrivals[player]] = fixed.values_at(form.alive, player)
        maps.append(own._replace(scale=scale))
    return replace(form, transform=form.transform._replace(maps=tuple(maps)))


def _with_arrivals(form: PublicForm, leaves: PublicLeaves) -> PublicForm:
    """Return a trunk in which both players make a forced move at each leaf, which then pays 1."""
    count, ends = len(leaves), form.terminals
    # At each leaf player 0 moves first, then player 1: all nodes of the one before the other's.
    first = form.num_nodes + np.arange(count, dtype=np.int32)
    second = first + count
    zeros, ones = np.zeros(count, np.int32), np.ones(count, np.int32)
    terminals = replace(
        ends,
        node=np.concatenate([ends.node, second]),
        action=np.concatenate([ends.action, zeros]),
        chance_reach=np.concatenate([ends.chance_reach, leaves.chance_reach]),
        hand_set=np.concatenate([ends.hand_set, leaves.hand_set]),
        operator=np.concatenate([ends.operator, ones * len(form.operators)]),
        payoff_set=np.concatenate([ends.payoff_set, ones * (len(ends.first_payoff) - 1)]),
        first_payoff=np.append(ends.first_payoff, len(ends.payoff) + 1),
        payoff=np.concatenate([ends.payoff, np.ones((1, 2))]),
    )
    symmetry = form.symmetry
    if symmetry is not None:
        # Hands that the form merges may have different values.
        row = len(symmetry.classes[0])
        each = [np.arange(size, dtype=np.int32)[None] for size in form.num_hands]
        by_player = [np.concatenate(pair) for pair in zip(symmetry.classes, each, strict=True)]
        symmetry = replace(
            symmetry,
            classes=(by_player[0], by_player[1]),
            class_map=np.concatenate([symmetry.class_map, np.repeat(ones * row, 2)]),
        )
    return replace(
        form,
        player=np.concatenate([form.player, zeros, ones]),
        parent=np.concatenate([form.parent, leaves.parent, first]),
        action=np.concatenate([form.action, leaves.action, zeros]),
        observation=np.concatenate([form.observation, np.repeat(zeros - 1, 2)]),
        action_set=np.concatenate([form.action_set, np.repeat(ones * len(form.action_sets), 2)]),
        action_sets=(*form.action_sets, ("arrive",)),
        hand_set=np.concatenate([form.hand_set, leaves.hand_set, leaves.hand_set]),
        terminals=terminals,
        operators=(*form.operators, Fold()),
        symmetry=symmetry,
    )


class LeafScales:
    """The entries of `Composition.scale` at the leaves of a cut form.

    Parameters
    ----------
    arrivals
        Per player, [L, hands] the sequence with which each hand arrives at a leaf.
    values_at : callable
        Function of both players' ranges [L, hands] and a player: its values [L, hands].
    transform
        From the plans of the kernels to those of the base of the cut form, as if leaves were
        worth 1.
    layouts, base : tuple[Layout, Layout]
        The layouts of the kernels, and of that base.
    payoffs
        The payoffs whose compositions are written to.
    """

    def __init__(
        self,
        arrivals: tuple[LongArray, LongArray],
        values_at: Callable[[tuple[FloatArray, FloatArray], Player], FloatArray],
        transform: Transform,
        layouts: tuple[Layout, ...],
        base: tuple[Layout, ...],
        payoffs: FormPayoffs,
    ) -> None:
        self._values_at, self._transform = values_at, transform
        self._compositions = tuple(map(composition_of, payoffs.pairs))
        # Per player, [L, hands]: places and weights of plans, which give ranges, and what to write.
        self._reached, self._weights, self._scales, self._entries = [], [], [], []
        for player, places in enumerate(arrivals):
            own = transform.maps[player]
            self._reached.append(layouts[player].position[own.last[places]])
            self._weights.append(own.weight[places])
            self._scales.append(own.scale[places])
            self._entries.append(self._entries_of(player, base[player].position[places]))

    def _entries_of(self, player: Player, members: IndexArray) -> LongArray:
        """Return the index of each member in the scales of all members; -1 if it is missing."""
        composition = self._compositions[player]
        assert composition is not None
        # The inverse of `member`, which lists the sequences of the base whose gradients are read.
        place = np.full(len(composition.gradient), -1, np.int64)
        # Further members count even if their scale is zero, first members only if they exist.
        exists = composition.scale != 0.0
        exists[len(exists) - len(composition.owner) :] = True
        used = np.flatnonzero(exists)
        place[composition.member[used]] = used
        entries: LongArray = place[members]
        return entries

    def write(self, player: Player, values: FloatArray) -> None:
        """Write the values [L, hands] of a player."""
        composition, entries = self._compositions[player], self._entries[player]
        assert composition is not None
        scaled, exists = values * self._scales[player], entries >= 0
        composition.scale[entries[exists]] = scaled[exists]

    def refresh(self, player: Player, plans: tuple[FloatArray, ...]) -> None:
        """Write the values of a player at the ranges of plans [Q], in the order of the kernels."""
        first, second = (
            weights * np.asarray(plan[places], np.float64)
            for weights, plan, places in zip(self._weights, plans, self._reached, strict=True)
        )
        self.write(player, self._values_at((first, second), player))
