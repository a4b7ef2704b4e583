"""Perfect-information Monte Carlo: the action that is best on average, were all cards open."""

from __future__ import annotations

import numpy as np

from infoset.search.models import RootPositions
from infoset.search.pimc.deciding import Scores
from infoset.search.pimc.thinking import Think
from infoset.search.pimc.values import PerfectInformation
from infoset.search.pimc.world_searcher import WorldSearcher
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["PIMC"]


class PIMC(WorldSearcher):
    """Perfect-information Monte Carlo search.

    Worlds are drawn from what the player believes. In each, every action is worth what the player
    gets if from there on everybody saw everything, nature in expectation. The action of the
    largest sum is played; if several are, each with the same probability.

    Parameters
    ----------
    model : SearchModel
        The game, as searches read it.
    belief : PublicPrivateBelief or float
        Which worlds are thought possible; a number is the weight of the public belief.
    num_worlds : int or None
        How many are drawn; None for the limit of infinitely many: each world counts by its
        probability.
    milliseconds : float, optional
        How long a search may take: worlds are drawn until `num_worlds` or the time is used up.
        What is found then depends on the machine.
    opponents : str
        What the others do, seeing everything: `max_n`, each plays for itself (max^n; of actions
        that are equally good for who plays them, the mean counts), or `paranoid`, all play against
        the searching player. In two-player games of constant sum it is the same.
    seed : int
        Of the policy; `search` takes a generator instead.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        What the last search found, and what it took.

    Raises
    ------
    ParameterError
        If one of them is not what it should be.
    UnknownNameError
        If there are no such opponents.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). It leaves open how worlds are added up,
    ties, and nature: sums of values, even ties and expectations are what its tables show.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> king = Infostate(0, (Step(None, "K", None),))
    >>> PIMC(kuhn, num_worlds=None).search(king, np.random.default_rng(0)).tolist()
    [0.5, 0.5]
    """

    def _thinking(self, roots: RootPositions, numbers: LongArray, player: Player) -> Think:
        return RootValues(self._perfect, roots, numbers, player).scores


class RootValues:
    """What actions are worth at the positions where a search begins, found as they are asked for.

    Parameters
    ----------
    perfect : PerfectInformation
    roots : RootPositions
    numbers : LongArray
        [K, A] see `SearchModel.action_indices`.
    player : Player
    """

    def __init__(
        self, perfect: PerfectInformation, roots: RootPositions, numbers: LongArray, player: Player
    ) -> None:
        self._perfect = perfect
        self._roots = roots
        self._numbers = numbers
        self._player = player
        self._place = np.full(len(numbers), -1)
        self._values = np.zeros((0, numbers.shape[1]))

    def scores(self, weight: FloatArray) -> Scores:
        """Return the sums of the values by weights [K].

        An action that is not legal in a world, where the player holds something else, is worth
        nothing there.
        """
        held = np.flatnonzero(weight)
        new = held[self._place[held] < 0]
        if len(new):
            self._place[new] = len(self._values) + np.arange(len(new))
            self._values = np.concatenate([self._values, self._action_values(new)])
        values, weight = self._values[self._place[held]], weight[held]
        return Scores(weight @ values, float(weight @ abs(values).max(axis=1)))

    def _action_values(self, rows: LongArray) -> FloatArray:
        numbers = self._numbers[rows]
        found = self._perfect.action_values(
            self._roots.states[rows], self._roots.rewards_so_far[rows], self._player, self._player
        )
        if not found.size:  # the player is to decide in none of these worlds
            return np.zeros(numbers.shape)
        picked = np.take_along_axis(found, np.maximum(numbers, 0), axis=1)
        return np.where((numbers >= 0) & ~np.isnan(picked), picked, 0.0)
