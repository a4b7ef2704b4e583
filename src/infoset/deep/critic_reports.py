"""What a critic is worth: NashConv with and without search by it, or a held-out residual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from infoset.deep.blueprints import Blueprint
from infoset.deep.critic import Critic, blueprint_on_device
from infoset.deep.critic_learning import CriticState, CriticTask, visit_histories
from infoset.deep.device_games import DeviceGame
from infoset.deep.network_policy import NetworkPolicy
from infoset.evaluation import nash_conv
from infoset.policy import TabularPolicy
from infoset.resolving import ContinualResolving
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.resolution import ITERATIONS
from infoset.tree import GameTree

DEPTHS: Final = (1, 2)

MAX_COST: Final = 2_000_000_000
"""Cost of the searches that are done to measure NashConv: about ten seconds of one core."""

COST_OF_A_SEARCH: Final = 1_000_000
"""Cost of one search, besides that of its iterations: about five milliseconds."""

COST_OF_A_HISTORY: Final = 8
"""Cost of an iteration, by history and depth of the search."""

TOLERANCE: Final = 1e-4

NUM_BATCHES: Final = 16
"""Batches of episodes for a residual, each as large as those of training."""

HELD_OUT: Final = 2
"""Number of the stream of random numbers for a residual; training uses 0 and 1."""


@dataclass(frozen=True)
class CriticReport:
    """The effect of a critic on search."""

    nash_conv: float | None = None
    """NashConv of the blueprint alone. None if the game was not built, or search would take long.
    """
    search_nash_conv: Mapping[int, float] = field(default_factory=dict)
    """NashConv of continual re-solving with the critic, by depth limit."""
    tolerance: float = 0.0
    """Difference of NashConv that does not count: 1e-4 of the payoff range, about the error of the
    searches' iterations."""
    residual: float | None = None
    """If there is no NashConv: the root mean squared difference between the critic's value of a
    history and the expectation of the reward and of its value of the next history, in units of
    utility, over the histories of fresh episodes and all profiles."""
    spread: float | None = None
    """Standard deviation of those expectations. A critic whose residual is as large has learned
    nothing."""

    @property
    def helpful_depths(self) -> tuple[int, ...]:
        """Depths at which NashConv with search is not larger than without it."""
        limit = (self.nash_conv or 0.0) + self.tolerance
        return tuple(depth for depth, found in self.search_nash_conv.items() if found <= limit)

    @property
    def is_harmful(self) -> bool:
        """Whether search with the critic is worse than the blueprint at every measured depth.

        Without NashConv, whether the critic is no better than a constant.
        """
        if self.search_nash_conv:
            return not self.helpful_depths
        if self.residual is None or self.spread is None:
            return False
        return not self.residual < self.spread

    @property
    def verdict(self) -> str:
        """The numbers in one line, with a warning if the critic makes play worse."""
        if not self.search_nash_conv:
            return self._residual_verdict()
        found = ", ".join(f"{v:.3g} at depth {d}" for d, v in self.search_nash_conv.items())
        numbers = f"NashConv {self.nash_conv:.3g} without search, with this critic {found}"
        if self.is_harmful:
            return f"{numbers}: do not use this critic, which makes play worse; train it longer"
        worse = [d for d in self.search_nash_conv if d not in self.helpful_depths]
        if not worse:
            return numbers
        depths = " and ".join(map(str, worse))
        return f"{numbers}: do not use this critic at depth {depths}, where it makes play worse"

    def _residual_verdict(self) -> str:
        if self.residual is None or self.spread is None:
            return "the critic was not measured"
        numbers = (
            f"Bellman residual of the critic in new episodes {self.residual:.3g}, where values "
            f"have a standard deviation of {self.spread:.3g}"
        )
        if self.is_harmful:
            return f"{numbers}: do not use this critic, which has learned nothing; train it longer"
        return f"{numbers}; NashConv with search was not computed, so that only a match can show it"

    def summary(self) -> dict[str, Any]:
        """Return the numbers that are known, and the verdict, as JSON values."""
        numbers = {
            "nash_conv": self.nash_conv,
            "search_nash_conv": {str(d): v for d, v in self.search_nash_conv.items()} or None,
            "residual": self.residual,
            "spread": self.spread,
        }
        known = {name: number for name, number in numbers.items() if number is not None}
        return {**known, "is_harmful": self.is_harmful, "verdict": self.verdict}


def report_critic(
    critic: Critic,
    game: GameTree | DeviceGame,
    blueprint: TabularPolicy | NetworkPolicy,
    *,
    max_cost: int = MAX_COST,
    seed: int = 0,
    callback: Callable[[str], object] | None = None,
) -> CriticReport:
    """Measure how search with a critic changes the play of its blueprint.

    On a tree, the measure is NashConv with continual re-solving by the default settings, at depths
    1 and 2 if the searches cost at most `max_cost`. Otherwise it is the residual of the critic. The
    cost is a count, so the result does not depend on a clock.

    Parameters
    ----------
    game
        The game of the critic; without a tree there is no NashConv.
    blueprint
        The policy for which the critic was trained.
    max_cost
        Limit on the cost of all searches, see `search_cost`; the default is about ten seconds.
    seed
        Seed of the episodes for a residual.
    callback : callable, optional
        Called with a text before each measurement.

    Raises
    ------
    PolicyMismatchError
        If the critic is for another game or another blueprint.
    """
    tell = callback or (lambda text: None)
    if isinstance(game, GameTree):
        found, cost = {}, 0
        table = critic.tabulate(game) if search_cost(game, DEPTHS[0]) <= max_cost else None
        for depth in DEPTHS:
            cost += search_cost(game, depth)
            if table is None or cost > max_cost:
                break
            tell(f"search with the critic at depth {depth}")
            search = ContinualResolving(game, blueprint, table, depth=depth)
            found[depth] = nash_conv(search.search_policy())
        if found:
            form = game.sequence_form
            own = blueprint if isinstance(blueprint, TabularPolicy) else blueprint.tabulate(form)
            alone = nash_conv(own)
            return CriticReport(alone, found, TOLERANCE * form.payoff_width)
    tell("residual of the critic")
    device, policy, _ = blueprint_on_device(game, blueprint)
    residual, spread = _residual(replace(critic, device=device), policy, seed)
    return CriticReport(residual=residual, spread=spread)


def search_cost(tree: GameTree, depth: int) -> int:
    """Return the cost of searches of both players at all public states, roughly: 5 ns each."""
    lookahead = Lookahead.on_tree(tree, depth)
    iterations = COST_OF_A_HISTORY * ITERATIONS * depth * tree.num_histories
    return COST_OF_A_SEARCH * int(lookahead.acts.sum()) + iterations


def _residual(critic: Critic, blueprint: Blueprint, seed: int) -> tuple[float, float]:
    """Return the residual and the spread of a critic in new episodes."""
    # Whatever the critic learned from, the residual is that of expectations over all actions.
    spec = replace(critic.settings, is_expected=True)
    unit = jnp.float32(critic.unit)
    task = CriticTask(critic.device, unit, critic.transformations, spec)
    key = jax.random.fold_in(jax.random.key(seed, impl="threefry2x32"), HELD_OUT)
    state = CriticState(
        step=jnp.zeros((), jnp.int32),
        key=jax.random.key_data(key),
        network=critic.network,
        target=critic.network,
        second_moment=critic.network,
        loss=jnp.zeros((), jnp.float32),
    )
    squares, expected = [], []
    for batch in range(NUM_BATCHES):
        here = state._replace(step=jnp.int32(batch))
        values, targets, valid = map(np.asarray, _targets(task, blueprint, here))
        squares.append(((values - targets) ** 2)[valid])
        expected.append(targets[valid])
    residual = np.sqrt(np.concatenate(squares).mean(dtype=np.float64))
    # By profile, because the mean values of profiles differ.
    spread = np.sqrt(np.concatenate(expected).var(axis=0, dtype=np.float64).mean())
    return float(residual * critic.unit), float(spread * critic.unit)


@jax.jit
def _targets(task: CriticTask, blueprint: Blueprint, state: CriticState) -> Any:
    """Return [T, B, M] the values of histories and their targets, and [T, B] which are valid."""
    visits = visit_histories(task, blueprint, state)
    return state.network.outputs(visits.features), visits.expected, visits.valid
