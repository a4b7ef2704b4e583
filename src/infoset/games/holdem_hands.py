"""Hands of Texas hold'em: cards, strengths, and ranges as text such as `AA,KQs:0.5,A5s-A2s`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from math import isfinite
from typing import Final, NamedTuple, NoReturn

from infoset.errors import ParameterError, show
from infoset.games.cards import RANKS, SUITS
from infoset.utils.extras import import_extra

DECK: Final = tuple(rank + suit for rank in reversed(RANKS) for suit in SUITS)
"""The 52 cards from the highest to the lowest: As, Ah, Ad, Ac, Ks, ..., 2c."""

HOLE_CARDS: Final = tuple(first + second for first, second in combinations(DECK, 2))
"""The 1,326 hands of two cards, the higher first, in the order of the deck: AsAh, ..., 2d2c."""

WORST: Final = 7463
"""One more than the rank of the weakest hand in the evaluator, where 1 is a royal flush."""

# The evaluator numbers cards by rank from 2, and then by suit: clubs, diamonds, hearts, spades.
_NUMBER: Final = {card: 4 * RANKS.index(card[0]) + "cdhs".index(card[1]) for card in DECK}

ALL_HANDS: Final = "any"
"""The range of all hands."""

EXAMPLE = "write hands as in 'AA,KQs:0.5,JTo,TT+,A5s-A2s,AhKd'"
ITEM = re.compile(r"[^,]+|(?<=,)(?=,|$)|^(?=,|$)")
CLASS = re.compile(f"([{RANKS}])([{RANKS}])([so]?)")
CARDS = re.compile(f"([{RANKS}][{SUITS}])([{RANKS}][{SUITS}])")
PLACE: Final = {hand: place for place, hand in enumerate(HOLE_CARDS)}


def parse_cards(text: str) -> tuple[str, ...]:
    """Split a text such as `Ks9d8h` into cards; spaces between cards are ignored.

    Examples
    --------
    >>> parse_cards("Ks9d 8h")
    ('Ks', '9d', '8h')
    """
    joined = "".join(text.split())
    cards = tuple(joined[at : at + 2] for at in range(0, len(joined), 2))
    for place, card in enumerate(cards):
        if card not in _NUMBER:
            raise ParameterError(
                f"{show(text)} has {card!r} as card {place + 1}; a card is a rank of {RANKS} and a "
                "suit of cdhs, such as Ks"
            )
        if card in cards[:place]:
            raise ParameterError(f"{show(text)} has the card {card} twice; give each card once")
    return cards


def hand_strengths(board: Sequence[str], hands: Iterable[str]) -> tuple[int, ...]:
    """Return the strength of each hand with a board of five cards; higher is stronger.

    The strength of a hand that shares a card with the board is 0.

    Parameters
    ----------
    board
        Five cards.
    hands
        Hands of two cards, such as AhKd.

    Raises
    ------
    MissingExtraError
        If the evaluator of hands, the optional extra `poker`, is missing.

    Examples
    --------
    >>> pair, aces, blocked = hand_strengths(
    ...     ["Ks", "9d", "8h", "4s", "2c"], ["KhQd", "AhAd", "KsQd"]
    ... )
    >>> aces > pair, blocked
    (True, 0)
    """
    evaluate_cards = import_extra("poker", "the strength of poker hands").evaluate_cards
    dealt = [_NUMBER[card] for card in board]
    held = set(board)
    return tuple(
        0
        if hand[:2] in held or hand[2:] in held
        else WORST - evaluate_cards(*dealt, _NUMBER[hand[:2]], _NUMBER[hand[2:]])
        for hand in hands
    )


class HandClass(NamedTuple):
    """The hands with two ranks: suited (`s`), offsuit (`o`), or both (an empty text)."""

    high: int
    low: int
    suits: str

    def hands(self) -> Iterator[str]:
        """Yield the hands, with the higher card first."""
        for first, second in product(SUITS, repeat=2):
            hand = RANKS[self.high] + first + RANKS[self.low] + second
            is_kind = self.suits in ("", "s" if first == second else "o")
            if is_kind and hand in PLACE:
                yield hand

    def __str__(self) -> str:
        return RANKS[self.high] + RANKS[self.low] + self.suits


class Item(NamedTuple):
    """An item of a range: its text, and where it is in the text of the range."""

    text: str
    place: int
    source: str

    def fail(self, problem: str) -> NoReturn:
        """Raise the error for an item that cannot be read."""
        raise ParameterError(
            f"cannot read the range {show(self.source)}: at character {self.place + 1}, "
            f"{show(self.text)} {problem}; {EXAMPLE}"
        )


def parse_range(text: str) -> tuple[float, ...]:
    """Return the weight of each hand of a range, in the order of `HOLE_CARDS`.

    A range is a list of items with commas. An item names hands, and may end with a colon and their
    weight, which is 1 by default. Hands are written as two cards (`AhKd`), a pair (`TT`), two ranks
    with `s` for suited or `o` for offsuit hands (`KQs`), or two ranks alone for both (`AK`). A plus
    adds all better pairs (`TT+`), or all hands with a better second card (`A9s+`). A hyphen stands
    for all hands between two pairs (`99-66`), between two hands with the same first card
    (`A5s-A2s`), or between two hands with the same distance of ranks (`JTs-76s`). `any` is all
    hands. If several items name a hand, it has the weight of the last.

    Raises
    ------
    ParameterError
        If an item cannot be read, or all weights are zero. The message gives its place.

    Examples
    --------
    >>> weights = parse_range("QQ+,AKs:0.5")
    >>> sum(weights)
    20.0
    """
    weights = [0.0] * len(HOLE_CARDS)
    for match in ITEM.finditer(text):
        item = Item(match[0].strip(), match.start(), text)
        for hand, weight in _weighted(item):
            weights[PLACE[hand]] = weight
    if not any(weights):
        raise ParameterError(f"the range {show(text)} has no hand with a weight above 0; {EXAMPLE}")
    return tuple(weights)


def _weighted(item: Item) -> Iterator[tuple[str, float]]:
    """Yield the hands of an item with their weight."""
    named, colon, number = (part.strip() for part in item.text.partition(":"))
    if not named:
        item.fail("names no hand")
    weight = 1.0
    if colon:
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not (weight >= 0 and isfinite(weight)):
            item.fail(f"has the weight {number!r}, which is not a number of at least 0")
    for hand in _hands(named, item):
        yield hand, weight


def _hands(named: str, item: Item) -> Iterator[str]:
    """Yield the hands of an item without its weight."""
    cards = CARDS.fullmatch(named)
    if cards:
        hand = cards[1] + cards[2]
        hand = hand if hand in PLACE else cards[2] + cards[1]
        if hand not in PLACE:
            item.fail("has the same card twice")
        yield hand
    elif named == ALL_HANDS:
        yield from HOLE_CARDS
    else:
        for found in _classes(named, item):
            yield from found.hands()


def _classes(named: str, item: Item) -> list[HandClass]:
    """Return the classes of an item: one, those from it on, or those between two."""
    first, hyphen, second = named.partition("-")
    if hyphen:
        return _between(_class(first, item), _class(second, item), item)
    if not named.endswith("+"):
        return [_class(named, item)]
    high, low, suits = _class(named[:-1], item)
    if high == low:
        return [HandClass(rank, rank, "") for rank in range(high, len(RANKS))]
    return [HandClass(high, rank, suits) for rank in range(low, high)]


def _between(first: HandClass, second: HandClass, item: Item) -> list[HandClass]:
    """Return the classes from one to another with the same first rank, or the same distance."""
    if second > first:
        first, second = second, first
    steps = range(first.low - second.low + 1)
    if first.suits == second.suits:
        if first.high == second.high and first.high not in (first.low, second.low):
            return [HandClass(first.high, first.low - step, first.suits) for step in steps]
        if first.high - first.low == second.high - second.low:
            return [HandClass(first.high - step, first.low - step, first.suits) for step in steps]
    return item.fail(
        "is not between two pairs, two hands with the same first card, or two hands with the same "
        "distance of ranks"
    )


def _class(text: str, item: Item) -> HandClass:
    match = CLASS.fullmatch(text.strip())
    if match is None:
        item.fail("names no hands")
    high, low = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    if high == low and match[3]:
        item.fail("is a pair, which is neither suited nor offsuit")
    return HandClass(high, low, match[3])


def range_text(weights: Sequence[float]) -> str:
    """Return a range as text, given the weight of each hand in the order of `HOLE_CARDS`.

    Examples
    --------
    >>> range_text(parse_range("AKs,AKo,AsAh:0.25"))
    'AsAh:0.25,AK'
    """
    found = _checked(weights)
    if set(found) == {1.0}:
        return ALL_HANDS
    items: list[str] = []
    # Higher ranks first, as players write ranges; each group is written as briefly as it can be.
    for high in reversed(range(len(RANKS))):
        for low in reversed(range(high + 1)):
            items += _items(HandClass(high, low, ""), found)
    return ",".join(items)


def _items(group: HandClass, weights: Sequence[float]) -> list[str]:
    """Return the items for the hands with two ranks: as few as have one weight each."""
    hands = list(group.hands())
    given = {weights[PLACE[hand]] for hand in hands}
    if len(given) == 1:
        return _item(str(group), *given)
    if group.suits or group.high == group.low:
        return [text for hand in hands for text in _item(hand, weights[PLACE[hand]])]
    return [text for suits in "so" for text in _items(group._replace(suits=suits), weights)]


def _item(named: str, weight: float) -> list[str]:
    """Return an item, or nothing for the weight 0."""
    if not weight:
        return []
    return [named if weight == 1 else f"{named}:{weight!r}"]


def _checked(weights: Sequence[float]) -> list[float]:
    """Return the weights of all hands as floats."""
    size = len(HOLE_CARDS)
    try:
        found = [float(weight) for weight in weights]
    except (TypeError, ValueError):
        found = []
    if len(found) != size or not all(isfinite(weight) and weight >= 0 for weight in found):
        raise ParameterError(
            f"a range is a text, or {size:,} numbers of at least 0, one per hand of "
            f"infoset.games.HOLE_CARDS; got {show(weights)}"
        )
    if not any(found):
        raise ParameterError(f"the range has no hand with a weight above 0; {EXAMPLE}")
    return found
