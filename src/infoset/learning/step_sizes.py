"""Step sizes: from the size of a player's tree and the number of episodes, or as given."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError
from infoset.learning.simulation import Infostates, Simulator
from infoset.typing import IntArray, Player
from infoset.utils.arguments import check_callable, check_number, check_player, check_type

__all__ = [
    "StepSizeRule",
    "StepSizes",
    "TreeSize",
    "check_step_sizes",
    "planned_horizon",
    "require_tree_size",
    "tree_size",
    "tree_size_of",
    "tree_sizes",
]

FAILURE = 0.1
"""The probability δ with which the bounds behind the step sizes may fail."""


class TreeSize(NamedTuple):
    """How large a player's infostate tree is, in the letters of the papers.

    Attributes
    ----------
    infostates : int
        X
    sequences : int
        XA, the number of pairs of an infostate and an action there.
    decisions : int
        H, the most own decisions in an episode.
    actions : int
        A, the most actions at an infostate.
    game : str
        The name of the game, where it has one: some steps are kept by game.
    """

    infostates: int
    sequences: int
    decisions: int
    actions: int
    game: str = ""

    @property
    def log_actions(self) -> float:
        """The logarithm of A, at least of 2."""
        return log(max(self.actions, 2))

    @property
    def confidence(self) -> float:
        """The number ι = log(3 H XA / δ), with δ = 0.1."""
        return log(3.0 * max(self.decisions, 1) * max(self.sequences, 1) / FAILURE)


class StepSizes(NamedTuple):
    """The numbers of a learner.

    Attributes
    ----------
    learning_rate : float
        η, the learning rate, for losses in [0, 1].
    implicit_exploration : float
        γ, of implicit exploration.
    """

    learning_rate: float
    implicit_exploration: float


StepSizeRule: TypeAlias = Callable[[TreeSize, int], StepSizes]
"""Gives the steps for a tree and a number of episodes."""


def tree_size(simulator: Simulator, player: Player) -> TreeSize:
    """Return how large a player's infostate tree is.

    Raises
    ------
    ParameterError
        If there is no such player, or the simulator is none.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning.simulation import make_simulator
    >>> from infoset.tree import build_tree
    >>> tree_size(make_simulator(build_tree(load_game("kuhn_poker"))), 0)
    TreeSize(infostates=6, sequences=12, decisions=2, actions=2, game='kuhn_poker')
    """
    check_type("simulator", simulator, Simulator, "what make_simulator returns")
    name = simulator.sequence_form.name
    check_player(player, simulator.num_players, name)
    return tree_size_of(simulator.infostates, simulator.depth, player, name)


def tree_sizes(simulator: Simulator) -> list[TreeSize]:
    """Return how large the infostate tree of each player is."""
    return [tree_size(simulator, player) for player in range(simulator.num_players)]


def tree_size_of(infostates: Infostates, depth: IntArray, player: Player, game: str) -> TreeSize:
    """Return how large a player's tree is, from the infostates and their depths [I]."""
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
    """Return the size of a tree, which the steps of a learner go by.

    Raises
    ------
    ParameterError
        If it is not known.
    """
    if size is None:
        raise ParameterError(
            f"the steps of {learner} are set by the size of the player's tree, which is not known: "
            "give size=TreeSize(infostates=..., sequences=..., decisions=..., actions=...), upper "
            f'bounds will do; or numbers, by get_learner("{learner}", '
            "step_sizes=(learning_rate, implicit_exploration))"
        )
    return size


def planned_horizon(
    step_sizes: StepSizes | StepSizeRule | None, horizon: int, *, anytime: bool = False
) -> int | None:
    """Return the number of episodes that a run is of, where its steps are made for one.

    None where they are not: such a run may go on for as long as one likes.
    """
    return None if anytime or step_sizes is None or isinstance(step_sizes, StepSizes) else horizon


def check_step_sizes(step_sizes: object) -> StepSizes | StepSizeRule:
    """Return steps given as a pair of numbers, or as a rule for them.

    Raises
    ------
    ParameterError
        If they are neither, if the rate is not above 0, or the exploration is below.

    Examples
    --------
    >>> check_step_sizes((0.1, 0.005))
    StepSizes(learning_rate=0.1, implicit_exploration=0.005)
    """
    if not isinstance(step_sizes, tuple) or len(step_sizes) != len(StepSizes._fields):
        check_callable(
            "step_sizes",
            step_sizes,
            "a pair (learning_rate, implicit_exploration) such as StepSizes(0.1, 0.005)",
        )
        return cast(StepSizeRule, step_sizes)
    given = StepSizes(*step_sizes)
    for name, number in given._asdict().items():
        check_number(name, number)
    if given.learning_rate == 0:
        raise ParameterError("learning_rate=0 learns nothing: the learning rate must be above 0")
    return given


def ixomd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(X log A / (H XA T)) and γ = √(X ι / (XA T)).

    Source: Kozuno, Ménard, Munos and Valko (2021).
    """
    scale = max(size.sequences, 1) * episodes
    rate = sqrt(size.infostates * size.log_actions / (max(size.decisions, 1) * scale))
    return StepSizes(rate, sqrt(size.infostates * size.confidence / scale))


def balanced_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA log A / (H³ T)) and γ = √(XA ι / (H T)).

    Source: Bai, Jin, Mei and Yu (2022), Theorem 6.
    """
    decisions = max(size.decisions, 1)
    rate = sqrt(size.sequences * size.log_actions / (decisions**3 * episodes))
    return StepSizes(rate, sqrt(size.sequences * size.confidence / (decisions * episodes)))


def ixomd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(X log A / (XA T)) and γ = √(X ι / (XA T)), for a total loss in [0, 1]."""
    scale = max(size.sequences, 1) * episodes
    return StepSizes(
        sqrt(size.infostates * size.log_actions / scale),
        sqrt(size.infostates * size.confidence / scale),
    )


def balanced_omd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA log A / (H T)) and γ = √(XA ι / T), for a total loss in [0, 1]."""
    rate = sqrt(size.sequences * size.log_actions / (max(size.decisions, 1) * episodes))
    return StepSizes(rate, sqrt(size.sequences * size.confidence / episodes))


def balanced_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(2 H log A / (XA T)) and γ = √(H ι / (XA T)).

    Source: Fiegel et al. (2023), Theorem 4.1.
    """
    scale = max(size.sequences, 1) * episodes
    decisions = max(size.decisions, 1)
    return StepSizes(
        sqrt(2 * decisions * size.log_actions / scale), sqrt(decisions * size.confidence / scale)
    )


def adaptive_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return those of `balanced_ftrl_step_sizes` times T: P(x) grows like T times a probability."""
    rate, exploration = balanced_ftrl_step_sizes(size, episodes)
    return StepSizes(rate * episodes, exploration * episodes)


def tweaked_ftrl_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return `balanced_ftrl_step_sizes` times √T, for rates that fall with the root of P(x)."""
    rate, exploration = balanced_ftrl_step_sizes(size, episodes)
    return StepSizes(rate * sqrt(episodes), exploration * sqrt(episodes))
