"""The sequence form: treeplexes and payoffs, the ground of solving and measuring."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.tree._kernels import most_additions, most_multiplications
from infoset.tree.infostate_tree import InfostateTree
from infoset.tree.merging import merge_payoffs, numbers_met
from infoset.tree.world_graph import freeze
from infoset.typing import FloatArray, IndexArray, IntArray
from infoset.utils.arguments import check_type

__all__ = [
    "TREE_EXAMPLE",
    "SequenceForm",
    "Treeplex",
    "check_sequence_form",
    "common_sum",
    "contract_terminals",
]

TREE_EXAMPLE = 'infoset.build_tree(infoset.load("kuhn_poker"))'
"""A call that builds a tree, for error messages."""

SUM_TOLERANCE = 1e-9
UNIT = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The acting infostates of one player and their sequences, parents first.

    Sequence 0 is the empty one; those of acting infostate i are
    `first_sequence[i]:first_sequence[i] + num_actions[i]`, one per action.

    Attributes
    ----------
    parent_sequence : IntArray
        [I] last own sequence before the infostate.
    first_sequence, num_actions : IntArray
        [I] see above.
    num_sequences : int
        Q, the empty one included.
    """

    parent_sequence: IntArray
    first_sequence: IntArray
    num_actions: IntArray
    num_sequences: int

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return len(self.num_actions)

    @cached_property
    def infostate_of_sequence(self) -> IntArray:
        """[Q] the acting infostate of each sequence; -1 for the empty one."""
        owners = np.repeat(np.arange(self.num_infostates, dtype=np.int32), self.num_actions)
        return np.concatenate([np.array([-1], np.int32), owners])

    @cached_property
    def plan_roundings(self) -> int:
        """Most roundings in a number of a realization plan made of a policy that is normalised."""
        return most_multiplications(
            self.parent_sequence, self.first_sequence, self.num_actions, self.num_sequences
        )


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game as realization plans and payoffs.

    The expected utility of player p is `Σ_m payoff[m, p] Π_i plan_i[terminal_sequence[m, i]]`.

    Attributes
    ----------
    name : str
        The game, as `load` reads it.
    treeplexes : tuple[Treeplex, ...]
        One per player.
    infostate_trees : tuple[InfostateTree, ...]
        Where infostates and actions have their labels.
    terminal_sequence : IntArray
        [M, N] different tuples of last own sequences at terminal histories, sorted.
    payoff : FloatArray
        [M, N] utilities times nature's reach, summed over the terminal histories of the tuple;
        tuples whose payoffs are all zero are left out.
    payoff_range : tuple[float, float]
        Least and greatest utility of any player at any terminal history.
    constant_sum : float or None
        What the utilities sum to at every terminal history, if that is constant.
    payoff_rounding : float
        How far rounding in `payoff` and `constant_sum` may put a value off, in the game's units.

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

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.treeplexes)

    @property
    def num_payoffs(self) -> int:
        """Number M of tuples of sequences with a payoff."""
        return len(self.payoff)

    @property
    def is_two_player_constant_sum(self) -> bool:
        """Whether exploitability is defined."""
        return self.num_players == 2 and self.constant_sum is not None

    @property
    def is_zero_sum(self) -> bool:
        """Whether the utilities of all players sum to zero."""
        return self.constant_sum == 0.0

    @cached_property
    def rounding(self) -> float:
        """How far float64 may put the value of a best response off, in the game's units.

        A bound, to first order: the most roundings that a payoff meets on its way into the value,
        policies made into plans included, times the unit of float64 and the largest utility; and
        `payoff_rounding`.
        """
        plans = [plex.plan_roundings for plex in self.treeplexes]
        sums = [
            most_additions(
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
        """A digest of structure, action labels and payoffs: the same game has the same everywhere.

        Observations enter by what they tell apart, not by how they are written.
        """
        digest = hashlib.sha256()
        for tree in self.infostate_trees:
            for array in (tree.parent, tree.action, tree.action_set, tree.public_state):
                digest.update(np.ascontiguousarray(array).astype("<i4").tobytes())
        labels = self.infostate_trees[0].action_sets
        digest.update("\n".join(map(_canonical_text, labels)).encode())
        digest.update(np.ascontiguousarray(self.terminal_sequence).astype("<i4").tobytes())
        digest.update(np.ascontiguousarray(self.payoff).astype("<f8").tobytes())
        return digest.hexdigest()


def _canonical_text(value: object) -> str:
    """Return a label as text that does not depend on the order in which sets are kept."""
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(_canonical_text, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_canonical_text, value)) + ")"
    return str(value)


def contract_terminals(
    name: str,
    infostate_trees: tuple[InfostateTree, ...],
    sequence: IntArray,
    chance_reach: FloatArray,
    utility: FloatArray,
    num_steps: int,
) -> SequenceForm:
    """Contract terminal histories to the sequence form.

    Parameters
    ----------
    name : str
    infostate_trees : tuple[InfostateTree, ...]
    sequence : IntArray
        [Z, N] last own sequences at the terminal histories.
    chance_reach : FloatArray
        [Z] nature's reach of them.
    utility : FloatArray
        [Z, N] utilities at them.
    num_steps : int
        Most steps to one of them: nature's factors in a reach, rewards in a utility.
    """
    return contract_outcomes(
        name,
        infostate_trees,
        columns=np.ascontiguousarray(sequence.T, np.int32).view(np.uint32),
        outcome=np.arange(len(sequence), dtype=np.uint32),
        chance_reach=chance_reach,
        utility=utility,
        num_steps=num_steps,
    )


def contract_outcomes(
    name: str,
    infostate_trees: tuple[InfostateTree, ...],
    *,
    columns: IndexArray,
    outcome: IndexArray,
    chance_reach: FloatArray,
    utility: FloatArray,
    num_steps: int,
) -> SequenceForm:
    """Contract terminal histories, many of which may have one outcome, to the sequence form.

    Parameters
    ----------
    name : str
    infostate_trees : tuple[InfostateTree, ...]
    columns : IndexArray
        [N, Z] last own sequences at the terminal histories.
    outcome : IndexArray
        [Z] which outcome each of them has.
    chance_reach : FloatArray
        [number of outcomes] nature's reach.
    utility : FloatArray
        [number of outcomes, N]
    num_steps : int
        As in `contract_terminals`.
    """
    sizes = tuple(tree.num_sequences for tree in infostate_trees)
    terminal_sequence, payoff, most_added = merge_payoffs(
        columns, sizes, outcome, utility * chance_reach[:, None]
    )
    at_ends = utility[numbers_met(outcome, len(utility))]
    constant_sum = common_sum(at_ends)
    # Per step a probability rounded, a product and a sum; then reach times utility, and the sum.
    rounding = (3 * num_steps + 1 + most_added) * UNIT * float(np.abs(at_ends).max())
    if constant_sum is not None:
        rounding += float(np.abs(at_ends.sum(axis=1) - constant_sum).max())
    return SequenceForm(
        name=name,
        treeplexes=tuple(_treeplex(tree) for tree in infostate_trees),
        infostate_trees=infostate_trees,
        terminal_sequence=terminal_sequence,
        payoff=payoff,
        payoff_range=(float(at_ends.min()), float(at_ends.max())),
        constant_sum=constant_sum,
        payoff_rounding=rounding,
    )


def _treeplex(tree: InfostateTree) -> Treeplex:
    return Treeplex(
        parent_sequence=tree.last_sequence[tree.acting],
        first_sequence=tree.first_sequence[tree.acting],
        num_actions=tree.num_actions[tree.acting],
        num_sequences=tree.num_sequences,
    )


def common_sum(utility: FloatArray) -> float | None:
    """Return what the rows of `utility` [Z, N] all sum to, up to rounding; None if they differ."""
    sums = utility.sum(axis=1)
    tolerance = SUM_TOLERANCE * float(np.abs(utility).max())
    if np.ptp(sums) > tolerance:
        return None
    constant = float(sums[0])
    return 0.0 if abs(constant) <= tolerance else constant


def check_sequence_form(form: object) -> None:
    """Raise unless a sequence form is given.

    Raises
    ------
    ParameterError
        If `form` is something else, such as a name or a tree; the message shows how to build one.
    """
    check_type("form", form, SequenceForm, f"a SequenceForm, such as {TREE_EXAMPLE}.sequence_form")
