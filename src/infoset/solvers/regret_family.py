"""The CFR family as methods: self-play by regret minimization."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from infoset.evaluation import Evaluation
from infoset.evaluation.best_responses import evaluation_of
from infoset.forms import Form, PlanWeights, check_form
from infoset.policy import TabularPolicy
from infoset.policy.stored_policy import StoredPolicy
from infoset.regret import SCHEMES, LocalMinimizer, RegretMinimizer, RegretScheme
from infoset.runs import (
    EARLY_MEASUREMENTS,
    Budget,
    SolveResult,
    TracePoint,
    check_budget,
    gradient_cost,
    run_measured,
    settings_of,
)
from infoset.utils.arguments import check_type

PLANNED_AFTER = (0.05, 0.5)
"""Fractions of a time limit after which a horizon is planned by the measured rate."""

MAKE_MINIMIZER = 'RegretMinimizer(form, SCHEMES["cfr+"])'


def average_policy(minimizer: RegretMinimizer | LocalMinimizer) -> TabularPolicy:
    """Return the average policy, uniform where the average plan does not reach."""
    check_type("minimizer", minimizer, (RegretMinimizer, LocalMinimizer), MAKE_MINIMIZER)
    if isinstance(minimizer, RegretMinimizer):
        return _stored(minimizer, minimizer.average_weights())
    return TabularPolicy.from_weights(minimizer.form, minimizer.average_plans())


def current_policy(minimizer: RegretMinimizer | LocalMinimizer) -> TabularPolicy:
    """Return the policy from which the next iteration starts."""
    check_type("minimizer", minimizer, (RegretMinimizer, LocalMinimizer), MAKE_MINIMIZER)
    if isinstance(minimizer, RegretMinimizer):
        return _stored(minimizer, minimizer.current_weights())
    return TabularPolicy.from_weights(minimizer.form, minimizer.current_probabilities())


def _stored(minimizer: RegretMinimizer, weights: tuple[PlanWeights, ...]) -> TabularPolicy:
    """Return a policy with the weights of a minimizer, which the next iterations do not change."""
    kept = weights if minimizer.is_finished else tuple(own.copy() for own in weights)
    return StoredPolicy(minimizer.form, kept)


class RegretSolver(RegretMinimizer):
    """Regret minimization as an iterative method; the average policy is the answer."""

    given: RegretScheme | None = None
    """The scheme before its horizon was planned by the clock; None if it was not."""

    def __init__(
        self,
        form: Form,
        scheme: RegretScheme,
        precision: str = "float64",
        threads: int = 1,
        start: TabularPolicy | None = None,
    ) -> None:
        check_form(form)
        # Evaluations need this bound, and before there is a state there is room for both.
        _ = form.rounding
        self._start = {} if start is None else {"start": start.digest}
        super().__init__(form, scheme, precision, threads)
        if start is not None:
            self.warm_start(start.probabilities_of)

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads."""
        return gradient_cost(self.form)

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the scheme, including the horizon, the precision and the start.

        The number of threads is not a setting, because the result does not depend on it.
        """
        given = settings_of(self.given or self.scheme)
        return {**given, "precision": self.precision, **self._start}

    def policy(self) -> TabularPolicy:
        """Return the average policy, uniform where the average plan does not reach."""
        return average_policy(self)

    def current_policy(self) -> TabularPolicy:
        """Return the policy from which the next iteration starts."""
        return current_policy(self)

    def evaluate(self) -> Evaluation:
        """Evaluate the average policy, to the bits of `evaluate_policy`, without building it."""
        weights = self.average_weights()
        # Plans that are measured cannot share their memory with it.
        workspace = self.workspace() if weights is self._averages else None
        return evaluation_of(self.form, self.form.values_of_weights(weights, workspace))


@dataclass(frozen=True)
class RegretMethod:
    """A member of the CFR family as a method; the average policy is the answer.

    If the budget limits iterations, this limit is the horizon of the schedules. If it limits only
    the time, the horizon is planned by the measured rate; the `reason` of the result then says so.
    """

    scheme: RegretScheme
    precision: str = "float64"
    """"float64"; "float32", which needs half the memory; or, on public forms, "int16", which halves
    that of large ones again. The answer is measured in double precision."""
    threads: int = 1
    """Number of threads that share the work of an iteration in two-player games. The answer does
    not depend on it."""
    start: TabularPolicy | None = None
    """Policy on the form to solve, for a warm start; see `RegretMinimizer.warm_start`. None means
    uniform play."""

    @property
    def name(self) -> str:
        """The name of the scheme, followed by the precision unless that is "float64"."""
        single = f" ({self.precision})" if self.precision != "float64" else ""
        return self.scheme.name + single

    @property
    def description(self) -> str:
        """The description of the scheme."""
        return self.scheme.description

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up."""
        planned = planned_scheme(self.scheme, budget)
        solver = RegretSolver(form, planned, self.precision, self.threads, self.start)
        plan_by_clock(solver, budget)
        result = run_measured(
            solver,
            self.name,
            budget,
            evaluate=solver.evaluate,
            min_early=0 if self.start is None else EARLY_MEASUREMENTS,
            finish=solver.finish,
        )
        if solver.given is None:
            return result
        reason = (
            f"schedules planned for {solver.scheme.horizon:,} iterations by the measured rate, so "
            "that the result depends on the clock"
        )
        return replace(result, reason=reason)


def planned_scheme(scheme: str | RegretScheme, budget: Budget) -> RegretScheme:
    """Return a scheme, given by name or as an object, with the horizon set from the budget.

    The horizon is the number of iterations of the budget. It is set only if the budget has such a
    number and the scheme depends on the horizon.
    """
    scheme = SCHEMES.resolve(scheme)
    if not scheme.depends_on_horizon or budget.iterations is None:
        return scheme
    return replace(scheme, horizon=budget.iterations)


def plan_by_clock(solver: RegretSolver, budget: Budget) -> None:
    """Let the horizon of a scheme be planned by the measured rate, if only the time is limited.

    The plan is made early in the limit and once again in the middle, at measurements. With a limit
    on iterations the horizon is that limit, also if the time ends the run: a later session with the
    same checkpoint then completes the same run.
    """
    if not solver.scheme.depends_on_horizon:
        return
    check_budget(budget)
    seconds, watch = budget.seconds, budget.callback
    if not seconds or budget.iterations is not None:
        return
    due = list(PLANNED_AFTER)

    def plan(point: TracePoint) -> object:
        passed = [at for at in due if point.seconds >= at * seconds]
        del due[: len(passed)]
        if passed:
            # As many iterations as fit into the limit at the rate so far.
            fitting = round(point.iteration * seconds / point.seconds)
            solver.given = solver.given or solver.scheme
            solver.scheme = replace(solver.scheme, horizon=max(point.iteration, fitting))
        return watch(point) if watch is not None else False

    budget.callback = plan
