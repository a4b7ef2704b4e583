"""Self-play by a custom local regret minimizer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.forms import Form
from infoset.policy import TabularPolicy
from infoset.regret import LocalMinimizer, LocalRule, RegretScheme, Schedule
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers.regret_family import average_policy, current_policy
from infoset.utils.arguments import check_callable, check_count, check_number, check_type


@dataclass(frozen=True)
class LocalMethod:
    """A custom local regret minimizer as a method: it runs at every infostate of every player.

    By the theorem behind CFR, the regret of a player is at most the sum of the positive
    counterfactual regrets at the player's infostates. In two-player constant-sum games, small local
    regrets therefore give an average policy of small exploitability.

    Examples
    --------
    Multiplicative weights with decreasing step sizes:

    >>> import numpy as np
    >>> from infoset import solve
    >>> def hedge(row, values, policy, state):
    ...     state[0] += values
    ...     weights = np.exp(row[0] * (state[0] - state[0].max(axis=0)))
    ...     policy[:] = weights / weights.sum(axis=0)
    >>> method = LocalMethod("hedge", hedge, schedule=lambda t: 5 / np.sqrt(t))
    >>> solve("kuhn_poker", method, iterations=1000).exploitability < 0.01
    True
    """

    name: str
    """Name of the method in results."""
    rule: LocalRule
    """`rule(row, values, policy, state)`; see `LocalRule`. If it is compiled by `numba.njit`, it is
    as fast as the rules of the library; a Python function of NumPy arrays is slow."""
    description: str = "a custom local regret minimizer"
    """Description in one line."""
    num_arrays: int = 1
    """Number of arrays in the `state` of the rule, each with the shape of `values`."""
    schedule: Schedule = np.asarray
    """The rows that the rule receives, such as step sizes. By default they are the iteration
    numbers."""
    average_exponent: float = 0.0
    """Iteration t has the weight `t ** average_exponent` in the average policy, the answer."""
    alternating: bool = True
    """Whether each player responds to the plans that earlier players have just computed."""

    def __post_init__(self) -> None:
        check_type("name", self.name, str, "the name of the method in results")
        check_callable("rule", self.rule, "a function rule(row, values, policy, state)")
        check_callable("schedule", self.schedule, "a function of the iterations, such as np.sqrt")
        check_count("num_arrays", self.num_arrays, minimum=1)
        check_number("average_exponent", self.average_exponent)

    @property
    def averaging(self) -> RegretScheme:
        """The scheme for averaging plans and for alternating updates."""
        return RegretScheme(
            self.name,
            self.description,
            average_exponent=self.average_exponent,
            alternating=self.alternating,
        )

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up.

        Raises
        ------
        ParameterError
            If the rule writes numbers that are not probabilities.
        """
        solver = LocalSolver(
            form,
            self.rule,
            self.averaging,
            num_arrays=self.num_arrays,
            schedule=self.schedule,
        )
        return run_measured(solver, self.name, budget)


class LocalSolver(LocalMinimizer):
    """Self-play by a local rule as an iterative method; the average policy is the answer."""

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads."""
        return gradient_cost(self.form)

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return average_policy(self)

    def current_policy(self) -> TabularPolicy:
        """Return the policy from which the next iteration starts."""
        return current_policy(self)
