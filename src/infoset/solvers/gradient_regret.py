"""Regret minimization on parts of public forms, whose gradients are computed in steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import Evaluation, plan_value
from infoset.evaluation.best_responses import best_response_sweep
from infoset.forms import PublicForm, Treeplex
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, PlayerMinimizer, RegretScheme
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured, settings_of
from infoset.solvers.auto import Auto, best_scheme
from infoset.solvers.methods import MethodSpec, get_method
from infoset.solvers.regret_family import RegretMethod, planned_scheme
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.state import name_by_player

__all__ = ["GradientGame", "GradientSolver", "evaluate_gradients", "solve_by_gradients"]


class GradientGame(Protocol):
    """A two-player game on a public form that is given by the gradients of its utilities."""

    @property
    def name(self) -> str:
        """The name in results."""

    @property
    def digest(self) -> str:
        """SHA-256 digest of what determines the gradients, apart from the form."""

    @property
    def public_form(self) -> PublicForm:
        """The form to which the policies of results belong."""

    @property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of the players' choices."""

    @property
    def is_exact(self) -> bool:
        """Whether gradients are those of a game, so that values have guarantees."""

    def gradient(self, plans: tuple[FloatArray, FloatArray], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's utility, given plans on the treeplexes."""

    def to_policy(self, weights: tuple[FloatArray, FloatArray]) -> TabularPolicy[PublicForm]:
        """Return the policy for weights [Q] of the sequences of the treeplexes."""


class GradientSolver:
    """The state of a member of the CFR family on a game, and the iterations that change it.

    Parameters
    ----------
    game : GradientGame
    scheme : RegretScheme
    """

    def __init__(self, game: GradientGame, scheme: RegretScheme) -> None:
        self.game = game
        self.scheme = scheme
        first, second = game.treeplexes
        self._states = PlayerMinimizer(first, scheme), PlayerMinimizer(second, scheme)

    @property
    def form(self) -> PublicForm:
        """The public form."""
        return self.game.public_form

    @property
    def iteration(self) -> int:
        """Number of iterations done; each updates both players once."""
        return self._states[-1].iteration

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads, without those of leaf functions."""
        return gradient_cost(self.game.public_form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            if self.scheme.alternating:
                for player, own in enumerate(self._states):
                    own.observe(self.game.gradient(self._plans(), player))
                continue
            plans = self._plans()
            gradients = [self.game.gradient(plans, player) for player in range(2)]
            for own, gradient in zip(self._states, gradients, strict=True):
                own.observe(gradient)

    def _plans(self) -> tuple[FloatArray, FloatArray]:
        return self._states[0].plan(), self._states[1].plan()

    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """Return each player's [Q] average plan."""
        return self._states[0].average_plan(), self._states[1].average_plan()

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the scheme, and a digest of the game."""
        return {**settings_of(self.scheme), "game": self.game.digest}

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, by name and player, in order of position."""
        states = [own.state() for own in self._states]
        return name_by_player(**{kind: [state[kind] for state in states] for kind in states[0]})

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names and shapes of `state()`."""
        for player, own in enumerate(self._states):
            own.set_state({kind: state[f"{kind}.{player}"] for kind in own.state()})

    def policy(self) -> TabularPolicy[PublicForm]:
        """Return the average policy of both players."""
        return self.game.to_policy(self.average_plans())

    def current_policy(self) -> TabularPolicy[PublicForm]:
        """Return the policy from which the next iteration starts."""
        first, second = self._states
        return self.game.to_policy((first.probabilities(), second.probabilities()))


def solve_by_gradients(
    game: GradientGame, method: str | RegretScheme | MethodSpec, budget: Budget
) -> SolveResult:
    """Solve a game by a member of the CFR family.

    Raises
    ------
    UnsupportedGameError
        If the method is another one.
    ParameterError
        If it asks for single precision or several threads.
    """
    spec, reason = regret_method_on(get_method(method), game.public_form)
    if spec.precision != "float64" or spec.threads != 1:
        raise ParameterError(
            f"{game.name} is solved in float64 on one thread: leave precision and threads out"
        )
    solver = GradientSolver(game, planned_scheme(spec.scheme, budget))

    def measure(_: TabularPolicy) -> Evaluation:
        return evaluate_gradients(game, solver.average_plans())

    result = run_measured(solver, spec.name, budget, measure)
    return replace(result, game=game.name, reason=reason)


def regret_method_on(spec: MethodSpec, form: PublicForm) -> tuple[RegretMethod, str | None]:
    """Return the member of the CFR family that a method is on a form, and why "auto" is.

    Raises
    ------
    UnsupportedGameError
        If the method is neither a member of the CFR family nor `auto`.
    """
    if isinstance(spec, Auto):
        name, reason = best_scheme(form)
        return RegretMethod(SCHEMES[name]), f"{name} {reason}"
    if not isinstance(spec, RegretMethod):
        raise UnsupportedGameError(
            f"{spec.name} does not solve locked, cut or gadget games of public forms such as that "
            f"of {form.name}: choose a member of the CFR family, such as cfr+"
        )
    return spec, None


def evaluate_gradients(game: GradientGame, plans: tuple[FloatArray, FloatArray]) -> Evaluation:
    """Return values and gains of plans [Q] on the treeplexes of a game."""
    form, values, best = game.public_form, [], []
    for player, plex in enumerate(game.treeplexes):
        gradient = np.ascontiguousarray(game.gradient(plans, player))
        values.append(plan_value(gradient, plans[player]))
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        best.append(float(gradient[0]))
    gains = tuple(max(b - v, 0.0) for b, v in zip(best, values, strict=True))
    halved = levels = None
    if form.constant_sum is not None:
        halved = sum(gains) / 2
        if game.is_exact:
            total = form.constant_sum - form.rounding
            levels = (total - best[1], total - best[0])
    return Evaluation(tuple(values), gains, sum(gains), halved, levels, form.rounding)
