"""What `solve_team` does by default, in games whose optimum is known."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from infoset.experiments.cells import BrokenOff, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Table
from infoset.experiments.studies import RunCells
from infoset.games import load_game
from infoset.teams import TEAM_METHODS, ProductForm, build_product_form, merge_outcomes
from infoset.teams.solving import DEFAULT_TEAM_METHOD, TeamOptions, TeamTask, fill_options
from infoset_studies.hiding.hiding_cell import grouped

__all__ = ["DefaultCell", "Goal", "default_cells", "default_table", "whole_form"]

FIRST_SEED = 50_000
"""Far from the seeds by which the default was chosen."""


class Goal(NamedTuple):
    """What is to be solved.

    Attributes
    ----------
    game : str
    lent : str
    payoff : float
        What counts as solved.
    seeds : int
    """

    game: str
    lent: str
    payoff: float
    seeds: int


@dataclass(frozen=True)
class DefaultCell:
    """The default in a game, for one seed.

    Attributes
    ----------
    game : str
    lent : str
    seed : int
    """

    game: str
    lent: str
    seed: int

    @property
    def name(self) -> str:
        """What its file begins with."""
        return run_slug(self.game, f"{self.lent}-default-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result, but for seconds."""
        return {**asdict(self), "options": asdict(_options(self.lent))}

    def run(self, interrupt: Event) -> CellResult:
        """Return what is earned in the end, the number of runs, and the seconds of the thread."""
        if interrupt.is_set():
            raise BrokenOff
        form = whole_form(self.game)
        team = (tuple(range(form.num_agents)),)
        task = TeamTask(form, team, _options(self.lent), "common", self.seed)
        began = time.thread_time()
        result = TEAM_METHODS[DEFAULT_TEAM_METHOD].solve(task)
        seconds = time.thread_time() - began
        return {"payoff": result.payoff, "runs": result.num_runs, "seconds": seconds}


def _options(lent: str) -> TeamOptions:
    return fill_options(TEAM_METHODS[DEFAULT_TEAM_METHOD], TeamOptions(relax=lent))


def whole_form(game: str) -> ProductForm:
    """Return the product form that `solve_team` makes of a game."""
    return merge_outcomes(build_product_form(load_game(game)))


def default_cells(game: str, lent: str, seeds: int) -> list[DefaultCell]:
    """Return the cells of some seeds."""
    return [DefaultCell(game, lent, FIRST_SEED + 100 * seed) for seed in range(seeds)]


def default_table(run: RunCells, goals: Sequence[Goal]) -> Table:
    """Return how often the default solves each of some games."""
    groups = [default_cells(goal.game, goal.lent, goal.seeds) for goal in goals]
    rows: list[tuple[str | float | None, ...]] = []
    for goal, results in zip(goals, grouped(run, groups), strict=True):
        earned = np.array([result["payoff"] for result in results])
        means = (float(np.mean([result[name] for result in results])) for name in MEANS)
        solved = float(np.mean(earned >= goal.payoff - 1e-9))
        rows.append((*goal, solved, float(earned.mean()), float(earned.min()), *means))
    return Table(
        "beyond-default",
        "What `solve_team` and `infoset solve` do by default, with seeds by which nothing was "
        "chosen: the share of them that earn what is asked for, what they earn, runs and seconds.",
        ("game", "lent", "asked for", "seeds", "share", "mean", "least", *MEANS),
        tuple(rows),
    )


MEANS = "runs", "seconds"
