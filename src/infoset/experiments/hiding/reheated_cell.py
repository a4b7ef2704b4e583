"""Learning again from where learning ended: restarts, and regrets that are nearly forgotten."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from threading import Event
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import BrokenOff, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.hiding.hiding_cell import TeamGame
from infoset.teams import (
    HidingScheme,
    InformationMap,
    ProgressiveHiding,
    team_optimum,
)
from infoset.typing import FloatArray

__all__ = ["Heat", "ReheatedCell", "by_turns", "reheat"]

NOISE: Final = 1
LEAST_GAIN: Final = 1e-9


class Heat(NamedTuple):
    """What is left of the regrets when learning begins again.

        regret ← kept · regret + noise

    Attributes
    ----------
    label : str
    kept : float
        0 for a restart.
    noise : float
        σ of what is added, as in the learner.
    """

    label: str
    kept: float
    noise: float


@dataclass(frozen=True)
class ReheatedCell:
    """A scheme in a game that is begun again several times, for one seed.

    Attributes
    ----------
    team_game : TeamGame
    scheme : HidingScheme
    heat : Heat
    iterations : int
        Of each round.
    rounds : int
    seed : int
    goal : float
        No more rounds are begun once a policy earns more.
    is_polished : bool
        Whether in the end agents respond by turns to the best policy.
    """

    team_game: TeamGame
    scheme: HidingScheme
    heat: Heat
    iterations: int
    rounds: int
    seed: int
    goal: float
    is_polished: bool = False

    @property
    def name(self) -> str:
        """What its file begins with."""
        return run_slug(self.team_game.game, f"{self.team_game.lent}-{self.heat.label}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result, but for seconds."""
        team_game, heat = self.team_game._asdict(), self.heat._asdict()
        scheme = self.scheme.settings()
        return {**asdict(self), "team_game": team_game, "heat": heat, "scheme": scheme}

    def run(self, interrupt: Event) -> CellResult:
        """Return the best payoff after each round, the seconds of the thread, and the polish's."""
        hiding = ProgressiveHiding(self.team_game.relaxed_form, self.scheme, seed=self.seed)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(NOISE,)))
        hiding.run(0)  # compiles
        best: list[float] = []
        began = time.thread_time()
        while len(best) < self.rounds and hiding.best_payoff <= self.goal:
            if interrupt.is_set():
                raise BrokenOff
            if best:
                reheat(hiding, self.heat, rng)
            hiding.run(self.iterations)
            best.append(hiding.best_payoff)
        seconds = time.thread_time() - began
        polished = None
        if self.is_polished:
            polished = by_turns(self.team_game.form.information, hiding.best_policy())
        return {"best": best, "seconds": seconds, "polished": polished}


def reheat(hiding: ProgressiveHiding, heat: Heat, rng: np.random.Generator) -> None:
    """Let the learners of a state forget, all but a share of their regrets, and add noise.

    The penalty schedule begins again, too.
    """
    state = {name: np.array(value) for name, value in hiding.state().items()}
    learner = replace(hiding.scheme.learner, noise=heat.noise)
    state["regret"] = heat.kept * state["regret"] + learner.first_regrets(len(state["regret"]), rng)
    state["gamma"][:] = hiding.scheme.schedule.first
    hiding.set_state(state)


def by_turns(information: InformationMap, probability: FloatArray) -> float:
    """Return what a team earns once its agents respond by turns to a policy, until none gains.

    Each response is exact.
    """
    value, before = -np.inf, -np.inf
    while True:
        for agent in range(information.form.num_agents):
            response = team_optimum(information, (agent,), others=probability)
            probability, value = response.probability, response.value
        if value <= before + LEAST_GAIN:
            return value
        before = value
