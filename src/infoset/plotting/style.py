"""How the pictures look: a font, sizes in points, shapes and dashes that tell without colour."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from infoset.plotting.picture import TERMINAL, WATCHING
from infoset.typing import CHANCE, Player

__all__ = ["Mark", "dashes_of", "mark_of", "player_color", "text_width"]

FONT: Final = "DejaVu Sans"
"""Comes with matplotlib, so that every machine has it."""

TEXT_SIZE, SMALL_SIZE, LABEL_SIZE, TITLE_SIZE = 8.5, 7.5, 6.5, 10.0
INK, QUIET_INK, FAINT_INK = "#1a1a1a", "#666666", "#a3a3a3"
REGION_FILL, REGION_LINE = "#f0f1f4", "#9aa0a8"


class Mark(NamedTuple):
    """The shape that stands for whoever acts.

    Attributes
    ----------
    sides : int
        Of a regular polygon; 0 for a circle.
    turn : float
        By which it is turned, in degrees; at 0 a corner points up.
    radius : float
        In points.
    fill, line : str
        Colours.
    label : str
        Written inside.
    drop : float
        How much lower than the middle of the mark that of the label is, in points.
    """

    sides: int
    turn: float
    radius: float
    fill: str
    line: str
    label: str = ""
    drop: float = 0.0


SHAPES: Final = (
    (3, 0.0, 8.2, 0.7),
    (3, 180.0, 8.2, -0.9),
    (4, 0.0, 7.8, 0.0),
    (5, 0.0, 7.4, 0.2),
    (6, 0.0, 7.2, 0.0),
    (4, 45.0, 7.4, 0.0),
)
"""Sides, turn, radius and drop, by player; the paper draws its first two as ▲ and ▼ too."""

COLORS: Final = ("#1f5fa8", "#b5532a", "#2f7d4f", "#7b4a9e", "#8a6d00", "#a03060")
DASHES: Final = ((4.0, 2.0), (1.0, 1.4), (5.0, 1.5, 1.0, 1.5), (8.0, 2.0), (2.4, 1.2))

HINTING: Final = 1.04
"""By how much letters can come out wider on a screen than they are by design."""

OTHER_MARKS: Final = {
    CHANCE: Mark(0, 0.0, 5.6, "white", INK),
    TERMINAL: Mark(4, 45.0, 5.2, INK, INK),
    WATCHING: Mark(0, 0.0, 2.6, QUIET_INK, QUIET_INK),
}


def player_color(player: Player) -> str:
    """Return the colour of a player, or of what is not a player's."""
    return COLORS[player % len(COLORS)] if player >= 0 else QUIET_INK


def mark_of(actor: Player) -> Mark:
    """Return the mark of a player (its number inside), of nature, or of the end."""
    if actor in OTHER_MARKS:
        return OTHER_MARKS[actor]
    sides, turn, radius, drop = SHAPES[actor % len(SHAPES)]
    color = player_color(actor)
    return Mark(sides, turn, radius, color, color, str(actor), drop)


def dashes_of(player: Player) -> tuple[float, ...]:
    """Return the dashes of the lines that join what looks alike to a player."""
    return DASHES[player % len(DASHES)]


@cache
def text_width(text: str, size: float = TEXT_SIZE, is_bold: bool = False) -> float:
    """Return how wide a text is, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=size, weight="bold" if is_bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return HINTING * float(width)
