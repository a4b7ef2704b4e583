"""The interface between a game and the searches: root positions and moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate
from infoset.runs.searcher import not_acting_error
from infoset.search.models.root_positions import RootPositions
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray, LongArray, Player

__all__ = ["SearchModel", "unreachable_error"]


class SearchModel(ABC):
    """A game in the form that searches use.

    A model has two parts. Its methods define the root of a search: the legal actions at an
    infostate and the positions of a belief. The kernels registered for its `arrays` (`implement`)
    play on from a position.

    Attributes
    ----------
    game : Game
    tree : GameTree or None
        The tree of the game, if beliefs are looked up in it.
    arrays : Any
        The kernels' view of the game: a named tuple of arrays, or the model itself if its rules
        run in plain Python.
    state_size : int
        Length L of the state of a position.
    """

    game: Game
    tree: GameTree | None = None
    arrays: Any
    state_size: int

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return self.game.num_players

    @property
    def is_compiled(self) -> bool:
        """Whether searches run compiled on this model."""
        return self.arrays is not self

    @property
    def utility_range(self) -> tuple[float, float]:
        """Bounds on the utilities of all players; infinite if unknown."""
        return (-inf, inf)

    @property
    @abstractmethod
    def is_zero_sum(self) -> bool:
        """Whether there are two players whose utilities are known to have a constant sum."""

    @abstractmethod
    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate.

        A model may return an empty tuple where the player does not act.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If the player does not act there, unless an empty tuple is returned.
        """

    def require_legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate at which its player acts.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If the player does not act there.
        """
        actions = self.legal_actions(infostate)
        if not actions:
            raise not_acting_error(infostate)
        return actions

    @abstractmethod
    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief at an infostate.

        Parameters
        ----------
        infostate : Infostate
            The positions may depend on the infostate alone: the true world is not an argument.
        belief : PublicPrivateBelief
        rng : numpy.random.Generator
            Samples positions if there are too many to list.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        """

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the index, at each root, of each legal action of an infostate.

        The index is -1 if the action is not legal at the root. The default implementation assumes
        that the same actions are legal, in the same order, at every root.

        Parameters
        ----------
        infostate : Infostate
            The infostate that the roots belong to.
        roots : RootPositions
        """
        indices = np.arange(len(self.legal_actions(infostate)))
        return np.broadcast_to(indices, (len(roots.states), len(indices)))

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray | None:
        """Return [K, A] the minimax value of each action to `player`, or None if unknown.

        The value assumes that all players see everything after the action and that all other
        players minimize the player's utility. NaN fills rows with fewer actions. The default
        implementation returns None, and the values are then found by search.

        Parameters
        ----------
        states : LongArray
            [K, L] positions at which a player acts.
        player : Player
        """
        return None


def unreachable_error(game: Game, infostate: Infostate) -> UnknownNameError:
    """Return the error for an infostate that no play leads to."""
    return UnknownNameError(
        f"no play of {game} leads player {infostate.player} to the infostate {infostate}; take "
        f"infostates from histories of the game, such as history.infostates[player]"
    )
