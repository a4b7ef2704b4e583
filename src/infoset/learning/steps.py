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
    "StepRule",
    "Steps",
    "TreeSize",
    "check_steps",
    "known_size",
    "planned_for",
    "size_of",
    "tree_size",
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


class Steps(NamedTuple):
    """The numbers of a learner.

    Attributes
    ----------
    rate : float
        η, the learning rate, for losses in [0, 1].
    exploration : float
        γ, of implicit exploration.
    """

    rate: float
    exploration: float


StepRule: TypeAlias = Callable[[TreeSize, int], Steps]
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
    return size_of(simulator.infostates, simulator.depth, player, name)


def tree_sizes(simulator: Simulator) -> list[TreeSize]:
    """Return how large the infostate tree of each player is."""
    return [tree_size(simulator, player) for player in range(simulator.num_players)]


def size_of(infostates: Infostates, depth: IntArray, player: Player, game: str) -> TreeSize:
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


def known_size(size: TreeSize | None, learner: str) -> TreeSize:
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
            f'bounds will do; or numbers, by get_learner("{learner}", steps=(rate, exploration))'
        )
    return size


def planned_for(
    steps: Steps | StepRule | None, horizon: int, *, anytime: bool = False
) -> int | None:
    """Return the number of episodes that a run is of, where its steps are made for one.

    None where they are not: such a run may go on for as long as one likes.
    """
    return None if anytime or steps is None or isinstance(steps, Steps) else horizon


def check_steps(steps: object) -> Steps | StepRule:
    """Return steps given as a pair of numbers, or as a rule for them.

    Raises
    ------
    ParameterError
        If they are neither, if the rate is not above 0, or the exploration is below.

    Examples
    --------
    >>> check_steps((0.1, 0.005))
    Steps(rate=0.1, exploration=0.005)
    """
    if not isinstance(steps, tuple) or len(steps) != len(Steps._fields):
        check_callable("steps", steps, "a pair (rate, exploration) such as Steps(0.1, 0.005)")
        return cast(StepRule, steps)
    given = Steps(*steps)
    for name, number in given._asdict().items():
        check_number(name, number)
    if given.rate == 0:
        raise ParameterError("rate=0 learns nothing: the learning rate must be above 0")
    return given


def plain_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(X log A / (H XA T)) and γ = √(X ι / (XA T)).

    Source: Kozuno, Ménard, Munos and Valko (2021).
    """
    scale = max(size.sequences, 1) * episodes
    rate = sqrt(size.infostates * size.log_actions / (max(size.decisions, 1) * scale))
    return Steps(rate, sqrt(size.infostates * size.confidence / scale))


def balanced_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(XA log A / (H³ T)) and γ = √(XA ι / (H T)).

    Source: Bai, Jin, Mei and Yu (2022), Theorem 6.
    """
    decisions = max(size.decisions, 1)
    rate = sqrt(size.sequences * size.log_actions / (decisions**3 * episodes))
    return Steps(rate, sqrt(size.sequences * size.confidence / (decisions * episodes)))


def plain_total_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(X log A / (XA T)) and γ = √(X ι / (XA T)), for a total loss in [0, 1]."""
    scale = max(size.sequences, 1) * episodes
    return Steps(
        sqrt(size.infostates * size.log_actions / scale),
        sqrt(size.infostates * size.confidence / scale),
    )


def balanced_total_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(XA log A / (H T)) and γ = √(XA ι / T), for a total loss in [0, 1]."""
    rate = sqrt(size.sequences * size.log_actions / (max(size.decisions, 1) * episodes))
    return Steps(rate, sqrt(size.sequences * size.confidence / episodes))


def transition_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(2 H log A / (XA T)) and γ = √(H ι / (XA T)).

    Source: Fiegel et al. (2023), Theorem 4.1.
    """
    scale = max(size.sequences, 1) * episodes
    decisions = max(size.decisions, 1)
    return Steps(
        sqrt(2 * decisions * size.log_actions / scale), sqrt(decisions * size.confidence / scale)
    )


def adaptive_steps(size: TreeSize, episodes: int) -> Steps:
    """Return those of `transition_steps` times T: P(x) grows like T times a probability."""
    rate, exploration = transition_steps(size, episodes)
    return Steps(rate * episodes, exploration * episodes)


def visit_steps(size: TreeSize, episodes: int) -> Steps:
    """Return those of `transition_steps` times √T, where rates fall with the root of P(x)."""
    rate, exploration = transition_steps(size, episodes)
    return Steps(rate * sqrt(episodes), exploration * sqrt(episodes))
