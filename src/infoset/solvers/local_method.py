"""Self-play by a local regret minimizer of the user's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.policy import TabularPolicy
from infoset.regret import LocalMinimizer, LocalRule, RegretScheme, Schedule
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers.regret_family import average_policy, current_policy
from infoset.tree import SequenceForm
from infoset.utils.arguments import check_callable, check_count, check_number, check_type

__all__ = ["LocalMethod"]


@dataclass(frozen=True)
class LocalMethod:
    """Your own local regret minimizer as a method: it runs at every infostate of every player.

    By the theorem behind CFR, what makes the regret at each infostate small makes the regret of
    each player small, and so, in two-player constant-sum games, the exploitability of the average
    policy.

    Attributes
    ----------
    name : str
        What the result calls it.
    rule : LocalRule
        `rule(row, values, policy, state)`, see there. Compiled by `numba.njit` it runs at the
        speed of the library's own; a plain function on NumPy arrays does the same, slowly.
    description : str
        One line.
    num_arrays : int
        Number of arrays, of the shape of `values`, in the rule's `state`.
    schedule : Schedule, optional
        The rows that the rule is given, such as step sizes; by default iterations themselves.
    average_exponent : float
        Iteration t weighs `t ** average_exponent` in the average, which is the answer.
    alternating : bool
        Whether each player answers what the players before it have just played.

    Raises
    ------
    ParameterError
        If the rule or the schedule cannot be called, or another field is of the wrong kind.

    Examples
    --------
    Multiplicative weights, with steps that get smaller:

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
    rule: LocalRule
    description: str = "a custom local regret minimizer"
    num_arrays: int = 1
    schedule: Schedule = np.asarray
    average_exponent: float = 0.0
    alternating: bool = True

    def __post_init__(self) -> None:
        check_type("name", self.name, str, "what results should call the method")
        check_callable("rule", self.rule, "a function rule(row, values, policy, state)")
        check_callable("schedule", self.schedule, "a function of the iterations, such as np.sqrt")
        check_count("num_arrays", self.num_arrays, minimum=1)
        check_number("average_exponent", self.average_exponent)

    @property
    def averaging(self) -> RegretScheme:
        """How plans are averaged, and whether players alternate."""
        return RegretScheme(
            self.name,
            self.description,
            average_exponent=self.average_exponent,
            alternating=self.alternating,
        )

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Run until the budget ends it.

        Raises
        ------
        ParameterError
            If the rule leaves something else than probabilities.
        """
        solver = LocalSolver(
            sequence_form,
            self.rule,
            self.averaging,
            num_arrays=self.num_arrays,
            schedule=self.schedule,
        )
        return run_measured(solver, self.name, budget)


class LocalSolver(LocalMinimizer):
    """Self-play by a local rule as an iterative method, which answers with the average policy."""

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration."""
        return gradient_cost(self.sequence_form)

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return average_policy(self)

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        return current_policy(self)
