"""Tables and figures with the weight of the public belief across, ours above the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Expected, Spread, Table
from infoset.plotting import Line
from infoset_studies.beliefs.published import GAMES, Row

__all__ = [
    "ALGORITHMS",
    "FITTED",
    "LABELS",
    "LIKE_THE_PAPER",
    "SEATS",
    "Measured",
    "compared_sheet",
    "weight_chart",
    "weight_columns",
]

ALGORITHMS: Final = ("pimc", "ismcts")
FITTED: Final = "ismcts-20"
"""IS-MCTS with the settings that fit the paper best: they were found by us, and are not told."""

LIKE_THE_PAPER: Final = (("bonus", "2ln"), ("num_rollouts", 20))
LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {"pimc": "PIMC", "ismcts": "IS-MCTS", FITTED: "IS-MCTS, 2 ln, 20 plays a leaf"}
)
SEATS: Final = ("first", "second")


class Measured(NamedTuple):
    """A number, and how far off it may be.

    Attributes
    ----------
    value : float
    half_width : float or None
        Of the interval of 95 % around it; None where it is not known.
    """

    value: float
    half_width: float | None = None

    @classmethod
    def of_runs(cls, values: Sequence[float]) -> Measured:
        """Return the mean of runs that differ in their seed, by Student's t.

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
    """Return the names of columns, one for each public weight."""
    return tuple(f"{public_weight:g}" for public_weight in public_weights)


def compared_sheet(
    name: str,
    title: str,
    public_weights: Sequence[float],
    found: Mapping[Row, Sequence[Measured]],
    expected: Mapping[Row, Sequence[Expected]],
) -> Table:
    """Return four lines for each row: ours, its half width, the paper's number, the difference.

    Parameters
    ----------
    name, title : str
    public_weights : Sequence[float]
        The columns.
    found, expected : mappings
        By row, a number for each public weight; `expected` may lack rows.
    """
    lines: list[tuple[str | float | None, ...]] = []
    for row, numbers in found.items():
        head = (LABELS[row.algorithm], row.game, (*SEATS, "both")[row.seat])
        lines.append((*head, "ours", *(number.value for number in numbers)))
        if any(number.half_width is not None for number in numbers):
            lines.append((*head, "±", *(number.half_width for number in numbers)))
        if row in expected:
            theirs = expected[row]
            lines.append((*head, "paper", *(number.mean for number in theirs)))
            pairs = zip(numbers, theirs, strict=True)
            lines.append((*head, "difference", *(a.value - b.mean for a, b in pairs)))
    columns = ("searcher", "game", "seat", "whose", *weight_columns(public_weights))
    return Table(name, title, columns, tuple(lines))


def weight_chart(
    name: str,
    game: str,
    y_label: str,
    public_weights: Sequence[float],
    found: Mapping[Row, Sequence[Measured]],
    expected: Mapping[Row, Sequence[Expected]],
) -> Chart:
    """Return the lines of a game, those of the paper beside ours."""
    across = tuple(public_weights)
    rows = {row: numbers for row, numbers in found.items() if row.game == game}
    tells_seats = len({row.seat for row in rows}) > 1
    lines = []
    for row, numbers in rows.items():
        label = LABELS[row.algorithm] + (f", {SEATS[row.seat]} seat" if tells_seats else "")
        lines.append(Line(label, across, tuple(number.value for number in numbers)))
        if row in expected and row.algorithm != FITTED:  # which has the paper's line of IS-MCTS
            theirs = tuple(number.mean for number in expected[row])
            lines.append(Line(f"{label}, paper", across, theirs))
    title = GAMES[game].title
    return Chart(name, title, "weight of the public belief (λ)", y_label, tuple(lines), False)
