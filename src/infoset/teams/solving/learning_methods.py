"""Team methods that learn with relaxed information."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import inf

import numpy as np

from infoset.errors import ParameterError
from infoset.runs import NullCheckpointer
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
from infoset.teams.relaxations import DEFAULT_RELAXATION
from infoset.teams.solving.candidates import Candidates, offer_plain_policy
from infoset.teams.solving.learning_runs import (
    Learner,
    LearningRuns,
    Start,
    TeamCheckpointer,
    make_checkpointer,
)
from infoset.teams.solving.result import TeamOutcome, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, reaches

PENALTY = 0.3
HEDGING_PENALTY = 0.01
"""Default penalties of proximal steps, as fractions of the payoff range: of Algorithm 1, and of
progressive hedging, whose multipliers outweigh the payoffs if the penalty is large."""
RATE_AGAINST = 2.0
LEARNING_RATE = 16.0
FIRST_PENALTY, LAST_PENALTY = 1 / 15, 8 / 3
HIDING_DEFAULTS = TeamOptions(relax=DEFAULT_RELAXATION, iterations=1000, restarts=4)
REGRET_RESTARTS = RegretRestarts(iterations=100, retain=0.001, noise=0.5)


@dataclass(frozen=True)
class LearningMethod:
    """A method that learns with relaxed information; the answer is the best of several runs."""

    name: str
    description: str
    defaults: TeamOptions
    start: Start
    """Function of a relaxed form, a penalty and a seed that returns a learner."""

    @property
    def takes(self) -> frozenset[str]:
        """Names of the options that the method accepts: all options."""
        return frozenset(entry.name for entry in fields(TeamOptions))

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team, or of several teams that all learn.

        CFR+ without relaxation comes first, because it takes little time. For a single team, the
        answer is the better of its policy and of the best policy of all runs, both improved by
        iterated best response. With several teams, each takes the safest of three policies: that of
        CFR+, the last one, and the mean over the iterations.
        """
        bound, runs = task.upper_bound(), LearningRuns(self.start, task)
        checkpointer, candidates = make_checkpointer(runs, self.name), Candidates(task)
        offer_plain_policy(candidates, task)
        num_teams = len(task.teams)
        # Reserved for the measurements of the learned policies below.
        task.clock.reserved_seconds = candidates.reserved_seconds(1 if num_teams == 1 else 2)
        began = task.clock.elapsed
        known = candidates.payoff if num_teams == 1 else -inf
        outcome = learn_in_runs(
            runs, bound, checkpointer, known=known, is_interrupted=candidates.is_interrupted
        )
        candidates.is_interrupted |= outcome == "interrupted"
        done, seconds = runs.iteration, task.clock.elapsed - began
        learned = {"last": runs.best.last_probability, "mean": runs.best.probability}
        if num_teams == 1:
            learned = {self.name: runs.best.probability}
        for name, probability in learned.items():
            candidates.offer(name, probability, iterations=done, seconds=seconds)
        answer = candidates.answer()
        return task.finish(
            self.name,
            "interrupted" if candidates.is_interrupted else outcome,
            answer.probability,
            upper_bound=bound,
            last_probability=runs.best.last_probability,
            run=runs.best.run,
            candidates=candidates.found,
            chosen=answer.chosen,
            security_levels=answer.security_levels,
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
        learner=learner,
        penalty=penalty,
        projector="previous",
        regret_restarts=REGRET_RESTARTS,
        is_planned=True,
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


def proximal_steps(name: str, algorithm: type[MinorizeMaximize], default: float) -> Start:
    """Return a function that starts Algorithm 1 or progressive hedging.

    default : fraction of the payoff range that is the penalty if none is given.
    """

    def start(
        relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int
    ) -> Learner:
        if isinstance(penalty, PenaltySchedule):
            raise ParameterError(
                f"{name} needs a constant penalty, but {penalty.name!r} is a schedule; "
                f"give a number, such as {default}"
            )
        penalty = default * _payoff_range(relaxed_form) if penalty is None else penalty
        return algorithm(relaxed_form, penalty, seed=seed)

    return start


def _payoff_range(relaxed_form: RelaxedForm) -> float:
    """Return the difference between maximum and minimum payoff, or 1 if all payoffs are equal."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    # `payoff` lists only ends with a payoff; 0 is in the range if some end pays nothing.
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def learn_in_runs(
    runs: LearningRuns,
    bound: float | None,
    checkpointer: TeamCheckpointer | NullCheckpointer,
    *,
    known: float = -inf,
    is_interrupted: bool = False,
) -> TeamOutcome:
    """Do one run after another, and return why they ended.

    Parameters
    ----------
    bound
        Payoff at which learning ends.
    known
        Payoff of a policy that is already known. If it reaches the bound, or after an interrupt,
        there is only one measurement.
    is_interrupted
        Whether Ctrl-C was pressed before learning began.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first measurement.
    """
    outcome: TeamOutcome | None = None
    try:
        while outcome is None and not reaches(bound, runs.best.payoff):
            # One measurement is made in any case, for the trace.
            if runs.is_measured and (is_interrupted or reaches(bound, known)):
                outcome = "interrupted" if is_interrupted else "optimal"
                continue
            if runs.is_run_over and runs.run + 1 >= (runs.task.options.restarts or 1):
                outcome = "iterations"
                continue
            with checkpointer.without_interrupts():
                if runs.is_run_over:
                    runs.next_run()
                outcome = runs.advance()
            checkpointer.save_if_due()
    except KeyboardInterrupt:
        if not runs.is_measured:
            raise
        outcome = "interrupted"
    checkpointer.save()
    return outcome or "optimal"
