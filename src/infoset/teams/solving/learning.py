"""Methods that learn: runs from different first policies, measured on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.solvers.loop import WORK_BETWEEN_LOOKS, planned_measurements
from infoset.teams.hiding import (
    HidingScheme,
    HidingTrace,
    MinorizeMaximize,
    PenaltySchedule,
    ProgressiveHiding,
    RelaxedForm,
    entropic_ftrl,
)
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, comes_to

__all__ = ["LearningMethod", "Start", "hide_by", "minorize", "suited_scheme"]

RATE = 2.0
GAMMA = 0.3

Run: TypeAlias = ProgressiveHiding | MinorizeMaximize

Start: TypeAlias = Callable[[RelaxedForm, PenaltySchedule | float | None, int], Run]
"""From a form, the penalty that is asked for, and a seed to the beginning of a run."""


@dataclass(frozen=True)
class LearningMethod:
    """Agents learn with what they are lent, in several runs; the best is the answer.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    start : callable
        From a form, a penalty and a seed to the beginning of a run.
    """

    name: str
    description: str
    defaults: TeamOptions
    start: Start

    @property
    def takes(self) -> frozenset[str]:
        """Which options it has a use for: all."""
        return frozenset(entry.name for entry in fields(TeamOptions))

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team, or of several that all learn."""
        bound = task.upper_bound()
        best, outcome = _learn_in_runs(self.start, task, bound)
        return task.finish(
            self.name,
            outcome,
            best.best_policy(),
            upper_bound=bound,
            last_probability=best.policy(),
            run=best.seed - task.seed,
        )


def suited_scheme(relaxed_form: RelaxedForm) -> HidingScheme:
    """Return the scheme by default: rate and penalty in proportion to what is at stake.

    Policies then do not depend on the units of payoffs. The two numbers and the projector did best
    over trade and communication and tiny bridge.
    """
    stake = _stake(relaxed_form)
    learner = entropic_ftrl(RATE / stake)
    return HidingScheme(learner=learner, penalty=GAMMA * stake, projector="prevhat")


def hide_by(scheme: HidingScheme | None = None) -> Start:
    """Return how progressive hiding begins by a scheme, or by the one that suits the game."""

    def start(relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int) -> Run:
        chosen = suited_scheme(relaxed_form) if scheme is None else scheme
        if penalty is not None:
            chosen = replace(chosen, penalty=penalty)
        return ProgressiveHiding(relaxed_form, chosen, seed=seed)

    return start


def minorize(relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int) -> Run:
    """Begin Algorithm 1, by default with a penalty in proportion to what is at stake.

    Raises
    ------
    ParameterError
        As `MinorizeMaximize`; also if the penalty is a schedule.
    """
    if isinstance(penalty, PenaltySchedule):
        raise ParameterError(
            f"minorise-maximise has one penalty, and {penalty.name!r} is a schedule of many; give "
            "a number, such as 0.3"
        )
    gamma = GAMMA * _stake(relaxed_form) if penalty is None else penalty
    return MinorizeMaximize(relaxed_form, gamma, seed=seed)


def _stake(relaxed_form: RelaxedForm) -> float:
    """Return how wide the range of payoffs is, or 1 where all pay the same."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def _learn_in_runs(start: Start, task: TeamTask, bound: float | None) -> tuple[Run, TeamOutcome]:
    """Learn from one first policy after the other; return the best run, and why all ended.

    After Ctrl-C that is the best of what is there.

    Raises
    ------
    KeyboardInterrupt
        If there is nothing yet.
    """
    options = task.options
    best = state = start(task.lent, options.penalty, task.seed)
    try:
        for run in range(options.restarts or 1):
            if run:
                state = start(task.lent, options.penalty, task.seed + run)
            outcome = _learn(state, run, task, bound)
            best = _better(best, state, task)
            if outcome is not None:
                return best, outcome
    except KeyboardInterrupt:
        if not task.trace:
            raise
        return _better(best, state, task), "interrupted"
    return best, "iterations"


def _better(best: Run, state: Run, task: TeamTask) -> Run:
    """Return what earned the one team more, the first of equals and where there are several."""
    is_better = len(task.teams) == 1 and state.best_payoff > best.best_payoff
    return state if is_better else best


def _learn(state: Run, run: int, task: TeamTask, bound: float | None) -> TeamOutcome | None:
    """Do the iterations of a run; return why all runs end by it, or None to go on."""
    last = task.options.iterations or 1
    relaxed_form = state.relaxed_form
    work = relaxed_form.form.num_nodes + relaxed_form.relaxed.num_slots
    for planned in planned_measurements(work, WORK_BETWEEN_LOOKS):
        trace = state.run(min(planned, last) - state.iteration)
        outcome = task.record(_point(trace, run, state.iteration, task.elapsed))
        if comes_to(bound, state.best_payoff):
            return "optimal"
        if outcome is not None or state.iteration >= last:
            return outcome
    raise AssertionError("measurements have no end")


def _point(trace: HidingTrace, run: int, iteration: int, seconds: float) -> TeamPoint:
    payoffs, relaxed, penalties, gammas = (tuple(part[-1].tolist()) for part in trace)
    return TeamPoint(run, iteration, seconds, payoffs, relaxed, penalties, gammas)
