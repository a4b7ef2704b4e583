"""Regularized CFR: optimistic mirror descent at every infostate, with last-iterate convergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import Form
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers._reg_cfr_kernels import PlayerState, iterate_regularized
from infoset.solvers.two_player import LastIterateSolver, check_min_probability
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True)
class RegCFR:
    """Regularized CFR: optimistic mirror descent on regularized values at every infostate.

    Let q be the counterfactual values of the actions of an infostate, σ its policy, and
    m = q − τ σ. An iteration sets

        base ← Π(base + η m),   σ ← Π(base + η m),   η = 1 / √(κ + 2 Σ |m − m₋₁|²)

    where Π is the projection onto policies with probabilities of at least γ. The infostate passes
    its regularized value <q, σ> − ½ τ |σ|² to its parent. After every `period` iterations τ and γ
    are halved. The last iterate is the answer, and no average is stored. The method supports only
    two-player constant-sum games.

    Notes
    -----
    Source: Liu, Ozdaglar, Yu and Zhang (ICLR 2023), "The Power of Regularization in Solving
    Extensive-Form Games". Differs from the paper: the distance is always Euclidean; players
    alternate, which makes the last iterate on Leduc poker about eight times better; κ and τ are
    relative to the payoffs; halvings are 100 iterations apart instead of 10⁵; γ is also halved,
    because it limits how good the answer can become.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.solvers import RegCFR
    >>> solve("kuhn_poker", RegCFR(), iterations=1000).exploitability < 2e-6
    True
    """

    name: str = "reg-cfr"
    description: str = "regularized CFR, last iterate (Liu et al. 2023)"
    """Name of the method in results, and its description in one line with the source."""
    step_size_offset: float = 1.0
    """κ, in units of the square of the game's `payoff_scale`."""
    temperature: float = 1e-3
    """τ before the first halving, in units of the `payoff_scale`."""
    min_probability: float = 1e-3
    """γ before the first halving."""
    period: int = 100
    """Iterations between two halvings."""

    def __post_init__(self) -> None:
        for name in ("step_size_offset", "temperature", "min_probability"):
            check_number(name, getattr(self, name))
        if self.step_size_offset == 0:
            raise ParameterError("step_size_offset=0 must be a positive number, such as 1.0")
        check_count("period", self.period, minimum=1)

    def schedule(self, scale: float, first: int, count: int) -> FloatArray:
        """Return [count, 2] τ, in the game's units, and γ, for iterations from `first` on."""
        halvings = np.arange(first - 1, first - 1 + count) // self.period
        factor = 0.5**halvings
        return np.stack([scale * self.temperature * factor, self.min_probability * factor], axis=1)

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        ParameterError
            If an infostate has too many actions for the minimum probability.
        """
        return run_measured(RegCFRSolver(form, self), self.name, budget)


class RegCFRSolver(LastIterateSolver[RegCFR]):
    """The state of regularized CFR on a game, and the iterations that change it.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    spec
        The parameters of the method.

    Raises
    ------
    UnsupportedGameError, ParameterError
        In the cases that `RegCFR.run` lists.
    """

    CHANGING = ("last", "change", "base", "policy", "plan")

    _states: tuple[PlayerState, PlayerState]

    def __init__(self, form: Form, spec: RegCFR) -> None:
        super().__init__(form, spec)
        check_min_probability(form, spec.min_probability)
        self._scale = self._game.payoff_scale
        self._states = (self._player_state(0), self._player_state(1))

    def _player_state(self, player: Player) -> PlayerState:
        game = self._game
        policies = game.uniform_policies()
        return PlayerState(
            game.groups[player],
            game.parents[player],
            game.infostate_weights(player),
            game.pairs[player],
            gradient=game.zeros()[player],
            last=game.zeros()[player],
            change=np.zeros(len(game.parents[player])),
            base=policies[player].copy(),
            policy=policies[player],
            plan=game.plans(policies)[player],
        )

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads; projections read each number several times."""
        return 2 * gradient_cost(self.form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one compiled call."""
        schedule = self._spec.schedule(self._scale, self.iteration + 1, iterations)
        # It is added to squares of gradients, hence the square of their unit.
        step_size_offset = self._spec.step_size_offset * self._scale**2
        iterate_regularized(schedule, self._done, step_size_offset, self._states)
