"""Names for the outcomes of chance: what its draws come to, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from infoset.efg import ExtensiveForm, chance_move_text
from infoset.teams.product_form.chance import Pairs, until_drawn
from infoset.teams.product_form.histories import Histories
from infoset.tree import GameTree
from infoset.typing import FloatArray
from infoset.utils.text import distinct_labels

__all__ = ["OutcomeNames"]


@dataclass(frozen=True)
class OutcomeNames(Sequence[str]):
    """The outcomes of chance as texts, all different, made when they are asked for first.

    A draw that comes to different things in different histories is told by the first of them; the
    text then ends with the number of the outcome.
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
            texts.append(_either(drawn))
            waiting = until_drawn(self.histories, Pairs(waiting.outcome, children))
        text = ", ".join(texts) or "(nothing to draw)"
        return text if is_clear else f"{text}, number {outcome}"

    def _drawn(self, child: int) -> str:
        """Return what chance draws, in words that tell it from all else that it might."""
        first_child = self.histories.first_child
        group = int(np.searchsorted(first_child, child, side="right")) - 1
        if group not in self.drawn:
            others = range(first_child[group], first_child[group + 1])
            self.drawn[group] = distinct_labels([self._text_of_move(other) for other in others])
        return self.drawn[group][child - int(first_child[group])]

    def _text_of_move(self, child: int) -> str:
        if isinstance(self.tree, GameTree):
            return chance_move_text(self.tree.graph, int(self.tree.edge[child]))
        return str(self.tree.moves[self.tree.move[child]])


def _either(texts: Collection[str]) -> str:
    first, *others = texts
    return f"{first} (or {len(others)} more)" if others else first
