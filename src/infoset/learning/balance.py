"""Balanced weights: exploration policies and transitions that cover a player's tree evenly.

Layer h of a player's tree contains the infostates with h - 1 of the player's decisions above them.
Arrays cover the infostates [I] and sequences [S] of all players; each player has a separate tree.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from infoset.tree.decision_nodes import Infostates, infostate_sequences
from infoset.typing import FloatArray, IntArray


def layer_counts(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [H, S] the number |C_h(x, a)| of sequences of each layer at or below each sequence.

    The entry of an empty sequence is the size |C_h| of the layer. A game without decisions has one
    layer.

    Source: Bai, Jin, Mei and Yu (2022), Section 4.1.
    """
    counts = np.zeros((int(depth.max(initial=0)) + 1, _num_sequences(infostates)))
    for layer, count in enumerate(counts):
        # Ones at the layer, and then sums on the way up: a sequence counts the ones below it.
        count[infostate_sequences(infostates, depth == layer)] = 1.0
        for members in _layers_upwards(depth, layer):
            _add_to_parents(infostates, members, count)
    return counts


def layer_policies(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [H, S] the balanced exploration policies: μ*ʰ(a|x) = |C_h(x, a)| / |C_h(x)|.

    A policy μ*ʰ covers the sequences of layer h as evenly as any policy can. It is uniform at layer
    h, below layer h, and at infostates above layer h from which layer h cannot be reached.

    Source: Bai, Jin, Mei and Yu (2022), eq. (8).
    """
    counts = layer_counts(infostates, depth)
    return np.stack([_normalized(infostates, count) for count in counts])


def balanced_reach(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] the balanced reach w(x) = μ*ʰ₁:ₕ(x, a), where h is the layer of x.

    It is the same for all actions a at x.

    Source: Bai, Jin, Mei and Yu (2022), eq. (8) and Lemma C.5.
    """
    reach = np.ones(len(depth))
    for layer, policy in enumerate(layer_policies(infostates, depth)):
        # Own reach under μ*ʰ, from the first layer down to layer h; 1 at empty sequences.
        plan = np.ones(_num_sequences(infostates))
        for above in range(layer + 1):
            members = np.flatnonzero(depth == above)
            counts = infostates.num_actions[members]
            sequences = infostate_sequences(infostates, members)
            plan[sequences] = policy[sequences] * np.repeat(
                plan[infostates.parent_sequence[members]], counts
            )
            if above == layer:
                reach[members] = plan[infostates.first_sequence[members]]
    return reach


def subtree_sizes(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [S] n(x, a): the number of the player's sequences at or below each sequence.

    The entry of an empty sequence counts all sequences of the player, including itself.
    """
    sizes = np.ones(_num_sequences(infostates))
    # From the last layer, so that a sequence is complete when it is added to its parent.
    for members in _layers_upwards(depth, int(depth.max(initial=-1))):
        _add_to_parents(infostates, members, sizes)
    return sizes


def subtree_policy(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [S] b(a|x) = n(x, a) / n(x), which is proportional to subtree sizes.

    Source: Fiegel et al. (2024).
    """
    return _normalized(infostates, subtree_sizes(infostates, depth))


def balanced_transitions(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] p*(x), the reach of chance and opponents that covers all subtrees evenly.

    p*(x) = p*(x', a') n(x) / Σ n(x''), where (x', a') is the parent sequence of x, the sum is over
    the infostates x'' directly below it, and n counts sequences as in `subtree_sizes`.

    Source: Fiegel et al. (2023), Section 4.
    """
    sizes = subtree_sizes(infostates, depth)
    reach = np.ones(_num_sequences(infostates))
    transitions = np.ones(len(depth))
    for layer in range(int(depth.max(initial=-1)) + 1):
        members = np.flatnonzero(depth == layer)
        parent = infostates.parent_sequence[members]
        sequences = infostate_sequences(infostates, members)
        counts = infostates.num_actions[members]
        # n(x): the actions of an infostate are consecutive, and `reduceat` adds each range.
        own = np.add.reduceat(sizes[sequences], np.cumsum(counts) - counts)
        # Σ n(x'') is the size of the parent sequence without the sequence itself.
        transitions[members] = reach[parent] * own / (sizes[parent] - 1.0)
        reach[sequences] = np.repeat(transitions[members], counts)
    return transitions


def _num_sequences(infostates: Infostates) -> int:
    return len(infostates.root_sequence) + int(infostates.num_actions.sum())


def _layers_upwards(depth: IntArray, last: int) -> Iterator[IntArray]:
    """Yield the infostates of each layer, from layer `last` up to the first."""
    for layer in range(last, -1, -1):
        yield np.flatnonzero(depth == layer).astype(np.int32)


def _add_to_parents(infostates: Infostates, members: IntArray, values: FloatArray) -> None:
    """Add the values of the sequences of infostates to their parent sequences, in place."""
    counts = infostates.num_actions[members]
    sequences = infostate_sequences(infostates, members)
    # Several infostates may follow one sequence, which plain indexing would add only once.
    np.add.at(values, np.repeat(infostates.parent_sequence[members], counts), values[sequences])


def _normalized(infostates: Infostates, weights: FloatArray) -> FloatArray:
    """Return [S] the weights normalized at each infostate; uniform if they are all 0 there."""
    counts = infostates.num_actions
    sequences = infostate_sequences(infostates)
    # Sums over the actions of each infostate, which are consecutive.
    totals = np.add.reduceat(weights[sequences], np.cumsum(counts) - counts)
    policy = np.ones_like(weights)
    spread = np.repeat(totals, counts)
    none = spread == 0.0
    policy[sequences] = np.where(
        none, 1.0 / np.repeat(counts, counts), weights[sequences] / np.where(none, 1.0, spread)
    )
    return policy
