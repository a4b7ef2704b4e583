"""The interface between a game and the searches: root positions and moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnknownNameError, UnsupportedGameError
from infoset.game import Game, Infostate
from infoset.runs.searcher import not_acting_error
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray, LongArray, Player

SAMPLES_PER_SECOND: Final = 50
"""Number of sampled histories for each second of a time limit, if the rules run uncompiled."""

MIN_SAMPLES: Final = 10

GROWTH: Final = 10
"""Factor by which the number grows if no sampled history agrees with the infostate. It is also the
number of histories that are listed in place of one sample."""


class RootPositions(NamedTuple):
    """The positions in the support of a belief, from which a search starts."""

    states: LongArray
    """[K, L] the model's encoding of each position."""
    rewards_so_far: FloatArray
    """[K, N] sum of the rewards of each player."""
    infostates: LongArray
    """[K, N] number of each player's infostate, from 0. Different infostates of a player have
    different numbers; number 0 of the searching player is its true infostate."""
    probability: FloatArray
    """[K] probability under the belief. The sum is 1."""
    model_noise: float = 0.0
    """As in `Belief`."""


class SearchModel(ABC):
    """A game in the form that searches use.

    A model has two parts. Its methods define the root of a search: the legal actions at an
    infostate and the positions of a belief. The kernels registered for its `arrays` (`implement`)
    play on from a position.
    """

    game: Game
    tree: GameTree | None = None
    """The tree of the game, if beliefs are looked up in it."""
    arrays: Any
    """The kernels' view of the game: a named tuple of arrays, or the model itself if its rules run
    in plain Python."""
    state_size: int
    """Length L of the state of a position."""

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
    def known_range(self) -> tuple[float, float] | None:
        """Bounds on the utilities of all players, for intervals of matches; None if unknown."""
        return self.game.utility_range

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
        infostate
            The positions may depend on the infostate alone: the true world is not an argument.
        rng
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
        infostate
            The infostate that the roots belong to.
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
        states
            [K, L] positions at which a player acts.
        """
        return None


def unreachable_error(game: Game, infostate: Infostate) -> UnknownNameError:
    """Return the error for an infostate that no play leads to."""
    return UnknownNameError(
        f"no play of {game} leads player {infostate.player} to the infostate {infostate}; take "
        f"infostates from histories of the game, such as history.infostates[player]"
    )


def timed_roots(
    model: SearchModel,
    infostate: Infostate,
    belief: PublicPrivateBelief,
    rng: np.random.Generator,
    seconds: float | None,
) -> RootPositions:
    """Return the positions of a belief, with fewer samples for uncompiled rules with a time limit.

    Such a search evaluates few worlds, and listing many would take longer than the search itself.
    The limits of the belief remain upper bounds.

    Parameters
    ----------
    model, infostate, belief, rng
        As in `SearchModel.roots`.
    seconds
        The time limit of the search.

    Raises
    ------
    UnknownNameError, UnsupportedGameError
        As in `SearchModel.roots`.
    """
    if seconds is not None and not model.is_compiled:
        for smaller in _smaller_beliefs(belief, seconds):
            with suppress(UnsupportedGameError):
                return model.roots(infostate, smaller, rng)
    return model.roots(infostate, belief, rng)


def _smaller_beliefs(belief: PublicPrivateBelief, seconds: float) -> Iterator[PublicPrivateBelief]:
    number = max(MIN_SAMPLES, int(SAMPLES_PER_SECOND * seconds))
    while number < belief.num_samples:
        max_worlds = min(GROWTH * number, belief.max_worlds)
        yield replace(belief, num_samples=number, max_worlds=max_worlds)
        number *= GROWTH


def action_indices_in(offered: Sequence[Sequence[Action]], legal: Sequence[Action]) -> LongArray:
    """Return [K, A] the index of each legal action in each of K lists; -1 if it is missing."""
    indices = [{action: index for index, action in enumerate(offer)} for offer in offered]
    return np.array([[index.get(action, -1) for action in legal] for index in indices], np.int64)
