"""The moves of a tree as arrays on the device, for passes through whole levels."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.tree.decision_nodes import CHANCE_NODE, DecisionNodes
from infoset.typing import BoolArray, IntArray

CHANCE = 2
"""Who makes a chance move, after players 0 and 1."""


class TreeMoves(eqx.Module):
    """The move that leads to each node of a tree, level by level."""

    parent: Array
    """[K] parent of each node; 0 at the root."""
    infostate: Array
    """[K] infostate in which the move was made; 0 for chance moves."""
    action: Array
    """[K] column of the action; 0 for chance moves."""
    mover: Array
    """[K] the player who made the move, or `CHANCE`."""
    chance: Array
    """[K] probability of a chance move; 1 for actions."""
    ends: tuple[int, ...] = eqx.field(static=True)
    """Number of nodes up to each level; nodes are sorted by level."""

    @classmethod
    def of(
        cls, nodes: DecisionNodes, player: IntArray, legal: BoolArray, rank: IntArray
    ) -> TreeMoves:
        """Return the moves of a game; arrays as in `TreeGame`."""
        counts = nodes.num_children
        size = len(counts)
        parent = np.repeat(np.arange(size), counts)
        # Children are numbered in the order of their parents, after the root.
        kind = nodes.kind[parent]
        is_chance = kind == CHANCE_NODE
        infostate = np.where(is_chance, 0, kind)
        place = np.where(is_chance, 0, np.arange(1, size) - nodes.first[parent])
        # The column of the k-th legal action: illegal ones are sorted to the end.
        columns = np.argsort(np.where(legal, rank, legal.shape[1]), axis=1, kind="stable")
        chance = np.ones(size)
        # The alias table backward: a child keeps a part of its cell 1 / n, another gets the rest.
        share = nodes.keep / np.maximum(1, np.append(1, counts[parent]))
        passed = (1.0 - nodes.keep) / np.maximum(1, np.append(1, counts[parent]))
        to = np.append(0, nodes.first[parent] + nodes.other[1:])
        drawn = np.append(False, is_chance)
        np.add.at(share, to[drawn], passed[drawn])
        chance[drawn] = share[drawn]
        ends, last = [1], 0
        while ends[-1] < size:
            # The next level has the children of the nodes of this one.
            last, begin = ends[-1], last
            ends.append(last + int(counts[begin:last].sum()))
        return cls(
            parent=jnp.asarray(np.append(0, parent), jnp.int32),
            infostate=jnp.asarray(np.append(0, infostate), jnp.int32),
            action=jnp.asarray(
                np.append(0, np.where(is_chance, 0, columns[infostate, place])), jnp.int32
            ),
            mover=jnp.asarray(
                np.append(CHANCE, np.where(is_chance, CHANCE, player[infostate])), jnp.int32
            ),
            chance=jnp.asarray(chance, jnp.float32),
            ends=tuple(ends),
        )
