"""Solving by regret minimization."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, LocalMinimizer, RegretMinimizer, RegretScheme
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured, settings_of
from infoset.tree import SequenceForm
from infoset.utils.arguments import check_type

__all__ = ["RegretMethod", "average_policy", "current_policy", "planned_scheme"]

MAKE_MINIMIZER = 'RegretMinimizer(sequence_form, SCHEMES["cfr+"])'


def average_policy(minimizer: RegretMinimizer | LocalMinimizer) -> TabularPolicy:
    """Return the average policy, uniform where the average never goes.

    Raises
    ------
    ParameterError
        If `minimizer` is not a regret minimizer.
    """
    check_type("minimizer", minimizer, (RegretMinimizer, LocalMinimizer), MAKE_MINIMIZER)
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.average_plans())


def current_policy(minimizer: RegretMinimizer | LocalMinimizer) -> TabularPolicy:
    """Return the policy that the next iteration begins with.

    Raises
    ------
    ParameterError
        If `minimizer` is not a regret minimizer.
    """
    check_type("minimizer", minimizer, (RegretMinimizer, LocalMinimizer), MAKE_MINIMIZER)
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.current_probabilities())


class RegretSolver(RegretMinimizer):
    """Regret minimization as an iterative method, which answers with the average policy."""

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration."""
        return gradient_cost(self.sequence_form)

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the scheme, the horizon among them, and the precision.

        The number of threads does not change any bit, so it is not a setting.
        """
        return {**settings_of(self.scheme), "precision": self.precision}

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return average_policy(self)

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        return current_policy(self)


@dataclass(frozen=True)
class RegretMethod:
    """A member of the CFR family as a method, which answers with the average policy.

    Exponents that move do so over the iterations of the budget, where it has a number of them.

    Attributes
    ----------
    scheme : RegretScheme
    precision : str
        `float64`, or `float32`: iterations then move half the bytes. The answer is measured in
        double precision all the same.
    threads : int
        How many do an iteration together, of games of two players; the answer is the same.
    """

    scheme: RegretScheme
    precision: str = "float64"
    threads: int = 1

    @property
    def name(self) -> str:
        """That of the scheme, and the precision where it is not double."""
        single = f" ({self.precision})" if self.precision != "float64" else ""
        return self.scheme.name + single

    @property
    def description(self) -> str:
        """That of the scheme."""
        return self.scheme.description

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Run until the budget ends it."""
        planned = planned_scheme(self.scheme, budget)
        solver = RegretSolver(sequence_form, planned, self.precision, self.threads)
        return run_measured(solver, self.name, budget)


def planned_scheme(scheme: str | RegretScheme, budget: Budget) -> RegretScheme:
    """Return a scheme, by name or as such, with the horizon of the budget.

    The horizon is set if the scheme moves and the budget has a number of iterations.

    Raises
    ------
    UnknownNameError
        If the name is unknown.
    ParameterError
        If it is neither.
    """
    scheme = SCHEMES.resolve(scheme)
    if not scheme.depends_on_horizon or budget.iterations is None:
        return scheme
    return replace(scheme, horizon=budget.iterations)
