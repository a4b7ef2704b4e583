"""First-order methods: mirror descent and its variants, as parameters of one prox kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import Form
from infoset.policy import TabularPolicy
from infoset.regret import Distance, check_distance
from infoset.runs import Budget, SolveResult, check_budget, gradient_cost, run_measured
from infoset.solvers._first_order_kernels import (
    EXTRA_GRADIENT,
    LAST_GRADIENT,
    NO_PREDICTION,
    PlayerState,
    Workspace,
    iterate_first_order,
)
from infoset.solvers.quantal import quantal_distance, quantal_gap
from infoset.solvers.two_player import LastIterateSolver, payoff_scale
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_count, check_number
from infoset.utils.registry import Registry

Prediction: TypeAlias = Literal["none", "last", "extra"]
"""The prediction of the next gradient: none, the last one, or an extra one at the base."""

QUANTAL_TOLERANCE = 1e-3
"""Distance in probability from a quantal response equilibrium at which runs without limits stop."""

EUCLIDEAN = Distance("euclidean")
ENTROPY = Distance("entropy")


@dataclass(frozen=True)
class FirstOrderScheme:
    """The parameters of a first-order method.

    Let g be the gradient of a player's utility at the plans played. An iteration updates a base h,

        h ← argmax <g, x> − α D(x, magnet) − (1 / η) D(x, h)

    and plays the base, or the result of one more such step along a prediction of the next gradient.
    η is `step_size` divided by the `payoff_scale` of the game, and α is `temperature` times the
    `payoff_scale`. The parameters therefore suit all games, whatever the units of payoffs.

    Notes
    -----
    Source: Hoda, Gilpin, Peña and Sandholm (2010) for the prox; each description names the source
    of its method. Differs from the papers: step sizes are tuned on several games instead of being
    taken from the theorems (for `mmd` both agree); players may alternate, which the theorems do not
    cover; averages give later plans more weight; methods with a prediction play the uniform policy
    first.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from infoset import solve
    >>> from infoset.solvers import FIRST_ORDER
    >>> larger = replace(
    ...     FIRST_ORDER["optimistic-omd"], name="larger steps", step_size=0.4
    ... )
    >>> solve("kuhn_poker", larger, iterations=1000).exploitability < 2e-5
    True
    """

    name: str
    """Name of the method in `solve` and in results."""
    description: str
    """Description in one line, with the source."""
    distance: Distance = EUCLIDEAN
    """The distance D with its dilation weights."""
    step_size: float = 0.2
    """η at iteration 1, relative to the inverse of the payoff scale."""
    step_exponent: float = 0.0
    """η is proportional to `t ** -step_exponent`."""
    prediction: Prediction = "none"
    """The prediction of the next gradient: `none` (mirror descent), `last` (optimistic methods) or
    `extra` (mirror prox). The first iteration plays the uniform policy."""
    is_lazy: bool = False
    """Whether steps start at the initial base and use the sum of all gradients, as in FTRL."""
    temperature: float = 0.0
    """α at iteration 1, relative to the payoff scale; 0 for no magnet. The initial magnet is zero,
    for which D is the regularizer ψ. If the magnet does not move, the fixed point is the quantal
    response equilibrium of `quantal_gap`."""
    temperature_exponent: float = 0.0
    """α is proportional to `t ** -temperature_exponent`."""
    magnet_period: int | None = None
    """Number of iterations after which the magnet moves to the base; None for never."""
    average_exponent: float = 1.0
    """The plan of iteration t has the weight `t ** average_exponent` in the average."""
    answers_last: bool = False
    """Whether the answer is the last iterate instead of the average."""
    alternating: bool = False
    """Whether player 1 responds to the plan that player 0 has just computed."""

    def __post_init__(self) -> None:
        check_choice("prediction", self.prediction, get_args(Prediction))
        check_distance(self.distance)
        self._check_numbers()
        if self.prediction == "extra" and self.alternating:
            raise ParameterError(
                "prediction='extra' needs simultaneous updates, as the extra gradients are taken "
                "at the new bases of both players: use alternating=False"
            )
        if self.is_lazy and (self.temperature > 0 or self.magnet_period is not None):
            raise ParameterError(
                f"temperature={self.temperature} and magnet_period={self.magnet_period} are not "
                "supported by lazy methods, whose magnet is the initial base: use is_lazy=False"
            )

    def _check_numbers(self) -> None:
        check_number("step_size", self.step_size)
        if self.step_size == 0:
            raise ParameterError(f"step_size={self.step_size} must be positive, such as 0.2")
        for name in (
            "step_exponent",
            "temperature",
            "temperature_exponent",
            "average_exponent",
        ):
            check_number(name, getattr(self, name))
        if self.magnet_period is not None:
            check_count("magnet_period", self.magnet_period, minimum=1)

    @property
    def has_quantal_limit(self) -> bool:
        """Whether the fixed point is a quantal response equilibrium: the magnet is fixed."""
        return (
            self.temperature > 0 and self.magnet_period is None and self.temperature_exponent == 0
        )

    def schedule(self, scale: float, first: int, count: int) -> FloatArray:
        """Return [count, 3] the parameters of each iteration, beginning with iteration `first`.

        The columns are the inverse step size 1 / η and the temperature α, both in the game's units,
        and the factor by which the average is multiplied.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        return np.stack(
            [
                scale / self.step_size * t**self.step_exponent,
                scale * self.temperature * t**-self.temperature_exponent,
                # average(t) ← factor · average(t - 1) + plan: weights t^e, up to a common factor
                (1 - 1 / t) ** self.average_exponent,
            ],
            axis=1,
        )

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up.

        If the magnet is fixed, `gaps["quantal"]` of the result is the `quantal_gap`, and
        exploitability does not converge to zero. Without limits, the run then stops when the
        `quantal_distance` is at most 0.001. The target of a budget is still an exploitability; if
        that of the quantal response equilibrium is higher, the outcome is 'stalled'.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        """
        solver = FirstOrderSolver(form, self)
        if not self.has_quantal_limit:
            return run_measured(solver, self.name, budget)
        temperature = self.temperature * payoff_scale(form)

        def is_at_limit(policy: TabularPolicy) -> bool:
            return quantal_distance(policy, temperature, self.distance) <= QUANTAL_TOLERANCE

        check_budget(budget)
        # The default target is an exploitability, which the limit of this method need not have.
        if budget.is_default:
            budget = replace(budget, target=None)
        result = run_measured(solver, self.name, budget, is_at_limit=is_at_limit)
        return replace(
            result, gaps={"quantal": quantal_gap(result.policy, temperature, self.distance)}
        )


PREDICTIONS = {"none": NO_PREDICTION, "last": LAST_GRADIENT, "extra": EXTRA_GRADIENT}


class FirstOrderSolver(LastIterateSolver["FirstOrderScheme"]):
    """The state of a first-order method on a game, and the iterations that change it.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    scheme
        The parameters of the method.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.solvers import FIRST_ORDER, FirstOrderSolver
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> solver = FirstOrderSolver(kuhn, FIRST_ORDER["optimistic-omd"])
    >>> solver.run(100)
    >>> solver.iteration
    100
    """

    CHANGING = ("sums", "magnet", "base", "policy", "plan", "average")

    _states: tuple[PlayerState, PlayerState]

    def __init__(self, form: Form, scheme: FirstOrderScheme) -> None:
        super().__init__(form, scheme)
        self._states = (self._player_state(0), self._player_state(1))
        largest = self._game.largest_group
        size = max(plex.num_sequences for plex in form.treeplexes)
        self._workspace = Workspace(*(np.zeros(n) for n in (size, size, largest, largest)))

    def _player_state(self, player: Player) -> PlayerState:
        game, distance = self._game, self._spec.distance
        layout = game.layouts[player]
        weights = distance.weights_of(
            self.form.treeplexes[player], self.form.multiplicities[player]
        )
        policy = game.uniform_policies()[player]
        plan = game.plans(game.uniform_policies())[player]
        base = distance.coordinates(policy)
        gradient, sums, average = (np.zeros_like(policy) for _ in range(3))
        return PlayerState(
            layout.groups,
            layout.parent,
            weights[layout.infostate],
            game.pairs[player],
            gradient,
            sums,
            # The magnet of lazy methods is the initial base.
            magnet=base.copy() if self._spec.is_lazy else np.zeros_like(base),
            base=base,
            # Without a prediction the base is played: both are one array.
            base_plan=plan if self._spec.prediction == "none" else plan.copy(),
            policy=policy,
            plan=plan,
            average=average,
        )

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads; an exponential counts as ten."""
        sweeps = 1 if self._spec.prediction == "none" else 2
        sequences = sum(plex.num_sequences for plex in self.form.treeplexes)
        return gradient_cost(self.form) * sweeps + 10 * sweeps * sequences

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one compiled call."""
        scheme = self._spec
        iterate_first_order(
            scheme.schedule(self._game.payoff_scale, self.iteration + 1, iterations),
            self._done,
            scheme.distance.is_euclidean,
            scheme.is_lazy,
            PREDICTIONS[scheme.prediction],
            scheme.magnet_period or 0,
            scheme.alternating,
            self._states,
            self._workspace,
        )

    def average_policy(self) -> TabularPolicy:
        """Return the average policy; uniform before iteration 1."""
        if self.iteration == 0:
            return self.current_policy()
        # The plan of the empty sequence is always 1, so its sum is that of the weights.
        averages = tuple(state.average / state.average[0] for state in self._states)
        return self._game.to_policy(averages)

    def policy(self) -> TabularPolicy:
        """Return the answer of the scheme: the average policy or the last iterate."""
        return self.current_policy() if self._spec.answers_last else self.average_policy()


_SCHEMES = (
    FirstOrderScheme(
        "omd",
        "online mirror descent, step sizes t^-1/2 (Nemirovski and Yudin 1983)",
        step_size=5.0,
        step_exponent=0.5,
        alternating=True,
    ),
    FirstOrderScheme(
        "ftrl",
        "follow the regularized leader, step sizes t^-1/2 (Shalev-Shwartz 2012)",
        step_size=3.0,
        step_exponent=0.5,
        is_lazy=True,
        alternating=True,
    ),
    FirstOrderScheme(
        "optimistic-omd",
        "optimistic online mirror descent (Lee, Kroer and Luo 2021)",
        prediction="last",
    ),
    FirstOrderScheme(
        "optimistic-ftrl",
        "optimistic follow the regularized leader (Syrgkanis et al. 2015)",
        prediction="last",
        is_lazy=True,
    ),
    FirstOrderScheme(
        "mirror-prox",
        "mirror prox: an extra gradient per iteration (Nemirovski 2004)",
        step_size=0.3,
        prediction="extra",
    ),
    FirstOrderScheme(
        "mmd",
        "magnetic mirror descent to a quantal response equilibrium (Sokota et al. 2023)",
        distance=ENTROPY,
        temperature=0.1,
        step_size=0.1,
        answers_last=True,
    ),
    FirstOrderScheme(
        "mmd-moving",
        "magnetic mirror descent to a Nash equilibrium, moving magnet (Sokota et al. 2023)",
        temperature=0.1,
        step_size=0.3,
        magnet_period=20,
        alternating=True,
        answers_last=True,
    ),
)

FIRST_ORDER: Registry[FirstOrderScheme] = Registry(
    "first-order scheme", _SCHEMES, entry_type=FirstOrderScheme
)
"""The first-order methods by name."""
