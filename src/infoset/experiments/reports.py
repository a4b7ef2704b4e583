"""Reports of experiments: tables, which are also saved as CSV, and figures."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from infoset.plotting import Line, plot_frequencies, plot_heat_map, plot_lines
from infoset.utils.files import replace_file, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Entry: TypeAlias = str | int | float | bool | None

SIGNIFICANT_DIGITS = 4
AGREEMENT_DEVIATIONS = 3.0
"""Number of standard deviations within which a mean agrees with an expected number."""


class Expected(NamedTuple):
    """An expected number: published, or measured by a reference implementation."""

    mean: float
    sd: float | None = None
    """The standard deviation of one run, if it is known."""
    rounding: float = 0.0
    """Largest rounding error of the mean."""

    @classmethod
    def read(cls, mean: str, sd: str = "") -> Expected:
        """Parse a printed mean, whose decimals give its rounding error, and a standard deviation.

        Examples
        --------
        >>> Expected.read("0.354", "0.020")
        Expected(mean=0.354, sd=0.02, rounding=0.0005)
        """
        mean = mean.strip()
        decimals = len(mean.partition(".")[2])
        return cls(float(mean), float(sd) if sd else None, 0.5 * 10.0**-decimals)


class Spread(NamedTuple):
    """Mean and standard deviation of runs with different random seeds."""

    mean: float
    sd: float | None
    """The standard deviation of one run; None for a single run."""
    num_runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of one or more numbers.

        Examples
        --------
        >>> Spread.of([1.0, 3.0])
        Spread(mean=2.0, sd=1.4142135623730951, num_runs=2)
        """
        return cls(fmean(values), stdev(values) if values[1:] else None, len(values))

    def agrees_with(self, expected: Expected) -> bool | None:
        """Return whether the mean is within three standard deviations of the expected number.

        The standard deviation is that of one run: the expected one or, if it is unknown, the
        measured one. The rounding error is added to the tolerance. The result is None if neither
        standard deviation is known.
        """
        sd = self.sd if expected.sd is None else expected.sd
        if sd is None:
            return None
        return abs(self.mean - expected.mean) <= AGREEMENT_DEVIATIONS * sd + expected.rounding


@dataclass(frozen=True)
class Table:
    """A table of an experiment.

    Examples
    --------
    >>> print(
    ...     Table(
    ...         "t", "Times", ("learner", "gap"), (("ixomd", 0.123456), ("other", None))
    ...     )
    ... )
    | learner | gap |
    |---|---|
    | ixomd | 0.1235 |
    | other | - |
    """

    name: str
    """The file name without its suffix."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    """None stands for a missing entry."""
    smallest_shown: float = 0.0
    """Numbers closer to 0 are noise, and shown as 0; `csv` has them in full."""

    def text(self, entry: Entry) -> str:
        """Return the text of an entry."""
        is_noise = isinstance(entry, float) and abs(entry) < self.smallest_shown
        return entry_text(0.0 if is_noise else entry)

    def __str__(self) -> str:
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        texts = ["| " + " | ".join(map(self.text, line)) + " |" for line in lines]
        texts[1] = texts[1].replace(" ", "")
        return "\n".join(texts)

    def csv(self) -> str:
        """Return the table as CSV."""
        file = StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:  # programs read integers without commas
            writer.writerow(str(one) if type(one) is int else entry_text(one) for one in row)
        return file.getvalue()


def entry_text(entry: Entry) -> str:
    """Return a table entry as text: floats with four digits, booleans as yes or NO, None as `-`."""
    if entry is None:
        return "-"
    if isinstance(entry, bool):
        return "yes" if entry else "NO"
    if isinstance(entry, float):
        return f"{entry:.{SIGNIFICANT_DIGITS}g}"
    return f"{entry:,}" if isinstance(entry, int) else entry


def compared_columns(expected: str) -> tuple[str, ...]:
    """Return the column names of the entries that `compared` returns."""
    return ("measured", "sd", "seeds", expected, "difference", "within 3 sd")


def compared(spread: Spread, expected: Expected | None) -> tuple[Entry, ...]:
    """Return the six entries of a row that compare a measured number with the expected one.

    Examples
    --------
    >>> compared(Spread(0.11, 0.006, 10), Expected(0.109))[-1]
    True
    """
    measured: tuple[Entry, ...] = (spread.mean, spread.sd, spread.num_runs)
    if expected is None:
        return (*measured, None, None, None)
    difference = spread.mean - expected.mean
    return (*measured, expected.mean, difference, spread.agrees_with(expected))


@dataclass(frozen=True)
class Chart:
    """A line chart."""

    name: str
    """The file name without its suffix."""
    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    is_logarithmic: bool = True
    """Whether both axes are logarithmic; otherwise both are linear."""
    x_ticks: tuple[str, ...] = ()
    """Labels of the positions 1, 2, ... on the x axis, in place of numbers."""

    def figure(self) -> Figure:
        """Draw the figure."""
        return plot_lines(
            self.lines,
            title=self.title,
            x_label=self.x_label,
            y_label=self.y_label,
            is_logarithmic=self.is_logarithmic,
            x_ticks=self.x_ticks,
        )


@dataclass(frozen=True)
class HeatMap:
    """A heat map: values by two parameters."""

    name: str
    """The file name without its suffix."""
    title: str
    x_label: str
    y_label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    """The parameters, in the order of the axes."""
    values: tuple[tuple[float, ...], ...]
    """One row for each value of y, from the bottom, with an entry for each value of x; NaN leaves a
    cell blank."""

    def figure(self) -> Figure:
        """Draw the figure."""
        return plot_heat_map(
            self.values,
            self.x,
            self.y,
            title=self.title,
            x_label=self.x_label,
            y_label=self.y_label,
        )


@dataclass(frozen=True)
class FrequencyBars:
    """Frequencies of actions, as one stacked bar for each label."""

    name: str
    """The file name without its suffix."""
    title: str
    labels: tuple[str, ...]
    actions: tuple[str, ...]
    frequencies: tuple[tuple[float, ...], ...]
    """One row for each label, with an entry for each action."""

    def figure(self) -> Figure:
        """Draw the figure."""
        return plot_frequencies(
            self.labels, self.actions, np.array(self.frequencies), title=self.title
        )


@dataclass(frozen=True)
class Report:
    """The tables and figures of an experiment."""

    tables: tuple[Table, ...]
    charts: tuple[Chart | HeatMap | FrequencyBars, ...] = ()
    settings: str = ""
    """The settings of the experiment, as Markdown."""

    def markdown(self, title: str) -> str:
        """Return settings, tables and links to the figures as Markdown, under a title."""
        parts = [f"# {title}", *([self.settings] if self.settings else [])]
        parts += [f"{table.title}\n\n{table}" for table in self.tables]
        parts += [f"![{chart.title}]({chart.name}.svg)" for chart in self.charts]
        return "\n\n".join(parts) + "\n"


def save_report(report: Report, folder: Path, name: str, title: str) -> list[str]:
    """Write a report to a folder: Markdown, a CSV file for each table, an SVG file for each figure.

    Returns
    -------
    list[str]
        The names of the written files.
    """
    from matplotlib import rc_context

    for table in report.tables:
        write_text(folder / f"{table.name}.csv", table.csv())
    for chart in report.charts:
        figure, path = chart.figure(), folder / f"{chart.name}.svg"
        # With a fixed salt, the same figure gives the same bytes.
        with rc_context({"svg.hashsalt": chart.name}), replace_file(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})
    write_text(folder / f"{name}.md", report.markdown(title))
    files = [*(f"{t.name}.csv" for t in report.tables), *(f"{c.name}.svg" for c in report.charts)]
    return [f"{name}.md", *files]
