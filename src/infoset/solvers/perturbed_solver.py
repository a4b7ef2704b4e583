"""Solving games in which every hand trembles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from infoset.errors import UnknownNameError
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, LocalMinimizer, RegretScheme, rule_of_scheme
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers.auto import run_best
from infoset.solvers.local_method import LocalMethod
from infoset.solvers.perturbed_game import (
    MinProbabilities,
    PerturbedGame,
    check_min_probabilities,
    perturb_game,
)
from infoset.solvers.perturbed_lp import solve_perturbed_by_lp
from infoset.solvers.regret_family import planned_scheme
from infoset.tree import SequenceForm
from infoset.utils.arguments import check_type

__all__ = ["PerturbedMethod", "PerturbedSolver", "solve_perturbed"]

GIVE = 'a name such as "cfr+" or "lp", a RegretScheme or a LocalMethod'


class PerturbedSolver(LocalMinimizer):
    """Regret minimization among policies with least probabilities, as an iterative method.

    Averages of plans that have them have them too; the average policy is the answer.

    Parameters
    ----------
    perturbed : PerturbedGame
        Any number of players, any payoffs.
    method : RegretScheme or LocalMethod
    """

    def __init__(self, perturbed: PerturbedGame, method: RegretScheme | LocalMethod) -> None:
        if isinstance(method, RegretScheme):
            averaging, (rule, schedule, num_arrays) = method, rule_of_scheme(method)
        else:
            averaging, rule = method.averaging, method.rule
            schedule, num_arrays = method.schedule, method.num_arrays
        super().__init__(
            perturbed.form,
            rule,
            averaging,
            num_arrays=num_arrays,
            schedule=schedule,
            min_probabilities=perturbed.min_probabilities,
        )
        self._perturbed_game = perturbed

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration."""
        return gradient_cost(self.sequence_form)

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return self._perturbed_game.from_plans(self.average_plans())

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        return TabularPolicy(self.sequence_form, self.current_probabilities())


@dataclass(frozen=True)
class PerturbedMethod:
    """A method among policies with least probabilities: a row for `solve`.

    Attributes
    ----------
    min_probability : float or Mapping
        As `perturb_game` takes it.
    method : str, RegretScheme or LocalMethod
        As `solve_perturbed` takes it.

    Raises
    ------
    ParameterError
        If either is of another kind, or the one number for all is not a probability.

    Examples
    --------
    >>> from infoset import solve
    >>> solve("kuhn_poker", PerturbedMethod(0.05)).policy["[K] / bet", 1]["pass"] >= 0.05
    True
    """

    min_probability: MinProbabilities
    method: str | RegretScheme | LocalMethod = "auto"

    def __post_init__(self) -> None:
        check_min_probabilities(self.min_probability)
        check_method(self.method)

    @property
    def name(self) -> str:
        """The method, and that hands tremble."""
        plain = self.method if isinstance(self.method, str) else self.method.name
        return f"{plain} with minimum probabilities"

    @property
    def description(self) -> str:
        """One line."""
        return "every action with at least some probability"

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Solve a game until the budget ends it.

        Raises
        ------
        InfosetError
            As `perturb_game` and `solve_perturbed` do.
        """
        perturbed = perturb_game(sequence_form, self.min_probability)
        return replace(solve_perturbed(perturbed, self.method, budget), method=self.name)


def check_method(method: object) -> None:
    """Raise unless it is of a kind that plays among policies with least probabilities.

    Raises
    ------
    ParameterError
        If it is not.
    """
    check_type("method", method, (str, RegretScheme, LocalMethod), GIVE)


def solve_perturbed(
    perturbed: PerturbedGame, method: str | RegretScheme | LocalMethod, budget: Budget
) -> SolveResult:
    """Solve a game in which every action has a least probability.

    Parameters
    ----------
    perturbed : PerturbedGame
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
    UnknownNameError, ParameterError
        If the method is none of these.
    UnsupportedGameError
        If the method is `lp`, and the game is not two-player constant-sum.
    """
    check_method(method)
    if isinstance(method, str):
        return _solve_by_name(perturbed, method, budget)
    if isinstance(method, RegretScheme):
        method = planned_scheme(method, budget)
    solver = PerturbedSolver(perturbed, method)
    return run_measured(solver, method.name, budget, perturbed.evaluate)


def _solve_by_name(perturbed: PerturbedGame, method: str, budget: Budget) -> SolveResult:
    name = method.lower()
    if name == "lp":
        return solve_perturbed_by_lp(perturbed, budget)
    if name == "auto":
        return run_best(
            perturbed.form,
            budget,
            by_lp=lambda: solve_perturbed_by_lp(perturbed, budget),
            by_regret=lambda scheme: solve_perturbed(perturbed, scheme, budget),
        )
    if name not in SCHEMES:
        raise UnknownNameError.of("method for perturbed games", method, [*SCHEMES, "lp", "auto"])
    return solve_perturbed(perturbed, SCHEMES[name], budget)
