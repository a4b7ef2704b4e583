"""Matches of tables on a compiled tree, many deals at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from infoset.evaluation._kernels import play_deals
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, LongArray

__all__ = ["play_tree"]

NUMBERS_AT_ONCE = 1 << 20


def play_tree(
    tree: GameTree,
    first: TabularPolicy | CorrelatedPolicy,
    second: TabularPolicy | CorrelatedPolicy,
    num_deals: int,
    seed: int,
) -> FloatArray:
    """Return [D, N] the utility of the first policy in each seat, by the compiled loop."""
    parts = []
    longest = len(tree.level_offsets) - 1
    for nature, choices, drawing in _numbers(num_deals, tree.num_players, longest, seed):
        utility = np.empty((len(nature), tree.num_players))
        for one, other, deals in _pairs(first, second, drawing):
            utility[deals] = _play_pair(tree, one, other, nature[deals], choices[deals])
        parts.append(utility)
    return np.concatenate(parts)


def _pairs(
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


def _play_pair(
    tree: GameTree,
    first: TabularPolicy,
    second: TabularPolicy,
    nature: FloatArray,
    choices: FloatArray,
) -> FloatArray:
    """Return [D, N] as `play_tree`, for one policy each."""
    utility = np.empty((len(nature), tree.num_players))
    play_deals(
        tree.first_child,
        tree.world,
        tree.infostate,
        tree.rewards_so_far,
        tree.graph.first_edge,
        tree.graph.joint_action,
        tree.graph.probability,
        tuple(states.first_sequence for states in tree.infostate_trees),
        tuple(states.num_actions for states in tree.infostate_trees),
        first.probabilities,
        second.probabilities,
        nature,
        choices,
        utility,
    )
    return utility


def _numbers(
    num_deals: int, num_players: int, longest: int, seed: int
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Yield nature's numbers [D, L], the players' [D, N, L] and [D] those that draw policies.

    They come a batch of deals at a time. The numbers of a deal do not depend on how many deals
    there are, or on the batches.
    """
    seeds = np.random.SeedSequence(seed).spawn(3)
    for_nature, for_players, for_drawing = map(np.random.default_rng, seeds)
    batch = max(1, NUMBERS_AT_ONCE // (longest * (1 + num_players)))
    for start in range(0, num_deals, batch):
        size = min(batch, num_deals - start)
        yield (
            for_nature.random((size, longest)),
            for_players.random((size, num_players, longest)),
            for_drawing.random(size),
        )
