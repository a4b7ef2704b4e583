"""Beyond the paper: what solves trade and communication, and bids better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.teams import (
    HidingScheme,
    RegretRestarts,
    entropic_ftrl,
    geometric_penalty,
    regret_matching,
)
from infoset_studies.hiding.bidding import bidding_table
from infoset_studies.hiding.bridge import GAME
from infoset_studies.hiding.default_cell import Goal, default_table
from infoset_studies.hiding.hanabi import Hanabi, hanabi_table
from infoset_studies.hiding.hiding_cell import HidingCell, grouped, play
from infoset_studies.hiding.rounds_cell import RoundsCell
from infoset_studies.hiding.trade import SOLVED, market

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
        "projector previous": {"projector": "previous"},
        "regret matching": {"learner": regret_matching()},
    }
)
"""What one run may do otherwise, all else as in the notes."""

SINGLE_ITERATIONS: Final = 400
SINGLE_ITEMS: Final = 5

ITERATIONS: Final = 100
"""Of a round in trade and communication."""

GAMMA: Final = 0.3
RESTARTED: Final = RegretRestarts(ITERATIONS, retain=0.0, noise=0.5)
REHEATED: Final = RegretRestarts(ITERATIONS, retain=0.003, noise=0.1)
BETWEEN: Final = MappingProxyType({"restarted": RESTARTED, "reheated": REHEATED})
ROUNDS_SHOWN: Final = (1, 2, 4, 8, 16)

GOALS: Final = (
    Goal("trade_comm(num_items=2,num_messages=1)", "recall", 0.5, 40),
    *(
        Goal(f"trade_comm(num_items={size})", lent, 1.0, seeds)
        for size, seeds in ((3, 40), (4, 40), (5, 20))
        for lent in ("private_revealed", "recall")
    ),
    Goal(GAME, "recall", 20.9, 20),
)
"""What the default is asked for."""

HANABIS: Final = (
    Hanabi(1, 2, 2, 1, 1, 10),
    Hanabi(1, 3, 1, 1, 1, 10),
    Hanabi(1, 3, 1, 1, 2, 3),
    Hanabi(1, 3, 1, 2, 1, 1),
)


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
    """Try other settings of one run, several rounds, the default, and a small Hanabi."""
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
        "beyond-single",
        f"One run of {SINGLE_ITERATIONS} iterations with {SINGLE_ITEMS} items, recall lent, play "
        f"that ends at a wrong offer, {setting.single_seeds} seeds.",
        ("setting", "success", "mean", "10 %"),
        tuple(rows),
    )


def market_cell(
    num_items: int, lent: str, kept: RegretRestarts, rounds: int, seed: int
) -> RoundsCell:
    """Return rounds in trade and communication, until it is solved."""
    team_game = market(num_items, lent, is_short=True)
    scheme = HidingScheme(penalty=GAMMA, regret_restarts=kept)
    return RoundsCell(team_game, scheme, rounds, seed, SOLVED)


def _markets(run: RunCells, setting: Setting) -> Table:
    keys = [(*of, between) for of in setting.markets for between in BETWEEN]
    groups = [
        [market_cell(size, lent, BETWEEN[name], setting.rounds, seed) for seed in range(seeds)]
        for size, lent, seeds, name in keys
    ]
    shown = [rounds for rounds in ROUNDS_SHOWN if rounds <= setting.rounds]
    rows: list[tuple[str | float | None, ...]] = []
    for (size, lent, seeds, between), results in zip(keys, grouped(run, groups), strict=True):
        solved = [solved_after(results, rounds) for rounds in shown]
        mean = float(np.mean([result["best"][-1] for result in results]))
        seconds = float(np.mean([result["seconds"] for result in results]))
        rows.append((size, lent, between, seeds, *solved, mean, seconds))
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


BEYOND = Experiment(
    "beyond",
    "Beyond the paper",
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
            *((size, lent, 40) for size in (4, 5) for lent in ("private_revealed", "recall")),
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
