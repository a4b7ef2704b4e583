"""Published numbers on mixtures of public and private beliefs, and tables that compare with them.

Source: Arjonilla, Cazenave and Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024), Tables 1 to 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Expected, Spread, Table
from infoset.plotting import Line
from infoset_studies.published_numbers import read_rows

__all__ = [
    "ALGORITHMS",
    "BOTH",
    "FITTED",
    "GAMES",
    "LABELS",
    "LIKE_THE_PAPER",
    "POSITIONS",
    "PUBLIC_WEIGHTS",
    "RESPONSES",
    "WIN_RATES",
    "Measured",
    "PublishedGame",
    "Row",
    "Rows",
    "compared_sheet",
    "weight_chart",
    "weight_columns",
]

POSITIONS: Final = ("first", "second")

PUBLIC_WEIGHTS: Final = tuple(step / 10 for step in range(11))
"""Weights λ of the public belief: the columns of all tables."""


class PublishedGame(NamedTuple):
    """A game of the paper.

    Attributes
    ----------
    title : str
    game : str
        Specification for `load`. Where the paper leaves the rules open, it is the variant that
        comes nearest to the numbers of the paper (experiment `open-rules`).
    is_settled : bool
        Whether the paper or its numbers determine the rules.
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
"""Games by their names in the tables."""


BOTH: Final = 2


class Row(NamedTuple):
    """A row of a table: algorithm, game, and position of the searcher (`BOTH` for the average)."""

    algorithm: str
    game: str
    position: int


Rows = Mapping[Row, tuple[Expected, ...]]


def _read(name: str) -> Rows:
    """Return the rows of a CSV file, whose last columns are the public weights."""
    positions = (*POSITIONS, "both")
    return MappingProxyType(
        {
            Row(row.pop("algorithm"), row.pop("game"), positions.index(row.pop("position"))): tuple(
                map(Expected.read, row.values())
            )
            for row in read_rows(name)
        }
    )


RESPONSES: Final[Rows] = _read("best_responses")
"""Tables 1 and 3: value of a best response in the other position, by public weight."""

WIN_RATES: Final[Rows] = _read("win_rates")
"""Tables 2 and 4: percentage won of 1000 games against PIMC with public weight 0, by public weight.

The card games are in Table 2 only. Their numbers must be averages over both positions: in the first
position alone, more games are won.
"""


ALGORITHMS: Final = ("pimc", "ismcts")
FITTED: Final = "ismcts-20"
"""IS-MCTS with the settings that fit the paper best, which does not state its settings."""

LIKE_THE_PAPER: Final = (("bonus", "2ln"), ("num_rollouts", 20))
LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {"pimc": "PIMC", "ismcts": "IS-MCTS", FITTED: "IS-MCTS, 2 ln, 20 rollouts per leaf"}
)


class Measured(NamedTuple):
    """An estimate with the half width of its confidence interval.

    Attributes
    ----------
    value : float
    half_width : float or None
        Half width of the 95% confidence interval; None if it is unknown.
    """

    value: float
    half_width: float | None = None

    @classmethod
    def of_runs(cls, values: Sequence[float]) -> Measured:
        """Return the mean over random seeds, with an interval by Student's t distribution.

        Examples
        --------
        >>> Measured.of_runs([1.0, 2.0, 3.0]).value
        2.0
        """
        from scipy.special import stdtrit

        spread = Spread.of(values)
        if spread.sd is None:
            return cls(spread.mean)
        factor = float(stdtrit(spread.num_runs - 1, 0.975))
        return cls(spread.mean, factor * spread.sd / sqrt(spread.num_runs))


def weight_columns(public_weights: Sequence[float]) -> tuple[str, ...]:
    """Return the column names, one for each public weight."""
    return tuple(f"{public_weight:g}" for public_weight in public_weights)


def compared_sheet(
    name: str,
    title: str,
    public_weights: Sequence[float],
    found: Mapping[Row, Sequence[Measured]],
    expected: Mapping[Row, Sequence[Expected]],
) -> Table:
    """Return four lines for each row: measured, half width, paper, and difference.

    Parameters
    ----------
    name, title : str
    public_weights : Sequence[float]
        The columns.
    found, expected : mappings
        For each row, a number for each public weight; `expected` may lack rows.
    """
    lines: list[tuple[str | float | None, ...]] = []
    for row, numbers in found.items():
        head = (LABELS[row.algorithm], row.game, (*POSITIONS, "both")[row.position])
        lines.append((*head, "measured", *(number.value for number in numbers)))
        if any(number.half_width is not None for number in numbers):
            lines.append((*head, "±", *(number.half_width for number in numbers)))
        if row in expected:
            theirs = expected[row]
            lines.append((*head, "paper", *(number.mean for number in theirs)))
            pairs = zip(numbers, theirs, strict=True)
            lines.append((*head, "difference", *(a.value - b.mean for a, b in pairs)))
    columns = ("searcher", "game", "position", "source", *weight_columns(public_weights))
    return Table(name, title, columns, tuple(lines))


def weight_chart(
    name: str,
    game: str,
    y_label: str,
    public_weights: Sequence[float],
    found: Mapping[Row, Sequence[Measured]],
    expected: Mapping[Row, Sequence[Expected]],
) -> Chart:
    """Return the chart of a game, with measured and published lines."""
    across = tuple(public_weights)
    rows = {row: numbers for row, numbers in found.items() if row.game == game}
    shows_position = len({row.position for row in rows}) > 1
    lines = []
    for row, numbers in rows.items():
        label = LABELS[row.algorithm] + (
            f", {POSITIONS[row.position]} position" if shows_position else ""
        )
        lines.append(Line(label, across, tuple(number.value for number in numbers)))
        if row in expected and row.algorithm != FITTED:  # the line of IS-MCTS shows it
            theirs = tuple(number.mean for number in expected[row])
            lines.append(Line(f"{label}, paper", across, theirs))
    title = GAMES[game].title
    return Chart(name, title, "weight of the public belief (λ)", y_label, tuple(lines), False)
