"""Kernels that compute the gradients of utility on a public form.

Up to `LANES` terminals whose tables are equal are the lanes of one vector, so that one sweep over
the hands serves them all. The sweep reads the opponent's plan at these terminals as `[hand, lane]`,
and writes the gradient in the same order.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray, ShortArray
from infoset.utils.compilation import inner_kernel, nested_kernel
from infoset.utils.simd import LANES, Lanes, add_rows, filled, load, store, take_rows

# Kinds of tables; those from FIRST_MATRIX on are matrices.
FOLD = 0
SHOWDOWN = 1
FIRST_MATRIX = 2

# Rows of `PublicPayoffs.factor`: factors of the reach of all hands, of weaker hands, of hands that
# are not stronger, and of weaker hands where no strengths are equal.
OF_ALL = 0
OF_WEAKER = 1
OF_WEAKER_OR_EQUAL = 2
WITHOUT_TIES = 3
NUM_FACTORS = 4

# Kinds of runs of indices: any, or each is greater by 1 than the one before.
LISTED = 0
CONSECUTIVE = 1


class Composition(NamedTuple):
    """How plans of a transform become plans of a form, and gradients of the form return.

    The opponent's plan of the form is `weight * plan[source]`. The gradient of the transform at a
    sequence is the sum of `scale * gradient[member]` over its members, in order, plus an offset.
    All arrays are empty for a form that is not transformed.
    """

    source: IndexArray
    """[Q of the opponent in the form] the sequence of the transform whose plan it continues."""
    weight: FloatArray
    """[Q of the opponent in the form] what that entry of the plan is multiplied by."""
    source_runs: LongArray
    """[R + 1, 2] beginnings and kinds of R runs of sources, and their end. Transforms change few
    parts of a form, so that most sources are consecutive, and need not be read."""
    member: IndexArray
    """[Q + E] the sequences of the player in the form whose gradients are collected: the first
    member of each sequence of the transform, and then all further ones."""
    scale: FloatArray
    """[Q + E] factors of their entries of the gradient; 0 if there is no first member."""
    member_runs: LongArray
    """[R + 1, 2] the runs of the first members."""
    owner: IndexArray
    """[E] the sequences of the transform that the further members belong to, sorted."""
    offset_at: IndexArray
    """[F] the sequences of the transform at which something is added to the gradient."""
    offset: FloatArray
    """[F] what is added to it."""
    transfer_at: IndexArray
    """[T] the opponent's sequences from which the player gets something, whatever its own plan is.
    """
    transfer: FloatArray
    """[T] what it gets per unit of the opponent's plan: a part of the gradient at the empty
    sequence."""
    plan: FloatArray
    """[Q of the opponent in the form] workspace; empty if plans are not changed."""
    gradient: FloatArray
    """[Q of the player in the form] workspace; empty if gradients are not changed."""


OrderArray: TypeAlias = ShortArray | IndexArray
"""Places of hands, in 16 bits if they fit, otherwise in 32."""


class PublicPayoffs(NamedTuple):
    """The payoffs of one player of a public form, with n hands against m of the opponent.

    The payoffs are a sum of M terms, in batches of up to `LANES` terms that share one of X tables.
    """

    first: LongArray
    """[B + 1] the terms of each batch."""
    table: LongArray
    """[B] the table of each batch."""
    own_rows: BoolArray
    other_rows: BoolArray
    """[B] whether the hands at all terms of a batch are at consecutive places, one per hand."""
    own_start: IntArray
    """[M] where the player's and the opponent's last sequences with hands of class k are, at start
    + k * stride. Stride 0 stands for the empty sequence."""
    own_stride: IntArray
    own_classes: IntArray
    """[M] row of `own_class` and of `other_class` at each term."""
    own_class: IntArray
    """[C, n] and [C, m] the class of each hand: the hand itself, unless cards can be exchanged."""
    other_start: IntArray
    other_stride: IntArray
    other_classes: IntArray
    other_class: IntArray
    factor: FloatArray
    """[F * 4 * LANES] F blocks of four rows of factors of the sums over the opponent's hands, as
    listed above. Batches share blocks, because the utilities are mostly the same on all boards."""
    block: IntArray
    """[B] the block of each batch."""
    kind: LongArray
    """[X] `FOLD`, `SHOWDOWN`, or `FIRST_MATRIX` plus the index of a matrix."""
    weight_row: LongArray
    order_row: LongArray
    """[X] each table's row of weights, of W rows, and of orders, of S rows."""
    own_weight: FloatArray
    other_weight: FloatArray
    """[W * n] and [W * m] weight of each hand; 0 for removed hands."""
    own_order: OrderArray
    other_order: OrderArray
    """[S, n] and [S, m] the hands by increasing strength."""
    weaker: OrderArray
    not_stronger: OrderArray
    """[S, n] number of the opponent's hands that are weaker, and of those that are not stronger,
    than each hand in `own_order`."""
    twin_place: OrderArray
    """[S, n] place in `other_order` of each hand's twin; m if it has none."""
    twin: IntArray
    """[n] the opponent's hand with the same cards; -1 if it does not exist."""
    twin_factor: float
    """What the reach of the twin is multiplied by before it is added to the sum over unblocked
    hands: 1 for hands of two cards; -1 if hands have one card each, and no sums by card."""
    own_cards: IndexArray
    other_cards: IndexArray
    """[n, K] and [m, K] the cards of each hand as indices into `sums`."""
    matrix: FloatArray
    """[matrices, n, m] the prior times a weight."""
    filled: tuple[int, int]
    """The places of the gradient that the terms fill, from the first up to the second."""
    sums: FloatArray
    """[cards * LANES] for intermediate results: the reach of the hands with each card."""
    reach: FloatArray
    value: FloatArray
    """[m * LANES] and [n * LANES] for intermediate results, with m and n rounded up to multiples of
    `LANES`."""

    def divided(self, divisor: float) -> PublicPayoffs:
        """Return the payoffs divided by a number."""
        return self._replace(factor=self.factor / divisor)

    def absolute(self) -> PublicPayoffs:
        """Return the absolute values of the payoffs."""
        return self._replace(factor=np.abs(self.factor), matrix=np.abs(self.matrix))

    def in_precision(self, precision: str) -> PublicPayoffs:
        """Return the payoffs in another precision; arrays that do not change are shared."""

        def converted(array: FloatArray) -> FloatArray:
            return array.astype(precision, copy=False)

        return self._replace(
            factor=converted(self.factor),
            own_weight=converted(self.own_weight),
            other_weight=converted(self.other_weight),
            matrix=converted(self.matrix),
            sums=converted(self.sums),
            reach=converted(self.reach),
            value=converted(self.value),
        )

    def with_own_results(self) -> PublicPayoffs:
        """Return the payoffs with separate arrays for intermediate results."""
        return self._replace(
            sums=self.sums.copy(), reach=self.reach.copy(), value=self.value.copy()
        )


@inner_kernel
def clear_sums(payoffs: PublicPayoffs) -> None:
    """Set the sums by card to zero."""
    zero = filled(payoffs.sums, 0.0)
    for card in range(len(payoffs.sums) // LANES):
        store(payoffs.sums, card * LANES, LANES, zero)


@inner_kernel
def add_to_card(payoffs: PublicPayoffs, card: int, reach: Lanes) -> None:
    """Add a reach to the sum for one card."""
    at = card * LANES
    store(payoffs.sums, at, LANES, load(payoffs.sums, at, LANES) + reach)


@inner_kernel
def add_hand(payoffs: PublicPayoffs, hand: int) -> Lanes:
    """Add the reach of one of the opponent's hands to the sums of its cards, and return it."""
    reach = load(payoffs.reach, hand * LANES, LANES)
    num_cards = payoffs.other_cards.shape[1]
    if num_cards == 2:
        # Without a loop, a gradient takes 10% less time.
        add_to_card(payoffs, payoffs.other_cards[hand, 0], reach)
        add_to_card(payoffs, payoffs.other_cards[hand, 1], reach)
    else:
        for place in range(num_cards):
            add_to_card(payoffs, payoffs.other_cards[hand, place], reach)
    return reach


@inner_kernel
def unblocked(payoffs: PublicPayoffs, hand: int, total: Lanes, has_twin: bool) -> Lanes:
    """Return the part of `total` whose hands share no card with one of the player's hands.

    The hand with the same two cards is subtracted once for each card, and so is added again. If
    hands have one card each, the hand with the same card is the only one to be subtracted.
    """
    free = total
    num_cards = payoffs.own_cards.shape[1]
    if num_cards == 2:  # as in `add_hand`
        free = free - load(payoffs.sums, payoffs.own_cards[hand, 0] * LANES, LANES)
        free = free - load(payoffs.sums, payoffs.own_cards[hand, 1] * LANES, LANES)
    else:
        for place in range(num_cards):
            free = free - load(payoffs.sums, payoffs.own_cards[hand, place] * LANES, LANES)
    if has_twin:
        twin = load(payoffs.reach, payoffs.twin[hand] * LANES, LANES)
        free = free + twin * payoffs.twin_factor
    return free


@inner_kernel
def factors_of(payoffs: PublicPayoffs, batch: int, row: int) -> Lanes:
    """Return a row of the factors of a batch."""
    return load(payoffs.factor, (payoffs.block[batch] * NUM_FACTORS + row) * LANES, LANES)


@inner_kernel
def value_of_all(payoffs: PublicPayoffs, factor: Lanes) -> None:
    """Set the value of each hand to `factor` times the reach of all hands that it does not block.

    Source: the inclusion-exclusion over cards is that of Johanson et al. (2011), Section 3.3.
    """
    clear_sums(payoffs)
    total = filled(payoffs.reach, 0.0)
    for hand in range(payoffs.other_order.shape[1]):
        total += add_hand(payoffs, hand)
    for hand in range(len(payoffs.twin)):
        free = unblocked(payoffs, hand, total, payoffs.twin[hand] >= 0)
        store(payoffs.value, hand * LANES, LANES, factor * free)


@inner_kernel
def add_value(payoffs: PublicPayoffs, hand: int, value: Lanes) -> None:
    """Add to the values of one of the player's hands."""
    at = hand * LANES
    store(payoffs.value, at, LANES, load(payoffs.value, at, LANES) + value)


@inner_kernel
def value_by_strength(payoffs: PublicPayoffs, batch: int, order: int, of_all: Lanes) -> None:
    """Set the value of each hand to what it earns from weaker, equal and stronger hands.

    This is what it would earn by losing to all hands, plus the difference that it gains from weaker
    and from equal hands.
    """
    of_weaker = factors_of(payoffs, batch, OF_WEAKER)
    of_weaker_or_equal = factors_of(payoffs, batch, OF_WEAKER_OR_EQUAL)
    without_ties = factors_of(payoffs, batch, WITHOUT_TIES)
    clear_sums(payoffs)
    total = filled(payoffs.reach, 0.0)
    passed = run = 0
    num_own, num_other = payoffs.own_order.shape[1], payoffs.other_order.shape[1]
    # Both players' hands are passed in order of strength. A run of own hands of equal strength is
    # read twice: once before the opponent's hands of this strength are passed, and once after.
    while run < num_own:
        weaker, not_stronger = payoffs.weaker[order, run], payoffs.not_stronger[order, run]
        end = run + 1
        while end < num_own and payoffs.weaker[order, end] == weaker:
            if payoffs.not_stronger[order, end] != not_stronger:
                break
            end += 1
        while passed < weaker:
            total += add_hand(payoffs, payoffs.other_order[order, passed])
            passed += 1
        has_ties = not_stronger > weaker
        for place in range(run, end):
            hand = payoffs.own_order[order, place]
            free = unblocked(payoffs, hand, total, payoffs.twin_place[order, hand] < passed)
            store(
                payoffs.value, hand * LANES, LANES, free * (of_weaker if has_ties else without_ties)
            )
        if has_ties:
            while passed < not_stronger:
                total += add_hand(payoffs, payoffs.other_order[order, passed])
                passed += 1
            for place in range(run, end):
                hand = payoffs.own_order[order, place]
                free = unblocked(payoffs, hand, total, payoffs.twin_place[order, hand] < passed)
                add_value(payoffs, hand, free * of_weaker_or_equal)
        run = end
    while passed < num_other:
        total += add_hand(payoffs, payoffs.other_order[order, passed])
        passed += 1
    # Now the sums are those over all hands.
    for hand in range(num_own):
        free = unblocked(payoffs, hand, total, payoffs.twin[hand] >= 0)
        add_value(payoffs, hand, of_all * free)


@inner_kernel
def value_of_matrix(payoffs: PublicPayoffs, index: int, factor: Lanes) -> None:
    """Set the value of each hand to `factor` times a row of a matrix times the reach."""
    for hand in range(payoffs.matrix.shape[1]):
        total = filled(payoffs.reach, 0.0)
        for other in range(payoffs.matrix.shape[2]):
            weight = payoffs.matrix[index, hand, other]
            total += load(payoffs.reach, other * LANES, LANES) * weight
        store(payoffs.value, hand * LANES, LANES, factor * total)


@inner_kernel
def read_reach(
    payoffs: PublicPayoffs, batch: int, begin: int, count: int, plan: FloatArray
) -> None:
    """Set the reach of the opponent's hands at the terms of a batch, times their weights."""
    num_hands = payoffs.other_order.shape[1]
    weights = payoffs.weight_row[payoffs.table[batch]] * num_hands
    if payoffs.other_rows[batch]:
        for hand in range(0, num_hands, LANES):
            take_rows(
                plan,
                payoffs.other_start,
                begin,
                count,
                hand,
                min(LANES, num_hands - hand),
                payoffs.other_weight,
                weights + hand,
                payoffs.reach,
                hand * LANES,
            )
        return
    for lane in range(count):
        start, stride = payoffs.other_start[begin + lane], payoffs.other_stride[begin + lane]
        classes = payoffs.other_classes[begin + lane]
        for hand in range(num_hands):
            at = start + payoffs.other_class[classes, hand] * stride
            reach = plan[at] * payoffs.other_weight[weights + hand]
            payoffs.reach[hand * LANES + lane] = reach


@inner_kernel
def add_values(
    payoffs: PublicPayoffs, batch: int, begin: int, count: int, gradient: FloatArray
) -> None:
    """Add the values of the player's hands at the terms of a batch, times their weights."""
    num_hands = payoffs.own_order.shape[1]
    weights = payoffs.weight_row[payoffs.table[batch]] * num_hands
    # Terms may share a sequence of the player: their values are added in order.
    if payoffs.own_rows[batch]:
        for hand in range(0, num_hands, LANES):
            add_rows(
                gradient,
                payoffs.own_start,
                begin,
                count,
                hand,
                min(LANES, num_hands - hand),
                payoffs.own_weight,
                weights + hand,
                payoffs.value,
                hand * LANES,
            )
        return
    for lane in range(count):
        start, stride = payoffs.own_start[begin + lane], payoffs.own_stride[begin + lane]
        classes = payoffs.own_classes[begin + lane]
        for hand in range(num_hands):
            value = payoffs.value[hand * LANES + lane] * payoffs.own_weight[weights + hand]
            gradient[start + payoffs.own_class[classes, hand] * stride] += value


@nested_kernel
def public_gradient(payoffs: PublicPayoffs, plan: FloatArray, gradient: FloatArray) -> None:
    """Fill `gradient` [Q] of a player in place, given the opponent's plan [Q].

    Both are in the order for which the payoffs were made. Only the places in `payoffs.filled` are
    written.
    """
    gradient[payoffs.filled[0] : payoffs.filled[1]] = 0.0
    add_batches(payoffs, 0, len(payoffs.table), plan, gradient)


@nested_kernel
def add_batches(
    payoffs: PublicPayoffs, first: int, last: int, plan: FloatArray, gradient: FloatArray
) -> None:
    """Add the values of batches `first:last` to `gradient`, given the opponent's plan."""
    for batch in range(first, last):
        table = payoffs.table[batch]
        begin, count = payoffs.first[batch], payoffs.first[batch + 1] - payoffs.first[batch]
        read_reach(payoffs, batch, begin, count, plan)
        of_all = factors_of(payoffs, batch, OF_ALL)
        kind = payoffs.kind[table]
        if kind == FOLD:
            value_of_all(payoffs, of_all)
        elif kind == SHOWDOWN:
            value_by_strength(payoffs, batch, payoffs.order_row[table], of_all)
        else:
            value_of_matrix(payoffs, kind - FIRST_MATRIX, of_all)
        add_values(payoffs, batch, begin, count, gradient)


@nested_kernel
def gather(
    runs: LongArray,
    index: IndexArray,
    factor: FloatArray,
    values: FloatArray,
    found: FloatArray,
    begin: int,
    end: int,
) -> None:
    """Fill `found` from `begin` up to `end` with `factor * values[index]`, by runs of indices."""
    for run in range(len(runs) - 1):
        first, kind = runs[run, 0], runs[run, 1]
        low, high = max(begin, first), min(end, runs[run + 1, 0])
        if low >= high:
            continue
        if kind == LISTED:
            for place in range(low, high):
                found[place] = factor[place] * values[index[place]]
            continue
        # Slices, because the compiler uses vectors for loops that begin at 0.
        source = np.int64(index[first]) - first
        filled, factors, read = (
            found[low:high],
            factor[low:high],
            values[source + low : source + high],
        )
        for place in range(high - low):
            filled[place] = factors[place] * read[place]


@nested_kernel
def expand_plan(composition: Composition, plan: FloatArray, begin: int, end: int) -> None:
    """Fill the opponent's plan of a form from `begin` up to `end`, given that of a transform."""
    gather(
        composition.source_runs,
        composition.source,
        composition.weight,
        plan,
        composition.plan,
        begin,
        end,
    )


@nested_kernel
def collect_gradient(
    composition: Composition, plan: FloatArray, gradient: FloatArray, begin: int, end: int
) -> None:
    """Fill the gradient of a transform from `begin` up to `end`, given that of the form.

    plan: the opponent's plan of the transform.
    """
    member, scale, owner = composition.member, composition.scale, composition.owner
    whole, num_sequences = composition.gradient, len(member) - len(owner)
    gather(composition.member_runs, member, scale, whole, gradient, begin, end)
    # Most sequences have one member. The others are added in order, so that the sum does not depend
    # on the number of threads; in a variable, because memory would make each wait for the last.
    entry = 0
    while entry < len(owner) and owner[entry] < begin:
        entry += 1
    while entry < len(owner) and owner[entry] < end:
        sequence = owner[entry]
        total = gradient[sequence]
        while entry < len(owner) and owner[entry] == sequence:
            further = num_sequences + entry
            total += scale[further] * whole[member[further]]
            entry += 1
        gradient[sequence] = total
    for entry in range(len(composition.offset)):
        if begin <= composition.offset_at[entry] < end:
            # Root entries are 1 in plans, but not in other vectors that must be mapped linearly,
            # such as the log ratios of regularized methods.
            gradient[composition.offset_at[entry]] += composition.offset[entry] * plan[0]
    if begin == 0:
        for entry in range(len(composition.transfer)):
            gradient[0] += composition.transfer[entry] * plan[composition.transfer_at[entry]]
