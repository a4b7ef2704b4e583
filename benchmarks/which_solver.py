"""Compare the methods by their reference curves: the tables and figures of docs/solvers.

    python benchmarks/which_solver.py            # print the tables
    python benchmarks/which_solver.py --write    # update the pages and figures

The data are the files that benchmarks/curves.py writes; nothing is measured here. A target is a
fraction of the payoff range. Curves are interpolated linearly on logarithmic axes. If a curve does
not reach a target, its last iteration counts, which favors the method. Games in which no member of
the CFR family reaches the target are ignored.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from math import exp, inf, log
from statistics import fmean
from typing import NamedTuple, TypeAlias

from curves import GAMES, Curve, read_curves
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from report import DOCS, replace_part, table

from infoset.regret import SCHEMES

TARGETS = (1e-3, 1e-4, 1e-6)
EVERYDAY = TARGETS[:2]
"""The targets that determine the ranking."""

PAGES = {
    DOCS / "solvers" / "index.md": ["ranking"],
    DOCS / "solvers" / "curves.md": [f"to {target:.0e}" for target in TARGETS],
}
"""The tables of each page."""

LINES = {
    "cfr": ("#000000", "-"),
    "cfr+": ("#e69f00", "-"),
    "dcfr": ("#009e73", "-"),
    "pcfr+": ("#56b4e9", "--"),
    "pdcfr+": ("#d55e00", "--"),
    "sapcfr+": ("#0072b2", "--"),
    "sapdcfr+": ("#0072b2", "-"),
    "rtcfr+": ("#cc79a7", "-."),
    "optimistic-omd": ("#777777", ":"),
}
"""Colors and line styles of the methods in the figures, safe for color-blind readers."""

LOWEST = 1e-8
"""The lowest value in the figures."""

LARGEST_RATIO = 5.0
"""The ranking shows methods up to this mean ratio; the page of the curves has all methods."""


class Arrival(NamedTuple):
    """The iterations at which a curve first reaches a target, or its last iteration."""

    iterations: float
    is_reached: bool

    def __str__(self) -> str:
        shown = f"{float(f'{self.iterations:.2g}'):,.0f}"
        return shown if self.is_reached else f"> {shown}"


Arrivals: TypeAlias = Mapping[str, Mapping[str, Arrival]]
"""Arrivals by game and method, for one target."""


def arrivals_at(target: float) -> Arrivals:
    """Return the iterations at which the curves reach a target."""
    return {
        game: {
            method: arrival(curve, target * row.payoff_width)
            for method, curve in read_curves(game).items()
        }
        for game, row in GAMES.items()
    }


def arrival(curve: Curve, level: float) -> Arrival:
    """Return the iteration at which a curve first falls to a level."""
    before: tuple[int, float] | None = None
    for iteration, (value, _) in curve.items():
        if value <= level:
            return Arrival(_crossing(before, (iteration, value), level), True)
        before = (iteration, value)
    return Arrival(max(curve), False)


def _crossing(before: tuple[int, float] | None, after: tuple[int, float], level: float) -> float:
    """Return the iteration at which the line between two measurements crosses a level."""
    if before is None or after[1] <= 0:
        return after[0]
    fraction = log(before[1] / level) / log(before[1] / after[1])
    return exp(log(before[0]) + fraction * log(after[0] / before[0]))


def ratios(arrivals: Arrivals, method: str) -> dict[str, float]:
    """Return by game the ratio of a method's iterations to those of the best of the CFR family.

    Games in which no member of the family reaches the target are left out.
    """
    found = {}
    for game, row in arrivals.items():
        best = best_of(row[name] for name in SCHEMES if name in row)
        if best < inf:
            iterations, is_reached = row[method]
            found[game] = iterations / best if is_reached else max(iterations / best, 1.0)
    return found


def best_of(found: Iterable[Arrival]) -> float:
    """Return the minimum number of iterations to a target; infinity if no curve reaches it."""
    return min((arrival.iterations for arrival in found if arrival.is_reached), default=inf)


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return exp(fmean(map(log, values)))


def ranking() -> str:
    """Return the table of the best methods, by their mean ratio to the best of the CFR family."""
    tables = {target: arrivals_at(target) for target in TARGETS}
    lines = []
    for method in tables[TARGETS[0]]["kuhn_poker"]:
        by_target = {target: ratios(arrivals, method) for target, arrivals in tables.items()}
        everyday = [(r, g) for t in EVERYDAY for g, r in by_target[t].items()]
        worst, game = max(everyday)
        overall = geometric_mean(ratio for ratio, _ in everyday)
        precise = geometric_mean(by_target[TARGETS[-1]].values())
        cells = [
            f"`{method}`",
            f"{overall:.2f}",
            f"{precise:.2f}",
            f"{worst:.1f}, {GAMES[game].title}",
        ]
        lines.append((overall, cells))
    head = ["method", "to 1e-03 and 1e-04", "to 1e-06", "worst of the first two"]
    return table(head, [cells for overall, cells in sorted(lines) if overall <= LARGEST_RATIO])


def detail(target: float) -> str:
    """Return the table of iterations to one target."""
    arrivals = arrivals_at(target)
    best = {game: best_of(row.values()) for game, row in arrivals.items()}
    rows = [
        [f"`{method}`", *(_cell(row[method], best[game]) for game, row in arrivals.items())]
        for method in arrivals["kuhn_poker"]
    ]
    return table(["method", *(row.title for row in GAMES.values())], rows)


def _cell(found: Arrival, best: float) -> str:
    is_best = found.is_reached and found.iterations == best
    return f"**{found}**" if is_best else str(found)


def sections() -> dict[str, str]:
    """Return the generated parts of the pages by name."""
    shown = {f"to {target:.0e}": detail(target) for target in TARGETS}
    return {"ranking": ranking(), **shown}


def draw_family(family: str) -> Figure:
    """Return the figure of a family: a panel per game, one legend below."""
    games = [game for game, row in GAMES.items() if row.family == family]
    figure = Figure(figsize=(4.2 * len(games), 4.4), layout="constrained")
    panels = figure.subplots(1, len(games), sharey=True)
    for axes, game in zip(panels, games, strict=True):
        draw_game(axes, game)
    panels[0].set_ylabel("exploitability / payoff range")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=5, frameon=False)
    return figure


def draw_game(axes: Axes, game: str) -> None:
    """Draw the curves of one game, relative to its payoff range."""
    row, curves = GAMES[game], read_curves(game)
    for method, (color, dashes) in LINES.items():
        points = [(t, m.exploitability / row.payoff_width) for t, m in curves[method].items()]
        shown = [(t, value) for t, value in points if value > LOWEST / 10]
        axes.plot(*zip(*shown, strict=True), color=color, linestyle=dashes, label=method)
    axes.set(xscale="log", yscale="log", xlabel="iterations", ylim=(LOWEST, 1), xlim=(1, None))
    axes.set_yticks([1, 1e-2, 1e-4, 1e-6, LOWEST])
    axes.minorticks_off()
    axes.set_title(row.title, fontsize=11)
    axes.grid(visible=True, color="#d9d9d9", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def write(shown: Mapping[str, str]) -> None:
    """Write the tables to the pages, and draw the figures."""
    for page, names in PAGES.items():
        text = page.read_text(encoding="utf-8")
        for name in names:
            text = replace_part(text, f"which_solver.py, {name}", shown[name])
        page.write_text(text, encoding="utf-8")
    for family in dict.fromkeys(row.family for row in GAMES.values()):
        name = family.lower().replace("'", "").replace(" ", "_")
        with rc_context({"svg.hashsalt": name}):
            path = DOCS / "images" / f"curves-{name}.svg"
            draw_family(family).savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the tables, and write them if requested."""
    parser = argparse.ArgumentParser(description="The tables and figures of docs/solvers.")
    parser.add_argument("--write", action="store_true", help="update the pages and docs/images")
    arguments = parser.parse_args()
    shown = sections()
    for name, text in shown.items():
        print(f"\n{name}\n\n{text}")
    if arguments.write:
        write(shown)


if __name__ == "__main__":
    main()
