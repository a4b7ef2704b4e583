"""Counts of the histories of a game, and memory forecasts, before any history is built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import CyclicGameError, GameTooLargeError
from infoset.tree._unrolling_kernels import (
    count_levels,
    path_counts,
    reward_ranges,
    topological_order,
)
from infoset.tree.limits import allowed_memory
from infoset.tree.world_graph import WorldGraph
from infoset.typing import IntArray
from infoset.utils.text import format_bytes, format_count

EXACT_FLOAT = 2**53
LARGEST_FLOAT = 1e308
MAX_ROUNDING = 1e-6
"""Bound on the relative rounding error of a sum over all world states."""
MAX_COUNT = 10**1000
"""Number of histories beyond which counts are not exact."""
MAX_HISTORIES = 2**31 - 1
SEARCH_INSTEAD = (
    "or, without building the game, let searchers play it: "
    "infoset match GAME 'ismcts(milliseconds=50)' uniform --deals 2"
)


@dataclass(frozen=True)
class GameCounts:
    """The size of a game."""

    num_players: int
    world_states: int
    histories: int
    terminals: int
    """Histories include the root and the terminal ones. A history is one transition longer than its
    parent; simultaneous actions are one transition."""
    is_exact: bool
    """False if the world graph is partial, or there are more than 10**1000 histories; the numbers
    are then lower bounds."""

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

    The counts of a partial graph are lower bounds, and so are counts above 10**1000.

    Raises
    ------
    CyclicGameError
        If a world state can be reached from itself.
    """
    order = world_order(graph)
    paths = path_counts(order, graph.first_edge, graph.next_world)
    is_terminal = np.diff(graph.first_edge) == 0
    is_terminal[graph.num_expanded :] = False  # their edges are unknown
    is_exact = graph.is_complete
    with np.errstate(over="ignore"):  # an infinite sum is not below the limit
        sums = paths.sum(), paths[is_terminal].sum()
    if sums[0] < EXACT_FLOAT:
        histories, terminals = map(int, sums)
    elif graph.is_complete:
        histories, terminals = _exact_counts(graph, order)
        is_exact = histories < MAX_COUNT
    else:
        # Sums that were rounded or overflowed, lowered by the bound on rounding.
        histories, terminals = (
            int(min(rounded, LARGEST_FLOAT) * (1 - MAX_ROUNDING)) for rounded in sums
        )
    histories = max(histories, graph.num_worlds)
    return GameCounts(graph.num_players, graph.num_worlds, histories, terminals, is_exact)


def world_order(graph: WorldGraph) -> IntArray:
    """Return [W] the world states in topological order.

    Raises
    ------
    CyclicGameError
        If a world state can be reached from itself.
    """
    order = topological_order(graph.first_edge, graph.next_world)
    if len(order) < graph.num_worlds:
        raise CyclicGameError(graph.worlds[world] for world in _find_cycle(graph, order))
    return order


def utility_range(graph: WorldGraph) -> tuple[float, float]:
    """Return the smallest and the largest utility of any player at the end of a play.

    Raises
    ------
    CyclicGameError
        If a world state can be reached from itself.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_world_graph
    >>> utility_range(build_world_graph(load_game("kuhn_poker")))
    (-2.0, 2.0)
    """
    order = world_order(graph)
    low, high = reward_ranges(order, graph.first_edge, graph.next_world, graph.rewards)
    return float(low[0].min()), float(high[0].max())


def _exact_counts(graph: WorldGraph, order: IntArray) -> tuple[int, int]:
    """Return the numbers of histories and of terminals; more than `MAX_COUNT` are lower bounds."""
    first_edge, next_world = graph.first_edge.tolist(), graph.next_world.tolist()
    histories = terminals = 0
    # Counts are dropped once they are passed on: they may have thousands of bits.
    paths = {0: 1}
    for world in order.tolist():
        number = min(paths.pop(world), MAX_COUNT)
        histories += number
        begin, end = first_edge[world], first_edge[world + 1]
        if begin == end:
            terminals += number
        for target in next_world[begin:end]:
            paths[target] = paths.get(target, 0) + number
    return histories, terminals


def _find_cycle(graph: WorldGraph, order: IntArray) -> list[int]:
    """Return a cycle of world states, given the topological `order` of all others."""
    is_cyclic = np.ones(graph.num_worlds, dtype=bool)
    is_cyclic[order] = False
    source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    inside = is_cyclic[source] & is_cyclic[graph.next_world]
    predecessor = dict(zip(graph.next_world[inside].tolist(), source[inside].tolist(), strict=True))
    # Each world left has a predecessor among those left: going back must return to one.
    world = int(np.flatnonzero(is_cyclic)[0])
    position: dict[int, int] = {}
    while world not in position:
        position[world] = len(position)
        world = predecessor[world]
    return list(position)[position[world] :][::-1]


def check_fits(counts: GameCounts, name: str, memory: int | None = None) -> None:
    """Raise if the tree of a game would not fit in memory, before anything is allocated.

    Parameters
    ----------
    name
        Name of the game for the error message.
    memory
        Limit in bytes; by default 70% of the free memory.

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
    worlds, histories, terminals = map(
        format_count, (counts.world_states, counts.histories, counts.terminals)
    )
    bound = "" if counts.is_exact else "at least "
    return GameTooLargeError(
        f"{name} has {worlds} world states, {bound}{histories} histories and {terminals} "
        f"terminals: its {what} needs about {format_bytes(needed)}, and {format_bytes(allowed)} "
        f"are allowed; use smaller parameters, raise memory (--memory) {SEARCH_INSTEAD}",
        {
            "world_states": counts.world_states,
            "histories": counts.histories,
            "terminals": counts.terminals,
            "bytes": needed,
        },
    )


def level_sizes(graph: WorldGraph) -> list[tuple[int, int]]:
    """Return, for 0, 1, 2, … transitions, the numbers of histories and of nonterminal histories.

    The graph must be complete and acyclic, with fewer than 2**53 histories.
    """
    histories, inner = count_levels(graph.first_edge, graph.next_world)
    pairs = zip(histories.tolist(), inner.tolist(), strict=True)
    return [(int(number), int(nonterminal)) for number, nonterminal in pairs]
