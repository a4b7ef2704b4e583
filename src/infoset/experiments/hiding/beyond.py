"""Beyond the paper: what solves trade and communication, and bids better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.hiding.bridge import GAME, OPTIMUM
from infoset.experiments.hiding.hiding_cell import HidingCell, TeamGame, play
from infoset.experiments.hiding.reheated_cell import Heat, ReheatedCell
from infoset.experiments.hiding.trade import SOLVED, market
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.teams import (
    HidingScheme,
    PenaltySchedule,
    entropic_ftrl,
    geometric_penalty,
    regret_matching,
    steered_penalty,
)

__all__ = ["BEYOND"]

SINGLE: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "as in the notes": {},
        "γ 0.1": {"penalty": 0.1},
        "γ 0.2": {"penalty": 0.2},
        "γ 0.5": {"penalty": 0.5},
        "γ 1": {"penalty": 1.0},
        "γ 1 to 0.1": {"penalty": geometric_penalty(1.0, 0.1, 400)},
        "γ 0.1 to 1": {"penalty": geometric_penalty(0.1, 1.0, 400)},
        "η 0.25": {"learner": entropic_ftrl(0.25)},
        "η 2": {"learner": entropic_ftrl(2.0)},
        "σ 0.1": {"learner": entropic_ftrl(noise=0.1)},
        "σ 2": {"learner": entropic_ftrl(noise=2.0)},
        "projector prevhat": {"projector": "prevhat"},
        "regret matching": {"learner": regret_matching()},
    }
)
"""What one run may do otherwise, all else as in the notes."""

SINGLE_ITERATIONS: Final = 400
SINGLE_ITEMS: Final = 5

ITERATIONS: Final = 100
"""Of a round in trade and communication."""

GAMMA: Final = 0.3
RESTARTED: Final = Heat("restarted", 0.0, 0.5)
REHEATED: Final = Heat("reheated", 0.003, 0.1)
ROUNDS_SHOWN: Final = (1, 2, 4, 8, 16)

BETTER: Final = 20.9
"""In bridge: what is to be beaten."""

BIDDERS: Final[Mapping[str, tuple[int, PenaltySchedule]]] = MappingProxyType(
    {
        "γ 5 to 200, 75 iterations": (75, geometric_penalty(5, 200, 75)),
        "steered to 20.8, 75 iterations": (75, steered_penalty(20.8)),
        "γ 5 to 200, 300 iterations": (300, geometric_penalty(5, 200, 300)),
    }
)

KEPT_BIDS: Final = Heat("reheated", 0.001, 0.0)
ANEW: Final = Heat("restarted", 0.0, 0.1)


class Setting(NamedTuple):
    """How many seeds of what.

    Attributes
    ----------
    single_seeds : int
    markets : tuple[tuple[int, str, int], ...]
        Items, what is lent, seeds.
    rounds : int
    bridge_seeds : int
    bridge_rounds : int
    """

    single_seeds: int
    markets: tuple[tuple[int, str, int], ...]
    rounds: int
    bridge_seeds: int
    bridge_rounds: int


def report(run: RunCells, setting: Setting) -> Report:
    """Try other settings of one run, then several rounds, in trade and in bridge."""
    return Report((_single(run, setting), _markets(run, setting), _bidders(run, setting)))


def _single(run: RunCells, setting: Setting) -> Table:
    cells = [
        HidingCell(
            market(SINGLE_ITEMS, "recall", is_short=True),
            HidingScheme(**{"penalty": 0.3, **changes}),
            SINGLE_ITERATIONS,
            setting.single_seeds,
        )
        for changes in SINGLE.values()
    ]
    rows = [
        (name, found.solved(SOLVED), float(found.last.mean()), float(found.quantile(0.1)[-1]))
        for name, found in zip(SINGLE, play(run, cells, 8), strict=True)
    ]
    return Table(
        "beyond-single",
        f"One run of {SINGLE_ITERATIONS} iterations with {SINGLE_ITEMS} items, recall lent, play "
        f"that ends at a wrong offer, {setting.single_seeds} seeds.",
        ("setting", "success", "mean", "10 %"),
        tuple(rows),
    )


def market_cell(num_items: int, lent: str, heat: Heat, rounds: int, seed: int) -> ReheatedCell:
    """Return rounds in trade and communication, until it is solved."""
    team_game = market(num_items, lent, is_short=True)
    scheme = HidingScheme(penalty=GAMMA)
    return ReheatedCell(team_game, scheme, heat, ITERATIONS, rounds, seed, SOLVED)


def _markets(run: RunCells, setting: Setting) -> Table:
    keys = [(*of, heat) for of in setting.markets for heat in (RESTARTED, REHEATED)]
    groups = [
        [market_cell(size, lent, heat, setting.rounds, seed) for seed in range(seeds)]
        for size, lent, seeds, heat in keys
    ]
    shown = [rounds for rounds in ROUNDS_SHOWN if rounds <= setting.rounds]
    rows: list[tuple[str | float | None, ...]] = []
    for (size, lent, seeds, heat), results in zip(keys, _grouped(run, groups), strict=True):
        solved = [solved_after(results, rounds) for rounds in shown]
        mean = float(np.mean([result["best"][-1] for result in results]))
        seconds = float(np.mean([result["seconds"] for result in results]))
        rows.append((size, lent, heat.label, seeds, *solved, mean, seconds))
    return Table(
        "beyond-trade",
        f"Share of seeds that earn more than {SOLVED} after some rounds of {ITERATIONS} iterations "
        f"with γ {GAMMA:g}, what the best policy earns on average, and seconds until it is solved "
        "or given up.",
        ("items", "lent", "between", "seeds", *map(_rounds_text, shown), "mean", "seconds"),
        tuple(rows),
    )


def _rounds_text(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"


def solved_after(results: Sequence[CellResult], rounds: int) -> float:
    """Return the share of seeds that solve trade and communication in so many rounds."""
    return float(np.mean([result["best"][:rounds][-1] > SOLVED for result in results]))


def bidding_cell(name: str, heat: Heat, rounds: int, seed: int) -> ReheatedCell:
    """Return rounds in bridge, with responses by turns in the end."""
    iterations, penalty = BIDDERS[name]
    scheme = HidingScheme(learner=regret_matching(), projector="prevhat", penalty=penalty)
    goal = float(OPTIMUM) - 1e-6
    return ReheatedCell(
        TeamGame(GAME, "recall"), scheme, heat, iterations, rounds, seed, goal, is_polished=True
    )


def _bidders(run: RunCells, setting: Setting) -> Table:
    keys = [(name, ANEW, 1) for name in BIDDERS]
    keys += [(name, heat, setting.bridge_rounds) for name in BIDDERS for heat in (ANEW, KEPT_BIDS)]
    groups = [[bidding_cell(*key, seed) for seed in range(setting.bridge_seeds)] for key in keys]
    rows: list[tuple[str | float | None, ...]] = []
    for (name, heat, rounds), results in zip(keys, _grouped(run, groups), strict=True):
        between = None if rounds == 1 else heat.label
        numbers = [
            number
            for ends in ([r["best"][-1] for r in results], [r["polished"] for r in results])
            for number in (float(np.mean(ends)), max(ends), float(np.mean(np.array(ends) > BETTER)))
        ]
        rows.append((name, rounds, between, *numbers))
    columns = "mean", "best", f"above {BETTER}"
    return Table(
        "beyond-bridge",
        f"Bridge: the best policy of all rounds, {setting.bridge_seeds} seeds, and what it earns "
        "once agents have responded to it by turns.",
        (
            *("method", "rounds", "between"),
            *columns,
            *(f"{column}, by turns" for column in columns),
        ),
        tuple(rows),
    )


def _grouped(run: RunCells, groups: Sequence[Sequence[ReheatedCell]]) -> list[list[CellResult]]:
    """Return the results of groups of cells."""
    results = iter(run([cell for group in groups for cell in group]))
    return [[next(results) for _ in group] for group in groups]


BEYOND = Experiment(
    "beyond",
    "Beyond the paper",
    report,
    quick=Setting(
        single_seeds=8,
        markets=((4, "recall", 10), (5, "cheated", 10), (5, "recall", 10)),
        rounds=8,
        bridge_seeds=3,
        bridge_rounds=2,
    ),
    full=Setting(
        single_seeds=20,
        markets=(
            *((size, lent, 40) for size in (4, 5) for lent in ("cheated", "recall")),
            (8, "cheated", 10),
            (10, "cheated", 10),
        ),
        rounds=16,
        bridge_seeds=10,
        bridge_rounds=4,
    ),
    quick_time="two minutes",
    full_time="half an hour",
)
