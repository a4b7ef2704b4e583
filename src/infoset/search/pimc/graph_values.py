"""Perfect-information values of a game that was explored: all at once, and then looked up."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from infoset.search.models import GraphModel
from infoset.search.pimc._graph_kernels import (
    max_n_values,
    minimax_values,
    node_order,
    someone_chooses,
)
from infoset.search.pimc.values import MAX_N, PerfectInformation, choose_at_once
from infoset.tree import count_histories
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["GraphValues", "node_values"]

_FOUND: WeakKeyDictionary[GraphModel, dict[str, FloatArray]] = WeakKeyDictionary()
"""The values of models that are in use."""


class GraphValues(PerfectInformation):
    """Perfect-information values on a world graph, kept as long as the model is."""

    model: GraphModel

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] what a player gets in the end."""
        self.num_nodes += len(states)
        found = node_values(self.model, self.opponents)
        values: FloatArray = rewards_so_far[:, player] + found[states[:, 0], player]
        return values


def node_values(model: GraphModel, opponents: str) -> FloatArray:
    """Return [K, N] what each player gets from each node of a model on; world states are first.

    Raises
    ------
    UnsupportedGameError
        If players choose at once.
    CyclicGameError
        If a world state can be reached from itself.
    """
    kept = _FOUND.setdefault(model, {})
    if opponents not in kept:
        kept[opponents] = _find_values(model, opponents)
    return kept[opponents]


def _find_values(model: GraphModel, opponents: str) -> FloatArray:
    count_histories(model.graph)
    order = node_order(model.arrays)
    if not someone_chooses(model.arrays, order, np.empty(len(order), bool)):
        raise choose_at_once(model)
    values = np.zeros((len(order), model.num_players))
    find = max_n_values if opponents == MAX_N else minimax_values
    find(model.arrays, order, values)
    return values
