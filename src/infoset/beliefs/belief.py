"""Beliefs: distributions over histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch
from infoset.errors import ParameterError
from infoset.game import Game, History, Infostate
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player, World
from infoset.utils.arguments import SUM_TOLERANCE, check_count

__all__ = ["Belief"]

EXACT_METHODS = ("tree", "enumeration")


@dataclass(frozen=True, eq=False)
class Belief:
    """A distribution over the histories that an observer considers possible.

    Attributes
    ----------
    histories : Sequence[History] or IntArray
        [K] the histories of positive probability: for a tree their indices, in increasing order;
        for a game a sequence of `History` objects that are created on access.
    probability : FloatArray
        [K] positive probability of each history. The sum is 1.
    source : Game or GameTree
        The game or tree of the histories.
    method : str
        How the belief was computed: `tree` and `enumeration` are exact; `samples` is a weighted
        sample; `rejection` is a weighted sample for which some draws were rejected.
    model_noise : float
        Weight of uniform play in the assumed policies: 0 if they were used as they are. It is
        positive if they give probability zero to what was observed (see `private_belief`).

    Raises
    ------
    ParameterError
        If there is not one positive probability per history, or they do not sum to 1.

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
    probability: FloatArray
    source: Game | GameTree = field(repr=False)
    method: str
    model_noise: float = 0.0

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
        if isinstance(self.histories, HistoryBatch):
            return tuple(self.histories.worlds)
        if isinstance(self.histories, np.ndarray):
            tree = self._tree
            return tuple(tree.graph.worlds[at] for at in tree.world[self.histories].tolist())
        return tuple(history.world for history in self.histories)

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player at each history."""
        if isinstance(self.histories, HistoryBatch):
            return self.histories.rewards_so_far
        if isinstance(self.histories, np.ndarray):
            return self._tree.rewards_so_far[self.histories]
        return np.array([history.rewards_so_far for history in self.histories], np.float64)

    def infostates(self, player: Player) -> tuple[Infostate, ...]:
        """Return [K] the infostate of a player at each history."""
        values, place = self._infostates_of(player)
        return tuple(values[at] for at in place.tolist())

    def infostate_probabilities(self, player: Player) -> dict[Infostate, float]:
        """Return the probability of each possible infostate of a player."""
        values, place = self._infostates_of(player)
        total = np.bincount(place, weights=self.probability, minlength=len(values))
        return dict(zip(values, total.tolist(), strict=True))

    def sample(self, rng: np.random.Generator, size: int) -> LongArray:
        """Return [size] positions of histories, drawn independently from the belief.

        Raises
        ------
        ParameterError
            If `size` is not a nonnegative integer.
        """
        check_count("size", size)
        drawn = rng.random(size) * self._cumulative[-1]
        found: LongArray = np.searchsorted(self._cumulative, drawn, side="right")
        return found

    @cached_property
    def _cumulative(self) -> FloatArray:
        return np.cumsum(self.probability)

    def _infostates_of(self, player: Player) -> tuple[list[Infostate], LongArray]:
        """Return a player's distinct infostates, and [K] which of them each history has."""
        if isinstance(self.histories, HistoryBatch):
            numbers, place = np.unique(self.histories.infostate[:, player], return_inverse=True)
            index = self.histories.infostate_indexes[player]
            return [index.value(number) for number in numbers.tolist()], place
        if isinstance(self.histories, np.ndarray):
            at = self._tree.infostate[self.histories, player]
            numbers, place = np.unique(at, return_inverse=True)
            states = self._tree.infostate_trees[player]
            return [states.infostate_at(number) for number in numbers.tolist()], place
        known = [history.infostates[player] for history in self.histories]
        values = list(dict.fromkeys(known))
        number = {value: at for at, value in enumerate(values)}
        return values, np.array([number[value] for value in known])

    @property
    def _tree(self) -> GameTree:
        if isinstance(self.source, GameTree):
            return self.source
        raise ParameterError(
            "the histories are indices, but the source is not a tree; give the GameTree as the "
            "source"
        )
