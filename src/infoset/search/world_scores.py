"""Scores of actions over weighted worlds, from the values of the actions in each world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.models import RootPositions
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import PerfectInformationValues
from infoset.typing import BoolArray, FloatArray, LongArray, Player

__all__ = [
    "RootActionValues",
    "SampledActionValues",
    "ScoreWorlds",
    "WorldScores",
    "mean_where_legal",
    "split_ties",
]

MAX_DRAWS: Final = 10_000
"""Number of draws whose values are computed together."""


class WorldScores(NamedTuple):
    """Scores of actions over worlds.

    Attributes
    ----------
    score : FloatArray
        [A] mean value of each action over the worlds in which it is legal, times the weight of all
        worlds, in `SUM_UNIT`. NaN if the action is legal in none of them, so that nothing is known
        about it.
    scale : float
        Sum over worlds of weight times the largest absolute value, in `SUM_UNIT`; the tie tolerance
        is relative to it.
    """

    score: FloatArray
    scale: float


def mean_where_legal(total: FloatArray, weight: FloatArray, is_legal: BoolArray) -> FloatArray:
    """Return [A] mean values over the worlds where each action is legal, times the total weight.

    A sum over all worlds would count an illegal action as if it earned 0, which depends on the
    constant that the payoffs contain.

    Parameters
    ----------
    total : FloatArray
        [A] sum over the worlds where the action is legal of weight times value.
    weight : FloatArray
        [K] weights of the worlds.
    is_legal : BoolArray
        [K, A] whether each action is legal in each world.
    """
    legal_weight = weight @ is_legal
    # Where the action is legal in all worlds, the factor is 1 without rounding.
    part = np.where(is_legal.all(axis=0), 1.0, legal_weight / weight.sum())
    return np.where(legal_weight > 0, total / np.where(part > 0, part, 1.0), np.nan)


ScoreWorlds: TypeAlias = Callable[[FloatArray], WorldScores]
"""A function that maps weights [K] of the worlds to scores of the actions."""


def split_ties(scores: WorldScores) -> FloatArray:
    """Return [A] the policy that is uniform over the actions with the largest score.

    Scores within `1e-11 * scale` of the largest are tied. Unknown scores (NaN) are never the
    largest, unless all scores are unknown.

    Examples
    --------
    >>> import numpy as np
    >>> split_ties(WorldScores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    score = np.where(np.isnan(scores.score), -np.inf, scores.score)
    is_best = score >= score.max() - TIE_TOLERANCE * scores.scale
    policy: FloatArray = is_best / is_best.sum()
    return policy


class RootActionValues:
    """Values of the root actions in each world, computed when a world is first drawn.

    A value of NaN means that the action is not legal in the world, or that there was no time.

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
        values, weight = self._rows(weight)
        is_legal = ~np.isnan(values)
        values = np.where(is_legal, values, 0.0) / SUM_UNIT
        score = mean_where_legal(weight @ values, weight, is_legal)
        return WorldScores(score, float(weight @ abs(values).max(axis=1)))

    def _rows(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return values [R, A] of the root actions, and weights [R], in the weighted worlds."""
        drawn = np.flatnonzero(weight)
        new = drawn[self._row[drawn] < 0]
        if len(new):
            values = self._action_values(new)  # may run out of time
            self._row[new] = len(self._values) + np.arange(len(new))
            self._values = np.concatenate([self._values, values])
        return self._values[self._row[drawn]], weight[drawn]

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


class SampledActionValues(RootActionValues):
    """Random values of the root actions, computed anew for each draw of a world."""

    def __init__(
        self,
        perfect: PerfectInformationValues,
        roots: RootPositions,
        indices: LongArray,
        player: Player,
    ) -> None:
        super().__init__(perfect, roots, indices, player)
        self._seen = np.zeros(len(indices))  # [K] weight of each world in the last call
        self._total, self._known = np.zeros(
            (2, indices.shape[1])
        )  # sums of weighted values, weights
        self._scale = 0.0

    def scores(self, weight: FloatArray) -> WorldScores:
        """Return the scores of the actions over worlds with weights [K], which only grow."""
        more = weight - self._seen
        worlds = np.flatnonzero(more > 0)
        # A number of draws has one value for each, a probability a single value.
        times = np.maximum(more[worlds], 1.0).astype(np.int64)
        draws, draw_weight = np.repeat(worlds, times), np.repeat(more[worlds] / times, times)
        for first in range(0, len(draws), MAX_DRAWS):
            block = slice(first, first + MAX_DRAWS)
            self._add(self._action_values(draws[block]), draw_weight[block])
        self._seen = weight.copy()
        mean = np.full(len(self._total), np.nan)
        np.divide(self._total, self._known, out=mean, where=self._known > 0)
        return WorldScores(mean * weight.sum(), self._scale)

    def _add(self, values: FloatArray, weight: FloatArray) -> None:
        is_known = ~np.isnan(values)
        values = np.where(is_known, values, 0.0) / SUM_UNIT
        self._total += weight @ values
        self._known += weight @ is_known
        self._scale += float(weight @ abs(values).max(axis=1))
