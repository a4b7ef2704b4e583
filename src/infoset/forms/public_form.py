"""The public form: a public tree times the hands of two players, whose histories are not listed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms._payoff_kernels import ComposedPayoffs
from infoset.forms._public_payoff_kernels import PublicPayoffs, public_gradient
from infoset.forms.derived_members import MeasuredByKernels, plan_value
from infoset.forms.form import FormTable, PlayerValues
from infoset.forms.packed_rows import PackedRows, PlanWeights
from infoset.forms.payoffs import (
    FormPayoffs,
    no_composition,
)
from infoset.forms.public_division import PublicDivision
from infoset.forms.public_operators import Dense, with_outcome_of_reach
from infoset.forms.public_payoff_terms import (
    check_payoffs,
    has_few_payoffs,
    largest_composed_payoff,
    largest_payoff,
    listed_deviation,
    placement_of_map,
    public_payoffs,
)
from infoset.forms.public_structure import PublicStructure, nodes_below
from infoset.forms.sequence_form import UNIT
from infoset.forms.transform import PlanMap, Transform
from infoset.forms.treeplex import Layout
from infoset.game.infostate import label_text
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type

_OTHER_FORM = (
    "the rules have changed since the policy was saved, or one of the forms was derived from the "
    "tree (derive_public_form), or built with merge_symmetric=False; give the form with which the "
    "policy was saved, or solve the game again"
)


@dataclass(frozen=True, eq=False, repr=False)
class PublicForm(PublicStructure, MeasuredByKernels):
    """A two-player game in which everything after the deal is public.

    The fields, and what follows from them without payoffs, are those of `PublicStructure`.
    """

    @property
    def kind(self) -> str:
        """The kind of form: "public"."""
        return "public"

    @cached_property
    def payoff_scale(self) -> float:
        """Largest absolute payoff times chance reach of centered payoffs; see `largest_payoff`."""
        return largest_payoff(self.centered)

    @cached_property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value in float64, in the game's units.

        As in `SequenceForm.rounding`. A terminal takes up to 5 + 2c sums over the opponent's hands,
        where c is the number of cards of a hand. The absolute values of their terms sum to at most
        a utility.
        """
        plans = [plex.plan_roundings for plex in self.treeplexes]
        cards = self.prior.cards[0].shape[1]
        sums = [
            runs.max_additions(
                self._additions(player, (5 + 2 * cards) * self.num_hands[1 - player] + 4)
            )
            for player, runs in enumerate(self.runs)
        ]
        largest = max(map(abs, self.payoff_range))
        return (max(sums) + sum(plans)) * UNIT * largest + self.payoff_rounding

    def _additions(self, player: Player, per_terminal: int) -> LongArray:
        """Return, by public sequence, the maximum number of additions to the gradient of a hand."""
        sequences = self.sequences[player]
        terminals = np.bincount(self.terminal_sequence[:, player], minlength=len(sequences.start))
        # Hands of one class share a sequence: their additions are summed there.
        largest = np.array([np.bincount(row).max() for row in self.hand_classes[player]])
        hands = largest[sequences.class_map]
        hands[0] = self.num_hands[player]
        additions: LongArray = terminals * per_terminal * hands
        return additions

    @cached_property
    def gradient_cost(self) -> int:
        """Count of numbers read to compute one gradient per player."""
        first, second = self.num_hands
        is_dense = np.array(
            [self.prior.joint is not None or isinstance(own, Dense) for own in self.operators]
        )
        cards = 1 + self.prior.cards[0].shape[1]
        per_terminal = np.where(is_dense, first * second, 2 * cards * (first + second))
        return 2 * int(per_terminal[self.terminals.operator].sum())

    @property
    def evaluation_cost(self) -> int:
        """Cost of evaluating a policy, in the unit of `gradient_cost`, roughly.

        Measured in iterations of CFR+, by processor time: 0.9 to 1.6 in double precision and 1.2 to
        2.6 in single precision, on Leduc poker with 10 to 50 ranks, liar's dice with 10 sides, and
        endgames of no-limit hold'em on the turn and the river.
        """
        sequences = sum(plex.num_sequences for plex in self.treeplexes)
        return 5 * (self.gradient_cost + 4 * sequences) // 2

    @cached_property
    def multiplicities(self) -> tuple[LongArray, ...]:
        """Per player, [I] the number of infostates of the game that each one represents.

        It is 0 if the hand cannot be held at the public node: chance has removed it, or all hands
        of the opponent that it can meet. It is more than 1 if `symmetry` merges hands or lines.
        """
        return self._multiplicity(0), self._multiplicity(1)

    def _multiplicity(self, player: Player) -> LongArray:
        if self.tree_infostates is not None:
            listed: LongArray = (self.tree_infostates[player] >= 0).astype(np.int64)
            return listed
        node, hand = self.infostates[player]
        # [sets of hands, hands] the number of the opponent's hands that each hand can meet
        meets = (self.prior.matrix() > 0).astype(np.float32)  # sums of ones are exact
        own, other = self.hand_sets[player], self.hand_sets[1 - player].astype(np.float32)
        met = np.where(own, other @ (meets.T if player == 0 else meets), 0)
        # An infostate stands for the hands of its class, on each of the lines of its node.
        classes = self.hand_classes[player]
        sizes = np.stack([np.bincount(row, minlength=classes.shape[1]) for row in classes])
        row = self.class_map[node]
        merged = self.num_lines[node] * sizes[row, classes[row, hand]]
        held: LongArray = np.where(met[self.hand_set[node], hand], merged, 0)
        return held

    def infostates_from(self, key: Hashable) -> tuple[BoolArray, ...]:
        """Return per player, [I] which infostates are at a key or after it."""
        if not isinstance(key, str) or key.startswith("["):
            return super().infostates_from(key)
        after = nodes_below(self, self.find_line(key)[0])
        return tuple(np.isin(node, after) for node, _ in self.infostates)

    @cached_property
    def all_parts(self) -> PublicDivision:
        """The division into a top and parts; without parts if small, or without later deals."""
        return PublicDivision(self)

    @property
    def division(self) -> PublicDivision | None:
        """`all_parts`; None if there are no parts."""
        return self.all_parts if self.parts.any() else None

    def player_values(self, probabilities: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
        """Return the values of the players under behavior policies, per player [Q]."""
        if self.division is None:
            return super().player_values(probabilities)
        pairs = zip(self.layouts, probabilities, strict=True)
        policies = tuple(layout.to_positions(own) for layout, own in pairs)
        return self.division.values(policies, are_policies=True)

    def values_of_weights(
        self, weights: tuple[PlanWeights, ...], workspace: FloatArray | None = None
    ) -> tuple[PlayerValues, ...]:
        """Return `player_values` of normalized weights; see `Form.values_of_weights`."""
        if self.division is not None or any(isinstance(own, PackedRows) for own in weights):
            return self.all_parts.values(weights)
        return super().values_of_weights(weights, workspace)

    @cached_property
    def _float64_payoffs(self) -> tuple[PublicPayoffs, PublicPayoffs]:
        return public_payoffs(self, 0, self.layouts), public_payoffs(self, 1, self.layouts)

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads; see `Form.payoffs`."""
        check_payoffs(self, precision)
        # All arrays are shared, except for converted numbers and intermediate results.
        none = no_composition(precision)
        return FormPayoffs(
            tuple(
                ComposedPayoffs(own.in_precision(precision), none)
                if precision != "float64"
                else ComposedPayoffs(own.with_own_results(), none)
                for own in self._float64_payoffs
            )
        )

    def mapped_payoffs(
        self,
        maps: tuple[PlanMap, ...],
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        max_batches: float = inf,
    ) -> FormPayoffs | None:
        """Return payoffs that read plans of a transform directly, given the maps of the transform.

        They do not need plans or gradients of this form. None if that is impossible (see
        `placement_of_map`), or if they have more than `max_batches` times as many batches as the
        payoffs of this form, because terms with different factors cannot share a batch. Other
        parameters are those of `composed_payoffs`.
        """
        stored = [
            placement_of_map(self, player, own, layout)
            for player, (own, layout) in enumerate(zip(maps, layouts, strict=True))
        ]
        known = [own for own in stored if own is not None]
        if len(known) < len(stored):
            return None
        found = [public_payoffs(self, player, None, precision, known) for player in range(2)]
        before = sum(len(own.table) for own in self._float64_payoffs)
        if sum(len(own.table) for own in found) > max_batches * before:
            return None
        none = no_composition(precision)
        return FormPayoffs(tuple(ComposedPayoffs(own, none) for own in found))

    def composed_scale(self, transform: Transform) -> float:
        """Return the `payoff_scale` of a transform; see `Form.composed_scale`."""
        return largest_composed_payoff(self.centered, transform)

    @cached_property
    def _of_reach(self) -> PublicForm:
        """The form with utilities of 1."""
        form, is_reach = self._with_reach
        ones = np.ones_like(form.terminals.payoff) * is_reach[:, None]
        return replace(form, terminals=replace(form.terminals, payoff=ones))

    @cached_property
    def _with_reach(self) -> tuple[PublicForm, FloatArray]:
        """The form with outcomes that sum to the reach of each terminal, and [outcomes] which do.

        Where the weights of an operator are factors of payoffs, there is one more outcome, which
        pays nothing.
        """
        ends = self.terminals
        has_more = [isinstance(own, Dense) and own.reach is not None for own in self.operators]
        more = np.array(has_more)[ends.operator]
        if not more.any():
            return self, np.ones(len(ends.payoff))
        # Terminals with and without another outcome cannot share payoffs.
        first, payoff = ends.payoffs_of(ends.payoff_set)
        sizes = np.diff(first)
        # The new outcome of a terminal is its last: it comes before the next one's first.
        last = first[1:][more]
        changed = replace(
            ends,
            payoff_set=np.arange(len(ends), dtype=np.int32),
            first_payoff=np.cumsum([0, *(sizes + more)]),
            payoff=np.insert(payoff, last, 0.0, axis=0),
        )
        operators = tuple(map(with_outcome_of_reach, self.operators))
        is_reach = np.insert(np.repeat(np.where(more, 0.0, 1.0), sizes), last, 1.0)
        return replace(self, terminals=changed, operators=operators), is_reach

    def reach_payoffs(self) -> FormPayoffs:
        """Return `payoffs` as if all utilities were 1."""
        return self._of_reach.payoffs()

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        if player not in self._by_sequence:
            self._by_sequence[player] = public_payoffs(self, player)
        gradient = np.zeros(self.treeplexes[player].num_sequences)
        # Several threads may measure at the same time.
        payoffs = self._by_sequence[player].with_own_results()
        public_gradient(payoffs, plans[1 - player], gradient)
        return gradient

    @cached_property
    def _by_sequence(self) -> dict[Player, PublicPayoffs]:
        """By player, the payoffs in the order of sequences; filled on first use."""
        return {}

    def payoff_deviation(
        self, plans: tuple[FloatArray, ...], player: Player, unit: float = 1.0
    ) -> float:
        """Return the standard deviation of a player's returns; see `Form.payoff_deviation`.

        Terminals with the same last sequences are one return, except in large forms.
        """
        form = self.centered
        if has_few_payoffs(form) or not self._with_reach[1].all():
            return listed_deviation(form, plans, player, unit)
        # Each terminal is a return, so that the mean square is a value with squared utilities.
        squares = replace(form, terminals=replace(form.terminals, payoff=form.terminals.payoff**2))
        mean, square = (
            plan_value(own.gradient(plans, player), plans[player]) for own in (form, squares)
        )
        return float(np.sqrt(max(square - mean**2, 0.0))) / unit

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return the payoff width: deviations take longer than hundreds of iterations."""
        return self.payoff_width

    def reach_gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] `gradient` as if all utilities were 1."""
        return self._of_reach.gradient(plans, player)

    @cached_property
    def centered(self) -> PublicForm:
        """The same game after each player's midrange is subtracted; see `Form.centered`."""
        middle = self.utility_limits.mean(axis=1)
        if not middle.any():
            return self
        form, is_reach = self._with_reach
        # A constant is subtracted once a play: from outcomes whose weights sum to the reach.
        payoff = form.terminals.payoff - middle * is_reach[:, None]
        return replace(
            form,
            terminals=replace(form.terminals, payoff=payoff),
            utility_limits=self.utility_limits - middle[:, None],
            constant_sum=None if self.constant_sum is None else 0.0,
        )

    def table(self) -> FormTable:
        """Return the rows in which files store numbers: public actions, with a column per hand."""
        nodes, prior = np.concatenate(self.decisions).tolist(), self.prior.matrix()
        return FormTable(
            tuple(f"hand_{hand}" for hand in range(max(self.num_hands))),
            "line",
            [self.labels[node] for node in nodes],
            [self.legal_actions(node) for node in nodes],
            (_Places(self, 0), _Places(self, 1)),
            tuple(self.num_actions[own] for own in self.decisions),
            {
                "form": self.kind,
                "hands": [[*map(label_text, own)] for own in self.hands],
                "hand_probabilities": [prior.sum(axis=1 - p).tolist() for p in range(2)],
            },
            _OTHER_FORM,
        )


@dataclass(frozen=True, eq=False)
class _Places:
    """A player's sequences by public action and hand; they are computed on demand."""

    form: PublicForm
    player: Player

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of public actions and of hands."""
        return len(self), self.form.num_hands[self.player]

    def __len__(self) -> int:
        return len(self.form.sequences[self.player].start) - 1

    def __getitem__(self, index: tuple[LongArray | slice, slice], /) -> LongArray:
        rows, hands = index
        # The empty sequence, which comes first, is not an action.
        return self.form.places(self.player, np.arange(1, 1 + len(self))[rows], hands)


def as_public_form(form: object) -> PublicForm:
    """Return a form that is checked to be a public form.

    Raises
    ------
    UnsupportedGameError
        If it is another form.
    """
    if not isinstance(form, PublicForm):
        name = getattr(form, "name", type(form).__name__)
        advice = (
            "build its public form by infoset.build_public_form, and transfer policies by "
            "infoset.policy.transfer_policy"
        )
        if isinstance(getattr(form, "whole", None), PublicForm):
            advice = (
                "use its attribute whole, and complete policies by infoset.policy.complete_policy"
            )
        raise UnsupportedGameError(f"this form of {name} has no public nodes and hands: {advice}")
    return form


def check_public_form(form: object) -> None:
    """Check that `form` is a `PublicForm`.

    Raises
    ------
    ParameterError
        If `form` is something else. The message shows how to derive one.
    """
    check_type(
        "form",
        form,
        PublicForm,
        'a PublicForm, such as infoset.tree.derive_public_form(infoset.build_tree("kuhn_poker"))',
    )
