"""What positions are worth if from there on everybody sees everything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.search.models import SearchModel
from infoset.search.pimc._step_kernels import after_actions
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_choice

__all__ = ["MAX_N", "OPPONENTS", "PARANOID", "PerfectInformation", "choose_at_once", "on_model"]

MAX_N: Final = "max_n"
PARANOID: Final = "paranoid"
OPPONENTS: Final = (MAX_N, PARANOID)
"""What the others are taken for: each plays for itself (max^n), or all against the player."""


class PerfectInformation(ABC):
    """Values of positions where all players see everything, nature included in expectation.

    Parameters
    ----------
    model : SearchModel
    opponents : str
        `max_n` or `paranoid`; in two-player games of constant sum it is the same.

    Attributes
    ----------
    num_nodes : int
        Positions visited so far.

    Raises
    ------
    UnknownNameError
        If the opponents are neither.
    """

    def __init__(self, model: SearchModel, opponents: str = MAX_N) -> None:
        check_choice("kind of opponents", opponents, OPPONENTS)
        self.model = model
        self.opponents = opponents
        self.num_nodes = 0

    def forget(self) -> None:
        """Begin a new search: what was found before it must not show in it."""
        return

    @abstractmethod
    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] what a player gets in the end from positions [K, L] with rewards [K, N].

        Raises
        ------
        UnsupportedGameError
            If players choose at once.
        """

    def action_values(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] what a player gets of each action of who acts there; nan for none.

        Raises
        ------
        UnsupportedGameError
            If players choose at once.
        """
        after, origin, action = on_model(after_actions, self.model)(
            self.model.arrays, states, rewards_so_far, actor
        )
        if (action < 0).any():
            raise choose_at_once(self.model)
        values = np.full((len(states), 1 + int(action.max(initial=-1))), np.nan)
        values[origin, action] = self.values(after, rewards_so_far[origin], player)
        return values

    def preferences(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] what the player who acts wants to be as high as it can be."""
        if self.opponents == MAX_N or actor == player:
            return self.action_values(states, rewards_so_far, actor, actor)
        return -self.action_values(states, rewards_so_far, actor, player)


def on_model(kernel: Callable[..., Any], model: SearchModel) -> Callable[..., Any]:
    """Return a kernel as it runs on a model: in plain Python where that is not compiled."""
    return kernel if model.is_compiled else getattr(kernel, "py_func", kernel)


def choose_at_once(model: SearchModel) -> UnsupportedGameError:
    """Return the error for a game that has no perfect-information values."""
    return UnsupportedGameError(
        f"in {model.game} players choose at once, so that positions have no value that all who see "
        "everything would agree on; search it with IS-MCTS, as infoset.search.ISMCTS does"
    )
