"""Regularized CFR: optimistic mirror descent at every infostate; the last iterate is the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import NumericalError, ParameterError
from infoset.policy import TabularPolicy
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured
from infoset.solvers._reg_cfr_kernels import PlayerState, iterate_regularized
from infoset.solvers.two_player import TwoPlayerSolver, check_min_probability, payoff_scale
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.arguments import check_count, check_number
from infoset.utils.state import name_by_player

__all__ = ["RegCFR", "RegCFRSolver"]

LEAST_SCALE = 1e-100


@dataclass(frozen=True)
class RegCFR:
    """Regularized CFR: optimistic mirror descent at every infostate, with a cost for certainty.

    With q the counterfactual values of the actions of an infostate, σ its policy, and m the
    slope q − τ σ, an iteration sets

        base ← nearest to base + η m,   σ ← nearest to base + η m,   η = 1 / √(κ + 2 Σ |m − m₋₁|²)

    among the probabilities of at least γ, and hands <q, σ> − ½ τ |σ|² to the infostate above.
    After each `period` iterations τ and γ are halved. No average is kept: the policy of the last
    iteration is the answer, in two-player constant-sum games only.

    Attributes
    ----------
    name, description : str
        What the result calls it; one line, with the source.
    step_size_offset : float
        κ, in squares of the `payoff_scale` of the game.
    temperature : float
        τ before the first halving, in units of the `payoff_scale`.
    min_probability : float
        γ before the first halving.
    period : int
        Iterations between two halvings.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Notes
    -----
    Source: Liu, Ozdaglar, Yu and Zhang (ICLR 2023), "The Power of Regularization in Solving
    Extensive-Form Games".
    Differs from the paper: the distance is Euclidean only; the players alternate, which on Leduc
    poker makes the last iterate some eight times as good; κ and τ are relative to the payoffs;
    halvings come every 100 iterations, where theirs are 10⁵ apart, and γ is halved as well, as
    it bounds from below how good the answer can be.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.solvers import RegCFR
    >>> solve("kuhn_poker", RegCFR(), iterations=1000).exploitability < 2e-6
    True
    """

    name: str = "reg-cfr"
    description: str = "regularized CFR, last iterate (Liu et al. 2023)"
    step_size_offset: float = 1.0
    temperature: float = 1e-3
    min_probability: float = 1e-3
    period: int = 100

    def __post_init__(self) -> None:
        for name in ("step_size_offset", "temperature", "min_probability"):
            check_number(name, getattr(self, name))
        if self.step_size_offset == 0:
            raise ParameterError(f"step_size_offset={self.step_size_offset} must be positive")
        check_count("period", self.period, minimum=1)

    def schedule(self, scale: float, first: int, count: int) -> FloatArray:
        """Return [count, 2] τ, in the game's units, and γ, for the iterations from the `first`."""
        halvings = np.arange(first - 1, first - 1 + count) // self.period
        share = 0.5**halvings
        return np.stack([scale * self.temperature * share, self.min_probability * share], axis=1)

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Run until the budget ends it.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        ParameterError
            If an infostate has too many actions for the minimum probability.
        NumericalError
            If payoffs are so large or small that floating point does not hold their squares.
        """
        return run_measured(RegCFRSolver(sequence_form, self), self.name, budget)


class RegCFRSolver(TwoPlayerSolver[RegCFR]):
    """The state of regularized CFR on a game, and the iterations that move it.

    Parameters
    ----------
    sequence_form : SequenceForm
        A two-player constant-sum game.
    spec : RegCFR
        The numbers of the method.

    Raises
    ------
    UnsupportedGameError, ParameterError, NumericalError
        As `RegCFR.run`.
    """

    def __init__(self, sequence_form: SequenceForm, spec: RegCFR) -> None:
        super().__init__(sequence_form, spec)
        check_min_probability(sequence_form, spec.min_probability)
        self._scale = payoff_scale(sequence_form)
        if not LEAST_SCALE <= self._scale <= 1 / LEAST_SCALE:
            raise NumericalError(
                f"{sequence_form.name} pays up to {self._scale:.1g} (nature's reach in it), and "
                f"{spec.name} squares payoffs: write the game in other units, or use cfr+"
            )
        self._states = (self._side(0), self._side(1))

    def _side(self, player: Player) -> PlayerState:
        game = self._game
        policies = game.uniform_policies()
        return PlayerState(
            game.groups[player],
            game.parents[player],
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
        """Numbers read in one iteration; a projection reads each a few times."""
        return 2 * gradient_cost(self.sequence_form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one compiled call."""
        schedule = self._spec.schedule(self._scale, self.iteration + 1, iterations)
        step_size_offset = self._spec.step_size_offset * self._scale**2
        iterate_regularized(schedule, self._done, step_size_offset, self._states)

    def _state_arrays(self) -> StateArrays:
        moving = ("last", "change", "base", "policy", "plan")
        return name_by_player(
            **{name: [getattr(side, name) for side in self._states] for name in moving}
        )

    def policy(self) -> TabularPolicy:
        """Return the last iterate."""
        return self._game.to_policy(tuple(side.policy for side in self._states))

    def current_policy(self) -> TabularPolicy:
        """Return the last iterate."""
        return self.policy()
