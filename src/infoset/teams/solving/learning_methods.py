"""Team methods that learn with relaxed information."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.runs import Budget, NullCheckpointer
from infoset.solvers import METHODS, run_method
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
from infoset.teams.policies import from_tabular
from infoset.teams.solving.learning_runs import (
    Learner,
    LearningRuns,
    Start,
    TeamCheckpointer,
    make_checkpointer,
)
from infoset.teams.solving.result import TeamOutcome, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, reaches
from infoset.typing import FloatArray

__all__ = [
    "HIDING_DEFAULTS",
    "LearningMethod",
    "default_scheme",
    "hide_by",
    "learn_alone",
    "learn_in_runs",
    "minorize",
]


PENALTY = 0.3
RATE_AGAINST = 2.0
LEARNING_RATE = 16.0
FIRST_PENALTY, LAST_PENALTY = 1 / 15, 8 / 3
HIDING_DEFAULTS = TeamOptions(relax="recall", iterations=1000, restarts=4)
REGRET_RESTARTS = RegretRestarts(iterations=100, retain=0.001, noise=0.5)


@dataclass(frozen=True)
class LearningMethod:
    """A method that learns with relaxed information; the answer is the best of several runs.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    start : callable
        Function of a relaxed form, a penalty and a seed that returns a learner.
    """

    name: str
    description: str
    defaults: TeamOptions
    start: Start

    @property
    def takes(self) -> frozenset[str]:
        """Names of the options that the method accepts: all options."""
        return frozenset(entry.name for entry in fields(TeamOptions))

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team, or of several teams that all learn.

        At the end, the best policy of a single team is improved by iterated best response. With
        several teams, each takes the safest of three policies: the last one, the mean over the
        iterations, and, if learning was not cut short, that of CFR+ after as many iterations.
        """
        bound, runs = task.upper_bound(), LearningRuns(self.start, task)
        outcome = learn_in_runs(runs, bound, make_checkpointer(runs, self.name))
        answer, last = runs.best.probability, runs.best.last_probability
        if len(task.teams) == 1:
            answer = hill_climb(task.information, answer, task.teams[0], rule=task.rule)
        else:
            policies = [last, answer]
            if outcome == "iterations" and (alone := learn_alone(task)) is not None:
                policies.append(alone)
            answer = task.safest_parts(*policies)
        return task.finish(
            self.name,
            outcome,
            answer,
            upper_bound=bound,
            last_probability=last,
            run=runs.best.run,
        )


def default_scheme(relaxed_form: RelaxedForm) -> HidingScheme:
    """Return the default scheme, with rates and penalties in proportion to the payoff range.

    The learned policies therefore do not depend on the units of payoffs. A single team learns with
    regret restarts and a rising penalty. For several teams the answer is the last policy, not the
    best, so they learn without restarts. Among the values tried, these were the best on trade and
    communication and on tiny bridge.
    """
    payoff_range = _payoff_range(relaxed_form)
    if len(relaxed_form.teams) > 1:
        learner = entropic_ftrl(RATE_AGAINST / payoff_range)
        return HidingScheme(learner=learner, penalty=PENALTY * payoff_range, projector="previous")
    penalty = geometric_penalty(
        FIRST_PENALTY * payoff_range, LAST_PENALTY * payoff_range, REGRET_RESTARTS.iterations
    )
    learner = entropic_ftrl(LEARNING_RATE / payoff_range)
    return HidingScheme(
        learner=learner, penalty=penalty, projector="previous", regret_restarts=REGRET_RESTARTS
    )


def hide_by(scheme: HidingScheme | None = None) -> Start:
    """Return a function that starts progressive hiding, by default with `default_scheme`."""

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
    """Start Algorithm 1, by default with a penalty in proportion to the payoff range.

    Raises
    ------
    ParameterError
        If the penalty is a schedule, or in the cases that `MinorizeMaximize` lists.
    """
    if isinstance(penalty, PenaltySchedule):
        raise ParameterError(
            f"minorize-maximize needs a constant penalty, but {penalty.name!r} is a schedule; "
            "give a number, such as 0.3"
        )
    penalty = PENALTY * _payoff_range(relaxed_form) if penalty is None else penalty
    return MinorizeMaximize(relaxed_form, penalty, seed=seed)


def _payoff_range(relaxed_form: RelaxedForm) -> float:
    """Return the difference between maximum and minimum payoff, or 1 if all payoffs are equal."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def learn_alone(task: TeamTask) -> FloatArray | None:
    """Return the average policy of CFR+, in which every agent learns for itself.

    Each agent learns from its own payoffs and its original information. This often gives a team
    more than learning with relaxed information does, above all if few actions need coordination.

    Returns None if the form was not built from a game, or the game has no sequence form, because an
    agent forgets.
    """
    source = task.form.source
    if source is None:
        return None
    try:
        form = source.tree.sequence_form
    except UnsupportedGameError:
        return None
    budget = Budget(iterations=task.options.iterations, seconds=task.seconds_left)
    return from_tabular(task.information, run_method(METHODS["cfr+"], form, budget).policy)


def learn_in_runs(
    runs: LearningRuns, bound: float | None, checkpointer: TeamCheckpointer | NullCheckpointer
) -> TeamOutcome:
    """Do one run after another, and return why they ended.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first measurement.
    """
    outcome: TeamOutcome | None = None
    try:
        while outcome is None and not reaches(bound, runs.best.payoff):
            if runs.is_run_over and runs.run + 1 >= (runs.task.options.restarts or 1):
                outcome = "iterations"
                continue
            with checkpointer.without_interrupts():
                if runs.is_run_over:
                    runs.next_run()
                outcome = runs.advance()
            checkpointer.save_if_due()
    except KeyboardInterrupt:
        if not runs.task.trace:
            raise
        outcome = "interrupted"
    checkpointer.save()
    return outcome or "optimal"
