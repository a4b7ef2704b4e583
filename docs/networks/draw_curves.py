"""Draw NashConv by training time from curves.csv, and print the tables of curves.md.

python docs/networks/draw_curves.py
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median

from infoset.plotting.figures import new_figure

HERE = Path(__file__).parent
FILE = HERE / "curves.svg"
TITLES = {
    "kuhn": "Kuhn poker",
    "goofspiel4": "Goofspiel, 4 cards",
    "leduc": "Leduc poker",
    "liars_dice": "Liar's dice, 4 sides",
}
PRESETS = ("rnad", "rnad-expected", "rnad-paper", "rnad-openspiel", "rnad-large")
TIMES = {"leduc": (10, 60, 120, 280)}
"""Seconds at which the table has columns; 1 and 10 for other games."""

Points = list[tuple[float, float]]


def read_runs() -> dict[tuple[str, str], list[Points]]:
    """Return the (seconds, NashConv) of each run, by game and variant."""
    runs: dict[tuple[str, str, str], Points] = defaultdict(list)
    with (HERE / "curves.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            point = float(row["seconds"]), float(row["nash_conv"])
            runs[row["game"], row["variant"], row["seed"]].append(point)
    found: dict[tuple[str, str], list[Points]] = defaultdict(list)
    for (game, variant, _), points in runs.items():
        found[game, variant].append(points)
    return found


def draw(runs: dict[tuple[str, str], list[Points]]) -> None:
    """Draw one panel per game, with one line per seed."""
    figure = new_figure((8.0, 6.0), layout="constrained")
    panels = figure.subplots(2, 2)
    for axes, (game, title) in zip(panels.flat, TITLES.items(), strict=True):
        for number, preset in enumerate(PRESETS):
            for seed, points in enumerate(runs[game, preset]):
                seconds, distances = zip(*points, strict=True)
                label = preset if seed == 0 else None
                axes.plot(
                    seconds,
                    distances,
                    color=f"C{number}",
                    alpha=0.8,
                    lw=1.0,
                    label=label,
                )
        axes.set(xscale="log", yscale="log", title=title)
        axes.grid(visible=True, alpha=0.3)
    for axes in panels[1]:
        axes.set_xlabel("seconds of one core")
    for axes in panels[:, 0]:
        axes.set_ylabel("NashConv")
    handles, labels = panels[1, 0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=len(labels),
        frameon=False,
    )
    figure.savefig(FILE, metadata={"Date": None})


def at(points: Points, seconds: float) -> float | None:
    """Return NashConv at the last measurement up to a time, or None if the run is shorter."""
    known = [distance for spent, distance in points if spent <= 1.02 * seconds]
    return known[-1] if points[-1][0] >= 0.9 * seconds else None


def print_tables(runs: dict[tuple[str, str], list[Points]]) -> None:
    """Print the median and the range over seeds of each game and variant."""
    for (game, variant), seeds in runs.items():
        cells = [
            TITLES[game],
            f"`{variant}`" if variant in PRESETS else variant,
            str(len(seeds)),
        ]
        for seconds in TIMES.get(game, (1, 10)):
            values = [
                value
                for points in seeds
                if (value := at(points, seconds)) is not None
            ]
            if not values:
                cells.append("")
            elif len(values) == 1:
                cells.append(f"{values[0]:.2g}")
            else:
                low, high = f"{min(values):.2g}", f"{max(values):.2g}"
                cells.append(f"{median(values):.2g} ({low} to {high})")
        print("| " + " | ".join(cells) + " |")  # noqa: T201


def main() -> None:
    """Draw the figure and print the tables."""
    runs = read_runs()
    draw(runs)
    print_tables(runs)


if __name__ == "__main__":
    main()
