"""The excessive gap technique: two smoothed games whose difference certifies the gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from infoset.evaluation import utility_gradient
from infoset.policy import TabularPolicy
from infoset.regret import Distance, ProxResponse, TreeplexProx, balanced_weights
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured, settings_of
from infoset.solvers.two_player import check_two_player, payoff_scale
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.state import name_by_player

__all__ = ["ExcessiveGap", "ExcessiveGapSolver"]

BALANCED_ENTROPY = Distance("entropy", balanced_weights)
LARGEST_STEP = 0.5
LEAST_STEP = 1e-9
STEP_GROWTH = 1.5
FIRST_STRENGTH = 1e-3
ROUNDING = 1e-15


@dataclass(frozen=True)
class ExcessiveGap:
    """The excessive gap technique (EGT), with steps as large as the excessive gap allows.

    With d = ψ − min ψ and s_μ(y) the most that x can earn against y with a cost of μ d(x), the
    plans x, y and the strengths μ, ν keep

        s_μ(y) + s_ν(x) ≤ c

    where c is what the players share. As s_0 ≤ s_μ + μ max d, NashConv is at most
    μ max d₁ + ν max d₂: a certificate without a best response. A step moves both plans by a
    share τ, and with it the strength that weighs more becomes 1 − τ times what it was. τ is the
    largest of a decreasing sequence of numbers for which the inequality still holds.

    Attributes
    ----------
    name, description : str
        What the result calls it; one line, with the source.
    distance : Distance
        Gives ψ.

    Notes
    -----
    Source: Nesterov (2005), "Excessive Gap Technique in Nonsmooth Convex Minimization"; Hoda,
    Gilpin, Peña and Sandholm (2010); Kroer, Waugh, Kılınç-Karzan and Sandholm (2020).
    Differs from the papers: the first strengths are not computed from the norm of the payoffs but
    doubled until the inequality holds; steps are as large as it allows; and the strength to fall
    is the one whose share of the bound is larger. Where rounding breaks the inequality, the bound
    grows by what it is broken by.

    Examples
    --------
    >>> from infoset import solve
    >>> result = solve("kuhn_poker", ExcessiveGap(), iterations=200)
    >>> result.nash_conv <= result.gaps["excessive"] < 1e-2
    True
    """

    name: str = "egt"
    description: str = "excessive gap technique, aggressive steps (Hoda et al. 2010)"
    distance: Distance = BALANCED_ENTROPY

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Run until the budget ends it; `gaps["excessive"]` of the result bounds NashConv.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        """
        solver = ExcessiveGapSolver(sequence_form, self)
        result = run_measured(solver, self.name, budget)
        return replace(result, gaps={"excessive": solver.gap_bound})


class _State(NamedTuple):
    iteration: int
    plans: tuple[FloatArray, ...]
    strengths: tuple[float, ...]
    step: float


class ExcessiveGapSolver:
    """The state of the excessive gap technique on a game, and the iterations that move it.

    Parameters
    ----------
    sequence_form : SequenceForm
        A two-player constant-sum game.
    spec : ExcessiveGap
        The numbers of the method.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, sequence_form: SequenceForm, spec: ExcessiveGap) -> None:
        check_two_player(sequence_form, spec.name)
        self.sequence_form = sequence_form
        self._spec = spec
        self._total = sequence_form.constant_sum or 0.0
        self._scale = payoff_scale(sequence_form)
        self._proxes = tuple(TreeplexProx(plex, spec.distance) for plex in sequence_form.treeplexes)
        self._state = self._start()

    @property
    def iteration(self) -> int:
        """Number of iterations done; in one, one of the strengths falls."""
        return self._state.iteration

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration, about: tries and their checks, exponentials as ten."""
        sequences = sum(plex.num_sequences for plex in self.sequence_form.treeplexes)
        return 4 * gradient_cost(self.sequence_form) + 40 * sequences

    @property
    def strengths(self) -> tuple[float, ...]:
        """How strongly each player's earnings are smoothed, in units of utility over d."""
        return self._state.strengths

    @property
    def excess(self) -> float:
        """The left side of the inequality less the right one: not positive, but for rounding."""
        return self._excess(self._state.plans, self._state.strengths)

    @property
    def gap_bound(self) -> float:
        """What NashConv is at most, in the game's units."""
        return sum(map(self._share, (0, 1), self._state.strengths)) + max(self.excess, 0.0)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            self._state = self._next()

    def settings(self) -> dict[str, Any]:
        """Return the numbers of the method."""
        return settings_of(self._spec)

    def state(self) -> StateArrays:
        """Return what iterations move, by name and player."""
        done, plans, strengths, step = self._state
        numbers = {"done": np.array([done]), "step": np.array([step])}
        return numbers | {"strengths": np.array(strengths)} | name_by_player(plans=plans)

    def set_state(self, state: StateArrays) -> None:
        """Take the values of arrays named and shaped as those of `state`."""
        self._state = _State(
            int(state["done"][0]),
            (state["plans.0"].copy(), state["plans.1"].copy()),
            tuple(state["strengths"].tolist()),
            float(state["step"][0]),
        )

    def policy(self) -> TabularPolicy:
        """Return the current plans: the method does not average."""
        return TabularPolicy.from_weights(self.sequence_form, self._state.plans)

    def current_policy(self) -> TabularPolicy:
        """Return the same."""
        return self.policy()

    def _start(self) -> _State:
        """Return plans that the inequality holds for, and strengths no larger than it takes."""
        centers = [
            prox.respond(np.zeros(prox.treeplex.num_sequences), temperature=1.0)
            for prox in self._proxes
        ]
        strength = FIRST_STRENGTH * self._scale
        while True:
            strengths = (strength, strength)
            second = self._smoothed(1, self._gradient(1, centers[0].plan), strength)
            first = self._proxes[0].respond(
                self._gradient(0, second.plan), inverse_step_size=strength, center=centers[0].policy
            )
            plans = (first.plan, second.plan)
            if self._excess(plans, strengths) <= 0:
                return _State(0, plans, strengths, LARGEST_STEP)
            strength *= 2

    def _next(self) -> _State:
        """Return the state after the largest step that keeps the inequality; the same if none."""
        state = self._state
        player = max((0, 1), key=lambda p: self._share(p, state.strengths[p]))
        step = min(LARGEST_STEP, STEP_GROWTH * state.step)
        while step > LEAST_STEP:
            moved = self._moved(player, step)
            if self._excess(moved.plans, moved.strengths) <= ROUNDING * self._scale:
                return moved
            step /= 2
        return state._replace(iteration=state.iteration + 1)

    def _moved(self, player: Player, step: float) -> _State:
        """Return the state with the strength of `player` less by a share `step` of it.

        The step of Kroer et al. (2020), whichever of the two is the player.
        """
        state, other = self._state, 1 - player
        strength = state.strengths[player]
        own, against = state.plans[player], state.plans[other]
        smoothed = self._smoothed(player, self._gradient(player, against), strength)
        between = (1 - step) * own + step * smoothed.plan
        answer = self._smoothed(other, self._gradient(other, between), state.strengths[other])
        moved = self._proxes[player].respond(
            self._gradient(player, answer.plan),
            inverse_step_size=(1 - step) * strength / step,
            center=smoothed.policy,
        )
        plans, strengths = [*state.plans], [*state.strengths]
        plans[player] = (1 - step) * own + step * moved.plan
        plans[other] = (1 - step) * against + step * answer.plan
        strengths[player] = (1 - step) * strength
        return _State(state.iteration + 1, tuple(plans), tuple(strengths), step)

    def _gradient(self, player: Player, opponent_plan: FloatArray) -> FloatArray:
        return utility_gradient(self.sequence_form, (opponent_plan, opponent_plan), player)

    def _smoothed(self, player: Player, gradient: FloatArray, strength: float) -> ProxResponse:
        """Return what maximizes the gradient less the strength times ψ."""
        return self._proxes[player].respond(gradient, temperature=strength)

    def _excess(self, plans: tuple[FloatArray, ...], strengths: tuple[float, ...]) -> float:
        """Return by how much what both earn with their costs is more than what there is."""
        earned = -self._total
        for player, strength in enumerate(strengths):
            gradient = self._gradient(player, plans[1 - player])
            least, _ = self._proxes[player].bounds
            earned += self._smoothed(player, gradient, strength).value + strength * least
        return earned

    def _share(self, player: Player, strength: float) -> float:
        """Return the strength times the maximum of d."""
        least, greatest = self._proxes[player].bounds
        return strength * (greatest - least)
