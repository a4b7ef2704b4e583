"""The excessive gap technique: smoothed best responses that certify a bound on NashConv."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from infoset.forms import Form
from infoset.policy import TabularPolicy
from infoset.regret import Distance, ProxResponse, TreeplexProx, balanced_weights
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured, settings_of
from infoset.solvers.two_player import check_two_player, payoff_scale
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.state import name_by_player

BALANCED_ENTROPY = Distance("entropy", balanced_weights)
LARGEST_STEP = 0.5
SMALLEST_STEP = 1e-9
STEP_GROWTH = 1.5
FIRST_SMOOTHING = 1e-3
ROUNDING = 1e-15


@dataclass(frozen=True)
class ExcessiveGap:
    """The excessive gap technique (EGT), with the largest steps that its condition allows.

    Let d = ψ − min ψ. Let s_μ(y) be the maximum over plans x of the utility of x against y minus
    μ d(x). The plans x, y and the smoothing parameters μ, ν satisfy the excessive gap condition

        s_μ(y) + s_ν(x) ≤ c

    where c is the constant sum of the payoffs. Since s_0 ≤ s_μ + μ max d, NashConv is at most
    μ max d₁ + ν max d₂. This bound needs no best responses. A step of size τ moves both plans and
    multiplies the smoothing parameter that contributes more to the bound by 1 − τ. The method
    tries a decreasing sequence of step sizes τ, and takes the first one that satisfies the
    condition.

    Notes
    -----
    Source: Nesterov (2005), "Excessive Gap Technique in Nonsmooth Convex Minimization"; Hoda,
    Gilpin, Peña and Sandholm (2010); Kroer, Waugh, Kılınç-Karzan and Sandholm (2020).
    Differs from the papers: the initial smoothing is not computed from the norm of the payoffs
    but doubled until the condition is true; step sizes are found by backtracking; and the parameter
    that decreases is the one that contributes more to the bound. If rounding violates the
    condition, the violation is added to the bound.

    Examples
    --------
    >>> from infoset import solve
    >>> result = solve("kuhn_poker", ExcessiveGap(), iterations=200)
    >>> result.nash_conv <= result.gaps["excessive"] < 1e-2
    True
    """

    name: str = "egt"
    description: str = "excessive gap technique, aggressive steps (Hoda et al. 2010)"
    """Name of the method in results, and its description in one line with the source."""
    distance: Distance = BALANCED_ENTROPY
    """The distance whose regularizer is ψ."""

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up; `gaps["excessive"]` of the result bounds NashConv.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        """
        solver = ExcessiveGapSolver(form, self)
        result = run_measured(solver, self.name, budget)
        return replace(result, gaps={"excessive": solver.gap_bound})


class _State(NamedTuple):
    iteration: int
    plans: tuple[FloatArray, ...]
    smoothing: tuple[float, ...]
    step: float


class ExcessiveGapSolver:
    """The state of the excessive gap technique on a game, and the iterations that change it.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    spec
        The parameters of the method.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, form: Form, spec: ExcessiveGap) -> None:
        check_two_player(form, spec.name)
        self.form = form
        self._spec = spec
        self._centered = form.centered
        self._total = self._centered.constant_sum or 0.0
        self._scale = payoff_scale(form)
        pairs = zip(form.treeplexes, form.multiplicities, strict=True)
        self._proxes = tuple(TreeplexProx(plex, spec.distance, counts) for plex, counts in pairs)
        self._state = self._start()

    @property
    def iteration(self) -> int:
        """Number of iterations done; each decreases one smoothing parameter."""
        return self._state.iteration

    @property
    def cost_per_iteration(self) -> int:
        """Approximate count of numbers read in one iteration; an exponential counts as ten."""
        sequences = sum(plex.num_sequences for plex in self.form.treeplexes)
        return 4 * gradient_cost(self.form) + 40 * sequences

    @property
    def smoothing(self) -> tuple[float, ...]:
        """The smoothing parameters μ and ν, in units of utility per unit of d."""
        return self._state.smoothing

    @property
    def excess(self) -> float:
        """Left side minus right side of the condition; at most 0, up to rounding."""
        return self._excess(self._state.plans, self._state.smoothing)

    @property
    def gap_bound(self) -> float:
        """Upper bound on NashConv, in the game's units."""
        return sum(map(self._max_cost, (0, 1), self._state.smoothing)) + max(self.excess, 0.0)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            self._state = self._next()

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the method."""
        return settings_of(self._spec)

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, by name and player."""
        done, plans, smoothing, step = self._state
        numbers = {"done": np.array([done]), "step": np.array([step])}
        return numbers | {"smoothing": np.array(smoothing)} | name_by_player(plans=plans)

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names and shapes of `state()`."""
        self._state = _State(
            int(state["done"][0]),
            (state["plans.0"].copy(), state["plans.1"].copy()),
            tuple(state["smoothing"].tolist()),
            float(state["step"][0]),
        )

    def policy(self) -> TabularPolicy:
        """Return the policy of the current plans; the method does not average."""
        return TabularPolicy.from_weights(self.form, self._state.plans)

    def current_policy(self) -> TabularPolicy:
        """Return the policy of the current plans."""
        return self.policy()

    def _start(self) -> _State:
        """Return plans that satisfy the condition, and their smoothing parameters.

        The plan of player 1 is the smoothed best response to the plan of player 0 that minimizes ψ.
        The plan of player 0 is a prox step from that minimizer, along the gradient at the response.
        The smoothing is doubled until these plans satisfy the condition.
        """
        centers = [
            prox.respond(np.zeros(prox.treeplex.num_sequences), temperature=1.0)
            for prox in self._proxes
        ]
        mu = FIRST_SMOOTHING * self._scale
        while True:
            smoothing = (mu, mu)
            second = self._smoothed(1, self._gradient(1, centers[0].plan), mu)
            first = self._proxes[0].respond(
                self._gradient(0, second.plan), inverse_step_size=mu, center=centers[0].policy
            )
            plans = (first.plan, second.plan)
            if self._excess(plans, smoothing) <= 0:
                return _State(0, plans, smoothing, LARGEST_STEP)
            mu *= 2

    def _next(self) -> _State:
        """Return the state after the largest step that satisfies the condition.

        If no step satisfies it, only the iteration number changes.
        """
        state = self._state
        # The player whose smoothing contributes more to the bound moves.
        player = max((0, 1), key=lambda p: self._max_cost(p, state.smoothing[p]))
        # Backtracking: try a step somewhat larger than the last one, then halve it.
        step = min(LARGEST_STEP, STEP_GROWTH * state.step)
        while step > SMALLEST_STEP:
            moved = self._moved(player, step)
            if self._excess(moved.plans, moved.smoothing) <= ROUNDING * self._scale:
                return moved
            step /= 2
        return state._replace(iteration=state.iteration + 1)

    def _moved(self, player: Player, step: float) -> _State:
        """Return the state in which the smoothing of `player` is multiplied by 1 − `step`.

        This is the step of Kroer et al. (2020, Algorithm 1), written for either player.
        """
        state, other = self._state, 1 - player
        mu = state.smoothing[player]
        own, against = state.plans[player], state.plans[other]
        # The smoothed best response, and the point x̂ between it and the current plan
        smoothed = self._smoothed(player, self._gradient(player, against), mu)
        between = (1 - step) * own + step * smoothed.plan
        # The other player's smoothed best response to x̂
        answer = self._smoothed(other, self._gradient(other, between), state.smoothing[other])
        # A prox step from the smoothed best response, along the gradient at that answer
        moved = self._proxes[player].respond(
            self._gradient(player, answer.plan),
            inverse_step_size=(1 - step) * mu / step,
            center=smoothed.policy,
        )
        plans, smoothing = [*state.plans], [*state.smoothing]
        plans[player] = (1 - step) * own + step * moved.plan
        plans[other] = (1 - step) * against + step * answer.plan
        smoothing[player] = (1 - step) * mu
        return _State(state.iteration + 1, tuple(plans), tuple(smoothing), step)

    def _gradient(self, player: Player, opponent_plan: FloatArray) -> FloatArray:
        plans = [np.zeros(plex.num_sequences) for plex in self.form.treeplexes]
        plans[1 - player] = opponent_plan
        return self._centered.gradient(tuple(plans), player)

    def _smoothed(self, player: Player, gradient: FloatArray, mu: float) -> ProxResponse:
        """Return the smoothed best response: the maximizer x of <gradient, x> − μ ψ(x)."""
        return self._proxes[player].respond(gradient, temperature=mu)

    def _excess(self, plans: tuple[FloatArray, ...], smoothing: tuple[float, ...]) -> float:
        """Return s_μ(y) + s_ν(x) − c, which is at most 0 if the condition is satisfied."""
        excess = -self._total
        for player, mu in enumerate(smoothing):
            gradient = self._gradient(player, plans[1 - player])
            minimum, _ = self._proxes[player].bounds
            # s_μ has d = ψ − min ψ in the place of ψ, so that μ min ψ is added.
            excess += self._smoothed(player, gradient, mu).value + mu * minimum
        return excess

    def _max_cost(self, player: Player, mu: float) -> float:
        """Return μ max d: the contribution of one player to the bound on NashConv."""
        minimum, maximum = self._proxes[player].bounds
        return mu * (maximum - minimum)
