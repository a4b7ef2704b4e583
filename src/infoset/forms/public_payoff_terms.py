"""The payoffs of a public form in the layout of the kernels, and the gradients that they give."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms._public_payoff_kernels import (
    FIRST_MATRIX,
    FOLD,
    NUM_FACTORS,
    SHOWDOWN,
    OrderArray,
    PublicPayoffs,
    public_gradient,
)
from infoset.forms.payoffs import check_range
from infoset.forms.public_operators import Dense, HandPrior, Showdown, reach_of_pairs
from infoset.forms.public_structure import PublicStructure
from infoset.forms.transform import PlanMap, Transform
from infoset.forms.treeplex import Layout
from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.simd import LANES


def public_hand_gradient(form: PublicStructure, plan: FloatArray, player: Player) -> FloatArray:
    """Return [Q + C] the gradient of `PublicForm.gradient`, with a root for each hand.

    What a hand earns where the player has not acted, as when the opponent folds before, is at place
    Q + c, and not in the sum at the empty sequence, where it is 0. Hands of one class of the first
    row of `PublicForm.hand_classes` share their root c; others have one each.

    Parameters
    ----------
    plan
        [Q] realization plan of the opponent.
    """
    payoffs = public_payoffs(form, player)
    num_sequences = form.treeplexes[player].num_sequences
    # Stride 0 is the empty sequence, which all hands share: each gets a place after the others.
    is_root = payoffs.own_stride == 0
    places = _Places(
        np.where(is_root, num_sequences, payoffs.own_start),
        np.where(is_root, 1, payoffs.own_stride),
        payoffs.own_classes,
    )
    gradient = np.zeros(num_sequences + int(form.num_classes[player][0]))
    placed = payoffs._replace(
        own_start=places.start,
        own_stride=places.stride,
        own_rows=places.are_rows(payoffs.own_class, payoffs.first),
        filled=(0, len(gradient)),
    )
    public_gradient(placed, plan, gradient)
    return gradient


def check_payoffs(form: PublicStructure, precision: str) -> None:
    """Check that a precision can represent the payoffs of a form; see `check_range`."""
    ends = form.terminals
    # Outcomes of a set share payoffs, so its largest reach gives their largest products.
    reach = np.zeros(len(ends.first_payoff) - 1)
    np.maximum.at(reach, ends.payoff_set, ends.chance_reach)
    by_outcome = np.repeat(reach, np.diff(ends.first_payoff))
    check_range(form.name, ends.payoff * by_outcome[:, None], precision)


def split_public_payoffs(payoffs: PublicPayoffs, number: int) -> tuple[PublicPayoffs, ...]:
    """Split payoffs into up to `number` parts with about the same number of terms.

    The hands of a public sequence must be at consecutive places, as in the layouts of the kernels.
    Each part fills a separate range of the gradient. Together they give the same bits as the
    whole, because the terms at a sequence belong to one part and stay in order.
    """
    starts = np.sort(payoffs.own_start)
    # Cuts are where public sequences begin, so that none is in two parts.
    shares = np.linspace(0, len(starts), number + 1)[1:-1].astype(np.int64)
    cuts = np.unique([payoffs.filled[0], *starts[shares], payoffs.filled[1]])
    parts = []
    for begin, end in pairwise(cuts.tolist()):
        chosen = np.flatnonzero((payoffs.own_start >= begin) & (payoffs.own_start < end))
        parts.append(with_terms(payoffs, chosen)._replace(filled=(begin, end)))
    return tuple(parts)


def with_terms(payoffs: PublicPayoffs, chosen: LongArray) -> PublicPayoffs:
    """Return some terms of payoffs, given their numbers in increasing order."""
    # From tables by batch to tables by term. Terms of a table stay together.
    table = np.repeat(payoffs.table, np.diff(payoffs.first))[chosen]
    first, tables = _batches(np.bincount(table, minlength=len(payoffs.kind)))
    return _in_order(payoffs, chosen, first, tables)


def in_parts(
    payoffs: PublicPayoffs,
    part: IntArray,
    num_parts: int,
) -> tuple[PublicPayoffs, LongArray]:
    """Return payoffs with the terms of each part together, and the first batch of each part.

    Parameters
    ----------
    part
        [M] the part of each term.
    """
    table = np.repeat(payoffs.table, np.diff(payoffs.first))
    order = np.lexsort((table, part))
    num_tables = len(payoffs.kind)
    # Encode pairs as single numbers, which `divmod` decodes.
    pairs, sizes = np.unique(np.int64(num_tables) * part + table, return_counts=True)
    first, pair = _batches(sizes)
    part_of_batch, tables = np.divmod(pairs[pair], num_tables)
    first_batch = np.searchsorted(part_of_batch, np.arange(num_parts + 1))
    return _in_order(payoffs, order, first, tables), first_batch


def _in_order(
    payoffs: PublicPayoffs, chosen: LongArray, first: LongArray, tables: LongArray
) -> PublicPayoffs:
    """Return the chosen terms of payoffs, in the given order, with their batches and tables."""
    blocks = _Blocks(payoffs.factor.dtype)
    for bounds in _pieces(first):
        blocks.add(bounds, _factors_of_terms(payoffs, chosen[bounds[0] : bounds[-1]]))
    own, other = (
        _Places(start[chosen], stride[chosen], classes[chosen])
        for start, stride, classes in (
            (payoffs.own_start, payoffs.own_stride, payoffs.own_classes),
            (payoffs.other_start, payoffs.other_stride, payoffs.other_classes),
        )
    )
    return payoffs.with_own_results()._replace(
        first=first,
        table=tables,
        own_rows=own.are_rows(payoffs.own_class, first),
        other_rows=other.are_rows(payoffs.other_class, first),
        own_start=own.start,
        own_stride=own.stride,
        own_classes=own.classes,
        other_start=other.start,
        other_stride=other.stride,
        other_classes=other.classes,
        factor=blocks.factor(),
        block=blocks.block(),
    )


def with_weights(payoffs: PublicPayoffs, weights: FloatArray) -> PublicPayoffs:
    """Return payoffs whose terms are multiplied by `weights` [M]."""
    blocks = _Blocks(payoffs.factor.dtype)
    for bounds in _pieces(payoffs.first):
        terms = np.arange(bounds[0], bounds[-1])
        blocks.add(bounds, _factors_of_terms(payoffs, terms) * weights[terms])
    return payoffs._replace(factor=blocks.factor(), block=blocks.block())


ARRAYS_OF_PLAYERS = ("start", "stride", "classes", "class", "weight", "order")
"""Names of arrays after `own_`, for the player of the payoffs, and `other_`, for the opponent."""


def share_arrays(payoffs: PublicPayoffs, other: PublicPayoffs) -> PublicPayoffs:
    """Return a player's payoffs, with arrays replaced by equal arrays of the opponent's payoffs."""
    shared = {}
    for own, opponent in (("own", "other"), ("other", "own")):
        for name in ARRAYS_OF_PLAYERS:
            same = getattr(other, f"{opponent}_{name}")
            if np.array_equal(getattr(payoffs, f"{own}_{name}"), same):
                shared[f"{own}_{name}"] = same
    return payoffs._replace(**shared)


def terminals_of_terms(form: PublicStructure, player: Player) -> LongArray:
    """Return [M] the terminal of each term of `public_payoffs`."""
    terminals = [terms.terminal for terms in _all_terms(form, player)]
    return np.concatenate([np.zeros(0, np.int64), *terminals])


class _Places(NamedTuple):
    """Where plans and gradients store a player's last sequences at terms; see `PublicPayoffs`."""

    start: IntArray
    stride: IntArray
    classes: IntArray

    def are_rows(self, class_of: IntArray, first: LongArray) -> BoolArray:
        """Return [B] whether the hands at all terms of a batch are at consecutive places."""
        is_each_hand = (class_of == np.arange(class_of.shape[1])).all(axis=1)
        # One entry more, because `first` ends with the number of terms, which `reduceat` reads.
        is_row = np.append((self.stride == 1) & is_each_hand[self.classes], True)
        rows: BoolArray = np.logical_and.reduceat(is_row, first)[:-1]
        return rows


class _Table(NamedTuple):
    """What a set of terms shares; see `PublicPayoffs` for kind, weights, and matrix."""

    kind: int
    own_weight: FloatArray
    other_weight: FloatArray
    own_strength: IntArray
    other_strength: IntArray
    matrix: FloatArray | None = None


class _Terms(NamedTuple):
    """The terms of one table: [t] their terminals, and [4, t] their factors."""

    table: _Table
    terminal: LongArray
    factor: FloatArray


MANY_HANDS = 1 << 16
"""Minimum number of hands whose places do not fit in 16 bits."""

MANY_ROWS = 1 << 10
"""Number of public sequences, or of batches, to read together."""


class Placement(NamedTuple):
    """Positions of a player's public sequences [S] in plans and gradients, and factors of hands.

    The plan of public sequence s with a hand h of class k is `factors[row[s], h]` times the entry
    at `start[s] + k * stride[s]`.
    """

    start: LongArray
    stride: LongArray
    row: LongArray
    factors: FloatArray
    """[rows, hands]; row 0 contains ones."""
    num_sequences: int
    """Number of stored sequences."""


def _placement(form: PublicStructure, player: Player, layout: Layout | None) -> Placement:
    """Return the placement of public sequences in a layout; None means in order."""
    sequences = form.sequences[player]
    start, stride = sequences.start, sequences.stride
    if layout is not None:
        # The stride is 0 for a single class, and for the empty sequence.
        num_classes = form.num_classes[player][sequences.class_map]
        after = start + np.where(num_classes > 1, stride, 0)
        start, second = map(layout.positions, (start, after))
        stride = second - start
    factors = np.ones((1, form.num_hands[player]))
    size = form.treeplexes[player].num_sequences
    return Placement(start, stride, np.zeros(len(start), np.int64), factors, size)


def placement_of_map(
    form: PublicStructure, player: Player, own: PlanMap, layout: Layout
) -> Placement | None:
    """Return the placement of the last public sequences of terminals in a layout of a transform.

    None if the hands of such a sequence are not evenly spaced, for example because single hands are
    locked: then plans must be expanded.
    """
    used = np.unique(form.terminal_sequence[:, player]).astype(np.int64)
    start, stride, row = np.zeros((3, len(form.sequences[player].start)), np.int64)
    known = _Distinct(np.dtype(np.float64))
    known.place(np.ones(form.num_hands[player]))
    for some in np.array_split(used, -(-len(used) // MANY_ROWS)):
        places = form.places(player, some)
        positions = layout.positions(own.last[places].ravel().astype(np.int64)).reshape(
            places.shape
        )
        classes = form.hand_classes[player][form.sequences[player].class_map[some]]
        rows = np.arange(len(some))
        start[some] = positions[rows, np.argmax(classes == 0, axis=1)]
        # Without a second class, the first hand is found again, and the stride is 0.
        stride[some] = positions[rows, np.argmax(classes == 1, axis=1)] - start[some]
        if not (positions == start[some][:, None] + stride[some][:, None] * classes).all():
            return None
        for number, factors in zip(some.tolist(), own.weight[places], strict=True):
            row[number] = known.place(factors)
    factors = known.rows(form.num_hands[player])
    return Placement(start, stride, row, factors, own.num_sequences)


def public_payoffs(
    form: PublicStructure,
    player: Player,
    layouts: Sequence[Layout] | None = None,
    precision: str = "float64",
    placements: Sequence[Placement] | None = None,
) -> PublicPayoffs:
    """Return the payoffs of one player in the form that `public_gradient` reads.

    Parameters
    ----------
    layouts
        Per player, where plans and gradients store each sequence: those of `form`. By default, they
        are stored in order.
    precision
        "float64" or "float32".
    placements
        Placements for a transform, instead of `layouts`.
    """
    if placements is None:
        given = [None, None] if layouts is None else layouts
        placements = [_placement(form, p, given[p]) for p in range(2)]
    own, other = player, 1 - player
    num_own, num_other = form.num_hands[own], form.num_hands[other]
    tables = _Tables()
    terminals, blocks = [np.zeros(0, np.int64)], _Blocks(np.dtype(np.float64))
    for every in _all_terms(form, player):
        for terms in _with_factors(form, player, every, placements):
            tables.add(terms.table)
            terminals.append(terms.terminal)
            blocks.add(_batches(np.array([len(terms.terminal)]))[0], terms.factor)
    first, table = _batches(np.array([len(some) for some in terminals[1:]], np.int64))
    own_places, other_places = (
        _places(form, p, np.concatenate(terminals), placements[p]) for p in (own, other)
    )
    num_sequences = placements[own].num_sequences
    del terminals, placements  # before more arrays of their size are made
    blocking = _blocking(form.prior, own)
    own_order, other_order, weaker, not_stronger, twin_place = _orders(
        tables.strengths(num_own + num_other), blocking.twin, num_other
    )
    own_weight, other_weight = tables.weights(num_own, num_other)
    return PublicPayoffs(
        first=first,
        table=table,
        own_rows=own_places.are_rows(form.hand_classes[own], first),
        other_rows=other_places.are_rows(form.hand_classes[other], first),
        own_start=own_places.start,
        own_stride=own_places.stride,
        own_classes=own_places.classes,
        own_class=form.hand_classes[own].copy(),
        other_start=other_places.start,
        other_stride=other_places.stride,
        other_classes=other_places.classes,
        other_class=form.hand_classes[other].copy(),
        factor=blocks.factor().astype(precision),
        block=blocks.block(),
        kind=np.array(tables.kind, np.int64),
        weight_row=np.array(tables.weight_row, np.int64),
        order_row=np.array(tables.order_row, np.int64),
        own_weight=own_weight.astype(precision, copy=False),
        other_weight=other_weight.astype(precision, copy=False),
        own_order=own_order,
        other_order=other_order,
        weaker=weaker,
        not_stronger=not_stronger,
        twin_place=twin_place,
        twin=blocking.twin,
        twin_factor=blocking.twin_factor,
        own_cards=blocking.own_cards,
        other_cards=blocking.other_cards,
        matrix=np.array(tables.matrices, precision).reshape(-1, num_own, num_other),
        filled=(0, num_sequences),
        sums=np.zeros(blocking.num_sums * LANES, precision),
        reach=np.zeros(-(-num_other // LANES) * LANES**2, precision),
        value=np.zeros(-(-num_own // LANES) * LANES**2, precision),
    )


def _all_terms(form: PublicStructure, player: Player) -> Iterator[_Terms]:
    """Yield the terms of all terminals, those with the same operator and hands together."""
    ends = form.terminals
    num_sets = len(form.hand_sets[0])
    # Encode pairs as single numbers, which `divmod` decodes.
    kinds, kind_of = np.unique(
        ends.operator.astype(np.int64) * num_sets + ends.hand_set, return_inverse=True
    )
    order = np.argsort(kind_of, kind="stable")
    bounds = np.searchsorted(kind_of[order], np.arange(len(kinds) + 1))
    for place, kind in enumerate(kinds.tolist()):
        operator, hand_set = divmod(kind, num_sets)
        terminal = order[bounds[place] : bounds[place + 1]]
        yield from _terms(form, player, operator, hand_set, terminal)


def _terms(
    form: PublicStructure, player: Player, number: int, hand_set: int, terminal: LongArray
) -> Iterator[_Terms]:
    """Yield the terms of the terminals with one operator and one set of hands."""
    ends, operator = form.terminals, form.operators[number]
    outcome = np.arange(operator.num_outcomes)
    rows = ends.first_payoff[ends.payoff_set[terminal]] + outcome[:, None]
    # [outcomes, t] utility times chance reach
    payoff = ends.payoff[rows, player] * ends.chance_reach[terminal]
    own, other = (form.hand_sets[p][hand_set] for p in (player, 1 - player))
    no_strengths = np.zeros(len(own), np.int32), np.zeros(len(other), np.int32)
    # Reach that is not a product of weights, or outcomes that are not ranked: a matrix for each.
    if form.prior.joint is not None or isinstance(operator, Dense):
        reached = form.reached(hand_set)
        for utility, weight in zip(payoff, operator.outcomes(form.prior), strict=True):
            matrix = reached * weight
            yield _nonzero(
                _Table(
                    FIRST_MATRIX,
                    np.ones(len(own)),
                    np.ones(len(other)),
                    *no_strengths,
                    matrix if player == 0 else matrix.T,
                ),
                terminal,
                np.stack([utility, *np.zeros((3, len(utility)))]),
            )
        return
    weights = form.prior.weights[player] * own, form.prior.weights[1 - player] * other
    if isinstance(operator, Showdown):
        strengths = operator.strengths[player], operator.strengths[1 - player]
        # lose · (all) + (win - tie) · (weaker) + (tie - lose) · (weaker or equal), or without ties
        # lose · (all) + (win - lose) · (weaker). Outcomes are ordered for player 0.
        lose, tie, win = payoff if player == 0 else payoff[::-1]
        factor = np.stack([lose, win - tie, tie - lose, win - lose])
        yield _nonzero(_Table(SHOWDOWN, *weights, *strengths), terminal, factor)
    else:
        factor = np.stack([payoff[0], *np.zeros((3, len(terminal)))])
        yield _nonzero(_Table(FOLD, *weights, *no_strengths), terminal, factor)


def _nonzero(table: _Table, terminal: LongArray, factor: FloatArray) -> _Terms:
    """Return terms without those whose factors are all zero."""
    used = factor.any(axis=0)
    return _Terms(table, terminal[used], factor[:, used])


class _Distinct:
    """Distinct arrays of the same type and length, in the order of their first use."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self._known: dict[bytes, int] = {}

    def place(self, row: NDArray[Any]) -> int:
        """Return the place of an array, which is added if it is new."""
        return self._known.setdefault(row.astype(self.dtype).tobytes(), len(self._known))

    def rows(self, width: int) -> NDArray[Any]:
        """Return [rows, width] the arrays."""
        rows = [np.frombuffer(own, self.dtype) for own in self._known]
        return np.array(rows, self.dtype).reshape(-1, width)


class _Tables:
    """The tables of `PublicPayoffs`, which share rows of equal weights and of equal orders."""

    def __init__(self) -> None:
        self.kind, self.weight_row, self.order_row = array("q"), array("q"), array("q")
        self.matrices: list[FloatArray] = []
        self._weights = _Distinct(np.dtype(np.float64))
        self._strengths = _Distinct(np.dtype(np.int32))

    def add(self, table: _Table) -> None:
        """Add a table; matrices are numbered in order."""
        self.kind.append(table.kind + (len(self.matrices) if table.kind == FIRST_MATRIX else 0))
        weights = np.concatenate([table.own_weight, table.other_weight])
        self.weight_row.append(self._weights.place(weights))
        strengths = np.concatenate([table.own_strength, table.other_strength])
        self.order_row.append(self._strengths.place(strengths))
        if table.matrix is not None:
            self.matrices.append(table.matrix)

    def weights(self, num_own: int, num_other: int) -> tuple[FloatArray, FloatArray]:
        """Return `own_weight` and `other_weight`."""
        rows = self._weights.rows(num_own + num_other)
        return rows[:, :num_own].ravel(), rows[:, num_own:].ravel()

    def strengths(self, num_hands: int) -> IntArray:
        """Return [S, hands of both players] the strengths that give each row of orders."""
        return self._strengths.rows(num_hands)


class _Blocks:
    """The distinct blocks of factors, and the block of each batch; see `PublicPayoffs`.

    Batches are added in pieces, because factors of all terms may take more memory than payoffs.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._blocks = _Distinct(dtype)
        self._block = array("i")

    def add(self, first: LongArray, factors: FloatArray) -> None:
        """Add batches of terms with [4, m] factors; first: bounds of the batches."""
        terms = np.arange(first[0], first[-1])
        batch = np.searchsorted(first, terms, side="right") - 1
        blocks = np.zeros((len(first) - 1, NUM_FACTORS, LANES), self._blocks.dtype)
        blocks[batch, :, terms - first[batch]] = factors.T
        self._block.extend(map(self._blocks.place, blocks))

    def factor(self) -> FloatArray:
        """Return `PublicPayoffs.factor`."""
        return self._blocks.rows(NUM_FACTORS * LANES).ravel()

    def block(self) -> IntArray:
        """Return `PublicPayoffs.block`."""
        return np.array(self._block, np.int32)


def _pieces(first: LongArray) -> Iterator[LongArray]:
    """Yield the bounds of batches that are read together."""
    for begin in range(0, len(first) - 1, MANY_ROWS):
        yield first[begin : begin + MANY_ROWS + 1]


def _factors_of_terms(payoffs: PublicPayoffs, terms: LongArray) -> FloatArray:
    """Return [4, m] the factors of some terms."""
    batch = np.searchsorted(payoffs.first, terms, side="right") - 1
    blocks = payoffs.factor.reshape(-1, NUM_FACTORS, LANES)
    factors: FloatArray = blocks[payoffs.block[batch], :, terms - payoffs.first[batch]].T
    return factors


def _batches(sizes: LongArray) -> tuple[LongArray, LongArray]:
    """Return the first term of each batch, and the table of each batch, given terms per table."""
    counts = -(-sizes // LANES)  # rounded up, as the last batch of a table may be shorter
    table = np.repeat(np.arange(len(sizes)), counts)
    # The number of each batch in its table; the terms of a table begin after those before.
    before = np.arange(len(table)) - (np.cumsum(counts) - counts)[table]
    first = (np.cumsum(sizes) - sizes)[table] + LANES * before
    return np.append(first, sizes.sum()), table


def _with_factors(
    form: PublicStructure, player: Player, terms: _Terms, placements: Sequence[Placement]
) -> Iterator[_Terms]:
    """Yield the terms of one table by factors of hands, without terms whose factors are 0."""
    table, last = terms.table, form.terminal_sequence[terms.terminal]
    rows = np.stack([placements[p].row[last[:, p]] for p in (player, 1 - player)])
    for own, other in np.unique(rows, axis=1).T.tolist():
        chosen = np.flatnonzero((rows == [[own], [other]]).all(axis=0))
        own_factor = placements[player].factors[own]
        other_factor = placements[1 - player].factors[other]
        if own_factor.any() and other_factor.any():
            weights = table.own_weight * own_factor, table.other_weight * other_factor
            changed = table._replace(own_weight=weights[0], other_weight=weights[1])
            yield _Terms(changed, terms.terminal[chosen], terms.factor[:, chosen])


def _places(
    form: PublicStructure, player: Player, terminal: LongArray, stored: Placement
) -> _Places:
    """Return where a player's last sequences at terminals are."""
    last = form.terminal_sequence[terminal, player]
    start, stride = (own[last].astype(np.int32) for own in (stored.start, stored.stride))
    return _Places(start, stride, form.sequences[player].class_map[last])


class _Blocking(NamedTuple):
    """How hands block each other; see `PublicPayoffs`."""

    own_cards: IndexArray
    other_cards: IndexArray
    num_sums: int
    twin: IntArray
    twin_factor: float


def _blocking(prior: HandPrior, own: Player) -> _Blocking:
    """Return how the opponent's hands block those of a player.

    Own hands with fewer cards refer to a sum that stays zero, and those of the opponent to one that
    is not read.
    """
    first, second = prior.cards[own], prior.cards[1 - own]
    held = second[second >= 0]
    # One card each, and no card twice: a hand blocks its twin only, which is subtracted directly.
    if first.shape[1] == 1 and len(np.unique(held)) == len(held):
        no_cards = [np.zeros((len(cards), 0), np.uint32) for cards in (first, second)]
        return _Blocking(no_cards[0], no_cards[1], 0, _twins(first, second), -1.0)
    num_cards = 1 + max(int(cards.max(initial=-1)) for cards in (first, second))
    own_cards = np.where(first < 0, num_cards, first).astype(np.uint32)
    other_cards = np.where(second < 0, num_cards + 1, second).astype(np.uint32)
    is_pair = (first >= 0).sum(axis=1) == 2
    twin = np.where(is_pair, _twins(first, second), -1).astype(np.int32)
    return _Blocking(own_cards, other_cards, num_cards + 2, twin, 1.0)


def _twins(own: IntArray, other: IntArray) -> IntArray:
    """Return [n] the opponent's hand with the same cards as each hand; -1 if it does not exist."""
    known = {tuple(hand): place for place, hand in enumerate(np.sort(other, axis=1).tolist())}
    hands = np.sort(own, axis=1).tolist()
    found = [known.get(tuple(hand), -1) if max(hand, default=-1) >= 0 else -1 for hand in hands]
    return np.array(found, np.int32)


def _orders(
    strengths: IntArray, twin: IntArray, num_other: int
) -> tuple[OrderArray, OrderArray, OrderArray, OrderArray, OrderArray]:
    """Return own_order, other_order, weaker, not_stronger and twin_place of `PublicPayoffs`."""
    num_own = len(twin)
    kind = np.uint16 if max(num_own, num_other) < MANY_HANDS else np.uint32
    own_order, weaker, not_stronger, twin_place = np.zeros((4, len(strengths), num_own), kind)
    other_order = np.zeros((len(strengths), num_other), kind)
    for row, (own, other) in enumerate(np.split(both, [num_own]) for both in strengths):
        own_order[row] = np.argsort(own, kind="stable")
        other_order[row] = np.argsort(other, kind="stable")
        # Counts of weaker hands are places in the opponent's sorted strengths.
        others, ordered = other[other_order[row]], own[own_order[row]]
        weaker[row] = np.searchsorted(others, ordered, side="left")
        not_stronger[row] = np.searchsorted(others, ordered, side="right")
        place = np.empty(num_other + 1, np.int32)
        place[other_order[row]] = np.arange(num_other)  # the inverse permutation
        place[-1] = num_other  # of the twin -1: after all hands
        twin_place[row] = place[twin]
    return own_order, other_order, weaker, not_stronger, twin_place


def listed_deviation(
    form: PublicStructure, plans: tuple[FloatArray, ...], player: Player, unit: float
) -> float:
    """Return the standard deviation of a player's returns; see `Form.payoff_deviation`."""
    probabilities, returns = [np.zeros(0)], [np.zeros(0)]
    for members in _same_sequences(form):
        sequences = form.terminal_sequence[members[0]].astype(np.int64)
        paid = _summed(sequences, [form.payoff_matrix(end, player) for end in members])
        reach = _summed(sequences, [_reach_matrix(form, end) for end in members])
        met = reach > 0
        first, second = (
            plans[p][form.places(p, sequences[p : p + 1])[0]] if sequences[p] else np.ones(1)
            for p in range(2)
        )
        probabilities.append((reach * np.multiply.outer(first, second))[met])
        returns.append((paid[met] / unit) / reach[met])
    probability, earned = np.concatenate(probabilities), np.concatenate(returns)
    mean = float(probability @ earned)
    return float(np.sqrt(float(probability @ (earned - mean) ** 2)))


def _reach_matrix(form: PublicStructure, terminal: int) -> FloatArray:
    """Return [hands of player 0, hands of player 1] the reach of chance at a terminal."""
    ends = form.terminals
    operator = form.operators[ends.operator[terminal]]
    reached = form.reached(int(ends.hand_set[terminal])) * float(ends.chance_reach[terminal])
    matrix: FloatArray = reach_of_pairs(operator, form.prior) * reached
    return matrix


def _same_sequences(form: PublicStructure) -> Iterator[LongArray]:
    """Yield the terminals with each pair of last sequences."""
    pairs, group = np.unique(form.terminal_sequence, axis=0, return_inverse=True)
    for number in range(len(pairs)):
        yield np.flatnonzero(group == number)


def _summed(sequences: LongArray | IntArray, matrices: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of matrices [hands, hands], also over hands with the same last sequence.

    sequences: [2] the last public sequence of each player. All hands share the empty one.
    """
    total: FloatArray = np.sum(matrices, axis=0)
    for player in np.flatnonzero(sequences == 0).tolist():
        total = total.sum(axis=player, keepdims=True)
    return total


def has_few_payoffs(form: PublicStructure) -> bool:
    """Return whether the payoffs of all pairs of hands may be listed, in a form without symmetry.

    Pairs of hands that symmetry merges have other payoffs in the tree.
    """
    first, second = form.num_hands
    return form.symmetry is None and len(form.terminals) * first * second <= LARGEST_SUM


LARGEST_SUM = 50_000_000
"""Number of payoffs up to which those of terminals with the same sequences are added."""


def largest_payoff(form: PublicStructure) -> float:
    """Return the largest absolute payoff times reach of both players' pairs of sequences.

    It is that of the sequence form, whose payoffs are sums over the terminals with the same pair of
    sequences, as where all chips are in before the last cards. In forms with more than 5·10⁷
    payoffs or with symmetry, it is the largest one of a single terminal.
    """
    # If payoffs sum to zero, those of the players are equally large.
    players = (0,) if form.constant_sum == 0.0 else (0, 1)
    lines = form.num_lines[form.terminals.node]
    if not has_few_payoffs(form):
        terms = (own for player in players for own in _all_terms(form, player))
        return max((_largest_of_terminal(own, lines) for own in terms), default=0.0)
    largest = 0.0
    for members in _same_sequences(form):
        for player in players:
            matrices = [form.payoff_matrix(end, player) for end in members]
            total = _summed(form.terminal_sequence[members[0]], matrices)
            largest = max(largest, float(np.abs(total).max(initial=0.0)))
    return largest


def largest_composed_payoff(form: PublicStructure, transform: Transform) -> float:
    """Return the largest absolute payoff times reach of pairs of sequences of a transform.

    In forms with more than 10⁶ payoffs it is that of the form itself.
    """
    first, second = form.num_hands
    if len(form.terminals) * first * second > LARGEST_LIST:
        return largest_payoff(form)
    shape = [own.num_sequences for own in transform.maps]
    found, paid = [np.zeros((0, 2), np.int64)], [np.zeros((0, 2))]
    for terminal in range(len(form.terminals)):
        rows, columns = (
            form.places(p, form.terminal_sequence[terminal : terminal + 1, p].astype(np.int64))[0]
            for p in range(2)
        )
        tuples = np.stack([np.repeat(rows, second), np.tile(columns, first)], axis=1)
        payoffs = [form.payoff_matrix(terminal, p).ravel() for p in range(2)]
        found.append(tuples)
        paid.append(np.stack(payoffs, axis=1))
    tuples, payoff = transform.contract(np.concatenate(found), np.concatenate(paid))
    _, group = np.unique(np.ravel_multi_index(tuple(tuples.T), shape), return_inverse=True)
    totals = [np.abs(np.bincount(group, column)).max(initial=0.0) for column in payoff.T]
    return float(max(totals))


LARGEST_LIST = 1_000_000
"""Number of payoffs up to which those of a transform are listed."""


def _largest_of_terminal(terms: _Terms, lines: LongArray) -> float:
    """Return the largest absolute payoff of terminals that share a table.

    lines: [T] the number of lines that each terminal of the form represents.
    """
    table = terms.table
    if table.matrix is not None:
        weight = float(np.abs(table.matrix).max(initial=0.0))
    else:
        weight = float(table.own_weight.max(initial=0.0) * table.other_weight.max(initial=0.0))
    lose, win, tie, _ = terms.factor / lines[terms.terminal]
    # A showdown pays `lose`, and more if the hand is stronger or equal; see `_terms`.
    outcomes = np.stack([lose, lose + win + tie, lose + tie])
    return weight * float(np.abs(outcomes).max(initial=0.0))
