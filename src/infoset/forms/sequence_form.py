"""The sequence form: a treeplex per player and the payoffs of tuples of sequences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms._sequence_form_kernels import max_additions
from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.treeplex import Treeplex
from infoset.game import GameSource
from infoset.game.infostate import canonical_text
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_type
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

__all__ = [
    "TREE_EXAMPLE",
    "CenteredPayoffs",
    "SequenceForm",
    "TerminalReach",
    "check_sequence_form",
]

TREE_EXAMPLE = 'infoset.build_tree(infoset.load("kuhn_poker"))'
"""Example of a call that builds a tree, for error messages."""


EXTENSIVE_FORM = GameSource()
UNIT = float(np.finfo(np.float64).eps)


class CenteredPayoffs(NamedTuple):
    """The payoffs of a game after each player's midrange is subtracted from its utilities.

    The midrange of a player is the mean of its minimum and maximum utility. Subtracting it changes
    no equilibrium and no gain. Step sizes and tolerances that depend on the centered payoffs
    therefore do not depend on constants that are added to the payoffs of a player.

    Attributes
    ----------
    terminal_sequence, payoff
        As in `SequenceForm`.
    payoff_range : tuple[float, float]
        Minimum and maximum centered utility over players and terminal histories.
    """

    terminal_sequence: IntArray
    payoff: FloatArray
    payoff_range: tuple[float, float]


class TerminalReach(NamedTuple):
    """The chance reach of all tuples of sequences that meet at a terminal history.

    Unlike the payoffs of a `SequenceForm`, the tuples include those whose payoffs are all zero. The
    chance reach times the plans of all players is therefore a probability distribution.

    Attributes
    ----------
    terminal_sequence : IntArray
        [M, N] the distinct tuples of the players' last sequences, sorted.
    chance_reach : FloatArray
        [M] chance reach, summed over the terminal histories with the same tuple.
    """

    terminal_sequence: IntArray
    chance_reach: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm(ShortRepr):
    """A game in terms of realization plans.

    The expected utility of player p is `Σ_m payoff[m, p] Π_i plan_i[terminal_sequence[m, i]]`.

    Attributes
    ----------
    name : str
        The game. For rules of the library it is the notation that `load` reads; the title of a
        file is arbitrary text, which must not be passed to `load`.
    treeplexes : tuple[Treeplex, ...]
        One per player.
    infostate_trees : tuple[InfostateTree, ...]
        One per player, with the labels of infostates and actions.
    terminal_sequence : IntArray
        [M, N] the distinct tuples of the players' last sequences at terminal histories, sorted.
    payoff : FloatArray
        [M, N] utility times chance reach, summed over the terminal histories with the same tuple.
        Tuples whose payoffs are all zero are left out.
    payoff_range : tuple[float, float]
        Minimum and maximum utility over players and terminal histories.
    constant_sum : float or None
        Sum of the players' utilities, if it is the same at every terminal history.
    payoff_rounding : float
        Bound on the error that rounding in `payoff` and `constant_sum` causes in a value, in the
        game's units.
    source : GameSource
        Where the game came from.
    centered_payoffs : CenteredPayoffs or None
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
    def num_players(self) -> int:
        """Number of players."""
        return len(self.treeplexes)

    @property
    def num_payoffs(self) -> int:
        """Number M of tuples of sequences with a nonzero payoff."""
        return len(self.payoff)

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
    def is_two_player_constant_sum(self) -> bool:
        """Whether the game has two players and a constant sum; exploitability needs both."""
        return self.num_players == 2 and self.constant_sum is not None

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
    def payoff_width(self) -> float:
        """Largest difference between two utilities of the same player."""
        low, high = self.centered.payoff_range
        return high - low

    @cached_property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value in float64, in the game's units.

        The bound holds to first order. It is the maximum number of roundings between a payoff and
        the value, including those of the realization plans, times the unit roundoff and the largest
        absolute utility, plus `payoff_rounding`.
        """
        plans = [plex.plan_roundings for plex in self.treeplexes]
        sums = [
            max_additions(
                plex.parent_sequence,
                plex.first_sequence,
                plex.num_actions,
                np.bincount(self.terminal_sequence[:, player], minlength=plex.num_sequences),
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
