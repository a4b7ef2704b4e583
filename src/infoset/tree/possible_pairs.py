"""The number of pairs of hands that are possible at a public state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np

from infoset.forms import MAX_CARDS, Cards
from infoset.game import PublicRules, scaled_hands


class PossiblePairs:
    """The number of pairs of hands that are possible once chance has dealt cards."""

    def __init__(self, rules: PublicRules) -> None:
        self.hands = tuple(scaled_hands(rules.hands(player)) for player in range(2))
        self._places: dict[Hashable, int] = {}
        self._known: dict[Cards, int] = {}
        own: list[list[frozenset[int]]] = [
            [self._numbers(hand.cards) for hand in hands if hand.weight] for hands in self.hands
        ]
        # [hands, cards] whether a hand has a card.
        self._first, self._second = (
            np.array(
                [card in hand for hand in hands for card in self._places.values()], bool
            ).reshape(len(hands), len(self._places))
            for hands in own
        )
        same = Counter(hand for hand in own[1] if len(hand) == MAX_CARDS)
        self._same = np.array([same[hand] for hand in own[0]], np.int64)

    def _numbers(self, cards: Iterable[Hashable]) -> frozenset[int]:
        return frozenset(self._places.setdefault(card, len(self._places)) for card in cards)

    def number(self, dealt: Cards) -> int:
        """Return the number of pairs that share no card with each other or with those dealt."""
        if dealt not in self._known:
            self._known[dealt] = self._count(dealt)
        return self._known[dealt]

    def _count(self, dealt: Cards) -> int:
        """Count pairs by inclusion and exclusion.

        Hands that share two cards with a hand are subtracted twice.
        """
        columns = [self._places[card] for card in dealt if card in self._places]
        first, second = (
            np.flatnonzero(~own[:, columns].any(axis=1)) for own in (self._first, self._second)
        )
        held = self._second[second].sum(axis=0)
        blocked = self._first[first] @ held - self._same[first]
        return len(first) * len(second) - int(blocked.sum())
