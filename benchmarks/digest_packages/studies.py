"""Studies: numbers in the tables and figures of every experiment at a tiny setting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from digest_packages.common import Cells
from infoset.experiments import CellFolder, get_study, installed_studies, run_cells
from infoset_studies.beliefs.average_policies import Effort, PolicyCell, searched
from infoset_studies.beliefs.leakage import true_state_ratio
from infoset_studies.beliefs.simulations import SearchEffort
from infoset_studies.hiding.default_method import Goal, Hanabi

__all__ = ["cells", "uncovered"]

# Adapters

LITTLE = Effort(0.5, 3)
DICE, LEDUC = "LD 2D", "LP"
TRADE = "trade_comm(num_items=2,num_messages=1)"

Values = Callable[[Any], tuple[Any, ...]]

EXPERIMENTS: dict[str, tuple[str, str, Values]] = {
    "balanced/kuhn-theory": ("balanced", "kuhn-theory", lambda _: ((10_000, 100_000), 1)),
    "balanced/tuned": (
        "balanced",
        "tuned-learners",
        lambda quick: (quick.columns[:1], quick.entries[::5], 1, 2, False),
    ),
    "balanced/separation": (
        "balanced",
        "separation",
        lambda _: (("bandit_tree(branching=4)", "bandit_tree(can_stop=True)"), (100_000,), 1),
    ),
    "balanced/correlated": ("balanced", "correlated-play", lambda _: ((1_000,), 2)),
    "balanced/ablations": ("balanced", "ablations", lambda _: (("kuhn_poker",), 2_000, 2, 300)),
    "balanced/switching": ("balanced", "switching", lambda _: ((500, 1_000), 2)),
    "balanced/samples": ("balanced", "sample-complexity", lambda _: ((2, 3), 0.2, 8_000, 2)),
    "beliefs/responses-0": (
        "beliefs",
        "best-responses-first",
        lambda quick: (0, (DICE,), LITTLE, LITTLE, 1, quick.algorithms[:1]),
    ),
    "beliefs/wins-0": ("beliefs", "win-rates-first", lambda _: (0, (("LD 3D", 6), ("CG 10C", 4)))),
    "beliefs/responses-1": (
        "beliefs",
        "best-responses-second",
        lambda quick: (1, (DICE,), LITTLE, LITTLE, 1, quick.algorithms[:1]),
    ),
    "beliefs/wins-1": ("beliefs", "win-rates-second", lambda _: (1, (("LD 3D", 6),))),
    "beliefs/heat-maps": ("beliefs", "two-weights", lambda quick: (quick.maps[:1], LITTLE)),
    "beliefs/trade-offs": (
        "beliefs",
        "leakage-trade-off",
        lambda _: ((DICE, LEDUC), (0.0, 0.5, 1.0)),
    ),
    "beliefs/posterior": ("beliefs", "inference", lambda _: (("kuhn_poker",), (0.0, 0.5))),
    "beliefs/chosen": ("beliefs", "chosen-weights", lambda _: ((DICE,), (0.0, 0.5, 1.0), 1)),
    "beliefs/distance": (
        "beliefs",
        "exploitability",
        lambda _: (("kuhn_poker",), (0.0, 1.0), LITTLE),
    ),
    "beliefs/simulations": (
        "beliefs",
        "simulations",
        lambda _: (DICE, (SearchEffort(0.0, 20, 2, 2), SearchEffort(1.0, 5, 2, 1))),
    ),
    "hiding/pennies": ("hiding", "matching-pennies", lambda _: (10, 3)),
    "hiding/trade": ("hiding", "trade", lambda _: ({2: 3, 3: 2}, 2, 3)),
    "hiding/bridge": ("hiding", "bridge", lambda quick: (quick.entries[:5], 1, 2)),
    "hiding/beyond": (
        "hiding",
        "extensions",
        lambda quick: (
            1,
            ((4, quick.markets[1][1], 2),),
            4,
            1,
            1,
            (Goal(TRADE, quick.markets[0][1], 0.5, 2),),
            (Hanabi(1, 2, 2, 1, 1, 2),),
        ),
    ),
}
"""By ids: the study, the current name of the experiment, and a variant of its quick setting."""

LEFT_OUT = {"recommended", "leakage", "tree-search-settings", "open-rules"}
"""Experiments without a small enough setting; other digests cover their cells."""

TIMED = "seconds"
"""Text in the titles of columns with measured times."""

ALGORITHMS = {"pimc": "pimc", "ismcts": "ismcts"}
CHANGES = {
    "published": (),
    "fitted": (("bonus", "2ln"), ("num_rollouts", 20)),
    "exploration": (("exploration", 2.0),),
}
"""Changed settings of tree search, by ids."""


def uncovered() -> list[str]:
    """Return experiments without a digest."""
    known = {(study, name) for study, name, _ in EXPERIMENTS.values()}
    return [
        f"{study.name}, {experiment.name}"
        for study in installed_studies().values()
        for experiment in study.experiments
        if (study.name, experiment.name) not in known and experiment.name not in LEFT_OUT
    ]


def reported(study: str, name: str, values: Values) -> object:
    """Return the numbers in the report of an experiment."""
    (experiment,) = get_study(study).choose([name])
    setting = type(experiment.quick)(*values(experiment.quick))
    with TemporaryDirectory() as folder:
        run = partial(run_cells, folder=CellFolder(Path(folder) / "cells", study), workers=1)
        report = experiment.report(run, setting)
    return (
        [table_numbers(table) for table in report.tables],
        [chart_numbers(chart) for chart in report.charts],
    )


def searched_policy(algorithm: str, game: str, public_weight: float, changes: Any) -> object:
    """Return the average policy of a searcher, its best responses and its leakage."""
    cell = PolicyCell(algorithm, game, public_weight, LITTLE, 1, changes)
    result = cell.run(Event())
    policy = searched(cell, result)
    leakage = [true_state_ratio(policy, player) for player in range(2)]
    return numbers_of(result["policy"]), list(result["responses"]), leakage


def table_numbers(table: Any) -> object:
    """Return the numbers of a table without columns of seconds, which differ between runs."""
    kept = [place for place, name in enumerate(table.columns) if TIMED not in name]
    return [numbers_of([row[place] for place in kept]) for row in table.rows]


def numbers_of(value: Any) -> object:
    """Return a value without its text."""
    if isinstance(value, (tuple, list)):
        return [numbers_of(part) for part in value if not isinstance(part, str)]
    return value


def chart_numbers(chart: Any) -> object:
    """Return the numbers of a figure."""
    if hasattr(chart, "lines"):
        return [numbers_of((line.x, line.y)) for line in chart.lines]
    return numbers_of((chart.x, chart.y, chart.values))


# The table

SMALL = {"kuhn_poker": "kuhn_poker", "liars_dice": "liars_dice(numdice=2,dice_sides=2)"}


def cells() -> Cells:
    """Yield the digests of the package."""
    for name, (study, experiment, values) in EXPERIMENTS.items():
        yield name, partial(reported, study, experiment, values)
    for name, algorithm in ALGORITHMS.items():
        for title, game in SMALL.items():
            for weight in (0.0, 0.5, 1.0):
                run = partial(searched_policy, algorithm, game, weight, ())
                yield f"beliefs/policy/{name}/{title}/{weight}", run
    for name, changes in CHANGES.items():
        run = partial(searched_policy, ALGORITHMS["ismcts"], "kuhn_poker", 0.5, changes)
        yield f"beliefs/policy/{name}/kuhn_poker", run
