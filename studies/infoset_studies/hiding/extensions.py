"""Extensions of the paper: schedules, restarts, the default method, and Hanabi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.grids import run_grid
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.teams import (
    HidingScheme,
    RegretRestarts,
    entropic_ftrl,
    geometric_penalty,
    regret_matching,
)
from infoset_studies.hiding.bridge import GAME, bidding_table
from infoset_studies.hiding.default_method import Goal, Hanabi, default_table, hanabi_table
from infoset_studies.hiding.team_cells import HidingCell, RoundsCell, play
from infoset_studies.hiding.trade import SOLVED, market

__all__ = ["EXTENSIONS"]

SINGLE: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "baseline": {},
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
        "projector previous": {"projector": "previous"},
        "regret matching": {"learner": regret_matching()},
    }
)
"""Changed fields of the baseline scheme."""

SINGLE_ITERATIONS: Final = 400
SINGLE_ITEMS: Final = 5

ITERATIONS: Final = 100
"""Iterations of a round in trade and communication."""

PENALTY: Final = 0.3
NOT_RETAINED: Final = RegretRestarts(ITERATIONS, retain=0.0, noise=0.5)
RETAINED: Final = RegretRestarts(ITERATIONS, retain=0.003, noise=0.1)
RESTARTS: Final = MappingProxyType(
    {"no retained regret": NOT_RETAINED, "retained regret": RETAINED}
)
ROUNDS_SHOWN: Final = (1, 2, 4, 8, 16)

GOALS: Final = (
    Goal("trade_comm(num_items=2,num_messages=1)", "recall", 0.5, 40),
    *(
        Goal(f"trade_comm(num_items={size})", relaxation, 1.0, seeds)
        for size, seeds in ((3, 40), (4, 40), (5, 20))
        for relaxation in ("private_revealed", "recall")
    ),
    Goal(GAME, "recall", 20.9, 20),
)
"""Goals of the default method."""

HANABIS: Final = (
    Hanabi(1, 2, 2, 1, 1, 10),
    Hanabi(1, 3, 1, 1, 1, 10),
    Hanabi(1, 3, 1, 1, 2, 3),
    Hanabi(1, 3, 1, 2, 1, 1),
)


class Setting(NamedTuple):
    """The numbers of seeds and rounds.

    Attributes
    ----------
    single_seeds : int
    markets : tuple[tuple[int, str, int], ...]
        Items, relaxation, and seeds.
    rounds : int
    bridge_seeds : int
    bridge_rounds : int
    goals : tuple[Goal, ...]
    hanabis : tuple[Hanabi, ...]
    """

    single_seeds: int
    markets: tuple[tuple[int, str, int], ...]
    rounds: int
    bridge_seeds: int
    bridge_rounds: int
    goals: tuple[Goal, ...]
    hanabis: tuple[Hanabi, ...]


def report(run: RunCells, setting: Setting) -> Report:
    """Compare other settings, several rounds, and the default method; solve small Hanabi games."""
    bidders = bidding_table(run, setting.bridge_seeds, setting.bridge_rounds)
    default = default_table(run, setting.goals)
    hanabi = hanabi_table(run, setting.hanabis)
    return Report((_single(run, setting), _markets(run, setting), bidders, default, hanabi))


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
        "extensions-single",
        f"One run of {SINGLE_ITERATIONS} iterations with {SINGLE_ITEMS} items and the relaxation "
        f"`recall`; play ends at a wrong offer, {setting.single_seeds} seeds.",
        ("setting", "success", "mean", "10 %"),
        tuple(rows),
    )


def market_cell(
    num_items: int, relaxation: str, restarts: RegretRestarts, rounds: int, seed: int
) -> RoundsCell:
    """Return a cell that runs rounds in trade and communication until the game is solved."""
    team_game = market(num_items, relaxation, is_short=True)
    scheme = HidingScheme(penalty=PENALTY, regret_restarts=restarts)
    return RoundsCell(team_game, scheme, rounds, seed, SOLVED)


def _markets(run: RunCells, setting: Setting) -> Table:
    points = [(*market, name) for market in setting.markets for name in RESTARTS]

    def cells_of(point: tuple[int, str, int, str]) -> list[RoundsCell]:
        size, relaxation, seeds, name = point
        return [
            market_cell(size, relaxation, RESTARTS[name], setting.rounds, seed)
            for seed in range(seeds)
        ]

    shown = [rounds for rounds in ROUNDS_SHOWN if rounds <= setting.rounds]
    rows: list[tuple[str | float | None, ...]] = []
    for (size, relaxation, seeds, name), results in run_grid(run, points, cells_of).items():
        solved = [solved_after(results, rounds) for rounds in shown]
        mean = float(np.mean([result["best"][-1] for result in results]))
        seconds = float(np.mean([result["seconds"] for result in results]))
        rows.append((size, relaxation, name, seeds, *solved, mean, seconds))
    return Table(
        "extensions-trade",
        f"Fraction of seeds that earn more than {SOLVED} after some rounds of {ITERATIONS} "
        f"iterations with γ {PENALTY:g}, mean payoff of the best policy, and seconds until the "
        "goal or the last round.",
        ("items", "relaxation", "restarts", "seeds", *map(_rounds_text, shown), "mean", "seconds"),
        tuple(rows),
    )


def _rounds_text(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"


def solved_after(results: Sequence[CellResult], rounds: int) -> float:
    """Return the fraction of seeds that solve trade and communication within `rounds`."""
    return float(np.mean([result["best"][:rounds][-1] > SOLVED for result in results]))


EXTENSIONS = Experiment(
    "extensions",
    "Extensions of the paper",
    report,
    quick=Setting(
        single_seeds=8,
        markets=((4, "recall", 10), (5, "private_revealed", 10), (5, "recall", 10)),
        rounds=8,
        bridge_seeds=3,
        bridge_rounds=2,
        goals=tuple(goal._replace(seeds=max(2, goal.seeds // 10)) for goal in GOALS),
        hanabis=HANABIS[:2],
    ),
    full=Setting(
        single_seeds=20,
        markets=(
            *(
                (size, relaxation, 40)
                for size in (4, 5)
                for relaxation in ("private_revealed", "recall")
            ),
            (8, "private_revealed", 10),
            (10, "private_revealed", 10),
        ),
        rounds=16,
        bridge_seeds=10,
        bridge_rounds=4,
        goals=GOALS,
        hanabis=HANABIS,
    ),
    quick_time="three minutes",
    full_time="half an hour",
)
