"""Gadgets and the opponent's values at the root of a search, for blueprints of all qualities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.resolving import GADGETS, OPPONENT_VALUES
from infoset_studies.sepot.blueprints import (
    LEDUC,
    NETWORK,
    Blueprint,
    Known,
    goofspiel,
    known_blueprints,
    usable,
    without_networks,
)
from infoset_studies.sepot.search_cells import Search, depth_text, searched

__all__ = ["GOOFSPIEL", "LEDUC_GADGETS", "SAFEST", "Grid", "Grids", "kind_of", "searches_of"]

UNSAFE: Final = "none"
TOLERANCE: Final = 0.01
"""A smaller rise of NashConv may be due to the limited number of iterations."""

FLOOR: Final = 0.01
"""Ratios are not meaningful for blueprints whose NashConv is smaller."""

Found = Mapping[tuple[Blueprint, Search], float]


class Grid(NamedTuple):
    """Blueprints, and searches with all combinations of depth, gadget and opponent's values.

    Attributes
    ----------
    name, title : str
        File name and title of the table.
    blueprints : tuple[Blueprint, ...]
    depths : tuple[int or None, ...]
    gadgets : tuple[str, ...]
    iterations : int
    """

    name: str
    title: str
    blueprints: tuple[Blueprint, ...]
    depths: tuple[int | None, ...]
    gadgets: tuple[str, ...] = ("resolving",)
    iterations: int = 500

    def run(self, run: RunCells) -> tuple[list[Known], Found]:
        """Make the blueprints, and search."""
        known = known_blueprints(run, usable(self.blueprints))
        return known, searched(run, known, searches_of(self))


Grids = tuple[Grid, ...]


def searches_of(grid: Grid) -> list[Search]:
    """Return the searches of a grid; without a gadget there are no opponent's values."""
    combinations = product(grid.gadgets, OPPONENT_VALUES, grid.depths)
    return [
        Search(opponent, gadget, depth, grid.iterations)
        for gadget, opponent, depth in combinations
        if gadget != UNSAFE or opponent == OPPONENT_VALUES[0]
    ]


def kind_of(search: Search) -> tuple[str, str | None]:
    """Return the gadget and the opponent's values, which do not matter without a gadget."""
    return search.gadget, None if search.gadget == UNSAFE else search.opponent


def grid_report(run: RunCells, setting: Grids) -> Report:
    """Return one table and one figure for each grid."""
    tables, charts = [], []
    for grid in setting:
        known, found = grid.run(run)
        tables.append(_by_blueprint(grid, known, found))
        charts.append(_before_and_after(grid, known, found))
    return Report(tuple(tables), tuple(charts))


def depth_report(run: RunCells, setting: Grids) -> Report:
    """Return one table for each grid, and one figure for each blueprint that can be exploited."""
    tables, charts = [], []
    for grid in setting:
        known, found = grid.run(run)
        tables.append(_by_depth(grid, known, found))
        charts += [_depth_chart(grid, one, found) for one in known if one.nash_conv >= FLOOR]
    return Report(tuple(tables), tuple(charts))


def _by_blueprint(grid: Grid, known: Sequence[Known], found: Found) -> Table:
    rows: list[tuple[str | float | None, ...]] = [
        ("blueprint", None, None, *(one.nash_conv for one in known))
    ]
    rows += [
        (
            *kind_of(search),
            depth_text(search.depth),
            *(found[one.blueprint, search] for one in known),
        )
        for search in searches_of(grid)
    ]
    labels = (one.blueprint.label for one in known)
    columns = ("gadget", "opponent values", "depth", *labels)
    return Table(grid.name, _title(grid), columns, tuple(rows))


def _by_depth(grid: Grid, known: Sequence[Known], found: Found) -> Table:
    kinds = dict.fromkeys(map(kind_of, searches_of(grid)))
    rows = [
        (
            *(one.blueprint.label, *kind, one.nash_conv),
            *(found[one.blueprint, s] for s in searches_of(grid) if kind_of(s) == kind),
        )
        for one, kind in product(known, kinds)
    ]
    depths = (f"depth {depth}" if depth else depth_text(depth) for depth in grid.depths)
    columns = ("blueprint", "gadget", "opponent values", "without search", *depths)
    return Table(grid.name, _title(grid), columns, tuple(rows))


def _title(grid: Grid) -> str:
    return (
        f"{grid.title}: NashConv of blueprints, and of continual re-solving at all public states "
        f"with {grid.iterations:,} iterations of CFR+ and exact values.{without_networks()}"
    )


def _before_and_after(grid: Grid, known: Sequence[Known], found: Found) -> Chart:
    """Return NashConv after search over that of the blueprint, for the deepest limit."""
    depth = [depth for depth in grid.depths if depth is not None][-1]
    ordered = sorted(known, key=lambda one: one.nash_conv)
    across = tuple(one.nash_conv for one in ordered)
    shown = [
        search
        for search in searches_of(grid)
        if search.depth == depth and search.gadget in ("resolving", UNSAFE)
    ]
    lines = [
        Line(
            kind_of(search)[1] or "no gadget",
            across,
            tuple(found[one.blueprint, search] for one in ordered),
        )
        for search in shown
    ]
    lines.append(Line("no search", across, across, is_guide=True))
    return Chart(
        grid.name,
        f"{grid.title}: search of depth {depth}",
        "NashConv of the blueprint",
        "NashConv with search",
        tuple(lines),
    )


def _depth_chart(grid: Grid, one: Known, found: Found) -> Chart:
    """Return NashConv by depth."""
    across = tuple(float(number) for number in range(1, len(grid.depths) + 1))
    searches = [search for search in searches_of(grid) if search.gadget == grid.gadgets[0]]
    lines = [
        Line(
            opponent,
            across,
            tuple(found[one.blueprint, s] for s in searches if s.opponent == opponent),
        )
        for opponent in OPPONENT_VALUES
    ]
    guide = (one.nash_conv,) * len(across)
    lines.append(Line("no search", across, guide, is_guide=True))
    made = one.blueprint
    return Chart(
        f"{grid.name}-{made.method.replace('+', '-plus')}",
        f"{grid.title}, blueprint {made.label}",
        "depth",
        "NashConv",
        tuple(lines),
        is_logarithmic=False,
        x_ticks=tuple(map(depth_text, grid.depths)),
    )


def safest_report(run: RunCells, setting: Grids) -> Report:
    """Count the cells of all grids in which a choice of gadget and values raises NashConv."""
    changes: dict[tuple[str, str | None], list[tuple[Known, Search, float]]] = {}
    for grid in setting:
        known, found = grid.run(run)
        for one, search in product(known, searches_of(grid)):
            entry = (one, search, found[one.blueprint, search])
            changes.setdefault(kind_of(search), []).append(entry)
    rows = [(*kind, *_summary(entries)) for kind, entries in changes.items()]
    about = (
        "All cells of the tables of gadgets and depths: number of cells, number in which search "
        f"raises NashConv by more than {TOLERANCE}, largest rise and where it is, and the "
        "geometric mean of NashConv with search divided by that of the blueprint (if this is at "
        f"least {FLOOR}), over searches with a depth limit."
    )
    columns = (
        *("gadget", "opponent values", "cells", "raised", "largest rise"),
        *("game", "blueprint", "depth", "mean ratio"),
    )
    return Report((Table("safest", about + without_networks(), columns, tuple(rows)),))


def _summary(
    entries: Sequence[tuple[Known, Search, float]],
) -> tuple[int, int, float, str, str, str, float]:
    rises = [nash_conv - one.nash_conv for one, _, nash_conv in entries]
    one, search, _ = entries[int(np.argmax(rises))]
    ratios = [
        nash_conv / one.nash_conv
        for one, search, nash_conv in entries
        if one.nash_conv >= FLOOR and search.depth is not None
    ]
    return (
        len(entries),
        sum(rise > TOLERANCE for rise in rises),
        max(rises),
        one.blueprint.game.partition("(")[0] + _cards(one.blueprint.game),
        one.blueprint.label,
        depth_text(search.depth),
        float(np.exp(np.mean(np.log(ratios)))),
    )


def _cards(game: str) -> str:
    """Return the number of cards of goofspiel."""
    return f" {game.partition('num_cards=')[2][0]}" if "num_cards" in game else ""


def _leduc(steps: Sequence[int], depths: tuple[int | None, ...], iterations: int) -> Grid:
    makers = [(NETWORK, length) for length in steps]
    makers += [("cfr", 10), ("cfr", 30), ("cfr", 200), ("cfr+", 2000)]
    blueprints = tuple(Blueprint(LEDUC, *maker) for maker in makers)
    return Grid("leduc", "Leduc poker", blueprints, depths, tuple(GADGETS), iterations)


def _goofspiels(steps: Mapping[int, int]) -> Grids:
    """Return the grids of goofspiel, by the learner steps for each number of cards."""
    return tuple(
        Grid(
            f"goofspiel-{cards}",
            f"Goofspiel with {cards} cards, descending",
            tuple(
                Blueprint(goofspiel(cards), *maker)
                for maker in ((NETWORK, steps[cards]), ("cfr", 40), ("cfr+", 2000))
            ),
            (*range(1, cards - 1), None),
            ("resolving", "reach-max-margin", UNSAFE),
        )
        for cards in steps
    )


QUICK_LEDUC: Final = _leduc((1000, 4000), (2,), 300)
FULL_LEDUC: Final = _leduc((4000, 20_000), (1, 2, None), 1000)
QUICK_GOOFSPIEL: Final = _goofspiels({4: 2000, 5: 4000})
FULL_GOOFSPIEL: Final = _goofspiels({4: 10_000, 5: 20_000})

LEDUC_GADGETS = Experiment(
    "leduc",
    "Gadgets and opponent's values on Leduc poker",
    grid_report,
    quick=(QUICK_LEDUC,),
    full=(FULL_LEDUC,),
    quick_time="a minute",
    full_time="ten minutes",
)

GOOFSPIEL = Experiment(
    "goofspiel",
    "Depth limits on goofspiel with descending prizes",
    depth_report,
    quick=QUICK_GOOFSPIEL,
    full=FULL_GOOFSPIEL,
    quick_time="a minute",
    full_time="ten minutes",
)

SAFEST = Experiment(
    "safest",
    "Which values never raise NashConv",
    safest_report,
    quick=(QUICK_LEDUC, *QUICK_GOOFSPIEL),
    full=(FULL_LEDUC, *FULL_GOOFSPIEL),
    quick_time="a few seconds, after leduc and goofspiel",
    full_time="a few seconds, after leduc and goofspiel",
)
