"""Step sizes, given as numbers or computed from the size of a tree and the number of episodes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError
from infoset.learning.simulator import Simulator
from infoset.tree.decision_nodes import Infostates
from infoset.typing import IntArray, Player
from infoset.utils.arguments import check_callable, check_number, check_player, check_type

FAILURE_PROBABILITY = 0.1
"""δ: the theoretical step sizes are for regret bounds that hold with probability 1 - δ."""

TUNED_EPISODES = 1_000_000
EXPLORATION_PER_RATE = 0.05


class TreeSize(NamedTuple):
    """The size of a player's infostate tree, with the symbols of the papers."""

    infostates: int
    """X, the number of infostates."""
    sequences: int
    """XA, the number of pairs of an infostate and an action there."""
    decisions: int
    """H, the maximum number of the player's decisions in an episode."""
    actions: int
    """A, the maximum number of actions at an infostate."""
    game: str = ""
    """Name of the game; tuned step sizes are looked up by it."""

    @property
    def log_actions(self) -> float:
        """The logarithm of A, with A at least 2."""
        return log(max(self.actions, 2))

    @property
    def confidence(self) -> float:
        """ι = log(3 H XA / δ), with failure probability δ = 0.1."""
        sequences = max(self.sequences, 1)
        return log(3.0 * max(self.decisions, 1) * sequences / FAILURE_PROBABILITY)


class StepSizes(NamedTuple):
    """The learning rate and implicit exploration of a learner."""

    learning_rate: float
    """η, for losses in [0, 1]."""
    implicit_exploration: float
    """γ, added to the reach in the denominator of estimated losses."""


StepSizeRule: TypeAlias = Callable[[TreeSize, int], StepSizes]
"""Computes step sizes from the size of a tree and the number of episodes."""


@dataclass(frozen=True)
class ScaledStepSizes:
    """The learning rate of a rule times a factor; implicit exploration is 1/20 of the product.

    Theoretical rates are for the worst case. Larger ones perform better on the games measured.
    """

    rule: StepSizeRule
    """Computes the learning rate before scaling."""
    factor: float
    """The factor."""

    def __call__(self, size: TreeSize, episodes: int) -> StepSizes:
        """Return the step sizes for a tree and a number of episodes."""
        rate = self.factor * self.rule(size, episodes).learning_rate
        return StepSizes(rate, EXPLORATION_PER_RATE * rate)


@dataclass(frozen=True)
class TunedStepSizes:
    """Step sizes from a grid search on particular games: learning rate c, exploration c / 20."""

    constants: Mapping[str, float]
    """c for 10⁶ episodes, by family of games."""
    growth: float = -0.5
    """Exponent of the number of episodes in c; -1/2 for learners with fixed rates."""

    def __call__(self, size: TreeSize, episodes: int) -> StepSizes:
        """Return the step sizes for the family that a game belongs to.

        Raises
        ------
        ParameterError
            If the family has no tuned step sizes.
        """
        family = size.game.split("(")[0]
        if family not in self.constants:
            raise ParameterError(
                f"there are no tuned step sizes for {size.game or 'this game'}, only for "
                f"{', '.join(sorted(self.constants))}: choose another preset, or give "
                "step_sizes=(learning_rate, implicit_exploration)"
            )
        rate = self.constants[family] * (episodes / TUNED_EPISODES) ** self.growth
        return StepSizes(rate, EXPLORATION_PER_RATE * rate)


@cache
def _tuned_table() -> Mapping[str, TunedStepSizes]:
    """Read the tuned constants of all learners, by name."""
    table = {}
    text = files("infoset.learning").joinpath("tuned_step_sizes.csv").read_text(encoding="utf-8")
    for line in csv.DictReader(text.splitlines()):
        name, growth = line.pop("learner"), float(line.pop("growth"))
        table[name] = TunedStepSizes({game: float(c) for game, c in line.items()}, growth)
    return table


def tuned_step_sizes(learner: str) -> TunedStepSizes:
    """Return the tuned step sizes of a learner, from `tuned_step_sizes.csv`.

    Examples
    --------
    >>> tuned_step_sizes("ixomd")(TreeSize(6, 12, 2, 2, "kuhn_poker"), 4_000_000)
    StepSizes(learning_rate=0.0015, implicit_exploration=7.500000000000001e-05)
    """
    return _tuned_table()[learner]


def tree_size(simulator: Simulator, player: Player) -> TreeSize:
    """Return the size of a player's infostate tree.

    Raises
    ------
    ParameterError
        If `simulator` is not a `Simulator`, or does not have the player.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import make_simulator
    >>> from infoset.tree import build_tree
    >>> tree_size(make_simulator(build_tree(load_game("kuhn_poker"))), 0)
    TreeSize(infostates=6, sequences=12, decisions=2, actions=2, game='kuhn_poker')
    """
    check_type("simulator", simulator, Simulator, "the result of make_simulator(tree)")
    name = simulator.form.name
    check_player(player, simulator.num_players, name)
    return tree_size_of(simulator.infostates, simulator.depth, player, name)


def tree_sizes(simulator: Simulator) -> list[TreeSize]:
    """Return the sizes of the infostate trees of all players."""
    return [tree_size(simulator, player) for player in range(simulator.num_players)]


def tree_size_of(infostates: Infostates, depth: IntArray, player: Player, game: str) -> TreeSize:
    """Return the size of a player's tree, from the infostates and their depths [I]."""
    own = infostates.player == player
    counts = infostates.num_actions[own]
    return TreeSize(
        infostates=len(counts),
        sequences=int(counts.sum()),
        decisions=int(depth[own].max(initial=-1)) + 1,
        actions=int(np.max(counts, initial=1)),
        game=game,
    )


def require_tree_size(size: TreeSize | None, learner: str) -> TreeSize:
    """Return the size of a player's tree, raising if it is unknown.

    Raises
    ------
    ParameterError
        If `size` is None.
    """
    if size is None:
        raise ParameterError(
            f"the step sizes of {learner} depend on the size of the player's tree, which is not "
            "known: give size=TreeSize(infostates=..., sequences=..., decisions=..., actions=...), "
            f'where upper bounds suffice; or give numbers with get_learner("{learner}", '
            "step_sizes=(learning_rate, implicit_exploration))"
        )
    return size


def planned_step_sizes(
    learner: str, step_sizes: StepSizes | StepSizeRule, size: TreeSize | None, episodes: int
) -> StepSizes:
    """Return step sizes as numbers, computing them if they are a rule.

    Raises
    ------
    ParameterError
        If they are a rule and the size of the tree is unknown.
    """
    if isinstance(step_sizes, StepSizes):
        return step_sizes
    return step_sizes(require_tree_size(size, learner), episodes)


class PlannedSpec(Protocol):
    """A learner spec with step sizes that may depend on the horizon."""

    @property
    def name(self) -> str:
        """Name of the learner."""

    @property
    def step_sizes(self) -> StepSizes | StepSizeRule | None:
        """Step sizes, or the rule that computes them."""

    @property
    def anytime(self) -> bool:
        """Whether step sizes decrease with the episode number instead of using the horizon."""


def planned_settings(spec: PlannedSpec, parameters: dict[str, Any], horizon: int) -> dict[str, Any]:
    """Return the settings of self-play: the learner, its parameters, and the horizon.

    The horizon is None if the step sizes do not depend on it: such a run can always be extended.
    """
    is_fixed = spec.anytime or spec.step_sizes is None or isinstance(spec.step_sizes, StepSizes)
    return {"learner": spec.name, **parameters, "horizon": None if is_fixed else horizon}


def check_step_sizes(step_sizes: object) -> StepSizes | StepSizeRule:
    """Return step sizes after checking them; they are a pair of numbers or a rule.

    Examples
    --------
    >>> check_step_sizes((0.1, 0.005))
    StepSizes(learning_rate=0.1, implicit_exploration=0.005)
    """
    if not isinstance(step_sizes, tuple) or len(step_sizes) != len(StepSizes._fields):
        expected = "a pair (learning_rate, implicit_exploration) such as StepSizes(0.1, 0.005)"
        check_callable("step_sizes", step_sizes, expected)
        return cast(StepSizeRule, step_sizes)
    pair = StepSizes(*step_sizes)
    for name, number in pair._asdict().items():
        check_number(name, number)
    if pair.learning_rate == 0:
        raise ParameterError(
            "learning_rate=0 is not allowed: policies would never change; give a positive rate"
        )
    return pair
