"""The nodes of a game tree as arrays on the device."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.tree.decision_nodes import CHANCE_NODE, DecisionNodes


class DeviceNodes(eqx.Module):
    """Decision, chance and terminal nodes of a game; node 0 is the root."""

    kind: Array
    first: Array
    num_children: Array
    keep: Array
    other: Array
    """[K] as in `infoset.tree.decision_nodes.DecisionNodes`."""
    num_decisions: int = eqx.field(static=True)
    """Maximum number of decisions of an episode."""
    num_chance_moves: int = eqx.field(static=True)
    """Maximum number of consecutive chance nodes."""

    @classmethod
    def of(cls, nodes: DecisionNodes) -> DeviceNodes:
        """Return the nodes of a game on the device."""
        decisions, chance_moves = _longest_episode(nodes)
        return cls(
            kind=jnp.asarray(nodes.kind),
            first=jnp.asarray(nodes.first),
            num_children=jnp.asarray(nodes.num_children),
            keep=jnp.asarray(nodes.keep, jnp.float32),
            other=jnp.asarray(nodes.other),
            num_decisions=decisions,
            num_chance_moves=chance_moves,
        )

    def after_chance(self, node: Array, draws: Array) -> Array:
        """Return the nodes after all chance moves, by Walker's alias method.

        Parameters
        ----------
        node
            [...] nodes; those that are not chance nodes are returned as they are.
        draws
            [num_chance_moves, ...] uniform draws from [0, 1).
        """
        for draw in draws:
            # The integer part of one scaled draw selects a child; the fractional part keeps it or
            # not.
            place = draw * self.num_children[node]
            # Rounding may give num_children itself for draws next to 1.
            position = jnp.minimum(place.astype(jnp.int32), self.num_children[node] - 1)
            child = self.first[node] + position
            # Alias tables may have no entry for terminals, so these nodes are not followed.
            is_chance = self.kind[node] == CHANCE_NODE
            child = jnp.where(is_chance, child, node)
            kept = place - position < self.keep[child]
            alias = jnp.where(kept, child, self.first[node] + self.other[child])
            node = jnp.where(is_chance, alias, node)
        return node


def _longest_episode(nodes: DecisionNodes) -> tuple[int, int]:
    """Return the maximum number of decisions of an episode and of consecutive chance nodes."""
    level = np.zeros(1, np.int64)
    decisions, chance = np.zeros((2, 1), np.int64)
    horizon, chance_moves = 1, 0
    while len(level):
        is_chance, acts = nodes.kind[level] == CHANCE_NODE, nodes.kind[level] >= 0
        decisions = decisions + acts
        chance = np.where(is_chance, chance + 1, 0)
        horizon = max(horizon, int(decisions.max()))
        chance_moves = max(chance_moves, int(chance.max()))
        counts = nodes.num_children[level]
        # Children are consecutive: each range as its first child plus 0, 1, …
        begins = np.repeat(nodes.first[level] - np.cumsum(counts) + counts, counts)
        level = begins + np.arange(len(begins))
        decisions, chance = np.repeat(decisions, counts), np.repeat(chance, counts)
    return horizon, chance_moves
