"""The sequence form: a treeplex per player and the payoffs of tuples of sequences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from infoset.errors import UnknownNameError, UnsupportedGameError
from infoset.forms._payoff_kernels import terminal_gradient
from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.members_by_infostate import MembersByInfostate
from infoset.forms.payoffs import (
    FormPayoffs,
    check_range,
    merge_payoffs,
    places_among,
    terminal_payoffs,
    usual_part,
    usual_range,
)
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Layout, Treeplex
from infoset.game import GameSource, Infostate
from infoset.game.infostate import canonical_text
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

TREE_EXAMPLE = 'infoset.build_tree(infoset.load("kuhn_poker"))'
"""Example of a call that builds a tree, for error messages."""


EXTENSIVE_FORM = GameSource()
UNIT = float(np.finfo(np.float64).eps)


class CenteredPayoffs(NamedTuple):
    """The payoffs of a game after each player's midrange is subtracted from its utilities.

    The midrange of a player is the mean of its minimum and maximum utility. Subtracting it changes
    no equilibrium and no gain. Step sizes and tolerances that depend on the centered payoffs
    therefore do not depend on constants that are added to the payoffs of a player.
    """

    terminal_sequence: IntArray
    payoff: FloatArray
    """As in `SequenceForm`."""
    payoff_range: tuple[float, float]
    """Minimum and maximum centered utility over players and terminal histories."""


class TerminalReach(NamedTuple):
    """The chance reach of all tuples of sequences that meet at a terminal history.

    Unlike the payoffs of a `SequenceForm`, the tuples include those whose payoffs are all zero. The
    chance reach times the plans of all players is therefore a probability distribution.
    """

    terminal_sequence: IntArray
    """[M, N] the distinct tuples of the players' last sequences, sorted."""
    chance_reach: FloatArray
    """[M] chance reach, summed over the terminal histories with the same tuple."""


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm(MembersByInfostate, ShortRepr):
    """A game in terms of realization plans.

    The expected utility of player p is `Σ_m payoff[m, p] Π_i plan_i[terminal_sequence[m, i]]`.

    Attributes
    ----------
    name
        The game. For rules of the library it is the notation that `load` reads; the title of a
        file is arbitrary text, which must not be passed to `load`.
    treeplexes
        One per player.
    infostate_trees
        One per player, with the labels of infostates and actions.
    terminal_sequence
        [M, N] the distinct tuples of the players' last sequences at terminal histories, sorted.
    payoff
        [M, N] utility times chance reach, summed over the terminal histories with the same tuple.
        Tuples whose payoffs are all zero are left out.
    payoff_range
        Minimum and maximum utility over players and terminal histories.
    constant_sum
        Sum of the players' utilities, if it is the same at every terminal history.
    payoff_rounding
        Bound on the error that rounding in `payoff` and `constant_sum` causes in a value, in the
        game's units.
    source
        Where the game came from.
    centered_payoffs
        The payoffs without the players' midranges; None if all midranges are zero up to rounding.
    reach_source : callable or None
        Function that computes `terminal_reach`; None if it is unknown. The result is not stored in
        every form, because few methods need it.

    Source: von Stengel (1996); Kovařík et al. (2022), Section 4.4.
    """

    name: str
    treeplexes: tuple[Treeplex, ...]
    infostate_trees: tuple[InfostateTree, ...]
    terminal_sequence: IntArray
    payoff: FloatArray
    payoff_range: tuple[float, float]
    constant_sum: float | None
    payoff_rounding: float
    source: GameSource = EXTENSIVE_FORM
    centered_payoffs: CenteredPayoffs | None = None
    reach_source: Callable[[], TerminalReach] | None = None

    def _facts(self) -> Facts:
        values = {
            "sequences": tuple(treeplex.num_sequences for treeplex in self.treeplexes),
            "payoffs": self.num_payoffs,
            "range": format_numbers(self.payoff_range),
        }
        return Facts(self.name, values, "see .treeplexes, .infostate_trees, .payoff")

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def kind(self) -> str:
        """The kind of form: "sequence"."""
        return "sequence"

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.treeplexes)

    @property
    def public_states(self) -> tuple[IntArray, ...]:
        """Per player, [I] the public state of each acting infostate."""
        return tuple(tree.public_state[tree.acting] for tree in self.infostate_trees)

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads; see `Form.payoffs`."""
        check_range(self.name, self.payoff, precision)
        return terminal_payoffs(self.terminal_sequence, self.payoff, self.layouts, precision)

    def composed_payoffs(
        self,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of the form; see `Form.composed_payoffs`.

        The list of payoffs is transformed, so that kernels see an ordinary form.
        """
        rows, payoff = self.composed_list(transform, of_reach)
        check_range(self.name, payoff, precision)
        return terminal_payoffs(rows, payoff, layouts, precision)

    def composed_scale(self, transform: Transform) -> float:
        """Return the `payoff_scale` of a transform; see `Form.composed_scale`."""
        _, payoff = self.centered.composed_list(transform)
        return float(np.abs(payoff).max(initial=0.0))

    def composed_list(
        self, transform: Transform, of_reach: bool = False
    ) -> tuple[IntArray, FloatArray]:
        """Return the tuples of sequences of a transform, and their payoffs."""
        listed, paid = self.terminal_sequence, self.payoff
        if of_reach:
            listed, reach = self.terminal_reach
            paid = self._per_player(reach)
        rows, payoff = transform.contract(listed, paid, of_reach)
        sizes = tuple(own.num_sequences for own in transform.maps)
        columns = rows.T.astype(np.uint32, order="C")
        return merge_payoffs(columns, sizes, np.arange(len(rows), dtype=np.uint32), payoff)[:2]

    def reach_payoffs(self) -> FormPayoffs:
        """Return `payoffs` as if all utilities were 1."""
        sequence, reach = self.terminal_reach
        return terminal_payoffs(sequence, self._per_player(reach), self.layouts, "float64")

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        gradient = np.zeros(self.treeplexes[player].num_sequences)
        terminal_gradient(player, self.terminal_sequence, self.payoff, plans, gradient)
        return gradient

    def payoff_deviation(
        self, plans: tuple[FloatArray, ...], player: Player, unit: float = 1.0
    ) -> float:
        """Return the standard deviation of a player's returns; see `Form.payoff_deviation`."""
        returns, probability = self._returns(plans, unit)
        distance = returns[:, player] - probability @ returns[:, player]
        return float(np.sqrt(float(probability @ distance**2)))

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return twice the largest standard deviation of a player; see `Form.payoff_spread`."""
        if self.reach_source is None:
            return self.payoff_width
        returns, probability = self._returns(plans)
        usual = np.stack([np.clip(own, *usual_range(own)) for own in returns.T], axis=1)
        return 2 * float(np.sqrt((probability @ (usual - probability @ usual) ** 2).max()))

    def _returns(
        self, plans: tuple[FloatArray, ...], unit: float = 1.0
    ) -> tuple[FloatArray, FloatArray]:
        """Return [Z, N] centered utilities by tuple of sequences, and [Z] their probabilities."""
        sequence, probability = self.terminal_reach
        returns = self.centered.payoffs_at(sequence) / unit / probability[:, None]
        for own, plan in enumerate(plans):
            probability = probability * plan[sequence[:, own]]
        return returns, probability

    def payoffs_at(self, sequence: IntArray) -> FloatArray:
        """Return the payoffs of tuples of sequences [Z, N], which include all listed tuples.

        Payoffs leave out tuples whose payoff is zero.
        """
        sizes = [plex.num_sequences for plex in self.treeplexes]
        found = np.zeros((len(sequence), self.num_players))
        found[places_among(sequence, self.terminal_sequence, sizes)] = self.payoff
        return found

    def reach_gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] `gradient` as if all utilities were 1.

        Raises
        ------
        UnsupportedGameError
            If the chance reach of terminal histories is unknown; see `terminal_reach`.
        """
        sequence, reach = self.terminal_reach
        gradient = np.zeros(self.treeplexes[player].num_sequences)
        terminal_gradient(player, sequence, self._per_player(reach), plans, gradient)
        return gradient

    def _per_player(self, reach: FloatArray) -> FloatArray:
        """Return [M, N] chance reach [M] times a utility of 1 for each player."""
        return np.repeat(reach[:, None], self.num_players, axis=1)

    def infostate_labels(self, player: Player) -> tuple[str, ...]:
        """Return [I] a unique text for each acting infostate."""
        return self.infostate_trees[player].acting_labels

    def reading_order(self, player: Player) -> LongArray:
        """Return positions in `labeled_infostates` in an order for readers."""
        return self.infostate_trees[player].reading_order()

    @property
    def action_sets(self) -> tuple[tuple[Action, ...], ...]:
        """Sets of legal actions, as they occur at acting infostates."""
        return tuple(chain.from_iterable(tree.action_sets for tree in self.infostate_trees))

    def actions_at(self, player: Player, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an acting infostate."""
        tree = self.infostate_trees[player]
        return tree.legal_actions(int(tree.acting[infostate]))

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return an acting infostate; `find` is the inverse."""
        tree = self.infostate_trees[player]
        return tree.infostate_at(int(tree.acting[number]))

    def find(self, infostate: Infostate) -> int:
        """Return the number of an acting infostate; see `Form.find`."""
        tree = self.infostate_trees[infostate.player]
        number = tree.index_of(infostate)
        place = int(np.searchsorted(tree.acting, number))  # `acting` is sorted
        if place == tree.num_acting or tree.acting[place] != number:
            raise UnknownNameError(f"player {infostate.player} does not act at {infostate}")
        return place

    @property
    def num_payoffs(self) -> int:
        """Number M of tuples of sequences with a nonzero payoff."""
        return len(self.payoff)

    @property
    def gradient_cost(self) -> int:
        """Count of numbers read to compute one gradient per player."""
        return self.num_payoffs * self.num_players

    @property
    def evaluation_cost(self) -> int:
        """Cost of evaluating a policy, roughly; in the unit of `infoset.runs.gradient_cost`.

        Payoffs are read in the order of the form, which is slower than in the order of CFR.
        Measured in iterations of CFR+, by processor time: 3 to 4 on goofspiel with 5 cards, 9 to 13
        on Leduc poker with 10 ranks.
        """
        sequences = sum(plex.num_sequences for plex in self.treeplexes)
        return 8 * (self.num_payoffs * self.num_players + sequences)

    @property
    def has_shared_payoffs(self) -> bool:
        """Whether all of several players always get the same payoff."""
        return self.num_players > 1 and bool((self.payoff == self.payoff[:, :1]).all())

    @property
    def is_zero_sum(self) -> bool:
        """Whether the utilities of all players sum to zero."""
        return self.constant_sum == 0.0

    @cached_property
    def centered(self) -> SequenceForm:
        """The same game after each player's midrange is subtracted from its utilities.

        Sequences have the same numbers in both forms. It is the form itself if all midranges are
        zero, as in most zero-sum games.
        """
        if self.centered_payoffs is None:
            return self
        terminal_sequence, payoff, payoff_range = self.centered_payoffs
        return replace(
            self,
            terminal_sequence=terminal_sequence,
            payoff=payoff,
            payoff_range=payoff_range,
            # In two-player constant-sum games the midranges sum to the constant.
            constant_sum=0.0 if self.is_two_player_constant_sum else None,
            centered_payoffs=None,
        )

    @cached_property
    def terminal_reach(self) -> TerminalReach:
        """The chance reach of the tuples of sequences, computed on first use.

        Raises
        ------
        UnsupportedGameError
            If the form does not know how to compute it.
        """
        if self.reach_source is None:
            raise UnsupportedGameError(
                f"the chance reach of {self.name} is unknown, because its sequence form was made "
                "without reach_source: build the form with build_tree, build_sequence_form or "
                "contract_terminals"
            )
        return self.reach_source()

    @property
    def payoff_scale(self) -> float:
        """Largest absolute payoff times chance reach of centered payoffs, summed by sequences."""
        return float(np.abs(self.centered.payoff).max(initial=0.0))

    @property
    def payoff_width(self) -> float:
        """Largest difference between two utilities of the same player."""
        low, high = self.centered.payoff_range
        return high - low

    @cached_property
    def usual_width(self) -> float:
        """The payoff width without extreme utilities; see `Form.usual_width`."""
        if self.reach_source is None:
            return self.payoff_width
        utility, _ = self._returns(())
        usual = [usual_part(own) for own in utility.T]
        if sum(map(len, usual)) == utility.size:
            return self.payoff_width
        return float(max(map(np.ptp, usual)))

    @cached_property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value in float64, in the game's units.

        The bound holds to first order. It is the maximum number of roundings between a payoff and
        the value, including those of the realization plans, times the unit roundoff and the largest
        absolute utility, plus `payoff_rounding`.
        """
        plans = [plex.plan_roundings for plex in self.treeplexes]
        sums = [
            plex.max_additions(
                np.bincount(self.terminal_sequence[:, player], minlength=plex.num_sequences)
            )
            for player, plex in enumerate(self.treeplexes)
        ]
        largest = max(map(abs, self.payoff_range))
        return (max(sums) + sum(plans)) * UNIT * largest + self.payoff_rounding

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of structure, action labels and payoffs; the same for equal games.

        Observations matter only through the infostates that they distinguish, not through their
        text.
        """
        digest = hashlib.sha256()
        for tree in self.infostate_trees:
            for array in (tree.parent, tree.action, tree.action_set, tree.public_state):
                digest.update(np.ascontiguousarray(array).astype("<i4").tobytes())
        labels = self.infostate_trees[0].action_sets
        digest.update("\n".join(map(canonical_text, labels)).encode())
        digest.update(np.ascontiguousarray(self.terminal_sequence).astype("<i4").tobytes())
        digest.update(np.ascontiguousarray(self.payoff).astype("<f8").tobytes())
        return digest.hexdigest()


def check_sequence_form(form: object) -> None:
    """Check that `form` is a `SequenceForm`.

    Raises
    ------
    ParameterError
        If `form` is something else, such as a name or a tree. The message shows how to build one.
    """
    check_type("form", form, SequenceForm, f"a SequenceForm, such as {TREE_EXAMPLE}.sequence_form")


def as_sequence_form(form: object) -> SequenceForm:
    """Return a form that is checked to be a sequence form, or is a transform of one.

    Raises
    ------
    UnsupportedGameError
        If it is another form.
    """
    if hasattr(form, "to_sequence_form"):
        converted = form.to_sequence_form()
        assert isinstance(converted, SequenceForm)
        return converted
    if not isinstance(form, SequenceForm):
        name = getattr(form, "name", type(form).__name__)
        kind = getattr(form, "kind", "other")
        raise UnsupportedGameError(
            f"this needs the sequence form of {name}, with the infostates of its tree, and got its "
            f"{kind} form: build infoset.build_sequence_form(game), and transfer policies by "
            "infoset.policy.transfer_policy"
        )
    return form
