"""Perfect-information Monte Carlo: play the action with the best mean perfect-information value.

The value of an action in a world is that of perfect play after it, when all players see everything
(see `determinization.py` for the sum over worlds).

Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024).
"""

from __future__ import annotations

import numpy as np

from infoset.search.determinization import (
    DeterminizedSearcher,
    ScoreWorlds,
    WorldScores,
    mean_where_legal,
)
from infoset.search.models import RootPositions
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import PerfectInformationValues
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["PIMC"]


class PIMC(DeterminizedSearcher):
    """Perfect-information Monte Carlo search.

    Worlds are drawn from the belief. The value of an action in a world is the utility that the
    player expects if all players see everything from then on. The searcher plays the action with
    the largest sum of values over the worlds; ties are split evenly.

    Parameters
    ----------
    model : SearchModel
        The game, such as `search_model(game)`.
    belief : PublicPrivateBelief or float
        Distribution of worlds; a number is the public weight λ.
    num_worlds : int or None
        Number of worlds drawn; None weights every world by its probability, which is the limit of
        infinitely many draws.
    milliseconds : float, optional
        Time limit of a search: worlds are drawn until `num_worlds` or the time is used up. The
        answer then depends on the machine.
    opponents : str
        What the other players maximize after all players see everything. `max_n`: their own
        utility, with the mean over equally good actions. `paranoid`: the loss of the searching
        player. In two-player constant-sum games both are minimax.
    seed : int
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        Result and cost of the last search.

    Raises
    ------
    ParameterError
        If a number is out of range.
    UnknownNameError
        If `opponents` is unknown.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). The paper does not say how it aggregates
    worlds, breaks ties, or values chance moves. Sums of values, even splits, and expectations
    reproduce its tables.

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

    def _world_scores(
        self, roots: RootPositions, indices: LongArray, player: Player
    ) -> ScoreWorlds:
        return RootActionValues(self._perfect, roots, indices, player).scores


class RootActionValues:
    """Values of the root actions in each world, computed when a world is first drawn.

    Parameters
    ----------
    perfect : PerfectInformationValues
    roots : RootPositions
    indices : LongArray
        [K, A] see `SearchModel.action_indices`.
    player : Player
    """

    def __init__(
        self,
        perfect: PerfectInformationValues,
        roots: RootPositions,
        indices: LongArray,
        player: Player,
    ) -> None:
        self._perfect = perfect
        self._roots = roots
        self._indices = indices
        self._player = player
        self._row = np.full(len(indices), -1)  # [K] row of `_values`; -1 if not computed yet
        self._values = np.zeros((0, indices.shape[1]))

    def scores(self, weight: FloatArray) -> WorldScores:
        """Return the scores of the actions over worlds with weights [K].

        In a world where the player's hand is different, an action may be illegal. The value of the
        action is then the mean over the other worlds.
        """
        drawn = np.flatnonzero(weight)
        new = drawn[self._row[drawn] < 0]
        if len(new):
            self._row[new] = len(self._values) + np.arange(len(new))
            self._values = np.concatenate([self._values, self._action_values(new)])
        values, weight = self._values[self._row[drawn]], weight[drawn]
        is_legal = ~np.isnan(values)
        values = np.where(is_legal, values, 0.0) / SUM_UNIT
        score = mean_where_legal(weight @ values, weight, is_legal)
        return WorldScores(score, float(weight @ abs(values).max(axis=1)))

    def _action_values(self, worlds: LongArray) -> FloatArray:
        indices = self._indices[worlds]
        values = self._perfect.action_values(
            self._roots.states[worlds],
            self._roots.rewards_so_far[worlds],
            self._player,
            self._player,
        )
        if not values.size:  # The player does not act in any of these worlds.
            return np.full(indices.shape, np.nan)
        picked: FloatArray = np.take_along_axis(values, np.maximum(indices, 0), axis=1)
        return np.where(indices >= 0, picked, np.nan)
