"""Outcomes of chance: all chance moves of a play, drawn before it begins.

Chance could draw a number in [0, 1) for its first move, another for its second, and so on, before
play begins, and later move accordingly. Numbers that lead to the same moves, whatever agents do,
are equivalent. An outcome is therefore a sequence of intervals, one for each draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

import numpy as np

from infoset.efg import ExtensiveForm, chance_move_text
from infoset.errors import GameTooLargeError
from infoset.teams.product_form.histories import Histories
from infoset.tree import GameTree
from infoset.typing import FloatArray, LongArray
from infoset.utils.ragged import edges_in_order, spread
from infoset.utils.text import distinct_labels

ROUNDING = 1e-12
"""Ends of intervals that differ by less than this are equal up to rounding."""


class ChanceOutcomes(NamedTuple):
    """The W outcomes of chance."""

    draws: FloatArray
    """[W, D] one number in [0, 1) per draw. All numbers in the same interval give the same moves.
    """
    probability: FloatArray
    """[W] probability of each outcome: the product of the lengths of its intervals."""


class Intervals(NamedTuple):
    """The intervals into which the next draw is split."""

    outcome: LongArray
    """[n] the outcome of the earlier draws, for each interval."""
    middle: FloatArray
    length: FloatArray
    """[n] midpoint and length. The length of an interval that is a single chance move is exactly
    the probability of that move in the game."""


class Pairs(NamedTuple):
    """[n] pairs of an outcome so far and a history or group that is possible under it."""

    outcome: LongArray
    item: LongArray


def draw_all(histories: Histories, max_nodes: int) -> ChanceOutcomes:
    """Return the outcomes of chance, in order of its draws.

    The range [0, 1) of a draw is split at the cumulative probabilities of the chance moves in every
    history that agents can reach given the earlier draws.

    Raises
    ------
    GameTooLargeError
        If there are more than `max_nodes` outcomes.
    """
    draws, probability = np.empty((1, 0)), np.ones(1)
    started = Pairs(np.zeros(1, np.int64), np.zeros(1, np.int64))
    waiting = until_drawn(histories, started)
    while len(waiting.outcome):
        parts = _split(histories, waiting, len(probability))
        draws = np.column_stack([draws[parts.outcome], parts.middle])
        probability = probability[parts.outcome] * parts.length
        # An outcome that is split passes its waiting groups on to each part.
        pairs = _of_each(parts.outcome, waiting)
        _check_size(max(len(probability), len(pairs.outcome)), max_nodes)
        children = histories.choose(pairs.item, parts.middle[pairs.outcome])
        waiting = until_drawn(histories, Pairs(pairs.outcome, children))
    return ChanceOutcomes(draws, probability)


def extend_rows(histories: Histories, history: LongArray) -> tuple[LongArray, LongArray]:
    """Return the groups of some histories [n], and the index in `history` of each group."""
    row, position = spread(histories.num_groups[history])
    return histories.first_group[history][row] + position, row


def until_drawn(histories: Histories, pairs: Pairs) -> Pairs:
    """Return the next groups from which chance draws, on all paths from some histories."""
    outcomes, groups = [pairs.outcome[:0]], [pairs.item[:0]]
    is_drawn = histories.is_drawn
    while len(pairs.outcome):
        group, row = extend_rows(histories, pairs.item)
        outcome, waits = pairs.outcome[row], is_drawn[group]
        outcomes.append(outcome[waits])
        groups.append(group[waits])
        # Groups without a draw have one child, which the path enters.
        pairs = Pairs(outcome[~waits], histories.first_child[group[~waits]])
    return Pairs(np.concatenate(outcomes), np.concatenate(groups))


def _split(histories: Histories, waiting: Pairs, num_outcomes: int) -> Intervals:
    """Return the intervals of the next draw, in order; [0, 1) for an outcome without a draw.

    Each end of an interval is the cumulative probability of a child in some group.
    """
    group, _ = spread(np.diff(histories.first_child)[waiting.item])
    child, _ = edges_in_order(histories.first_child, waiting.item)
    # Every outcome also has the end 1, so that one without a draw keeps the whole of [0, 1).
    outcome = np.concatenate([waiting.outcome[group], np.arange(num_outcomes)])
    high = np.concatenate([histories.cumulative[child], np.ones(num_outcomes)])
    length = np.concatenate([histories.probability[child], np.ones(num_outcomes)])
    # Ends of one outcome in increasing order; equal ends, up to rounding, become one.
    order = np.lexsort((high, outcome))
    outcome, high, length = outcome[order], high[order], length[order]
    is_first = (np.diff(outcome, prepend=-1) > 0) | (np.diff(high, prepend=0.0) > ROUNDING)
    first = np.flatnonzero(is_first)
    outcome, high, length = outcome[first], high[first], np.minimum.reduceat(length, first)
    # An interval begins where the one before it ends, or at 0.
    low = np.where(np.diff(outcome, prepend=-1) > 0, 0.0, np.concatenate([[0.0], high[:-1]]))
    # Differences of cumulative sums have rounding errors; the probability of a move has none.
    is_whole = np.abs(high - low - length) <= ROUNDING
    # Moves of probability 0 give empty intervals.
    met = np.flatnonzero(high - low > ROUNDING)
    length = np.where(is_whole, length, high - low)
    return Intervals(outcome[met], (low + high)[met] / 2, length[met])


def _of_each(before: LongArray, waiting: Pairs) -> Pairs:
    """Return the waiting groups of each new outcome; outcome w refines the outcome `before[w]`."""
    order = np.argsort(waiting.outcome, kind="stable")
    sorted_outcome = waiting.outcome[order]
    start = np.searchsorted(sorted_outcome, before)
    # Both sides of the search: the range of the groups of each old outcome.
    count = np.searchsorted(sorted_outcome, before, side="right") - start
    outcome, position = spread(count)
    return Pairs(outcome, waiting.item[order][start[outcome] + position])


def _check_size(size: int, max_nodes: int) -> None:
    if size > max_nodes:
        raise GameTooLargeError(
            f"with all chance moves at the start there would be at least {size} outcomes and "
            f"histories to draw from, more than max_nodes={max_nodes}; use a smaller game, or "
            "give a larger max_nodes",
            {"outcomes": size},
        )


@dataclass(frozen=True)
class OutcomeNames(Sequence[str]):
    """Descriptions of the outcomes of chance, all different, created on first use.

    If a draw gives different moves in different histories, the description names the first of these
    moves and ends with the number of the outcome.
    """

    tree: GameTree | ExtensiveForm
    histories: Histories
    draws: FloatArray
    texts: dict[int, str] = field(default_factory=dict)
    drawn: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.draws)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self._text(outcome) for outcome in range(*index.indices(len(self)))]
        return self._text(range(len(self))[index])

    def _text(self, outcome: int) -> str:
        if outcome not in self.texts:
            self.texts[outcome] = self._trace(outcome)
        return self.texts[outcome]

    def _trace(self, outcome: int) -> str:
        texts: list[str] = []
        is_clear = True
        none = np.zeros(1, np.int64)
        waiting = until_drawn(self.histories, Pairs(none, none))
        for draw in self.draws[outcome].tolist():
            if not len(waiting.item):
                break
            children = self.histories.choose(waiting.item, np.full(len(waiting.item), draw))
            drawn = dict.fromkeys(map(self._drawn, children.tolist()))
            is_clear &= len(drawn) == 1
            first, *others = drawn
            texts.append(f"{first} (or {len(others)} more)" if others else first)
            waiting = until_drawn(self.histories, Pairs(waiting.outcome, children))
        text = ", ".join(texts) or "(nothing to draw)"
        return text if is_clear else f"{text}, number {outcome}"

    def _drawn(self, child: int) -> str:
        """Return the label of a chance move, different from the labels of the other moves there."""
        first_child = self.histories.first_child
        # The last group that begins at or before the child.
        group = int(np.searchsorted(first_child, child, side="right")) - 1
        if group not in self.drawn:
            others = range(first_child[group], first_child[group + 1])
            self.drawn[group] = distinct_labels([self._text_of_move(other) for other in others])
        return self.drawn[group][child - int(first_child[group])]

    def _text_of_move(self, child: int) -> str:
        if isinstance(self.tree, GameTree):
            return chance_move_text(self.tree.graph, int(self.tree.edge[child]))
        return str(self.tree.moves[self.tree.move[child]])
