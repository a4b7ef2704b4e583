"""Shapes of infostate trees, found from the sets of worlds that a player considers possible."""

from __future__ import annotations

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.forms import InfostateShapes
from infoset.tree._possible_worlds_kernels import (
    find_shapes,
    find_structures,
    other_actions,
    possible_worlds,
    set_heights,
)
from infoset.tree.state_numbering import StepTable, contradiction_error
from infoset.tree.world_graph import WorldGraph
from infoset.typing import IntArray, LongArray, Player
from infoset.utils.text import format_bytes, format_count

MEMBER_BYTES = 24
"""Bytes of memory for each world of a set of possible worlds, while sets are found."""
MAX_SEQUENCES = 2**31 - 1
"""Maximum number of sequences of all players: kernels number them with 32 bits."""


def all_shapes(
    graph: WorldGraph, height: LongArray, allowed: int
) -> tuple[tuple[InfostateShapes, ...], tuple[IntArray, ...]]:
    """Return the shapes of all players, and per player [E] the step of each edge.

    Parameters
    ----------
    height
        [W] the length of the longest play from each world.
    allowed
        Memory limit in bytes for the sets of possible worlds.

    Raises
    ------
    GameTooLargeError
        If the sets need more memory than is allowed.
    GameRuleError
        If a player does not know its legal actions.
    """
    players = range(graph.num_players)
    found = [_player_shapes(graph, player, height, allowed) for player in players]
    shapes, steps = zip(*found, strict=True)
    return shapes, steps


def _player_shapes(
    graph: WorldGraph, player: Player, height: LongArray, allowed: int
) -> tuple[InfostateShapes, IntArray]:
    """Return the shapes of a player's infostate trees, and [E] the step of each edge."""
    table = StepTable.of_player(graph, player)
    columns = (table.action, table.private_observation, table.public_observation)
    steps = np.stack(columns, axis=1)[:-1]
    order = np.lexsort(steps.T[::-1])  # by action and observations
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    step = rank[table.of_edge]
    items, first, root = _shapes_of_sets(graph, player, step, height, allowed)
    steps = np.ascontiguousarray(steps[order])
    return shapes_from_items(graph, player, root, items, first, steps), step


def shapes_from_items(
    graph: WorldGraph,
    player: Player,
    root: int,
    items: LongArray,
    first: LongArray,
    steps: IntArray,
) -> InfostateShapes:
    """Return shapes with their structures; parameters as in `InfostateShapes`."""
    num_actions = np.array([*map(len, graph.action_sets), 0])
    structure, code, structure_items, structure_first, sequences, infostates = find_structures(
        items, first, num_actions, np.ascontiguousarray(steps[:, 0])
    )
    return InfostateShapes(
        player=player,
        root=root,
        items=items,
        first=first,
        code=code,
        structure=structure,
        structure_items=structure_items,
        structure_first=structure_first,
        child_sequence=_before(structure_items, structure_first, sequences, True),
        child_infostate=_before(structure_items, structure_first, infostates, False),
        sequences=sequences,
        infostates=infostates,
        steps=steps,
        action_sets=graph.action_sets,
        observations=graph.observations,
    )


def _shapes_of_sets(
    graph: WorldGraph, player: Player, step: IntArray, height: LongArray, allowed: int
) -> tuple[LongArray, LongArray, int]:
    """Return the shapes below the sets of worlds that a player considers possible, and the root.

    Raises
    ------
    GameTooLargeError
        If the sets need more memory than is allowed.
    GameRuleError
        If the player does not know its legal actions.
    """
    limit = allowed // MEMBER_BYTES
    members, first_member, first_child, child_step, child_set = possible_worlds(
        graph.first_edge, graph.next_world, step, limit
    )
    if len(members) > limit:
        raise GameTooLargeError(
            f"{graph.game} has too many sets of worlds that player {player} may consider "
            f"possible: more than {format_count(len(first_member))}, which need more than "
            f"{format_bytes(allowed)}; use smaller parameters, or raise memory (--memory)",
            {"world_states": graph.num_worlds, "sets": len(first_member)},
        )
    action_set = np.ascontiguousarray(graph.action_set[:, player])
    world, other = other_actions(members, first_member, action_set)
    if world >= 0:
        raise contradiction_error(graph, player, other, world)
    order = np.argsort(set_heights(members, first_member, height), kind="stable")
    items, first, shape = find_shapes(
        order, members, first_member, action_set, first_child, child_step, child_set
    )
    return items, first, int(shape[0])


def _before(items: LongArray, first: LongArray, sizes: LongArray, per_action: bool) -> LongArray:
    """Return [items] `child_sequence` or `child_infostate` of `InfostateShapes`.

    sizes [T] of each structure; per_action: whether the actions of an infostate count one by one.
    """
    found = np.zeros(len(items), np.int64)
    for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        actions = int(items[begin])
        own = actions if per_action else min(actions, 1)
        children = sizes[items[begin + 2 : end : 2]]
        found[begin + 2 : end : 2] = own + np.cumsum(children) - children
    return found
