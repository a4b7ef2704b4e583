"""Ranges of Texas hold'em hands as text, such as `AA,KQs:0.5,A5s-A2s`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import isfinite, nan
from typing import Final, NamedTuple, NoReturn

from infoset.errors import ParameterError, show
from infoset.game.public_rules import EXTREME_WEIGHT
from infoset.games.cards import RANKS
from infoset.games.holdem_hands import (
    BEST_FIRST,
    CARD,
    FLAGS,
    HOLE_CARDS,
    PLACE,
    RANK,
    HandClass,
    normal_cards,
    normal_rank,
)

ALL_HANDS: Final = "any"
"""The range of all hands."""

EXAMPLE = "write hands as in 'AA,KQs:0.5,JTo,TT+,A5s-A2s,AhKd'"
HAND = re.compile(f"{CARD}{CARD}", FLAGS)
CLASS = re.compile(f"({RANK})({RANK})([so]?)", FLAGS)
TOP = re.compile(r"(?:top)?(\d+\.?\d*|\.\d+)%", FLAGS)
NUMBERS = re.compile(rf"\s*(?:[-+.\de]+\s+){{{len(HOLE_CARDS) - 1}}}[-+.\de]+\s*", FLAGS)
# Spaces separate items, except next to a sign within one, as in `A5s - A2s` and `AA : 50 %`.
TOKEN = re.compile(
    r"(?P<space>\s++(?![-:@+%]))|(?P<comma>,)|\[(?P<group>[^\[\]]*)\]|(?P<bracket>[\[\]])|"
    r"(?P<hands>(?:[^\s,\[\]]|\s++(?=[-:@+%])|(?:(?<=[-:@])|(?<=top))\s++)+)",
    re.IGNORECASE,
)


class Item(NamedTuple):
    """A part of the text of a range, and its position."""

    text: str
    place: int
    source: str

    def fail(self, problem: str, fix: str = EXAMPLE) -> NoReturn:
        """Raise the error for a part that cannot be read."""
        raise ParameterError(
            f"cannot read the range {show(self.source)}: at character {self.place + 1}, "
            f"{show(self.text)} {problem}; {fix}"
        )


def parse_range(text: str) -> tuple[float, ...]:
    """Return the weight of each hand of a range, in the order of `HOLE_CARDS`.

    A range is a list of items, separated by commas or spaces. An item names hands, and may end with
    their weight, from 0 to 1: `:0.5`, `:50%`, or `@50` in percent. Hands are written as two cards
    (`AhKd`), a pair (`TT`), two ranks with `s` for suited or `o` for offsuit hands (`KQs`), or two
    ranks alone for both (`AK`). A plus adds all better pairs (`TT+`), or all hands with a better
    second card (`A9s+`). A hyphen stands for all hands between two pairs (`99-66`), between two
    hands with the same first card (`A5s-A2s`), or between two hands with the same gap between ranks
    (`JTs-76s`). `any`, `random` and `100%` stand for all hands. `top10%` or `10%` stands for the
    best tenth: classes of hands in the order of `BEST_FIRST`, the last one with partial weight.
    Items between `[50]` and `[/50]` have a weight of 50%. If several items name a hand, the last
    one sets its weight. Case does not matter, and 10 means T.

    A range may also be 1,326 weights in the order of PioSOLVER, from 2d2c to AsAh, which is the
    reverse of `HOLE_CARDS`. If all weights are tiny, they are divided by the largest.

    Raises
    ------
    ParameterError
        If an item cannot be read, or all weights are zero. The message gives the item's position.

    Examples
    --------
    >>> weights = parse_range("QQ+,AKs:0.5")
    >>> sum(weights)
    20.0
    """
    weights = [0.0] * len(HOLE_CARDS)
    for item, named, weight in _items(text):
        for hand, share in _hands(named, item):
            weights[PLACE[hand]] = weight * share
    largest = max(weights)
    if not largest:
        raise ParameterError(f"the range {show(text)} has no hand with a weight above 0; {EXAMPLE}")
    if largest * EXTREME_WEIGHT < 1:
        # Products of such weights underflow, and only the ratios matter.
        weights = [weight / largest for weight in weights]
    return tuple(weights)


def normal_range(text: str) -> str:
    """Return the text of a range in normal form: commas between items, and weights as in `:0.5`.

    Examples
    --------
    >>> normal_range("[50] kqs, 1010+ [/50] random@5")
    'KQs:0.5,TT+:0.5,any:0.05'
    """
    weights = parse_range(text)  # errors give the position in this text
    if NUMBERS.fullmatch(text):
        return range_text(weights)
    return ",".join(_item(named, weight) for _, named, weight in _items(text))


def _items(text: str) -> Iterator[tuple[Item, str, float]]:
    """Yield the items of a range, with the hands in normal form and their weight."""
    if NUMBERS.fullmatch(text):
        for hand, number in zip(reversed(HOLE_CARDS), re.finditer(r"\S+", text), strict=True):
            item = Item(number[0], number.start(), text)
            yield item, hand, _weight(number[0], ":", item)
        return
    group: Item | None = None
    of_group = 1.0
    is_due = True  # whether hands must follow: at the start, between commas, and in a new group
    may_end = False  # whether the last item is a comma after hands, which may end a range
    for match in TOKEN.finditer(text):
        item, kind = Item(match[0].strip(), match.start(), text), match.lastgroup
        inside = (match["group"] or "").strip()
        if kind == "bracket":
            item.fail("is an unmatched bracket", "write a group as in '[50]AA,KQs[/50]'")
        elif kind == "group" and not inside.startswith("/"):
            if group is not None:
                item.fail(f"is inside the group {group.text}", "end one group before the next")
            group, of_group, is_due, may_end = item, _weight(inside, "@", item), True, False
        elif kind == "hands":
            yield item, *_weighted(item, group, of_group)
            is_due = may_end = False
        elif kind != "space":
            if is_due:
                Item("", match.start(), text).fail("does not name a hand")
            is_due = may_end = kind == "comma"
            if kind == "group":
                if group is None or _weight(inside[1:], "@", item) != of_group:
                    item.fail("does not end a group", "write a group as in '[50]AA,KQs[/50]'")
                group, of_group = None, 1.0
    if is_due and not may_end:
        Item("", len(text), text).fail("does not name a hand")
    if group is not None:
        group.fail("begins a group that does not end", f"add [/{group.text[1:]} after its hands")


def _weighted(item: Item, group: Item | None, of_group: float) -> tuple[str, float]:
    """Return the hands of an item in normal form, and their weight."""
    names, *weight = re.split("([:@])", item.text, maxsplit=1)
    if weight and group is not None:
        item.fail(f"has a weight inside the group {group.text}", "write it outside the group")
    named = "".join(names.split())
    top = TOP.fullmatch(named)
    if named.lower() in (ALL_HANDS, "random", "100%"):
        named = ALL_HANDS
    elif top:
        named = f"top{top[1]}%"
    elif not named:
        item.fail("does not name a hand")
    else:
        named = CLASS.sub(_normal_class, normal_cards(named))
    return named, _weight(weight[1], weight[0], item) if weight else of_group


def _normal_class(found: re.Match[str]) -> str:
    return normal_rank(found[1]) + normal_rank(found[2]) + found[3].lower()


def _weight(text: str, sign: str, item: Item) -> float:
    """Return a weight: a percentage after the sign @ or before a percent sign."""
    number = text.strip().removesuffix("%").rstrip()
    is_percent = sign == "@" or "%" in text
    try:
        weight = float(Decimal(number).scaleb(-2) if is_percent else Decimal(number))
    except (ArithmeticError, ValueError):
        weight = nan
    if not (weight >= 0 and isfinite(weight)):
        item.fail(
            f"has the weight {text.strip()!r}, which is not a number of at least 0",
            "write a weight as in 'AA:0.5', 'AA:50%' or 'AA@50'",
        )
    if weight > 1:
        percent = "" if is_percent or weight > 100 else f"write {number}% for a percentage, or "
        item.fail(
            f"has the weight {text.strip()}, which is above {'100%' if is_percent else 1}",
            f"{percent}divide all weights of the range by the largest",
        )
    if sign == "@" and "%" not in text and 0 < weight < 0.01:
        item.fail(
            f"has a weight of {number} percent, which is probably meant as a fraction",
            f"write {100 * float(number):g} for {100 * float(number):g}%, or {number}%",
        )
    return weight


def _hands(named: str, item: Item) -> Iterator[tuple[str, float]]:
    """Yield the hands that an item in normal form names, and their share of its weight."""
    hand, top = HAND.fullmatch(named), TOP.fullmatch(named)
    if hand and named not in PLACE:
        item.fail("has the same card twice")
    elif hand:
        yield named, 1.0
    elif top:
        yield from _top(Decimal(top[1]), item)
    elif named == ALL_HANDS:
        yield from ((hand, 1.0) for hand in HOLE_CARDS)
    else:
        yield from ((hand, 1.0) for found in _classes(named, item) for hand in found.hands())


def _top(percent: Decimal, item: Item) -> Iterator[tuple[str, float]]:
    """Yield the best hands, with shares that sum to a percentage of all hands."""
    if not 0 < percent <= 100:
        item.fail("is not a percentage above 0 and at most 100", "write 'top10%' for a tenth")
    left = percent * len(HOLE_CARDS) / 100
    for name in BEST_FIRST:
        hands = [*_class(name, item).hands()]
        if left > 0:
            yield from ((hand, float(min(Decimal(1), left / len(hands)))) for hand in hands)
        left -= len(hands)


def _classes(named: str, item: Item) -> list[HandClass]:
    """Return the classes of an item: one, all better ones too, or all between two."""
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
    """Return the classes between two with the same first rank, or the same gap between ranks."""
    if second > first:
        first, second = second, first
    steps = range(first.low - second.low + 1)
    if first.suits == second.suits:
        if first.high == second.high and first.high not in (first.low, second.low):
            return [HandClass(first.high, first.low - step, first.suits) for step in steps]
        if first.high - first.low == second.high - second.low:
            return [HandClass(first.high - step, first.low - step, first.suits) for step in steps]
    return item.fail(
        "must lie between two pairs, two hands with the same first card, or two hands with the "
        "same gap between ranks"
    )


def _class(text: str, item: Item) -> HandClass:
    match = CLASS.fullmatch(text.strip())
    if match is None:
        item.fail("does not name a hand")
    high, low = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    if high == low and match[3]:
        item.fail("is a pair, which is neither suited nor offsuit")
    return HandClass(high, low, match[3])


def range_text(weights: Sequence[float]) -> str:
    """Return a range as text, given the weight of each hand in the order of `HOLE_CARDS`.

    If a weight is above 1, all weights are divided by the largest.

    Examples
    --------
    >>> range_text(parse_range("AKs,AKo,AsAh:0.25"))
    'AsAh:0.25,AK'
    """
    found = _checked(weights)
    largest = max(found)
    if largest > 1:
        found = [weight / largest for weight in found]
    if len({*found}) == 1:
        return _item(ALL_HANDS, found[0])
    items: list[str] = []
    # Higher ranks first, as players write ranges; each group is written as briefly as it can be.
    for high in reversed(range(len(RANKS))):
        for low in reversed(range(high + 1)):
            items += _class_items(HandClass(high, low, ""), found)
    return ",".join(items)


def _class_items(group: HandClass, weights: Sequence[float]) -> list[str]:
    """Return the fewest items, each with one weight, for the hands with two given ranks."""
    hands = list(group.hands())
    given = {weights[PLACE[hand]] for hand in hands}
    if len(given) == 1:
        return [_item(str(group), weight) for weight in given if weight]
    if group.suits or group.high == group.low:
        of_hands = ((hand, weights[PLACE[hand]]) for hand in hands)
        return [_item(hand, weight) for hand, weight in of_hands if weight]
    return [text for suits in "so" for text in _class_items(group._replace(suits=suits), weights)]


def _item(named: str, weight: float) -> str:
    """Return hands with their weight."""
    return named if weight == 1 else f"{named}:{repr(weight).removesuffix('.0')}"


def _checked(weights: Sequence[float]) -> list[float]:
    """Return the weights of all hands as floats."""
    size = len(HOLE_CARDS)
    try:
        found = [float(weight) for weight in weights]
    except (TypeError, ValueError):
        found = []
    if len(found) != size or not all(isfinite(weight) and weight >= 0 for weight in found):
        raise ParameterError(
            f"a range is text, or {size:,} numbers of at least 0, one per hand of "
            f"infoset.games.HOLE_CARDS; got {show(weights)}"
        )
    if not any(found):
        raise ParameterError(f"the range has no hand with a weight above 0; {EXAMPLE}")
    return found
