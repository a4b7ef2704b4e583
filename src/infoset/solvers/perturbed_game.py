"""Minimum action probabilities: a game in which every action has a minimum probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import Form, Treeplex, check_form, numbers_by_action, sequences_at
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, LocalMinimizer, RegretScheme, rule_of_scheme
from infoset.runs import Budget, SolveResult, gradient_cost, refuse_checkpoint, run_measured
from infoset.solvers._incumbent import BEST, Incumbent
from infoset.solvers._linear_program import LinearSolution, plan_model, solve_program
from infoset.solvers.auto import run_best
from infoset.solvers.local_method import LocalMethod
from infoset.solvers.regret_family import planned_scheme
from infoset.solvers.two_player import check_two_player
from infoset.typing import Action, FloatArray, IntArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_number, check_type
from infoset.utils.compilation import linear_kernel

if TYPE_CHECKING:
    from scipy.sparse import csr_array


MinProbabilities: TypeAlias = float | Mapping[tuple[str, Player], float | Mapping[Action, float]]
"""One number for all actions; or a mapping from infostates, as pairs of text and player, to one
number for all actions there or to a mapping from actions to numbers. The default is 0."""

EXPECTED_METHOD = 'a name such as "cfr+" or "lp", a RegretScheme, or a LocalMethod'


@dataclass(frozen=True, eq=False)
class PerturbedGame:
    """A game whose players must play each action with at least its minimum probability.

    The limits of equilibria of such games, as the probabilities go to zero, are the trembling-hand
    perfect equilibria (Selten 1975). See `perturb_game`.
    """

    form: Form
    min_probabilities: tuple[FloatArray, ...]
    """Per player [Q] the minimum probability of the last action of each sequence; 0 for the empty
    sequence."""

    def solve(self, method: str | RegretScheme | LocalMethod, budget: Budget) -> SolveResult:
        """Solve the game.

        Parameters
        ----------
        method
            A member of the CFR family, as a name or a scheme; `lp`; `auto`, which chooses one of
            these; or a custom local regret minimizer.

        Returns
        -------
        SolveResult
            The result, whose policies satisfy the minimum probabilities at every infostate. Gains,
            NashConv, exploitability and security levels are those of players whose best responses
            satisfy the minimum probabilities, too.

        Raises
        ------
        UnsupportedGameError
            If the method is `lp` and the game is not two-player constant-sum.
        """
        _check_method(method)
        if isinstance(method, str):
            return self._solve_by_name(method, budget)
        if isinstance(method, RegretScheme):
            method = planned_scheme(method, budget)
        solver = PerturbedSolver(self, method)
        return run_measured(solver, method.name, budget, self.evaluate)

    def _solve_by_name(self, method: str, budget: Budget) -> SolveResult:
        name = method.lower()
        if name == "lp":
            return _solve_by_lp(self, budget)
        if name == "auto":
            return run_best(
                self.mix(uniform_policy(self.form)),
                budget,
                by_lp=lambda: _solve_by_lp(self, budget),
                by_regret=lambda scheme: self.solve(scheme, budget),
                measure=self.evaluate,
            )
        if name not in SCHEMES:
            raise UnknownNameError.of(
                "method for perturbed games", method, [*SCHEMES, "lp", "auto"]
            )
        return self.solve(SCHEMES[name], budget)

    def mix(self, policy: TabularPolicy) -> TabularPolicy:
        """Return an intended policy, mixed with the minimum probabilities.

        Each action gets its minimum probability, plus its probability under `policy` times the
        probability that the minimums at its infostate leave free.
        """
        rests = map(_rest, self.form.treeplexes, self.min_probabilities)
        parts = zip(rests, policy.probabilities, self.min_probabilities, strict=True)
        return TabularPolicy(
            self.form, tuple(rest * intended + minimum for rest, intended, minimum in parts)
        )

    def from_plans(self, plans: tuple[FloatArray, ...]) -> TabularPolicy:
        """Return the policy of plans, per player [Q], that satisfy the minimum probabilities.

        Minimums that rounding has violated are restored. At infostates that a plan does not reach,
        the intended policy is uniform.
        """
        intended = []
        each = zip(self.form.treeplexes, plans, self.min_probabilities, strict=True)
        for plex, plan, minimum in each:
            rest = plan.copy()
            rest[1:] -= minimum[1:] * np.repeat(plan[plex.parent_sequence], plex.num_actions)
            intended.append(np.maximum(rest, 0.0))
        return self.mix(TabularPolicy.from_weights(self.form, intended))

    def evaluate(self, policy: TabularPolicy) -> Evaluation:
        """Evaluate a policy by best responses that satisfy the minimum probabilities, too.

        Gains, NashConv, exploitability and security levels are exact, by one sweep per player.
        `evaluate_policy` uses unrestricted best responses instead.
        """
        measured = evaluate_policy(policy)
        plans = policy.realization_plans()
        best = [self._best_value(plans, player) for player in range(self.form.num_players)]
        pairs = zip(best, measured.values, strict=True)
        gains = tuple(max(response - value, 0.0) for response, value in pairs)
        changes = replace(measured, gains=gains, nash_conv=sum(gains))
        if measured.security_levels is None:
            return changes
        total = float(self.form.constant_sum or 0.0) - measured.rounding
        return replace(
            changes,
            exploitability=changes.nash_conv / 2,
            security_levels=(total - best[1], total - best[0]),
        )

    def _best_value(self, plans: tuple[FloatArray, ...], player: Player) -> float:
        plex = self.form.treeplexes[player]
        gradient = self.form.gradient(plans, player)
        return perturbed_best_value(
            plex.parent_sequence,
            plex.first_sequence,
            plex.num_actions,
            self.min_probabilities[player],
            gradient,
        )


@linear_kernel
def perturbed_best_value(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    minimum: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the value of the best plan whose actions have at least the probabilities `minimum`.

    parent_sequence, first_sequence, num_actions : [I] as in `Treeplex`.
    minimum : [Q] minimum probability of the last action of each sequence.
    gradient : [Q] set in place to the counterfactual value of each sequence under that plan.
    """
    # Bottom up: v(I) = Σ_a ε(I, a) q(I, a) + (1 − Σ_a ε(I, a)) max_a q(I, a). A best action gets
    # all the probability that the minimums do not use.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        best = gradient[first]
        rest, value = 1.0, 0.0
        for sequence in range(first, first + num_actions[infostate]):
            best = max(best, gradient[sequence])
            rest -= minimum[sequence]
            value += minimum[sequence] * gradient[sequence]
        # Parents come before children, so the value of this infostate is complete here.
        gradient[parent_sequence[infostate]] += value + rest * best
    return float(gradient[0])


def _rest(plex: Treeplex, minimum: FloatArray) -> FloatArray:
    """Return [Q] one minus the minimum probabilities at the infostate of each sequence."""
    if plex.num_infostates == 0:
        return np.ones(1)
    left = np.maximum(1.0 - np.add.reduceat(minimum, plex.first_sequence), 0.0)
    return np.concatenate([[1.0], np.repeat(left, plex.num_actions)])


def perturb_game(form: Form, min_probability: MinProbabilities) -> PerturbedGame:
    """Return the game in which every action has a minimum probability.

    Parameters
    ----------
    form
        The game, with any number of players and any payoffs.
    min_probability : float or Mapping
        One number for all actions; or a mapping from infostates, as pairs of text and player, to
        one number for all actions there or to a mapping from actions to numbers. Actions that are
        left out have 0.

    Raises
    ------
    ParameterError
        If a player is unknown, if a number is negative, or if the numbers at an infostate sum to
        more than 1.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.runs import Budget
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> result = perturb_game(kuhn, 0.05).solve("cfr+", Budget(iterations=1000))
    >>> (
    ...     bool(result.exploitability < 1e-3),
    ...     round(result.policy["[K] / bet", 1]["pass"], 4),
    ... )
    (True, 0.05)
    """
    check_form(form)
    return PerturbedGame(form, minimums_by_sequence(form, min_probability))


class PerturbedSolver(LocalMinimizer):
    """Regret minimization among policies with minimum probabilities, as an iterative method.

    Averages of plans that satisfy the minimum probabilities satisfy them, too. The average policy
    is the answer.

    Parameters
    ----------
    game
        A game with any number of players and any payoffs.
    method
        The method that minimizes local regrets.
    """

    def __init__(self, game: PerturbedGame, method: RegretScheme | LocalMethod) -> None:
        if isinstance(method, RegretScheme):
            averaging, (rule, schedule, num_arrays) = method, rule_of_scheme(method)
        else:
            averaging, rule = method.averaging, method.rule
            schedule, num_arrays = method.schedule, method.num_arrays
        super().__init__(
            game.form,
            rule,
            averaging,
            num_arrays=num_arrays,
            schedule=schedule,
            min_probabilities=game.min_probabilities,
        )
        self._game = game

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads."""
        return gradient_cost(self.form)

    def policy(self) -> TabularPolicy:
        """Return the average policy."""
        return self._game.from_plans(self.average_plans())

    def current_policy(self) -> TabularPolicy:
        """Return the policy from which the next iteration starts."""
        return TabularPolicy(self.form, self.current_probabilities())


@dataclass(frozen=True)
class PerturbedMethod:
    """A method that restricts policies to minimum action probabilities.

    Examples
    --------
    >>> from infoset import solve
    >>> solve("kuhn_poker", PerturbedMethod(0.05)).policy["[K] / bet", 1][
    ...     "pass"
    ... ] >= 0.05
    True
    """

    min_probability: MinProbabilities
    """Minimum probabilities, as in `perturb_game`."""
    method: str | RegretScheme | LocalMethod = "auto"
    """The method that solves the restricted game, as in `PerturbedGame.solve`."""

    def __post_init__(self) -> None:
        check_min_probabilities(self.min_probability)
        _check_method(self.method)

    @property
    def name(self) -> str:
        """The name of the method, followed by "with minimum probabilities"."""
        name = self.method if isinstance(self.method, str) else self.method.name
        return f"{name} with minimum probabilities"

    @property
    def description(self) -> str:
        """The description of the method in one line."""
        return "every action has at least its minimum probability"

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Solve a game until the budget is used up.

        Raises
        ------
        InfosetError
            In the cases that `perturb_game` and `PerturbedGame.solve` list.
        """
        game = perturb_game(form, self.min_probability)
        return replace(game.solve(self.method, budget), method=self.name)


def _check_method(method: object) -> None:
    """Raise unless a method is of a type that supports minimum probabilities."""
    check_type("method", method, (str, RegretScheme, LocalMethod), EXPECTED_METHOD)


def _solve_by_lp(game: PerturbedGame, budget: Budget) -> SolveResult:
    """Solve a two-player constant-sum game with minimum probabilities, exactly up to rounding.

    Let x be the plan, ε the minimum probabilities, and p(I) the parent sequence of infostate I. The
    variables u(I, a) = x(I, a) − ε(I, a) x(p(I)) are not negative. The program is that of
    `solve_by_lp`, with variables and dual variables replaced by u.
    """
    from scipy.sparse import block_diag, eye_array

    form = game.form
    check_two_player(form, "lp")
    refuse_checkpoint(budget.checkpoint, "lp")
    first, second = map(_plan_of_rest, form.treeplexes, game.min_probabilities)

    def policy_of(solution: LinearSolution) -> TabularPolicy:
        dual = solution.duals[-second.shape[0] :]
        return game.from_plans((first @ solution.values[: first.shape[0]], second @ np.abs(dual)))

    incumbent = Incumbent(
        partial(PerturbedSolver, game, SCHEMES[BEST]),
        game.mix(uniform_policy(form)),
        game.evaluate,
        budget,
    )
    # Plans are products of these matrices and u: on the right for x, on the left for the duals.
    model = plan_model(form.centered, 0)
    rows, columns = model.matrix.shape
    left = block_diag([eye_array(rows - second.shape[0]), second.T], format="csr")
    right = block_diag([first, eye_array(columns - first.shape[0])], format="csr")
    answer = solve_program(
        model._replace(matrix=(left @ model.matrix @ right).tocsr()),
        ("simplex", "ipm"),
        policy_of,
        game.evaluate,
        budget,
        incumbent,
    )
    return answer.to_result("lp", budget)


def _plan_of_rest(plex: Treeplex, minimum: FloatArray) -> csr_array:
    """Return the matrix [Q, Q] that maps u to the plan x: x(I, a) = u(I, a) + ε(I, a) x(p(I))."""
    from scipy.sparse import csr_array, eye_array

    size = plex.num_sequences
    rows = np.flatnonzero(minimum)
    above = np.concatenate([[0], np.repeat(plex.parent_sequence, plex.num_actions)])
    step = csr_array((minimum[rows], (rows, above[rows])), shape=(size, size))
    # The sum of the powers of `step`: those beyond the longest path are zero.
    total = term = csr_array(eye_array(size))
    while term.nnz:
        term = (step @ term).tocsr()
        total = total + term
    return total


def check_min_probabilities(min_probability: object) -> None:
    """Raise unless the value is a number that is at most 1, or a mapping.

    Raises
    ------
    ParameterError
        If the value is neither.
    """
    if isinstance(min_probability, Mapping):
        return
    check_number("min_probability", min_probability, minimum=-inf)
    if cast(float, min_probability) > 1:
        raise ParameterError(
            f"min_probability={min_probability} is more than 1, but the minimum probabilities at "
            "an infostate must sum to at most 1: give a small number such as 0.01"
        )


def minimums_by_sequence(form: Form, min_probability: MinProbabilities) -> tuple[FloatArray, ...]:
    """Return per player [Q] the minimum probability of the last action of each sequence.

    The entry of the empty sequence is 0.

    Raises
    ------
    ParameterError
        If the value is neither a number nor a mapping, if a player is unknown, if a number is
        negative, or if the numbers at an infostate sum to more than 1.
    """
    check_min_probabilities(min_probability)
    if isinstance(min_probability, Mapping):
        minimums = _by_infostate(form, min_probability)
    else:
        minimums = tuple(
            np.r_[0.0, np.full(plex.num_sequences - 1, float(min_probability))]
            for plex in form.treeplexes
        )
    for player in range(form.num_players):
        _check_minimums(form, player, minimums[player])
    return minimums


def _by_infostate(
    form: Form, given: Mapping[tuple[str, Player], float | Mapping[Action, float]]
) -> tuple[FloatArray, ...]:
    minimums = tuple(np.zeros(plex.num_sequences) for plex in form.treeplexes)
    for key, numbers in given.items():
        player, infostate = form.look_up(key)
        label = form.infostate_labels(player)[infostate]
        if not isinstance(numbers, Mapping):
            check_number(f"the minimum probability at {label!r}", numbers, minimum=-inf)
        minimums[player][sequences_at(form, player, infostate)] = (
            numbers_by_action(form, player, infostate, numbers)
            if isinstance(numbers, Mapping)
            else numbers
        )
    return minimums


def _check_minimums(form: Form, player: Player, minimum: FloatArray) -> None:
    """Raise unless policies with these minimum probabilities exist."""
    plex, labels = form.treeplexes[player], form.infostate_labels(player)
    for first, count, label in zip(plex.first_sequence, plex.num_actions, labels, strict=True):
        here = minimum[first : first + count]
        if not (here >= 0).all() or not here.sum() <= 1 + SUM_TOLERANCE:
            raise ParameterError(
                f"the minimum probabilities at {label!r} of player {player} are {here.tolist()}; "
                "give numbers that are not negative and sum to at most 1: a single number for "
                f"the {count} actions can be at most {1 / count:.6g}"
            )
