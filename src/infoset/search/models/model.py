"""What searchers know of a game: where a search begins, and how play goes on from there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Game, Infostate
from infoset.search.models.refusals import not_to_act
from infoset.typing import Action, FloatArray, LongArray, Player

__all__ = ["RootPositions", "SearchModel"]


class RootPositions(NamedTuple):
    """The positions that a player believes in, where a search begins.

    Attributes
    ----------
    states : LongArray
        [K, L] what the model needs to know of each.
    rewards_so_far : FloatArray
        [K, N] rewards so far.
    infostates : LongArray
        [K, N] for each player, numbers from 0 that tell apart what it knows there; of the
        searching player, 0 is what it does know.
    probability : FloatArray
        [K] sums to one.
    """

    states: LongArray
    rewards_so_far: FloatArray
    infostates: LongArray
    probability: FloatArray


class SearchModel(ABC):
    """A game as searches read it.

    Attributes
    ----------
    game : Game
    arrays : Any
        What kernels take for the game: a named tuple of arrays, or, where the rules are asked,
        the model itself.
    state_size : int
        L, the length of the state of a position.
    """

    game: Game
    arrays: Any
    state_size: int

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return self.game.num_players

    @property
    def is_compiled(self) -> bool:
        """Whether kernels run compiled."""
        return self.arrays is not self

    @property
    def utility_range(self) -> tuple[float, float]:
        """Bounds on the utility of every player; infinite where none are known."""
        return (-inf, inf)

    @property
    @abstractmethod
    def is_zero_sum(self) -> bool:
        """Whether there are two players and their utilities are known to have a constant sum."""

    @abstractmethod
    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the actions at an infostate; a model may return none where its player acts not.

        Raises
        ------
        UnknownNameError
            If no play leads there.
        ParameterError
            Or else, if its player does not act there.
        """

    def acting_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the actions at an infostate, of which there is one at least.

        Raises
        ------
        UnknownNameError
            If no play leads there.
        ParameterError
            If its player does not act there.
        """
        actions = self.legal_actions(infostate)
        if not actions:
            raise not_to_act(infostate)
        return actions

    @abstractmethod
    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions that a player believes in.

        Parameters
        ----------
        infostate : Infostate
            What it knows; nothing else is looked at.
        belief : PublicPrivateBelief
        rng : numpy.random.Generator
            Draws positions where there are too many to list.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        """

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the number, at each root, of each action that is legal at an infostate.

        -1 stands where it is not legal. Here it is taken that the same actions are everywhere.

        Parameters
        ----------
        infostate : Infostate
            The one that the roots were found for.
        roots : RootPositions
        """
        numbers = np.arange(len(self.legal_actions(infostate)))
        return np.broadcast_to(numbers, (len(roots.states), len(numbers)))

    def perfect_information_values(self, states: LongArray, player: Player) -> FloatArray | None:
        """Return [K, A] what a player gets of each action and all after it, if all see everything.

        None where only search can tell, as here; nan where a position has fewer actions.

        Parameters
        ----------
        states : LongArray
            [K, L] positions at which somebody, no matter who, is to decide.
        player : Player
            All others keep its utility as low as they can.
        """
        return None
