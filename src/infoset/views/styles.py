"""The color, key and place of each action of a game: by its label, never by its position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, digits
from typing import Final

from infoset.forms import Form

CALL, ALL_IN = "call", "all-in"

BETTING: Final[Mapping[str, tuple[str, str]]] = {
    "fold": ("#5f86b3", "f"),
    "check": ("#3f9a63", "k"),
    "pass": ("#3f9a63", "p"),
    CALL: ("#86c79b", "c"),
    ALL_IN: ("#8c2437", "a"),
}
"""Color and key of the actions of betting that have no size."""
BETS: Final = ("#f4b860", "#ec8b4b", "#d9583f")
"""Bets and raises from the smallest to the largest; a single one has the middle color."""
NUMBERS: Final = ("#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39")
"""Labels that are numbers, such as cards and bids, from the smallest to the largest (viridis)."""
OTHERS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7b4a9e",
    "#8a8a8a",
)
"""Other labels: colors that color-blind readers can distinguish (Okabe and Ito 2008)."""
PALEST: Final = 0.6
"""How far the last label of a group is mixed with white."""

QUIT: Final = "q"
"""The key that ends a play in the terminal, so that it is not the key of an action."""

_SIZED = re.compile(r"(bet|raise)(?:\s+(?:to\s+)?(\d+(?:\.\d+)?)%?)?")
NUMBERS_ALONE: Final = re.compile(r"\d+(?:\D\d+)*")


@dataclass(frozen=True)
class ActionStyle:
    """How an action looks in every page and picture of a game."""

    label: str
    color: str
    """As `#rrggbb`."""
    ink: str
    """Black or white: the color of text on `color`."""
    key: str
    """The key that takes the action; empty if there are more actions than keys."""


def action_styles(labels: Iterable[str]) -> tuple[ActionStyle, ...]:
    """Return the styles of all actions of a game, in the order in which they are shown.

    Actions of betting are ordered from a fold to an all-in, and labels that are numbers by size.
    Others stay in order; those that share their first word share a hue.

    Examples
    --------
    >>> [(style.label, style.key) for style in action_styles(["call", "raise", "fold"])]
    [('fold', 'f'), ('call', 'c'), ('raise', 'r')]
    >>> [style.label for style in action_styles(["10", "2", "stop"])]
    ['2', '10', 'stop']
    """
    every = [*dict.fromkeys(labels)]
    betting = _betting(every)
    numbers = sorted(filter(NUMBERS_ALONE.fullmatch, every), key=_number)
    others = [label for label in every if label not in betting and label not in numbers]
    colors = {
        **_betting_colors(betting),
        **dict(zip(numbers, _ramp(NUMBERS, len(numbers)), strict=True)),
        **_group_colors(others, skipped=1 if numbers else 0),
    }
    keys = action_keys([*betting, *others, *numbers])  # numbers take the letters that are left
    return tuple(
        ActionStyle(label, color, _ink(color), keys[label]) for label, color in colors.items()
    )


def styles_of(form: Form) -> tuple[ActionStyle, ...]:
    """Return the styles of all actions of a game."""
    sets = dict.fromkeys(form.action_sets)
    return action_styles(str(action) for actions in sets for action in actions)


def action_keys(labels: Iterable[str], taken: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a key for each action: a letter of its word if one is free, otherwise a digit.

    A number of one digit is its own key, if that is free.

    Parameters
    ----------
    taken
        Keys by label that do not change.

    Examples
    --------
    >>> action_keys(["pass", "bet", "bet 50", "bet 100"])
    {'pass': 'p', 'bet': 'b', 'bet 50': '1', 'bet 100': '2'}
    >>> action_keys(["9", "10"])
    {'9': '9', '10': 'a'}
    """
    keys = dict(taken or {})
    for label in labels:
        if label not in keys:
            wanted = BETTING[label][1] if label in BETTING else _wanted_keys(label.lower())
            free = (key for key in wanted + ascii_lowercase if key not in (*keys.values(), QUIT))
            keys[label] = next(free, "")
    return keys


def _wanted_keys(label: str) -> str:
    """Return the keys that stand for a label, the best ones first."""
    if NUMBERS_ALONE.fullmatch(label):
        return label if len(label) == 1 else ""
    letters = "".join(letter for letter in label if letter in ascii_lowercase)
    return letters + digits[1:] if letters == label.replace("-", "") else digits[1:]


def _betting(labels: Sequence[str]) -> list[str]:
    """Return the actions of betting from a fold to an all-in; none if nobody can bet."""
    sized = {label: found for label in labels if (found := _SIZED.fullmatch(label))}
    if not sized and not {CALL, ALL_IN} & {*labels}:
        return []
    by_size = sorted(sized, key=lambda label: (float(sized[label][2] or 0), sized[label][1]))
    words = [label for label in BETTING if label in labels]
    return [*(word for word in words if word != ALL_IN), *by_size, *({ALL_IN} & {*words})]


def _betting_colors(labels: Sequence[str]) -> dict[str, str]:
    bets = [label for label in labels if label not in BETTING]
    ramp = dict(zip(bets, _ramp(BETS, len(bets)), strict=True))
    return {label: ramp.get(label) or BETTING[label][0] for label in labels}


def _number(label: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", label)))


def _group_colors(labels: Sequence[str], skipped: int) -> dict[str, str]:
    """Return a hue for each first word, and paler colors for later labels that begin with it."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(label.partition(" ")[0], []).append(label)
    hues = OTHERS[skipped:]
    if len(groups) == 1 or len(groups) > len(hues):
        # The words say nothing, or are too many: hues repeat, each time paler.
        groups = {hue: [*labels[at :: len(hues)]] for at, hue in enumerate(hues)}
    colors = {}
    for hue, members in zip(hues, groups.values(), strict=False):
        for place, label in enumerate(members):
            colors[label] = _mixed(hue, "#ffffff", PALEST * place / max(1, len(members) - 1))
    return {label: colors[label] for label in labels}


def _ramp(anchors: Sequence[str], number: int) -> list[str]:
    """Return colors at equal distances on the way through anchors."""
    if number == 1:
        return [anchors[len(anchors) // 2]]
    found = []
    for place in range(number):
        at = place * (len(anchors) - 1) / (number - 1)
        before = min(int(at), len(anchors) - 2)
        found.append(_mixed(anchors[before], anchors[before + 1], at - before))
    return found


def _channels(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _ink(color: str) -> str:
    """Return black or white, whichever has the larger contrast (WCAG 2)."""
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in _channels(color))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"
