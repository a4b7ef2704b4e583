"""Beliefs: distributions over the histories that an observer considers possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch
from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import InfostateTree
from infoset.game import Game, History, Infostate
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player, World
from infoset.utils.arguments import SUM_TOLERANCE, check_count

EXACT_METHODS = ("tree", "enumeration")


@dataclass(frozen=True, eq=False)
class TreeHistories:
    """Histories of a compiled tree, with what beliefs use of a `HistoryBatch`."""

    tree: GameTree
    listed: IntArray
    """[K] indices of the histories, in increasing order."""
    weight: FloatArray
    """[K] chance reach, or 0 for histories that a belief leaves out."""
    method: Final = "tree"

    def __len__(self) -> int:
        return len(self.listed)

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """[K] last world state of each history."""
        return tuple(self.tree.graph.worlds[at] for at in self.tree.world[self.listed].tolist())

    @cached_property
    def infostate(self) -> IntArray:
        """[K, N] number of the infostate of each player in the whole tree."""
        return self.tree.infostate[self.listed]

    @property
    def infostate_indexes(self) -> tuple[InfostateTree, ...]:
        """One per player, which lists its infostates by number."""
        return self.tree.infostate_trees

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player."""
        return self.tree.rewards_so_far[self.listed]

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return the infostate of a player with a number."""
        return self.tree.infostate_trees[player].infostate_at(number)

    def number_of(self, infostate: Infostate) -> int:
        """Return the number of an infostate; -1 if it is not in the tree."""
        try:
            return self.tree.infostate_trees[infostate.player].index_of(infostate)
        except UnknownNameError:
            return -1

    def within(self, infostate: Infostate) -> tuple[TreeHistories, LongArray]:
        """Return the same histories, with weight 0 outside an infostate, and their positions.

        Sums then run over the whole public state, as in `PublicBeliefState.history_beliefs`, with
        the same rounding.
        """
        inside = self.infostate[:, infostate.player] == self.number_of(infostate)
        positions = np.arange(len(self) if inside.any() else 0)
        return replace(self, weight=np.where(inside, self.weight, 0.0)), positions

    def select(self, positions: LongArray) -> TreeHistories:
        """Return some of the histories."""
        return TreeHistories(self.tree, self.listed[positions], self.weight[positions])


Histories: TypeAlias = HistoryBatch | TreeHistories


@dataclass(frozen=True, eq=False)
class Belief:
    """A distribution over the histories that an observer considers possible.

    Examples
    --------
    >>> from infoset.beliefs import private_belief
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> king = Infostate(0, (Step(None, "K", None),))
    >>> belief = private_belief(load_game("kuhn_poker"), king)
    >>> belief.method, belief.probability.tolist()
    ('enumeration', [0.5, 0.5])
    >>> {str(known): p for known, p in belief.infostate_probabilities(1).items()}
    {'[Q]': 0.5, '[J]': 0.5}
    """

    histories: Sequence[History] | IntArray
    """[K] the histories of positive probability: for a tree their indices, in increasing order; for
    a game a sequence of `History` objects that are created on access."""
    probability: FloatArray
    """[K] positive probability of each history. The sum is 1."""
    source: Game | GameTree = field(repr=False)
    """The game or tree of the histories."""
    method: str
    """How the belief was computed: `tree` and `enumeration` are exact; `samples` is a weighted
    sample; `rejection` is a weighted sample for which some draws were rejected."""
    model_noise: float = 0.0
    """Weight of uniform play in the assumed policies: 0 if they were used as they are. It is
    positive if they give probability zero to what was observed (see `private_belief`)."""

    def __post_init__(self) -> None:
        probability = np.array(self.probability, dtype=np.float64)
        if probability.shape != (len(self.histories),):
            raise ParameterError(
                f"got probabilities of shape {probability.shape} for {len(self.histories)} "
                "histories; give one probability per history"
            )
        total = float(probability.sum())
        if not (probability > 0).all() or not abs(total - 1) <= SUM_TOLERANCE:
            raise ParameterError(
                f"the probabilities have minimum {probability.min(initial=1)} and sum {total}; "
                "they must be positive and sum to 1"
            )
        probability.flags.writeable = False
        object.__setattr__(self, "probability", probability)

    def __len__(self) -> int:
        return len(self.histories)

    @property
    def is_exact(self) -> bool:
        """Whether all histories are included with exact probabilities."""
        return self.method in EXACT_METHODS

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """[K] the last world state of each history."""
        return tuple(self._arrays.worlds)

    @property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player at each history."""
        return self._arrays.rewards_so_far

    def infostates(self, player: Player) -> tuple[Infostate, ...]:
        """Return [K] the infostate of a player at each history."""
        values, place = self._infostates_of(player)
        return tuple(values[at] for at in place.tolist())

    def infostate_probabilities(self, player: Player) -> dict[Infostate, float]:
        """Return the probability of each possible infostate of a player."""
        values, place = self._infostates_of(player)
        total = np.bincount(place, weights=self.probability, minlength=len(values))
        return dict(zip(values, total.tolist(), strict=True))

    def infostate_numbers(self, own: Infostate) -> LongArray:
        """Return [K, N] a number for the infostate of each player at each history.

        Different infostates of a player have different numbers. They count from 0 in order of first
        appearance, except that 0 is always the infostate `own`.
        """
        columns = []
        for player, column in enumerate(self._arrays.infostate.T.tolist()):
            known = {self._arrays.number_of(own): 0} if player == own.player else {}
            columns.append([known.setdefault(number, len(known)) for number in column])
        return np.array(columns, np.int64).T

    def sample(self, rng: np.random.Generator, size: int) -> LongArray:
        """Return [size] positions of histories, drawn independently from the belief."""
        check_count("size", size)
        drawn = rng.random(size) * self._cumulative[-1]
        found: LongArray = np.searchsorted(self._cumulative, drawn, side="right")
        return found

    @cached_property
    def _cumulative(self) -> FloatArray:
        return np.cumsum(self.probability)

    def _infostates_of(self, player: Player) -> tuple[list[Infostate], LongArray]:
        """Return a player's distinct infostates, and [K] which of them each history has."""
        numbers, place = np.unique(self._arrays.infostate[:, player], return_inverse=True)
        return [self._arrays.infostate_at(player, n) for n in numbers.tolist()], place

    @cached_property
    def _arrays(self) -> HistoryBatch | TreeHistories | GivenHistories:
        """The histories with their world states, infostates and rewards."""
        if isinstance(self.histories, HistoryBatch):
            return self.histories
        if not isinstance(self.histories, np.ndarray):
            return GivenHistories(self.histories)
        if isinstance(self.source, GameTree):
            return TreeHistories(self.source, self.histories, self.probability)
        raise ParameterError(
            "the histories are indices, but the source is not a tree; give the GameTree as the "
            "source"
        )


@dataclass(frozen=True, eq=False)
class GivenHistories:
    """Any `History` objects, with what a `Belief` uses of a `HistoryBatch`."""

    listed: Sequence[History]

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """[K] last world state of each history."""
        return tuple(history.world for history in self.listed)

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player."""
        return np.array([history.rewards_so_far for history in self.listed], np.float64)

    @cached_property
    def _values(self) -> list[list[Infostate]]:
        """Per player the infostates, in order of first appearance."""
        columns = zip(*(history.infostates for history in self.listed), strict=True)
        return [[*dict.fromkeys(column)] for column in columns]

    @cached_property
    def infostate(self) -> IntArray:
        """[K, N] number of the infostate of each player: its position in that order."""
        numbers = [{known: n for n, known in enumerate(own)} for own in self._values]
        rows = (zip(numbers, history.infostates, strict=True) for history in self.listed)
        return np.array([[own[known] for own, known in row] for row in rows], np.int32)

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return the infostate of a player with a number."""
        return self._values[player][number]

    def number_of(self, infostate: Infostate) -> int:
        """Return the number of an infostate; -1 if it is not that of a history."""
        own = self._values[infostate.player]
        return own.index(infostate) if infostate in own else -1
