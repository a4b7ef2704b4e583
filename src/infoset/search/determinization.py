"""Determinizations: the worlds of an infostate, draws of them within limits, and scores over them.

A search values worlds as long as its limits allow. `Draws` applies the limits: it ends with the
time, and counts the worlds whose values are complete. Sums over worlds do not know them, except
that αμ deepens until the time ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Final, NamedTuple, TypeVar

import numpy as np

from infoset.runs.searcher import SearchBudget, SearchRecord
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.models import RootPositions
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import PerfectInformationValues
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.clocks import OutOfTimeError

T = TypeVar("T")

FIRST_WORLD: Final = 0.5
"""Fraction of a time limit that the values of the first world may take."""

MAX_DRAWS: Final = 10_000
"""Number of draws whose random values are computed together."""

MIN_WORLDS: Final = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldSearchRecord(SearchRecord):
    """Result and cost of a determinized search; `num_nodes` counts positions."""

    num_worlds: int
    """Number of worlds drawn; all worlds if `is_exact`. If the time limit left no world with values
    of all actions, this is 0, and the answer is the policy of `leaf_value`, by default the uniform
    one."""
    is_exact: bool
    """Whether every world was weighted by its probability."""
    is_fallback: bool = False
    """Whether the values of one world took more than half of the time limit. The search has then
    valued each action by samples of the leaf value right after it."""

    @property
    def is_short(self) -> bool:
        """Whether the time limit left fewer than ten worlds for a choice of several actions."""
        is_limited = self.time_limit is not None and not self.is_exact
        return is_limited and len(self.actions) > 1 and self.num_worlds < MIN_WORLDS


@dataclass(frozen=True, eq=False)
class Worlds:
    """The K worlds of a belief at an infostate, and the values of the player's actions there."""

    perfect: PerfectInformationValues
    """The values of positions."""
    positions: RootPositions
    """The worlds, with their probabilities."""
    indices: LongArray
    """[K, A] see `SearchModel.action_indices`."""
    player: Player

    @cached_property
    def _is_known(self) -> BoolArray:
        """[K] whether each world has been valued."""
        return np.zeros(len(self.indices), np.bool_)

    @cached_property
    def _values(self) -> FloatArray:
        """[K, A] the values where they are known."""
        return np.empty(self.indices.shape)

    def values(self, rows: LongArray) -> FloatArray:
        """Return [R, A] the values as from `values_by`, but value each world only once."""
        new = rows[~self._is_known[rows]]
        if len(new):
            self._values[new] = self.values_by(self.perfect, new)  # may run out of time
            self._is_known[new] = True
        return self._values[rows]

    def values_by(self, perfect: PerfectInformationValues, rows: LongArray) -> FloatArray:
        """Return [R, A] the value of each action in each of R worlds; NaN if it is not legal.

        In a world where the player's hand is different, an action may be illegal.
        """
        positions, indices = self.positions, self.indices[rows]
        states, rewards_so_far = positions.states[rows], positions.rewards_so_far[rows]
        values = perfect.action_values(states, rewards_so_far, self.player, self.player)
        if not values.size:  # The player does not act in any of these worlds.
            return np.full(indices.shape, np.nan)
        picked: FloatArray = np.take_along_axis(values, np.maximum(indices, 0), axis=1)
        return np.where(indices >= 0, picked, np.nan)


@dataclass(eq=False)
class Draws:
    """Draws of worlds within limits on their number and on time.

    Iterating yields [K] the weight of each world: how often it has been drawn so far. Without a
    time limit there is one draw. With a time limit, draws grow until it is used up. If only time is
    limited and every world was drawn (unless values are random), or if nothing is limited, the last
    weights are the probabilities, which are the limit of infinitely many draws.

    A draw counts as complete when the next one is asked for. If its values run out of time, the
    loop over the draws ends with `OutOfTimeError`, and the complete draws before it remain.
    """

    probability: FloatArray
    """[K] probability of each world."""
    values: PerfectInformationValues
    """Their deadline is set: for the first world to half of the time limit, then to its end."""
    budget: SearchBudget
    rng: np.random.Generator
    start: float
    """`working_seconds()` at the start of the search."""
    is_fallback: bool = False
    """Whether the values replace others that took too long, so that the first world may take all of
    the remaining time."""
    num_worlds: int = field(default=0, init=False)
    """Number of worlds in the last complete draw; all worlds if `is_exact`."""
    is_exact: bool = field(default=False, init=False)
    """Whether the last complete weights are the probabilities."""

    @property
    def total_weight(self) -> int:
        """The sum of the last complete weights."""
        return 1 if self.is_exact else self.num_worlds

    def __iter__(self) -> Iterator[FloatArray]:
        limit = inf if self.budget.seconds is None else self.budget.seconds
        self.values.deadline = self.start + limit * (1.0 if self.is_fallback else FIRST_WORLD)
        if self.budget.number is None and self.budget.seconds is None:
            yield from self._all()
            return
        weight = np.zeros(len(self.probability))
        for batch in self.budget.batches(self.start):
            drawn = self.rng.multinomial(batch, self.probability / self.probability.sum())
            weight = weight + drawn
            yield weight
            self.num_worlds += batch
            self.values.deadline = self.start + limit
            if self.budget.number is None and weight.all() and not self.values.is_random:
                yield from self._all()
                return

    def _all(self) -> Iterator[FloatArray]:
        yield self.probability
        self.num_worlds, self.is_exact = len(self.probability), True


def last_in_time(scores: Iterator[T]) -> T | None:
    """Return the last scores that are complete when the time is up; None if there are none."""
    last = None
    with suppress(OutOfTimeError):
        for found in scores:
            last = found
    return last


class WorldScores(NamedTuple):
    """Scores of actions over worlds.

    Examples
    --------
    >>> WorldScores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0).policy.tolist()
    [0.5, 0.5, 0.0]
    """

    score: FloatArray
    """[A] mean value of each action over the worlds in which it is legal, times the weight of all
    worlds, in `SUM_UNIT`. NaN if the action is not legal in any of them, so that its score is
    unknown."""
    scale: float
    """Sum over worlds of weight times the largest absolute value, in `SUM_UNIT`; the tie tolerance
    is relative to it."""

    @property
    def policy(self) -> FloatArray:
        """[A] the policy that is uniform over the actions with the largest score.

        Scores within `1e-11 * scale` of the largest are tied. Unknown scores (NaN) are never the
        largest, unless all scores are unknown.
        """
        score = np.where(np.isnan(self.score), -np.inf, self.score)
        is_best = score >= score.max() - TIE_TOLERANCE * self.scale
        policy: FloatArray = is_best / is_best.sum()
        return policy


def mean_where_legal(total: FloatArray, weight: FloatArray, is_legal: BoolArray) -> FloatArray:
    """Return [A] mean values over the worlds where each action is legal, times the total weight.

    A sum over all worlds would count an illegal action as if it earned 0, which depends on the
    constant that the payoffs contain.

    Parameters
    ----------
    total
        [A] sum over the worlds where the action is legal of weight times value.
    weight
        [K] weights of the worlds.
    is_legal
        [K, A] whether each action is legal in each world.
    """
    legal_weight = weight @ is_legal
    # Where the action is legal in all worlds, the factor is 1 without rounding.
    part = np.where(is_legal.all(axis=0), 1.0, legal_weight / weight.sum())
    return np.where(legal_weight > 0, total / np.where(part > 0, part, 1.0), np.nan)


def sampled_scores(
    worlds: Worlds, samples: PerfectInformationValues, draws: Iterable[FloatArray]
) -> Iterator[WorldScores]:
    """Yield the scores over growing draws, with a new random value for each draw of a world."""
    seen = np.zeros(len(worlds.indices))
    total, legal_weight = np.zeros((2, worlds.indices.shape[1]))
    scale = 0.0
    for weight in draws:
        more, seen = weight - seen, weight
        drawn = np.flatnonzero(more > 0)
        # A number of draws has one value for each, a probability a single value.
        times = np.maximum(more[drawn], 1.0).astype(np.int64)
        rows, weights = np.repeat(drawn, times), np.repeat(more[drawn] / times, times)
        for first in range(0, len(rows), MAX_DRAWS):
            block = slice(first, first + MAX_DRAWS)
            values = worlds.values_by(samples, rows[block])
            is_legal = ~np.isnan(values)
            values = np.where(is_legal, values, 0.0) / SUM_UNIT
            total += weights[block] @ values
            legal_weight += weights[block] @ is_legal
            scale += float(weights[block] @ abs(values).max(axis=1))
        mean = np.full(len(total), np.nan)
        np.divide(total, legal_weight, out=mean, where=legal_weight > 0)
        yield WorldScores(mean * weight.sum(), scale)
