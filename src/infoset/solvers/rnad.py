"""Exact R-NaD: regularized Nash dynamics with a table of logits and exact expectations."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import Form, divided_payoffs
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers._rnad_kernels import PlayerState, iterate_rnad
from infoset.solvers.two_player import LastIterateSolver, TwoPlayerGame
from infoset.typing import Player
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True)
class RNaD:
    """R-NaD with exact expectations: NeuRD in a game regularized toward earlier policies.

    Let π be the policies and π_reg the regularizer. Each player pays η log(π(a|s) / π_reg(a|s)) for
    its action a at infostate s, and receives what the opponent pays. With Q(s, a) the value of an
    action in this game, given that s is reached, an iteration sets

        π(a|s) ← softmax(log π(a|s) + step_size · (Q(s, a) − Σ_b π(b|s) Q(s, b)))

    For each regularizer, this converges to a unique fixed point. After every `period` iterations,
    the regularizer moves to the policy, and a sequence of fixed points converges to an equilibrium.
    During the first half of a period, log π_reg changes linearly from the previous regularizer to
    the new one. The last iterate is the answer, and no average is stored. The method supports only
    two-player constant-sum games.

    Notes
    -----
    Source: Perolat et al. (Science 2022), "Mastering the game of Stratego with model-free
    multiagent reinforcement learning"; Perolat et al. (ICML 2021) for the fixed points.
    Differs from the paper: values are exact instead of sampled, and there is no neural network; η
    is relative to the game; players alternate, which permits larger steps; regularizers keep a part
    of the uniform policy instead of gating the logits, which would stop convergence. `RNAD_PAPER`
    has the paper's numbers. The unit and the numbers were chosen by trial on Kuhn poker, Leduc
    poker, goofspiel with 4 cards and liar's dice. In the games' own units, half of both numbers is
    slightly better on these four, but half or twice as much again fails on Leduc poker; half the
    payoff range is worse there.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.solvers import RNaD
    >>> solve("kuhn_poker", RNaD(), iterations=1000).exploitability < 1e-4
    True
    """

    name: str = "rnad"
    description: str = "R-NaD with exact expectations, last iterate (Perolat et al. 2022)"
    """Name of the method in results, and its description in one line with the source."""
    eta: float = 0.05
    """η, in units of the standard deviation of returns when all players play uniformly; see
    `is_relative`."""
    step_size: float = 1.0
    """Step size of the logits, relative to the inverse of the same unit."""
    period: int = 30
    """Iterations per regularizer."""
    uniform_weight: float = 0.1
    """Regularizer k is the policy mixed with a weight of `uniform_weight / k` of the uniform
    policy."""
    gate: float | None = None
    """β: an advantage does not increase a centered logit above β, nor decrease it below −β; None
    for no limit."""
    alternating: bool = True
    """Whether player 1 responds to the plan that player 0 has just computed."""
    is_relative: bool = True
    """Whether `eta` and `step_size` are relative to the standard deviation of returns. If not,
    `eta` is in the game's units of utility and `step_size` in their inverse."""

    def __post_init__(self) -> None:
        for name in ("eta", "step_size"):
            check_number(name, getattr(self, name))
            if getattr(self, name) == 0:
                raise ParameterError(f"{name}=0 must be a positive number, such as 0.1")
        check_count("period", self.period, minimum=1)
        check_number("uniform_weight", self.uniform_weight, maximum=1)
        if self.gate is not None:
            check_number("gate", self.gate)

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum, or its chance reach is unknown.
        """
        return run_measured(RNaDSolver(form, self), self.name, budget)


RNAD_PAPER = RNaD(
    name="rnad-paper",
    description="R-NaD with the numbers of DeepNash: η = 0.2 in the game's units and β = 2",
    eta=0.2,
    step_size=0.1,
    period=300,
    uniform_weight=0.0,
    gate=2.0,
    alternating=False,
    is_relative=False,
)
"""The paper's η and gate, and simultaneous updates, for games with utilities of ±1.

The step size and the period, which have no counterpart with networks, are those with which exact
R-NaD was first tried on small games. The gate keeps all probabilities away from zero, so the
policies approach equilibria only roughly.
"""


class RNaDSolver(LastIterateSolver[RNaD]):
    """The state of exact R-NaD on a game, and the iterations that change it.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    spec
        The parameters of the method.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or its chance reach is unknown.
    """

    CHANGING = ("log_policy", "policy", "plan", "regularizer", "previous")

    _states: tuple[PlayerState, PlayerState]

    def __init__(self, form: Form, spec: RNaD) -> None:
        super().__init__(form, spec)
        # Payoffs of `pairs` are divided by this: by the deviation of returns, or, to be in the
        # game's units, by the inverse of what they were divided by before.
        unit = self._game.unit
        self._scale = uniform_deviation(self._game) if spec.is_relative else 1.0 / unit
        self._states = (self._player_state(0), self._player_state(1))

    def _player_state(self, player: Player) -> PlayerState:
        game = self._game
        policy = game.uniform_policies()[player]
        payoffs = game.pairs[player]
        return PlayerState(
            game.groups[player],
            game.parents[player],
            divided_payoffs(payoffs, self._scale),
            self.form.reach_payoffs().pairs[player],
            gradient=game.zeros()[player],
            reach=game.zeros()[player],
            ratio=game.zeros()[player],
            path_ratio=game.zeros()[player],
            log_policy=np.log(policy),
            policy=policy,
            plan=game.plans(game.uniform_policies())[player],
            regularizer=np.log(policy),
            previous=np.log(policy),
        )

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads: three gradients, and logarithms."""
        return 4 * gradient_cost(self.form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one compiled call."""
        spec = self._spec
        iterate_rnad(
            iterations,
            self._done,
            float(spec.eta),
            float(spec.step_size),
            inf if spec.gate is None else float(spec.gate),
            spec.period,
            float(spec.uniform_weight),
            spec.alternating,
            self._states,
        )


def uniform_deviation(game: TwoPlayerGame) -> float:
    """Return the standard deviation of returns under uniform play, in units of `game.pairs`.

    A return is the mean utility of the terminal histories with the same pair of last sequences.
    If all returns are equal, the result is 1.
    """
    plans = tuple(
        layout.to_sequences(plan)
        for layout, plan in zip(game.layouts, game.plans(game.uniform_policies()), strict=True)
    )
    return game.form.payoff_deviation(plans, 0, game.unit) or 1.0
