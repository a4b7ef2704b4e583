"""Methods that learn: runs from different first policies, measured on the way."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from infoset.errors import ParameterError
from infoset.runs import NullCheckpointer
from infoset.teams.exact import hill_climb
from infoset.teams.hiding import (
    HidingScheme,
    MinorizeMaximize,
    PenaltySchedule,
    ProgressiveHiding,
    RegretRestarts,
    RelaxedForm,
    entropic_ftrl,
    geometric_penalty,
)
from infoset.teams.solving.keeping import TeamCheckpointer, keep_runs
from infoset.teams.solving.learning_runs import Learner, LearningRuns, Start
from infoset.teams.solving.result import TeamOutcome, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, comes_to

__all__ = ["LearningMethod", "default_scheme", "hide_by", "minorize"]

PENALTY = 0.3
RATE_AGAINST = 2.0
LEARNING_RATE = 16.0
FIRST_PENALTY, LAST_PENALTY = 1 / 15, 8 / 3
ROUNDS = RegretRestarts(iterations=100, retain=0.001, noise=0.5)


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
        """Solve a game of one team, or of several that all learn.

        In the end the agents of one team respond by turns to the best policy, until none gains.
        """
        bound, runs = task.upper_bound(), LearningRuns(self.start, task)
        outcome = _learn(runs, bound, keep_runs(runs, self.name))
        answer = runs.best.probability
        if len(task.teams) == 1:
            answer = hill_climb(task.information, answer, task.teams[0], rule=task.rule)
        return task.finish(
            self.name,
            outcome,
            answer,
            upper_bound=bound,
            last_probability=runs.best.last_probability,
            run=runs.best.run,
        )


def default_scheme(relaxed_form: RelaxedForm) -> HidingScheme:
    """Return the scheme by default: rates and penalties in proportion to what is at stake.

    Policies then do not depend on the units of payoffs. One team learns in rounds, at a rising
    penalty; where several do the last policies count, not the best, and all learn in one. The
    numbers did best over trade and communication and tiny bridge.
    """
    stake = _stake(relaxed_form)
    if len(relaxed_form.teams) > 1:
        learner = entropic_ftrl(RATE_AGAINST / stake)
        return HidingScheme(learner=learner, penalty=PENALTY * stake, projector="previous")
    penalty = geometric_penalty(FIRST_PENALTY * stake, LAST_PENALTY * stake, ROUNDS.iterations)
    learner = entropic_ftrl(LEARNING_RATE / stake)
    return HidingScheme(
        learner=learner, penalty=penalty, projector="previous", regret_restarts=ROUNDS
    )


def hide_by(scheme: HidingScheme | None = None) -> Start:
    """Return how progressive hiding begins by a scheme, or by the one that suits the game."""

    def start(
        relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int
    ) -> Learner:
        chosen = default_scheme(relaxed_form) if scheme is None else scheme
        if penalty is not None:
            chosen = replace(chosen, penalty=penalty)
        return ProgressiveHiding(relaxed_form, chosen, seed=seed)

    return start


def minorize(
    relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int
) -> Learner:
    """Begin Algorithm 1, by default with a penalty in proportion to what is at stake.

    Raises
    ------
    ParameterError
        As `MinorizeMaximize`; also if the penalty is a schedule.
    """
    if isinstance(penalty, PenaltySchedule):
        raise ParameterError(
            f"minorize-maximize has one penalty, and {penalty.name!r} is a schedule of many; give "
            "a number, such as 0.3"
        )
    penalty = PENALTY * _stake(relaxed_form) if penalty is None else penalty
    return MinorizeMaximize(relaxed_form, penalty, seed=seed)


def _stake(relaxed_form: RelaxedForm) -> float:
    """Return how wide the range of payoffs is, or 1 where all pay the same."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def _learn(
    runs: LearningRuns, bound: float | None, keeper: TeamCheckpointer | NullCheckpointer
) -> TeamOutcome:
    """Learn in one run after the other; return why all ended.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, if there is nothing yet.
    """
    outcome: TeamOutcome | None = None
    try:
        while outcome is None and not comes_to(bound, runs.best.payoff):
            if runs.is_run_over and runs.run + 1 >= (runs.task.options.restarts or 1):
                outcome = "iterations"
                continue
            with keeper.interrupts_held_back():
                if runs.is_run_over:
                    runs.next_run()
                outcome = runs.go_on()
            keeper.save_if_due()
    except KeyboardInterrupt:
        if not runs.task.trace:
            raise
        outcome = "interrupted"
    keeper.save()
    return outcome or "optimal"
