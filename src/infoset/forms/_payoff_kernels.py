"""Kernels that store payoffs by blocks and compute the gradients of utility."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from infoset.forms._history_payoff_kernels import HistoryPayoffs, history_gradient
from infoset.forms._public_payoff_kernels import (
    Composition,
    PublicPayoffs,
    collect_gradient,
    expand_plan,
    public_gradient,
)
from infoset.forms._world_payoff_kernels import WorldPayoffs, world_gradient
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import bare_kernel, kernel, linear_kernel
from infoset.utils.interning_kernels import HASH_FACTOR
from infoset.utils.simd import LANES, filled, load, store


class BlockPayoffs(NamedTuple):
    """The payoffs of one of two players, stored by blocks of its sequences.

    A block has an entry for each opponent sequence that shares a terminal with it. The entry is a
    row of `LANES` payoffs, one per sequence of the block. Similar public states have equal rows, so
    each distinct row is stored once.
    """

    start: IndexArray
    """[B + 1] positions at which the blocks begin."""
    first: IndexArray
    """[B + 1] index of the first entry of each block."""
    row: IndexArray
    """[E] position of each entry's opponent sequence."""
    where: IndexArray
    """[E] index in `payoff` at which the entry's row begins."""
    payoff: FloatArray
    """[LANES * R] the distinct rows, with zeros for sequences that share no terminal."""


@kernel
def is_same_row(rows: LongArray, one: int, other: int) -> bool:
    """Return whether two rows of a table are equal."""
    for lane in range(rows.shape[1]):  # noqa: SIM110, Numba compiles no generator
        if rows[one, lane] != rows[other, lane]:
            return False
    return True


@linear_kernel
def group_entries(
    order: IndexArray,
    block: IndexArray,
    row: IndexArray,
    payoff: FloatArray,
    kept: IndexArray,
    begins: LongArray,
    first: IndexArray,
) -> tuple[int, int]:
    """Group payoffs by block and row, and return the numbers of payoffs and of groups.

    order [M] sorts payoffs by block and then by row; block, row, payoff [M]. Written in place: kept
    [M], the order without payoffs of zero; begins [M + 1], where each group begins in it; first
    [B + 1], which begins with zeros, the first group of each block.
    """
    num_kept = num_groups = 0
    last = order[0] if len(order) else 0
    for number in order:
        if payoff[number] == 0.0:
            continue
        if not num_kept or block[number] != block[last] or row[number] != row[last]:
            begins[num_groups] = num_kept
            num_groups += 1
            first[block[number] + 1] += 1
        kept[num_kept] = last = number
        num_kept += 1
    begins[num_groups] = num_kept
    for place in range(1, len(first)):
        first[place] += first[place - 1]
    return num_kept, num_groups


@linear_kernel
def share_payoffs(
    first: LongArray,
    lane: NDArray[np.uint8],
    payoff: LongArray,
    slots: IntArray,
    rows: LongArray,
    where: IndexArray,
) -> int:
    """Write each distinct row of payoffs once, and return their number.

    Entry e has the payoffs payoff[first[e] : first[e + 1]], as the bits of floating-point numbers,
    in the given lanes, and zeros in the others. where [E]: filled with the position at which each
    entry's row begins. slots: a hash table of rows, initially all -1, whose length is a power of
    two above E; rows [E + 1, LANES]: initially zeros.
    """
    used = 0
    for entry in range(len(where)):
        code = 0
        # The candidate row is written after the last distinct row. If it is new, it remains there.
        # Rows are shared only if all bits agree, so that no gradient depends on the sharing.
        for i in range(first[entry], first[entry + 1]):
            rows[used, lane[i]] = payoff[i]
            # the shift brings sign, exponent and leading digits into the low bits
            code = (code ^ (payoff[i] >> 29) ^ payoff[i] ^ lane[i]) * HASH_FACTOR
        # The upper bits of a product depend on all bits of its factors.
        slot = (code >> 32) & (len(slots) - 1)
        # linear probing, until the row or an empty slot is found
        while slots[slot] >= 0 and not is_same_row(rows, slots[slot], used):
            slot = (slot + 1) & (len(slots) - 1)
        # A new row remains. A known row is reset to zeros for the next candidate.
        if slots[slot] < 0:
            slots[slot] = used
            used += 1
        else:
            for i in range(LANES):
                rows[used, i] = 0
        where[entry] = LANES * slots[slot]
    return used


@kernel
def block_gradient(blocks: BlockPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of one of two players in place: payoffs times the opponent's plan [Q]."""
    # The product of a sparse matrix and a vector, with rows of the matrix in groups of `LANES`.
    first, row, where, payoff = blocks.first, blocks.row, blocks.where, blocks.payoff
    for block in range(len(first) - 1):
        # One vector accumulates the whole block, and is stored once, without its unused lanes.
        total = filled(gradient, 0.0)
        for entry in range(first[block], first[block + 1]):
            # gradient(s) = Σ over opponent sequences t of payoff(s, t) · plan(t)
            total += load(payoff, where[entry], LANES) * plan[row[entry]]
        start = blocks.start[block]
        store(gradient, start, blocks.start[block + 1] - start, total)


@linear_kernel
def terminal_gradient(
    player: int,
    sequence: IntArray | IndexArray,
    payoff: FloatArray,
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of one of several players in place, from the list of terminals.

    sequence [M, N], payoff [M, N], plans: per player [Q].
    """
    # gradient(s) = Σ_z u(z) Π_j≠i x_j(s_j(z)), over the terminals z with last own sequence s.
    # Utility is linear in the player's own plan; these are its coefficients.
    gradient[:] = 0.0
    for entry in range(len(sequence)):
        # Payoffs contain the reach of chance, so the product is counterfactual reach times utility.
        weight = payoff[entry, player]
        for other in range(len(plans)):
            if other != player:
                weight *= plans[other][sequence[entry, other]]
        gradient[sequence[entry, player]] += weight


class ComposedPayoffs(NamedTuple):
    """The payoffs of one player of a public form, of a world form, or of a transform of one."""

    base: PublicPayoffs | WorldPayoffs | HistoryPayoffs
    """Those of the form that is transformed."""
    composition: Composition
    """How a transform changes plans and gradients; without entries if there is no transform."""


class TerminalPayoffs(NamedTuple):
    """The payoffs of all players in a sequence form without exactly two players."""

    sequence: IndexArray
    """[M, N] the players' last sequences at each terminal, as positions in their layouts."""
    payoff: FloatArray
    """[M, N] utility times chance reach."""


TwoPlayerPayoffs: TypeAlias = BlockPayoffs | ComposedPayoffs
"""The payoffs of one of two players: of a sequence form by blocks, or of another form."""
PlayerPayoffs: TypeAlias = TwoPlayerPayoffs | TerminalPayoffs
"""The payoffs of a player."""


def pair_gradient(payoffs: TwoPlayerPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of one of two players in place, given the opponent's plan [Q].

    Compiled kernels choose the function by the type of the payoffs when they are compiled. Forms
    and their transforms have the same type; the composition of the former is empty.
    """
    if isinstance(payoffs, BlockPayoffs):
        block_gradient(payoffs, plan, gradient)
    else:
        composed_gradient(payoffs, plan, gradient)


def base_gradient(
    payoffs: PublicPayoffs | WorldPayoffs | HistoryPayoffs, plan: FloatArray, gradient: FloatArray
) -> None:
    """Fill `gradient` as `pair_gradient` does, on a public form or a world form."""
    if isinstance(payoffs, PublicPayoffs):
        public_gradient(payoffs, plan, gradient)
    elif isinstance(payoffs, WorldPayoffs):
        world_gradient(payoffs, plan, gradient)
    else:
        history_gradient(payoffs, (plan, plan), gradient)


def several_gradient(
    player: int, payoffs: Any, plans: tuple[FloatArray, ...], gradient: FloatArray
) -> None:
    """Fill `gradient` [Q] of one of several players in place: by terminals, or by histories."""
    if isinstance(payoffs, TerminalPayoffs):
        terminal_gradient(player, payoffs.sequence, payoffs.payoff, plans, gradient)
    else:
        history_gradient(payoffs.base, plans, gradient)


# Annotated as `_compiled_pair_gradient`, which returns it.
def composed_gradient(payoffs: Any, plan: Any, gradient: Any) -> Any:
    """Fill `gradient` as `pair_gradient` does, on such a form or a transform of one."""
    composition = payoffs.composition
    reached, earned = plan, gradient
    # The workspace is empty if plans or gradients are not changed.
    if len(composition.plan) > 0:
        expand_plan(composition, plan, 0, len(composition.plan))
        reached = composition.plan
    if len(composition.gradient) > 0:
        earned = composition.gradient
    # One call, because the compiler makes a copy of the kernel for each.
    base_gradient(payoffs.base, reached, earned)
    if len(composition.gradient) > 0:
        collect_gradient(composition, plan, gradient, 0, len(gradient))


# Without reference counting, as in the kernels that it joins.
_BARE: Any = {"_nrt": False, "no_cfunc_wrapper": True}


@overload(base_gradient, jit_options=_BARE)
def _compiled_base_gradient(payoffs: Any, plan: Any, gradient: Any) -> Any:
    def by_hands(payoffs: Any, plan: Any, gradient: Any) -> Any:
        public_gradient(payoffs, plan, gradient)

    def by_worlds(payoffs: Any, plan: Any, gradient: Any) -> Any:
        world_gradient(payoffs, plan, gradient)

    def by_histories(payoffs: Any, plan: Any, gradient: Any) -> Any:
        history_gradient(payoffs, (plan, plan), gradient)

    found: Any = {PublicPayoffs: by_hands, WorldPayoffs: by_worlds, HistoryPayoffs: by_histories}
    return found[payoffs.instance_class]


@overload(several_gradient, jit_options=_BARE)
def _compiled_several_gradient(player: Any, payoffs: Any, plans: Any, gradient: Any) -> Any:
    def by_terminals(player: Any, payoffs: Any, plans: Any, gradient: Any) -> Any:
        terminal_gradient(player, payoffs.sequence, payoffs.payoff, plans, gradient)

    def by_histories(player: Any, payoffs: Any, plans: Any, gradient: Any) -> Any:
        history_gradient(payoffs.base, plans, gradient)

    return by_terminals if payoffs.instance_class is TerminalPayoffs else by_histories


@overload(pair_gradient, jit_options=_BARE)
def _compiled_pair_gradient(payoffs: Any, plan: Any, gradient: Any) -> Any:
    def by_blocks(payoffs: Any, plan: Any, gradient: Any) -> Any:
        block_gradient(payoffs, plan, gradient)

    return composed_gradient if payoffs.instance_class is ComposedPayoffs else by_blocks


@bare_kernel
def fill_gradient(
    player: int,
    payoffs: tuple[Any, ...],
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of a player in place; payoffs: `PlayerPayoffs` of each player."""
    # With more players the reach of a terminal is a product of plans, and blocks do not apply.
    if len(plans) == 2:
        pair_gradient(payoffs[player], plans[1 - player], gradient)
    else:
        several_gradient(player, payoffs[player], plans, gradient)
