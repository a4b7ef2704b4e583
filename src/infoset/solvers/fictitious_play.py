"""Extensive-form fictitious play: best responses to the average policies of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from infoset.evaluation import best_response_plan
from infoset.forms import Form
from infoset.policy import TabularPolicy, uniform_policy
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.typing import FloatArray, StateArrays
from infoset.utils.state import name_by_player


class _State(NamedTuple):
    iteration: int
    averages: tuple[FloatArray, ...]
    responses: tuple[FloatArray, ...]


class FictitiousPlaySolver:
    """Extensive-form fictitious play (XFP), in sequence form, for any number of players.

    Let X be a player's average plan, and b a pure best response to the average plans of the others.
    Iteration t sets

        X ← X + (b − X) / (t + 1)

    for all players simultaneously. The average starts at the uniform policy, which counts as the
    first sample. Best responses take the first of equally good actions, which affects convergence
    considerably. In two-player constant-sum games the average converges to an equilibrium; in other
    games it need not.

    Parameters
    ----------
    form
        The game.

    Notes
    -----
    Source: Heinrich, Lanctot and Silver (2015), Algorithm 1 with Theorem 7.
    Differs from the paper: the equation above replaces the equivalent reach-weighted mixing of
    behavior at each infostate; step sizes are fixed at 1/(t + 1).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> play = FictitiousPlaySolver(build_tree(load_game("kuhn_poker")).sequence_form)
    >>> play.run(100)
    >>> play.policy()["[K]", 0]["pass"] < 1
    True
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        start = uniform_policy(form).realization_plans()
        self._state = _State(0, start, start)

    @property
    def iteration(self) -> int:
        """Number of iterations done."""
        return self._state.iteration

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads."""
        return gradient_cost(self.form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            self._state = self._next()

    def _next(self) -> _State:
        done, averages, _ = self._state
        responses = tuple(
            best_response_plan(self.form, averages, player)
            for player in range(self.form.num_players)
        )
        # t + 1 with t = done + 1: the uniform policy is the first sample.
        moved = tuple(
            average + (response - average) / (done + 2)
            for average, response in zip(averages, responses, strict=True)
        )
        return _State(done + 1, moved, responses)

    def settings(self) -> dict[str, Any]:
        """Return an empty mapping: the method has no parameters."""
        return {}

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, by name and player."""
        done, averages, responses = self._state
        named = name_by_player(averages=averages, responses=responses)
        return {"done": np.array([done]), **named}

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names and shapes of `state()`."""
        players = range(self.form.num_players)
        averages, responses = (
            tuple(state[f"{kind}.{player}"].copy() for player in players)
            for kind in ("averages", "responses")
        )
        self._state = _State(int(state["done"][0]), averages, responses)

    def policy(self) -> TabularPolicy:
        """Return the average policy, to which the next iteration responds."""
        return TabularPolicy.from_weights(self.form, self._state.averages)

    def current_policy(self) -> TabularPolicy:
        """Return the last best responses, uniform at infostates that they do not reach."""
        return TabularPolicy.from_weights(self.form, self._state.responses)


@dataclass(frozen=True)
class FictitiousPlay:
    """Extensive-form fictitious play as a method; the average policy is the answer."""

    name: str = "xfp"
    description: str = "extensive-form fictitious play (Heinrich, Lanctot and Silver 2015)"
    """Name of the method in results, and its description in one line with the source."""

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up."""
        return run_measured(FictitiousPlaySolver(form), self.name, budget)
