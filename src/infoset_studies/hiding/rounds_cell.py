"""A scheme that learns in rounds, for one seed, until a goal is reached."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from threading import Event
from typing import Any

from infoset.experiments.cells import BrokenOff, CellResult
from infoset.experiments.folders import run_slug
from infoset.teams import (
    HidingScheme,
    ProgressiveHiding,
    expected_payoffs,
    hill_climb,
)
from infoset_studies.hiding.hiding_cell import TeamGame

__all__ = ["RoundsCell"]


@dataclass(frozen=True)
class RoundsCell:
    """A scheme with rounds in a game, for one seed.

    Attributes
    ----------
    team_game : TeamGame
    scheme : HidingScheme
    rounds : int
        How many.
    seed : int
    goal : float
        No more rounds are begun once a policy earns more.
    """

    team_game: TeamGame
    scheme: HidingScheme
    rounds: int
    seed: int
    goal: float

    @property
    def name(self) -> str:
        """What its file begins with."""
        learner = self.scheme.learner.name
        return run_slug(self.team_game.game, f"{self.team_game.lent}-{learner}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result, but for seconds."""
        team_game, scheme = self.team_game._asdict(), self.scheme.settings()
        return {**asdict(self), "team_game": team_game, "scheme": scheme}

    def run(self, interrupt: Event) -> CellResult:
        """Return the best payoff after each round, the seconds of the thread, and by turns."""
        assert self.scheme.regret_restarts is not None
        hiding = ProgressiveHiding(self.team_game.relaxed_form, self.scheme, seed=self.seed)
        hiding.run(0)  # compiles
        best: list[float] = []
        began = time.thread_time()
        while len(best) < self.rounds and hiding.best_payoff <= self.goal:
            if interrupt.is_set():
                raise BrokenOff
            hiding.run(self.scheme.regret_restarts.iterations)
            best.append(hiding.best_payoff)
        seconds = time.thread_time() - began
        information = self.team_game.form.information
        improved = hill_climb(information, hiding.best_policy())
        earned = float(expected_payoffs(information, improved)[0])
        return {"best": best, "seconds": seconds, "by_turns": earned}
