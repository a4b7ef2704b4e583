"""Tables 1 to 4 of the paper on public and private beliefs, and who stands in them.

Source: Arjonilla, Cazenave and Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.experiments.reports import Expected

__all__ = [
    "BOTH",
    "GAMES",
    "PUBLIC_WEIGHTS",
    "RESPONSES",
    "WIN_RATES",
    "PublishedGame",
    "Row",
    "Rows",
]

PUBLIC_WEIGHTS: Final = tuple(step / 10 for step in range(11))
"""Of the public belief, λ in the paper: the columns of all tables."""


class PublishedGame(NamedTuple):
    """A game of the paper.

    Attributes
    ----------
    title : str
    game : str
        As it is loaded here; where the paper leaves the rules open, in the reading that comes
        nearest to its numbers (`readings.py`).
    is_settled : bool
        Whether the paper says, or its numbers show, which rules were played.
    """

    title: str
    game: str
    is_settled: bool = True


GAMES: Final[Mapping[str, PublishedGame]] = MappingProxyType(
    {
        "LD 2D": PublishedGame("Liar's dice, 2 dice", "liars_dice(numdice=2)"),
        "LD 3D": PublishedGame("Liar's dice, 3 dice", "liars_dice(numdice=3,dice_sides=4)", False),
        "LD 5D": PublishedGame("Liar's dice, 5 dice", "liars_dice(numdice=5,dice_sides=4)", False),
        "LP": PublishedGame("Leduc poker", "leduc_poker"),
        "CG 10C": PublishedGame("Card game, 10 cards", "trick_taking(num_cards=10)", False),
        "CG 20C": PublishedGame(
            "Card game, 20 cards", "trick_taking(num_cards=20,tie=draw)", False
        ),
    }
)
"""By the names of the tables."""


BOTH: Final = 2


class Row(NamedTuple):
    """A row of a table, by its algorithm, game, and seat of the searcher; `BOTH` for either."""

    algorithm: str
    game: str
    seat: int


Rows = Mapping[Row, tuple[Expected, ...]]


def _rows(seat: int, text: str) -> dict[Row, tuple[Expected, ...]]:
    rows = {}
    for line in text.strip().splitlines():
        algorithm, game, *numbers = (part.strip() for part in line.split("|"))
        rows[Row(algorithm, game, seat)] = tuple(map(Expected.read, numbers[0].split()))
    return rows


RESPONSES: Final[Rows] = MappingProxyType(
    _rows(
        0,
        """
        pimc   | LD 2D | 0.300 0.298 0.297 0.292 0.294 0.288 0.281 0.290 0.336 0.382 0.382
        pimc   | LD 3D | 0.313 0.276 0.265 0.269 0.235 0.283 0.324 0.356 0.359 0.393 0.458
        pimc   | LP    | 0.622 0.616 0.660 0.767 0.797 1.481 1.626 1.480 1.532 1.599 1.611
        ismcts | LD 2D | 0.513 0.512 0.517 0.528 0.539 0.547 0.552 0.554 0.555 0.562 0.562
        ismcts | LP    | 0.797 0.890 0.966 0.959 1.158 1.226 1.402 1.673 1.786 2.083 2.326
        """,
    )
    | _rows(
        1,
        """
        pimc   | LD 2D | 0.678 0.695 0.703 0.707 0.716 0.718 0.711 0.741 0.779 0.836 0.836
        pimc   | LP    | 0.398 0.400 0.459 0.612 0.796 1.461 1.450 1.509 1.593 1.615 1.632
        ismcts | LD 2D | 0.697 0.687 0.697 0.716 0.727 0.732 0.740 0.751 0.759 0.768 0.787
        ismcts | LP    | 0.784 0.784 0.898 0.800 1.017 1.078 1.186 1.324 1.561 1.728 2.002
        """,
    )
)
"""Tables 1 and 3: what a best responder gets, by public weight, in the other seat."""

WIN_RATES: Final[Rows] = MappingProxyType(
    _rows(
        0,
        """
        pimc   | LD 3D  | 48.6 50.4 47.9 47.4 44.6 42.6 39.9 37.5 36.1 28.9 27.8
        pimc   | LD 5D  | 43.1 43.4 42.2 43.4 42.5 41.4 39.8 36.3 37.1 29.8 23.6
        ismcts | LD 3D  | 23.7 23.7 24.7 27.0 23.1 23.1 21.7 20.0 19.3 15.4 16.4
        ismcts | LD 5D  | 22.0 20.9 21.9 22.2 21.9 20.8 21.6 21.0 16.9 15.5 13.4
        """,
    )
    | _rows(
        1,
        """
        pimc   | LD 3D  | 51.9 53.0 51.3 49.8 49.7 51.3 48.7 48.6 46.9 46.1 42.7
        pimc   | LD 5D  | 56.7 55.5 56.0 56.2 54.8 56.1 55.3 53.0 51.9 44.7 42.3
        ismcts | LD 3D  | 48.4 51.3 49.9 49.0 50.1 51.0 47.4 44.0 39.7 36.9 33.3
        ismcts | LD 5D  | 48.4 47.1 48.0 46.7 47.8 45.0 46.5 40.7 34.4 23.2 14.7
        """,
    )
    | _rows(
        BOTH,
        """
        pimc   | CG 10C | 48.2 47.9 47.7 47.7 47.6 47.4 46.7 46.0 45.5 39.8 31.6
        pimc   | CG 20C | 53.7 53.8 54.2 54.5 53.9 53.2 52.8 52.0 47.4 36.3 23.5
        ismcts | CG 10C | 45.3 46.3 45.4 45.1 43.8 45.1 45.0 43.1 42.7 37.6 30.0
        ismcts | CG 20C | 36.5 38.5 38.2 36.2 36.4 36.6 35.5 34.9 33.3 33.1 20.8
        """,
    )
)
"""Tables 2 and 4: percentage won of 1000 games against PIMC with public weight 0, by public weight.

Card games are in table 2 alone, and must be of both seats: in the first one alone, more are won.
"""
