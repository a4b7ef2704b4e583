"""Counts of the histories of a game, and memory forecasts, before any history is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from infoset.errors import CyclicGameError, GameTooLargeError
from infoset.tree._unrolling_kernels import path_counts, topological_order
from infoset.tree.world_graph import WorldGraph
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_number
from infoset.utils.text import format_bytes
from infoset.utils.watchdog import available_memory

__all__ = [
    "GameCounts",
    "allowed_memory",
    "check_fits",
    "count_histories",
    "level_sizes",
    "too_large_error",
]

EXACT_FLOAT = 2**53
MAX_HISTORIES = 2**31 - 1
FREE_MEMORY_FRACTION = 0.7


@dataclass(frozen=True)
class GameCounts:
    """The size of a game.

    Attributes
    ----------
    num_players : int
    world_states, histories, terminals : int
        Histories include the root and the terminal ones. A history is one transition longer
        than its parent; simultaneous actions are one transition.
    is_exact : bool
        False if the world graph is partial; the numbers are then lower bounds.
    """

    num_players: int
    world_states: int
    histories: int
    terminals: int
    is_exact: bool

    @property
    def bytes(self) -> int:
        """Forecast of the peak memory of the game tree and the sequence form, in bytes."""
        per_history = 28 + 12 * self.num_players
        per_terminal = 48 + 24 * self.num_players
        return self.histories * per_history + self.terminals * per_terminal

    def fits(self, allowed: int) -> bool:
        """Return whether the game tree fits in `allowed` bytes."""
        return self.bytes <= allowed and self.histories <= MAX_HISTORIES


def count_histories(graph: WorldGraph) -> GameCounts:
    """Count the histories of a game: the paths of its world graph from the initial world.

    The counts of a partial graph are lower bounds.

    Raises
    ------
    CyclicGameError
        If a world state can be reached from itself.
    """
    order = topological_order(graph.first_edge, graph.next_world)
    if len(order) < graph.num_worlds:
        raise CyclicGameError(graph.worlds[world] for world in _find_cycle(graph, order))
    paths = path_counts(order, graph.first_edge, graph.next_world)
    is_terminal = np.diff(graph.first_edge) == 0
    is_terminal[graph.num_expanded :] = False
    if paths.sum() < EXACT_FLOAT:
        histories, terminals = int(paths.sum()), int(paths[is_terminal].sum())
    else:
        exact = _exact_path_counts(graph, order)
        histories = sum(exact)
        terminals = sum(exact[world] for world in np.flatnonzero(is_terminal))
    histories = max(histories, graph.num_worlds)
    return GameCounts(graph.num_players, graph.num_worlds, histories, terminals, graph.is_complete)


def _exact_path_counts(graph: WorldGraph, order: IntArray) -> list[int]:
    paths = [0] * graph.num_worlds
    paths[0] = 1
    for world in order.tolist():
        for target in graph.next_world[slice(*graph.first_edge[world : world + 2])].tolist():
            paths[target] += paths[world]
    return paths


def _find_cycle(graph: WorldGraph, order: IntArray) -> list[int]:
    """Return a cycle of world states, given the topological `order` of all others."""
    is_cyclic = np.ones(graph.num_worlds, dtype=bool)
    is_cyclic[order] = False
    source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    inside = is_cyclic[source] & is_cyclic[graph.next_world]
    predecessor = dict(zip(graph.next_world[inside].tolist(), source[inside].tolist(), strict=True))
    path = [int(np.flatnonzero(is_cyclic)[0])]
    while path[-1] not in path[:-1]:
        path.append(predecessor[path[-1]])
    return path[path.index(path[-1]) + 1 :][::-1]


def allowed_memory(memory: int | None) -> int:
    """Return `memory` in bytes, or by default 70 % of the memory that is currently free.

    A limit on the process's address space (`ulimit -v`) counts too.

    Raises
    ------
    ParameterError
        If `memory` is not a number that is at least 1.
    """
    if memory is None:
        return int(available_memory() * FREE_MEMORY_FRACTION)
    check_number("memory", memory, minimum=1)
    return memory


def check_fits(counts: GameCounts, name: str, memory: int | None = None) -> None:
    """Raise if the tree of a game would not fit in memory, before anything is allocated.

    Parameters
    ----------
    counts : GameCounts
    name : str
        Name of the game for the error message.
    memory : int, optional
        Limit in bytes; by default 70 % of the free memory.

    Raises
    ------
    GameTooLargeError
    """
    allowed = allowed_memory(memory)
    if counts.fits(allowed):
        return
    raise too_large_error(counts, name, "tree", counts.bytes, allowed)


def too_large_error(
    counts: GameCounts, name: str, what: str, needed: int, allowed: int
) -> GameTooLargeError:
    """Return the error for a game whose tree or sequence form (`what`) needs too much memory."""
    return GameTooLargeError(
        f"{name} has {counts.world_states:,} world states, {counts.histories:,} histories and "
        f"{counts.terminals:,} terminals: its {what} needs about {format_bytes(needed)}, "
        f"and {format_bytes(allowed)} are allowed; use smaller parameters, or raise memory",
        {
            "world_states": counts.world_states,
            "histories": counts.histories,
            "terminals": counts.terminals,
            "bytes": needed,
        },
    )


def level_sizes(graph: WorldGraph) -> Iterator[tuple[int, int]]:
    """Yield, for 0, 1, 2, … transitions, the numbers of histories and of nonterminal histories.

    The graph must be complete and acyclic. Numbers are exact below 2**53.
    """
    is_inner = np.diff(graph.first_edge) > 0
    source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    paths: FloatArray = np.zeros(graph.num_worlds)
    paths[0] = 1.0
    while paths.any():
        yield int(paths.sum()), int(paths[is_inner].sum())
        arriving = np.bincount(graph.next_world, paths[source], graph.num_worlds)
        paths = np.asarray(arriving, np.float64)
