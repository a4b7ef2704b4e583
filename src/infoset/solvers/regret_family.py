"""Solving by regret minimisation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from infoset.policy import TabularPolicy
from infoset.regret import RegretMinimizer, RegretScheme
from infoset.solvers.budget import Budget
from infoset.solvers.loop import run_measured, work_of
from infoset.solvers.result import SolveResult
from infoset.solvers.resuming import settings_of
from infoset.tree import SequenceForm

__all__ = ["average_policy", "current_policy", "planned_scheme", "solve_by_regret"]


def average_policy(minimizer: RegretMinimizer) -> TabularPolicy:
    """Return the average policy, uniform where the average never goes."""
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.average_plans())


def current_policy(minimizer: RegretMinimizer) -> TabularPolicy:
    """Return the policy that the next iteration begins with."""
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.current_probabilities())


class RegretSolver(RegretMinimizer):
    """Regret minimisation as an iterative method, which answers with the average policy."""

    @property
    def work(self) -> int:
        """Numbers read in one iteration."""
        return work_of(self.sequence_form)

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the scheme, the horizon among them, and the precision."""
        return {**settings_of(self.scheme), "precision": self.precision}

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return average_policy(self)

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        return current_policy(self)


def solve_by_regret(
    sequence_form: SequenceForm,
    scheme: RegretScheme,
    budget: Budget,
    precision: str = "float64",
) -> SolveResult:
    """Run a member of the CFR family until the budget ends it; the answer is the average policy.

    Exponents that move do so over the iterations of the budget, where it has a number of them.
    With `precision="float32"` iterations move half the bytes, which the method's name in the
    result says; the answer is measured in double precision all the same.
    """
    solver = RegretSolver(sequence_form, planned_scheme(scheme, budget), precision)
    name = scheme.name if precision == "float64" else f"{scheme.name} ({precision})"
    return run_measured(solver, name, budget)


def planned_scheme(scheme: RegretScheme, budget: Budget) -> RegretScheme:
    """Return the scheme with the horizon of the budget, if it moves and there is one."""
    if not scheme.moves or budget.iterations is None:
        return scheme
    return replace(scheme, horizon=budget.iterations)
