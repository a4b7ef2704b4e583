"""Matches of tables on a compiled tree, many deals at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.evaluation._kernels import play_deals
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.matches.match_result import match_columns, shared_wins
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray

__all__ = ["TreeMatch", "drawn_pairs"]

NUMBERS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class TreeMatch:
    """A match of tables on a tree; called with the numbers of deals, it plays them.

    Attributes
    ----------
    tree : GameTree
    first, second : TabularPolicy or CorrelatedPolicy
    seed : int
    worth : FloatArray
        [H, N] what plays are worth to the first policy by how they end, and by its seat.
    """

    tree: GameTree
    first: TabularPolicy | CorrelatedPolicy
    second: TabularPolicy | CorrelatedPolicy
    seed: int
    worth: FloatArray

    @property
    def deals_at_once(self) -> int:
        """How many deals make a portion."""
        return max(1, NUMBERS_AT_ONCE // (self._longest * (1 + self.tree.num_players)))

    @property
    def _longest(self) -> int:
        """The numbers that are drawn for nature and each player in a play."""
        return len(self.tree.level_offsets) - 1

    @cached_property
    def _wins(self) -> FloatArray:
        """[H, N] the share of each player in the win."""
        return shared_wins(self.tree.rewards_so_far)

    def __call__(self, deals: range) -> FloatArray:
        """Return [D, 2 + 2N] what is tallied of deals."""
        nature, choices, drawing = self._numbers(deals)
        ends = np.empty((len(deals), self.tree.num_players), np.int32)
        for first, second, rows in drawn_pairs(self.first, self.second, drawing):
            ends[rows] = self._play(first, second, nature[rows], choices[rows])
        seats = np.arange(self.tree.num_players)
        return match_columns(self.worth[ends, seats], self._wins[ends, seats])

    def _play(
        self, first: TabularPolicy, second: TabularPolicy, nature: FloatArray, choices: FloatArray
    ) -> IntArray:
        """Return [D, N] the terminal histories of plays of one policy each."""
        tree = self.tree
        ends = np.empty((len(nature), tree.num_players), np.int32)
        play_deals(
            tree.first_child,
            tree.world,
            tree.infostate,
            tree.graph.first_edge,
            tree.graph.joint_action,
            tree.graph.probability,
            tuple(states.first_sequence for states in tree.infostate_trees),
            tuple(states.num_actions for states in tree.infostate_trees),
            first.probabilities,
            second.probabilities,
            nature,
            choices,
            ends,
        )
        return ends

    def _numbers(self, deals: range) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return nature's numbers [D, L], the players' [D, N, L] and [D] those that draw policies.

        The numbers of a deal do not depend on which others are asked for.
        """
        shapes = (self._longest,), (self.tree.num_players, self._longest), ()
        seeds = np.random.SeedSequence(self.seed).spawn(len(shapes))
        numbers = []
        for seed, shape in zip(seeds, shapes, strict=True):
            bits = np.random.PCG64(seed)
            bits.advance(deals.start * int(np.prod(shape)))
            numbers.append(np.random.Generator(bits).random((len(deals), *shape)))
        nature, choices, drawing = numbers
        return nature, choices, drawing


def drawn_pairs(
    first: TabularPolicy | CorrelatedPolicy,
    second: TabularPolicy | CorrelatedPolicy,
    drawing: FloatArray,
) -> Iterator[tuple[TabularPolicy, TabularPolicy, LongArray]]:
    """Yield the policies that are drawn together, and in which deals, by the numbers [D]."""
    of_first, first_drawn = _draws(first, drawing)
    of_second, second_drawn = _draws(second, drawing)
    drawn = np.stack([first_drawn, second_drawn], axis=1)
    pairs, which = np.unique(drawn, axis=0, return_inverse=True)
    for number, (one, other) in enumerate(pairs):
        yield of_first[one], of_second[other], np.flatnonzero(which.ravel() == number)


def _draws(
    policy: TabularPolicy | CorrelatedPolicy, drawing: FloatArray
) -> tuple[tuple[TabularPolicy, ...], LongArray]:
    """Return the policies there are, and [D] which of them each number draws."""
    if isinstance(policy, CorrelatedPolicy):
        return policy.policies, policy.drawn_by(drawing)
    return (policy,), np.zeros(len(drawing), np.int64)
