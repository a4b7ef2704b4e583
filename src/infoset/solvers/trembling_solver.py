"""Solving games in which every hand trembles."""

from __future__ import annotations

from infoset.errors import UnknownNameError
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, LocalMinimizer, RegretScheme, rule_of_scheme
from infoset.solvers.auto import run_best
from infoset.solvers.budget import Budget
from infoset.solvers.local_method import LocalMethod
from infoset.solvers.loop import run_measured, work_of
from infoset.solvers.regret_family import planned_scheme
from infoset.solvers.result import SolveResult
from infoset.solvers.trembles import TremblingForm
from infoset.solvers.trembling_lp import solve_trembling_by_lp

__all__ = ["TremblingSolver", "solve_trembling"]


class TremblingSolver(LocalMinimizer):
    """Regret minimisation among policies with least probabilities, as an iterative method.

    Averages of plans that have them have them too; the average policy is the answer.

    Parameters
    ----------
    trembling : TremblingForm
        Any number of players, any payoffs.
    method : RegretScheme or LocalMethod
    """

    def __init__(self, trembling: TremblingForm, method: RegretScheme | LocalMethod) -> None:
        if isinstance(method, RegretScheme):
            averaging, (rule, schedule, num_arrays) = method, rule_of_scheme(method)
        else:
            averaging, rule = method.averaging, method.rule
            schedule, num_arrays = method.schedule, method.num_arrays
        super().__init__(
            trembling.form,
            rule,
            averaging,
            num_arrays=num_arrays,
            schedule=schedule,
            least=trembling.least,
        )
        self._trembling = trembling

    @property
    def work(self) -> int:
        """Numbers read in one iteration."""
        return work_of(self.sequence_form)

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return self._trembling.from_plans(self.average_plans())

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        return TabularPolicy(self.sequence_form, self.current_probabilities())


def solve_trembling(
    trembling: TremblingForm, method: str | RegretScheme | LocalMethod, budget: Budget
) -> SolveResult:
    """Solve a game in which every action has a least probability.

    Parameters
    ----------
    trembling : TremblingForm
    method : str, RegretScheme or LocalMethod
        A member of the CFR family, by name or as a row; `lp`; `auto`, which chooses one of them; or
        a method of one's own.
    budget : Budget

    Returns
    -------
    SolveResult
        With policies that have the least probabilities at every infostate. Gains, and so NashConv,
        exploitability and what is guaranteed, are those of players who tremble too.

    Raises
    ------
    UnknownNameError
        If the method is none of these.
    UnsupportedGameError
        If the method is `lp`, and the game is not two-player constant-sum.
    """
    if isinstance(method, str):
        return _solve_by_name(trembling, method, budget)
    if isinstance(method, RegretScheme):
        method = planned_scheme(method, budget)
    solver = TremblingSolver(trembling, method)
    return run_measured(solver, method.name, budget, trembling.evaluate)


def _solve_by_name(trembling: TremblingForm, method: str, budget: Budget) -> SolveResult:
    name = method.lower()
    if name == "lp":
        return solve_trembling_by_lp(trembling, budget)
    if name == "auto":
        return run_best(
            trembling.form,
            budget,
            by_lp=lambda: solve_trembling_by_lp(trembling, budget),
            by_regret=lambda scheme: solve_trembling(trembling, scheme, budget),
        )
    if name not in SCHEMES:
        raise UnknownNameError.of("method for trembles", method, [*SCHEMES, "lp", "auto"])
    return solve_trembling(trembling, SCHEMES[name], budget)
