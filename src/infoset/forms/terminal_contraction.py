"""Contraction of terminal histories to the sequence form: one payoff per tuple of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from infoset.errors import NumericalError
from infoset.forms._contraction_kernels import mark_numbers
from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.payoffs import (
    column_limits,
    common_sum,
    merge_payoffs,
    middles_of,
    row_sums,
)
from infoset.forms.sequence_form import (
    EXTENSIVE_FORM,
    UNIT,
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
)
from infoset.forms.treeplex import Treeplex
from infoset.game import GameSource
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray


def contract_terminals(
    name: str,
    infostate_trees: tuple[InfostateTree, ...],
    sequence: IntArray,
    chance_reach: FloatArray,
    utility: FloatArray,
    num_steps: int,
    source: GameSource = EXTENSIVE_FORM,
    reach_source: Callable[[], TerminalReach] | None = None,
) -> SequenceForm:
    """Contract terminal histories to the sequence form.

    Parameters
    ----------
    sequence
        [Z, N] each player's last sequence at the terminal histories.
    chance_reach
        [Z] their chance reach.
    utility
        [Z, N] their utilities.
    num_steps
        Maximum number of transitions to a terminal history, which bounds the factors in a chance
        reach and the rewards in a utility.
    source
        Where the game came from; by default an extensive form.
    reach_source : callable, optional
        Function that computes the `terminal_reach` of the form. By default, the form keeps
        `sequence` and `chance_reach` for this purpose.
    """
    # Sequences are not negative, so their bits are those of unsigned numbers.
    columns = np.ascontiguousarray(sequence.T, np.int32).view(np.uint32)
    outcome = np.arange(len(sequence), dtype=np.uint32)
    sizes = tuple(tree.num_sequences for tree in infostate_trees)
    return contract_outcomes(
        name,
        infostate_trees,
        columns=columns,
        outcome=outcome,
        chance_reach=chance_reach,
        utility=utility,
        num_steps=num_steps,
        source=source,
        reach_source=reach_source or partial(merge_reach, columns, sizes, outcome, chance_reach),
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
    source: GameSource = EXTENSIVE_FORM,
    reach_source: Callable[[], TerminalReach] | None = None,
) -> SequenceForm:
    """Contract terminal histories to the sequence form if many of them share an outcome.

    Parameters
    ----------
    columns
        [N, Z] each player's last sequence at the terminal histories.
    outcome
        [Z] outcome of each terminal history.
    chance_reach
        [number of outcomes]
    utility
        [number of outcomes, N]
    num_steps, source
        As in `contract_terminals`.
    reach_source : callable, optional
        Function that computes the `terminal_reach` of the form.
    """
    if not np.isfinite(utility).all():
        raise NumericalError(
            f"the rewards of a play of {name} add up to more than floating-point numbers can hold, "
            "about 1.8e308; divide all rewards by the same number"
        )
    sizes = tuple(tree.num_sequences for tree in infostate_trees)
    terminal_sequence, payoff, max_added = merge_payoffs(
        columns, sizes, outcome, utility * chance_reach[:, None]
    )
    occurring = numbers_in(outcome, len(utility))
    # If all outcomes occur in order, no copy is needed.
    is_whole = len(occurring) == len(utility) and occurring[0] == 0
    at_ends = utility if is_whole else utility[occurring]
    low, high = column_limits(at_ends)
    midrange = middles_of(low, high)
    # Merged once more instead of being corrected: differences of large sums would lose digits.
    centered_payoffs = None
    if midrange.any():
        paid = (utility - midrange) * chance_reach[:, None]
        rows, sums, _ = merge_payoffs(columns, sizes, outcome, paid)
        limits = float((low - midrange).min()), float((high - midrange).max())
        centered_payoffs = CenteredPayoffs(rows, sums, limits)
    constant_sum = common_sum(at_ends)
    # Each transition adds a rounded probability, a product and a sum. The product of reach and
    # utility and the sum over the terminal histories of a tuple follow.
    rounding = (3 * num_steps + 1 + max_added) * UNIT * float(np.abs([low, high]).max())
    if constant_sum is not None:
        rounding += float(np.abs(row_sums(at_ends) - constant_sum).max())
    return SequenceForm(
        name=name,
        treeplexes=tuple(_treeplex(tree) for tree in infostate_trees),
        infostate_trees=infostate_trees,
        terminal_sequence=terminal_sequence,
        payoff=payoff,
        payoff_range=(float(low.min()), float(high.max())),
        constant_sum=constant_sum,
        payoff_rounding=rounding,
        source=source,
        centered_payoffs=centered_payoffs,
        reach_source=reach_source,
    )


def merge_reach(
    columns: IndexArray, sizes: Sequence[int], outcome: IndexArray, chance_reach: FloatArray
) -> TerminalReach:
    """Sum the chance reach of terminal histories with equal tuples of sequences.

    Parameters
    ----------
    columns, sizes, outcome
        As in `merge_payoffs`.
    chance_reach
        [number of outcomes]
    """
    # `merge_payoffs` sums one number per player; here they are all the same.
    repeated = np.repeat(chance_reach[:, None], len(sizes), axis=1)
    terminal_sequence, total, _ = merge_payoffs(columns, sizes, outcome, repeated)
    return TerminalReach(terminal_sequence, total[:, 0].copy())


def numbers_in(numbers: IndexArray, size: int) -> LongArray:
    """Return the distinct numbers below `size` in an array: its first entry, then the rest sorted.

    The first entry comes first because a common sum of utilities is taken from the first outcome.
    """
    occurs = mark_numbers(numbers, size)
    occurs[numbers[:1]] = False
    return np.concatenate([numbers[:1], np.flatnonzero(occurs)])


def _treeplex(tree: InfostateTree) -> Treeplex:
    return Treeplex(
        parent_sequence=tree.last_sequence[tree.acting],
        first_sequence=tree.first_sequence[tree.acting],
        num_actions=tree.num_actions[tree.acting],
        num_sequences=tree.num_sequences,
    )
