"""Values of positions from searches that stop before the end of the game, at leaf values.

Positions are expanded in blocks, one move after another, so that the leaves of a block are valued
together. Forced actions and chance moves do not count as moves.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Final

import numpy as np

from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search._perfect_information_kernels import (
    after_transitions,
    mean_playouts,
    next_branchings,
)
from infoset.search.leaf_values import LeafFunction, Rollouts
from infoset.search.models import CHANCE_MOVE, END, SearchModel
from infoset.search.models.histories import HistoriesModel
from infoset.search.perfect_information import (
    MAX_N,
    PerfectInformationValues,
    run_on,
)
from infoset.typing import FloatArray, LongArray, Player

BLOCK: Final = (16, 4096)
"""Number of positions that are expanded together: by the rules, and compiled."""

LEAVES_PER_CHECK: Final = (1, 64, 4096)
"""Number of leaves valued between two looks at the clock: by plays of the rules, by a function, and
by compiled plays."""


class Leaves:
    """The positions of a model at which searches stop, and their values.

    Parameters
    ----------
    model
        As from `with_leaf_value`.

    Attributes
    ----------
    per_check : int
        Number of leaves that are valued between two looks at the clock.
    """

    def __init__(self, model: SearchModel, leaf_value: Rollouts | LeafFunction) -> None:
        self.model = model
        self.leaf_value = leaf_value
        kind = 1 if not self.are_plays else 2 if model.is_compiled else 0
        self.per_check = LEAVES_PER_CHECK[kind]
        self.stream = np.zeros(1, np.uint64)

    @property
    def are_plays(self) -> bool:
        """Whether the values are those of random plays."""
        return isinstance(self.leaf_value, Rollouts)

    def seed(self, rng: np.random.Generator) -> None:
        """Start a new stream of random numbers."""
        self.stream = np.array([rng.integers(2**64, dtype=np.uint64)])

    def values(self, states: LongArray, rewards_so_far: FloatArray) -> FloatArray:
        """Return [K, N] the values of positions [K, L]."""
        if isinstance(self.model, HistoriesModel):
            return self.model.leaf_values(states, self.stream)
        assert isinstance(self.leaf_value, Rollouts)
        values = np.zeros(rewards_so_far.shape)
        number = self.leaf_value.num_rollouts
        run_on(self.model, mean_playouts)(
            self.model.arrays, states, rewards_so_far, number, self.stream, values
        )
        return values


class DepthLimitedValues(PerfectInformationValues):
    """Max^n or paranoid values with perfect information for some moves, and leaf values then.

    Parameters
    ----------
    model, leaf_value
        As in `Leaves`.
    moves
        Number of moves that the search looks ahead. With 0, the value of a position is that of the
        next decision, in expectation over chance.
    """

    def __init__(
        self,
        model: SearchModel,
        leaf_value: Rollouts | LeafFunction,
        opponents: str = MAX_N,
        *,
        moves: int,
    ) -> None:
        super().__init__(model, opponents)
        self.moves = moves
        self._leaves = Leaves(model, leaf_value)

    @property
    def is_random(self) -> bool:
        """Whether the leaf values are those of random plays."""
        return self._leaves.are_plays

    def start_search(self, rng: np.random.Generator) -> None:
        """Seed the random plays; values that are not random draw nothing."""
        if self.is_random:
            self._leaves.seed(rng)

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] the value to a player."""
        found: FloatArray = self._values(states, rewards_so_far, player, self.moves)[:, player]
        return found

    def _values(
        self, states: LongArray, rewards_so_far: FloatArray, player: Player, moves: int
    ) -> FloatArray:
        """Return [K, N] the values to all players, one block of positions after another."""
        values = np.zeros(rewards_so_far.shape)
        size = BLOCK[self.model.is_compiled]
        for first in range(0, len(states), size):
            self.check_time()
            block = slice(first, first + size)
            values[block] = self._block(states[block], rewards_so_far[block], player, moves)
        return values

    def _block(
        self, states: LongArray, rewards_so_far: FloatArray, player: Player, moves: int
    ) -> FloatArray:
        self.num_nodes += len(states)
        states, values = states.copy(), rewards_so_far.copy()
        movers = run_on(self.model, next_branchings)(self.model.arrays, states, values)
        # At an end, the rewards so far are the utilities.
        for mover in sorted(set(movers.tolist()) - {END}):
            there = np.flatnonzero(movers == mover)
            positions = states[there], values[there]
            if mover == CHANCE_MOVE:
                values[there] = self._expected(*positions, player, moves)
            elif moves == 0:
                values[there] = self._timed_leaf_values(*positions)
            else:
                values[there] = self._best(*positions, mover, player, moves - 1)
        return values

    def _expected(
        self, states: LongArray, rewards_so_far: FloatArray, player: Player, moves: int
    ) -> FloatArray:
        """Return [K, N] the expected values over the next transition."""
        after, rewarded, _, origin, probability = run_on(self.model, after_transitions)(
            self.model.arrays, states, rewards_so_far, player
        )
        values = np.zeros(rewards_so_far.shape)
        below = self._values(after, rewarded, player, moves)
        np.add.at(values, origin, probability[:, None] * below)
        return values

    def _best(
        self,
        states: LongArray,
        rewards_so_far: FloatArray,
        mover: Player,
        player: Player,
        moves: int,
    ) -> FloatArray:
        """Return [K, N] the values after the mover's best action, or their mean if several tie."""
        after, origin, _ = self.after_actions(states, rewards_so_far, mover)
        below = self._values(after, rewards_so_far[origin], player, moves)
        is_own = self.opponents == MAX_N or mover == player
        preference = below[:, mover] if is_own else -below[:, player]
        best = np.full(len(states), -inf)
        np.maximum.at(best, origin, preference)
        is_best = preference >= best[origin] - TIE_TOLERANCE * abs(below).max()
        weight = is_best / np.bincount(origin, is_best)[origin]
        values = np.zeros(rewards_so_far.shape)
        np.add.at(values, origin, weight[:, None] * below)
        return values

    def _timed_leaf_values(self, states: LongArray, rewards_so_far: FloatArray) -> FloatArray:
        """Return [K, N] the leaf values of positions; with a deadline, in small batches."""
        size = self._leaves.per_check if isfinite(self.deadline) else len(states)
        values = np.zeros(rewards_so_far.shape)
        for first in range(0, len(states), size):
            self.check_time()
            batch = slice(first, first + size)
            values[batch] = self._leaves.values(states[batch], rewards_so_far[batch])
        return values


class SampledLeafValues(PerfectInformationValues):
    """One leaf value for each position, with chance sampled.

    The cheapest values: those of a search that has run out of time.

    Parameters
    ----------
    model, leaf_value
        As in `Leaves`.
    """

    def __init__(self, model: SearchModel, leaf_value: Rollouts | LeafFunction) -> None:
        super().__init__(model)
        self._leaves = Leaves(model, leaf_value)

    @property
    def is_random(self) -> bool:
        """Always True, because chance moves are sampled."""
        return True

    def start_search(self, rng: np.random.Generator) -> None:
        """Seed the samples."""
        self._leaves.seed(rng)

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] a sample of the value to a player."""
        values, size = np.empty(len(states)), self._leaves.per_check
        for first in range(0, len(states), size):
            self.check_time()
            batch = slice(first, first + size)
            values[batch] = self._leaves.values(states[batch], rewards_so_far[batch])[:, player]
            self.num_nodes += len(states[batch])
        return values
