"""The default method of `solve_team` on games with a known optimum, and on small Hanabi games."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.grids import run_points
from infoset.experiments.reports import Table
from infoset.experiments.studies import RunCells
from infoset.games import load_game
from infoset.runs import Interrupt
from infoset.teams import (
    TEAM_METHODS,
    ProductForm,
    build_product_form,
    iterated_best_response,
    merge_outcomes,
    recall_bound,
    team_optimum,
)
from infoset.teams.solving import TeamOptions, TeamTask, fill_options

__all__ = [
    "DefaultCell",
    "Goal",
    "Hanabi",
    "default_cells",
    "default_table",
    "hanabi_table",
    "whole_form",
]

LEARNING = "progressive-hiding"
FIRST_SEED = 50_000
"""First seed; disjoint from the seeds used to choose the default."""


class Goal(NamedTuple):
    """A game, and the payoff at which it counts as solved.

    Attributes
    ----------
    game : str
    relaxation : str
    payoff : float
        Smallest payoff at which the game counts as solved.
    seeds : int
    """

    game: str
    relaxation: str
    payoff: float
    seeds: int


@dataclass(frozen=True)
class DefaultCell:
    """The default method on a game, for one seed.

    Attributes
    ----------
    game : str
    relaxation : str
    seed : int
    """

    game: str
    relaxation: str
    seed: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"{self.relaxation}-default-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result, except for its seconds."""
        return {
            "game": self.game,
            "lent": self.relaxation,
            "seed": self.seed,
            "options": asdict(_options(self.relaxation)),
        }

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the final payoff, the number of runs, and the CPU seconds."""
        if interrupt.is_set():
            raise CellInterrupted
        form = whole_form(self.game)
        team = (tuple(range(form.num_agents)),)
        task = TeamTask(form, team, _options(self.relaxation), "common", self.seed)
        began = time.thread_time()
        result = TEAM_METHODS[LEARNING].solve(task)
        seconds = time.thread_time() - began
        return {"payoff": result.payoff, "runs": result.num_runs, "seconds": seconds}


def _options(relaxation: str) -> TeamOptions:
    return fill_options(TEAM_METHODS[LEARNING], TeamOptions(relax=relaxation))


def whole_form(game: str) -> ProductForm:
    """Return the product form that `solve_team` builds for a game."""
    return merge_outcomes(build_product_form(load_game(game)))


def default_cells(game: str, relaxation: str, seeds: int) -> list[DefaultCell]:
    """Return one cell for each seed."""
    return [DefaultCell(game, relaxation, FIRST_SEED + 100 * seed) for seed in range(seeds)]


def default_table(run: RunCells, goals: Sequence[Goal]) -> Table:
    """Return the success rate of the default method on each game."""
    groups = [default_cells(goal.game, goal.relaxation, goal.seeds) for goal in goals]
    rows: list[tuple[str | float | None, ...]] = []
    for goal, results in zip(goals, run_points(run, groups), strict=True):
        earned = np.array([result["payoff"] for result in results])
        means = (float(np.mean([result[name] for result in results])) for name in MEANS)
        solved = float(np.mean(earned >= goal.payoff - 1e-9))
        rows.append((*goal, solved, float(earned.mean()), float(earned.min()), *means))
    return Table(
        "extensions-default",
        "The default method of `solve_team` and `infoset solve`, with seeds that were not used to "
        "choose it: fraction of seeds that reach the goal, payoffs, runs and seconds.",
        ("game", "relaxation", "goal", "seeds", "solved", "mean", "minimum", *MEANS),
        tuple(rows),
    )


MEANS = "runs", "seconds"


RELAXATION: Final = "recall"
SMALLEST: Final = "cooperative_matching_pennies"
SECONDS: Final = 30.0
"""Time limit of the exact search and of iterated best response, in seconds each."""


class Hanabi(NamedTuple):
    """Parameters of a two-player Hanabi game, and the number of seeds.

    Attributes
    ----------
    colors, ranks, hand_size, information_tokens, life_tokens : int
    seeds : int
    """

    colors: int
    ranks: int
    hand_size: int
    information_tokens: int
    life_tokens: int
    seeds: int

    @property
    def game(self) -> str:
        """The specification for `load`."""
        return (
            f"hanabi(players=2,colors={self.colors},ranks={self.ranks},hand_size={self.hand_size},"
            f"max_information_tokens={self.information_tokens},max_life_tokens={self.life_tokens})"
        )


def hanabi_table(run: RunCells, hanabis: Sequence[Hanabi]) -> Table:
    """Compare the payoffs of the default method with the optimum and its bounds."""
    team_optimum(whole_form(SMALLEST).information)  # compile outside the time limit
    groups = [default_cells(hanabi.game, RELAXATION, hanabi.seeds) for hanabi in hanabis]
    rows: list[tuple[str | float | None, ...]] = []
    for hanabi, results in zip(hanabis, run_points(run, groups), strict=True):
        information = whole_form(hanabi.game).information
        optimum = team_optimum(information, seconds=SECONDS)
        iterated = iterated_best_response(information, restarts=100, seconds=SECONDS)
        earned = [result["payoff"] for result in results]
        seconds = float(np.mean([result["seconds"] for result in results]))
        known = optimum.value, optimum.upper_bound, iterated.value, recall_bound(information)
        found = float(np.mean(earned)), max(earned), seconds
        rows.append((*hanabi, information.num_cells, *known, *found))
    return Table(
        "extensions-hanabi",
        "Two-player Hanabi: the best payoff and the upper bound of the exact search in "
        f"{SECONDS:g} seconds, iterated best response, the bound with perfect recall, and the "
        "default method.",
        (
            *("colors", "ranks", "cards in hand", "hints", "lives", "seeds", "infostates"),
            *("exact", "upper bound", "iterated best response", "with recall"),
            *("mean", "best", "seconds"),
        ),
        tuple(rows),
    )
