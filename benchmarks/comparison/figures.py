"""Figures of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from comparison.peers import PEERS

__all__ = ["draw_iterations", "draw_targets", "save"]

Result = dict[str, Any]

OURS = "auto"
COLORS = dict(
    zip(
        (OURS, *(peer.name for peer in PEERS)),
        ("#1f5fa8", "#b5532a", "#3f8f5b", "#7a5aa6", "#8a7a2f"),
        strict=True,
    )
)
MARKERS = dict(zip(COLORS, ("o", "s", "D", "^", "v"), strict=True))
GRID = "#d9d9d9"
STYLE = {"svg.hashsalt": "infoset"}
"""Fixed identifiers and no date, so that equal figures have equal files."""
HEIGHT_OF_GAME, MARGIN = 0.3, 1.3
FAINT = 0.45


def draw_targets(results: Sequence[Result], titles: Mapping[str, str], target: float) -> Figure:
    """Draw the time to a target by game, with hollow markers for runs that missed it."""
    key = f"{target:g}"
    figure, axes = panel(results, titles)
    names = [OURS, *(peer.name for peer in PEERS if peer.times_targets)]
    for name in names:
        for row, result in enumerate(results):
            mark_time(axes, row, name, result["solvers"].get(name, {}), key)
        axes.plot([], [], MARKERS[name], color=COLORS[name], label=name)
    power = f"$10^{{{log10(target):.0f}}}$"
    axes.set_xlabel(f"seconds to {power}, building included; hollow: not reached by then")
    finish(figure, axes, len(names))
    return figure


def mark_time(axes: Axes, row: int, name: str, solver: Result, key: str) -> None:
    """Draw the marker of one run."""
    if "seconds" not in solver:
        return
    seconds = solver["seconds"][key]
    total = solver["build"] + (solver["spent"] if seconds is None else seconds)
    axes.plot(
        [total],
        [row],
        MARKERS[name],
        color=COLORS[name],
        markerfacecolor="none" if seconds is None else COLORS[name],
        alpha=FAINT if seconds is None else 1.0,
    )


def draw_iterations(results: Sequence[Result], titles: Mapping[str, str]) -> Figure:
    """Draw each peer's time per iteration relative to ours, with its range over the rounds."""
    figure, axes = panel(results, titles)
    names = [peer.name for peer in PEERS if not peer.is_exact]
    for name in names:
        for row, result in enumerate(results):
            if "ratio" in result["peers"][name]:
                middle, least, most = result["peers"][name]["ratio"]
                axes.plot([least, most], [row, row], color=COLORS[name], linewidth=1)
                axes.plot([middle], [row], MARKERS[name], color=COLORS[name])
        axes.plot([], [], MARKERS[name], color=COLORS[name], label=name)
    axes.set_xlim(left=10)
    axes.set_xlabel("an iteration of CFR+, as a multiple of ours")
    finish(figure, axes, len(names))
    return figure


def panel(results: Sequence[Result], titles: Mapping[str, str]) -> tuple[Figure, Axes]:
    """Return axes with one row per game."""
    figure = Figure(figsize=(7.2, MARGIN + HEIGHT_OF_GAME * len(results)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(results)), [titles[result["game"]] for result in results])
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    return figure, axes


def finish(figure: Figure, axes: Axes, columns: int) -> None:
    """Add the grid and the legend."""
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.grid(axis="y", color=GRID, linewidth=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=columns, frameon=False)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, metadata={"Date": None})
