"""Deals of Hanabi that agree with all that was seen and announced during a play."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from infoset.typing import Player
from infoset.utils.subsampling import inclusion_probabilities, systematic_sample

ANNOUNCEMENT: Final = re.compile(
    r"(?P<action>(?P<verb>play|discard) (?P<place>\d+)): (?P<card>\S+)"
    r"|(?P<hint>tell (?P<other>\d) (?P<mark>\S)): (?P<places>\d+(?: \d+)*)",
    re.ASCII,
)


SPARE_FACTOR: Final = 4
"""Number of incomplete deals for each deal that is drawn, because some cannot be completed."""


class Announcement(NamedTuple):
    """A move and what everybody learns from it."""

    action: str
    player: Player | None
    """The player who gets a hint; None if a card is played or discarded."""
    places: tuple[int, ...]
    """The place of the played or discarded card, or the places that a hint points out."""
    mark: str
    """The card that was played or discarded, or the color or rank of a hint."""


def read_announcement(text: Hashable) -> Announcement | None:
    """Return the move that a public text announces; None if it is something else.

    Examples
    --------
    >>> read_announcement("tell 1 R: 0 3")
    Announcement(action='tell 1 R', player=1, places=(0, 3), mark='R')
    >>> read_announcement("play 2: W4")
    Announcement(action='play 2', player=None, places=(2,), mark='W4')
    """
    found = ANNOUNCEMENT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    if found["hint"] is None:
        return Announcement(found["action"], None, (int(found["place"]),), found["card"])
    places = tuple(map(int, found["places"].split()))
    return Announcement(found["hint"], int(found["other"]), places, found["mark"])


class PartialDeal(NamedTuple):
    """The first cards of a deal, in the order in which they are drawn, and the rest of the deck.

    `weight` is the probability of these cards, divided by that of selecting them.
    """

    cards: tuple[str, ...]
    deck: tuple[str, ...]
    weight: float

    def weight_with(self, card: str) -> float:
        """Return the weight of this deal and one more card."""
        return self.weight * self.deck.count(card) / len(self.deck)

    def extend(self, card: str, weight: float) -> PartialDeal:
        """Return the deal with one more card, with a new weight."""
        at = self.deck.index(card)
        return PartialDeal((*self.cards, card), self.deck[:at] + self.deck[at + 1 :], weight)


@dataclass(frozen=True)
class SeenCards:
    """What an observer knows about each card that was dealt."""

    deck: tuple[str, ...]
    """All cards of the game."""
    kinds: Sequence[frozenset[str]]
    """For each dealt card, in order, the kinds that it may have according to what was seen."""

    def draws(
        self, max_deals: int, rng: np.random.Generator
    ) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield distinct deals that agree with the possible kinds, and their weights.

        The expected weight of a deal is its probability; a deal that is not drawn has weight zero.
        If there are few deals, all of them are drawn.

        Notes
        -----
        Deals are extended card by card: all extensions are listed, and some are selected, as in the
        sampling of histories. Cards are exchangeable, so they may be drawn in any order. Cards with
        the fewest possible kinds are drawn first, while cards of these kinds remain.
        """
        order = sorted(range(len(self.kinds)), key=lambda at: len(self.kinds[at]))
        deals = [PartialDeal((), self.deck, 1.0)]
        for at in order:
            fitting = sorted(self.kinds[at])  # sets of texts have another order in each process
            further = [(deal, card) for deal in deals for card in fitting if card in deal.deck]
            weights = [deal.weight_with(card) for deal, card in further]
            kept = selected(weights, SPARE_FACTOR * max_deals, rng)
            deals = [further[place][0].extend(further[place][1], new) for place, new in kept]
        for place, weight in selected([deal.weight for deal in deals], max_deals, rng):
            placed = dict(zip(order, deals[place].cards, strict=True))
            yield tuple(placed[at] for at in range(len(placed))), weight


def selected(
    weights: Sequence[float], number: int, rng: np.random.Generator
) -> Sequence[tuple[int, float]]:
    """Return the positions and new weights of all items, or of a sample if there are too many.

    The expected new weight of an item, which is zero if it is left out, is its old weight.
    """
    if len(weights) <= number:
        return [*enumerate(weights)]
    weight = np.array(weights)
    kept_with = inclusion_probabilities(weight, number)
    kept = np.flatnonzero(systematic_sample(kept_with, rng))
    return [*zip(kept.tolist(), (weight[kept] / kept_with[kept]).tolist(), strict=True)]
