"""Saved world forms: shapes and classes of worlds, in a file beside the world graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import EMPTY, END, TERMINAL, WAIT, InfostateShapes, WorldClasses
from infoset.tree.possible_worlds import MAX_SEQUENCES, shapes_from_items
from infoset.tree.saved_graphs import (
    ARRAYS,
    StaleGraphError,
    are_offsets,
    check_part,
    find_cache_entry,
    is_within,
)
from infoset.tree.world_graph import WorldGraph
from infoset.typing import BoolArray, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE
from infoset.utils.array_files import content_checksum, read_arrays, write_arrays

FORMAT: Final = 1
SUFFIX: Final = ".form"
FACTS: Final = ("constant_sum", "payoff_rounding")
CLASSES: Final = tuple(field.name for field in fields(WorldClasses))
SHAPES: Final = ("items", "first", "steps")
"""Names of the saved fields of the parts, of the classes, and of each player's shapes."""
DTYPES: Final = {
    **dict.fromkeys(("probability", "reward", "utility"), np.float64),
    "steps": np.int32,
}
"""Types of arrays, by the first word of their names; all others are `int64`."""


class WorldFormParts(NamedTuple):
    """What a `WorldForm` consists of besides its programs.

    Programs are not saved: they take several times the space of the rest, and compiling them takes
    little longer than reading and checking them.
    """

    shapes: tuple[InfostateShapes, ...]
    worlds: WorldClasses
    utility_limits: FloatArray
    constant_sum: float | None
    payoff_rounding: float


def saved_or_built(graph: WorldGraph, build: Callable[[], WorldFormParts]) -> WorldFormParts:
    """Return the parts of the world form of a graph from the cache, or build and save them.

    The file is used only if the rules are the same, as for graphs, and the graph is the same.
    """
    # If the rules cannot be identified, a warning was issued when the graph was built.
    entry = find_cache_entry(graph.game, warns=False)
    if entry is None:
        return build()
    path = entry.path.with_suffix(SUFFIX)
    origin = {"rules": entry.rules, "graph": _graph_checksum(graph)}
    found = entry.read(path, lambda: read_parts(graph, path, origin))
    if found is None:
        found = parts = build()
        entry.write(path, lambda: write_parts(parts, path, origin))
    return found


def _graph_checksum(graph: WorldGraph) -> str:
    """Return a SHA-256 digest of all numbers on which a world form depends."""
    sizes = [*map(len, graph.action_sets)]
    return content_checksum({"sizes": sizes}, {name: getattr(graph, name) for name in ARRAYS})


def write_parts(parts: WorldFormParts, path: Path, origin: Mapping[str, str]) -> None:
    """Write the parts of a world form to a file, atomically.

    Structures are omitted: they are quickly computed from shapes.

    Parameters
    ----------
    origin
        Digests of the rules and of the graph, which `read_parts` checks.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    facts = {name: getattr(parts, name) for name in FACTS}
    arrays = {name: getattr(parts.worlds, name) for name in CLASSES}
    arrays["utility_limits"] = parts.utility_limits
    for own in parts.shapes:
        arrays |= {f"{name}_{own.player}": getattr(own, name) for name in SHAPES}
    write_arrays(path, {"format": FORMAT, **origin, **facts}, arrays)


def read_parts(graph: WorldGraph, path: Path, origin: Mapping[str, str]) -> WorldFormParts:
    """Read the parts of the world form of a graph from a file.

    Raises
    ------
    FileNotFoundError
    StaleGraphError
        If the form belongs to other rules or to another graph.
    ValueError
        If the file is damaged.
    """
    header, arrays = read_arrays(path)
    if {name: header.get(name) for name in ("format", *origin)} != {"format": FORMAT, **origin}:
        raise StaleGraphError("the rules, the world graph or the version of infoset has changed")
    try:
        return _parts(graph, header, arrays)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"its content is incomplete: {error}") from error


def _parts(
    graph: WorldGraph, header: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
) -> WorldFormParts:
    """Return what a file contains, checked so that kernels stay within its arrays."""
    players = range(graph.num_players)
    _check_types(arrays, graph.num_players)
    limits, (total, rounding) = arrays["utility_limits"], (header[name] for name in FACTS)
    check_part(np.isfinite(limits).all() and np.all(limits[:, 0] <= limits[:, 1]), "utility_limits")
    check_part(total is None or (type(total) is float and isfinite(total)), "constant_sum")
    check_part(type(rounding) is float and 0 <= rounding < np.inf, "payoff_rounding")
    shapes = tuple(_shapes(graph, player, arrays) for player in players)
    worlds = WorldClasses(**{name: arrays[name] for name in CLASSES})
    _check_classes(worlds, shapes)
    return WorldFormParts(shapes, worlds, limits, total, rounding)


def _check_types(arrays: Mapping[str, NDArray[Any]], num_players: int) -> None:
    """Raise `ValueError` if the arrays of a file have other types or shapes than expected."""
    num_classes, num_edges = len(arrays["structure"]), len(arrays["target"])
    sizes: dict[str, tuple[int, ...]] = {
        "first": (num_classes + 1,),
        "structure": (num_classes, num_players),
        "utility_limits": (num_players, 2),
        **dict.fromkeys(("target", "probability"), (num_edges,)),
        **dict.fromkeys(("action", "code", "reward"), (num_edges, num_players)),
    }
    for player in range(num_players):
        sizes |= {f"{name}_{player}": (len(arrays[f"{name}_{player}"]),) for name in SHAPES}
        sizes[f"steps_{player}"] += (3,)
    for name, size in sizes.items():
        array = arrays[name]
        kind = DTYPES.get(name.partition("_")[0], np.int64)
        check_part(array.dtype == kind and array.shape == size and array.flags.c_contiguous, name)


def _shapes(
    graph: WorldGraph, player: Player, arrays: Mapping[str, NDArray[Any]]
) -> InfostateShapes:
    """Return the shapes of a player, with their structures."""
    items, first, steps = (arrays[f"{name}_{player}"] for name in SHAPES)
    name = f"shapes of player {player}"
    check_part(are_offsets(first, len(items)), name)
    size = np.diff(first)
    check_part(np.all(size % 2 == 1), name)
    chosen = items[first[:-1]]
    step, child = np.delete(items, first[:-1]).reshape(-1, 2).T
    check_part(is_within(chosen, -1, len(graph.action_sets)), name)
    check_part(is_within(step, 0, len(steps)), name)
    check_part(is_within(steps[:, 1:], 0, len(graph.observations)), name)
    # Steps are sorted, and so are those from a shape; shapes of children come first.
    check_part(np.array_equal(np.unique(steps, axis=0), steps), name)
    shape = np.repeat(np.arange(len(size)), size // 2)
    check_part(np.all((step[1:] > step[:-1]) | (shape[1:] > shape[:-1])), name)
    check_part(np.all((child >= 0) & (child < shape)), name)
    # Entry -1 of these numbers is that of players who do not act.
    num_actions = np.array([*map(len, graph.action_sets), 0])
    check_part(np.all(steps[step, 0] < num_actions[chosen[shape]]), name)
    # The shape of the whole game is larger than all others, and is found last.
    found = shapes_from_items(graph, player, len(size) - 1, items, first, steps)
    # Larger structures could overflow; the first one above the limit does not, and is found here.
    check_part(is_within(found.sequences, 0, MAX_SEQUENCES + 1), name)
    return found


def _check_classes(worlds: WorldClasses, shapes: tuple[InfostateShapes, ...]) -> None:
    """Raise `ValueError` if edges do not lead from the infostates of all players to later ones."""
    first, target, chance = worlds.first, worlds.target, worlds.probability
    check_part(are_offsets(first, len(target)), "first")
    source = np.repeat(np.arange(worlds.num_classes), np.diff(first))
    ends = target == TERMINAL
    later = (target > source) & (target < worlds.num_classes)
    check_part(np.all(ends | later), "target")
    check_part(np.all((chance > 0) & (chance < 1 + 2 * SUM_TOLERANCE)), "probability")
    check_part(np.isfinite(worlds.reward).all(), "reward")
    for own in shapes:
        structure = worlds.structure[:, own.player]
        check_part(is_within(structure, 0, len(own.structure_first) - 1), "structure")
        check_part(structure[0] == own.structure[own.root], "structure")
        after = np.where(ends, EMPTY, structure[target])
        _check_steps(worlds, own, structure[source], after, ends)


def _check_steps(
    worlds: WorldClasses,
    shapes: InfostateShapes,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    ends: BoolArray,
) -> None:
    """Check actions and codes of a player, given [F] its structures before and after each edge.

    Kernels number the sequences after an edge as those of a child of the structure before it: the
    structure after it must be that of this child, or be empty.
    """
    action, code = worlds.action[:, shapes.player], worlds.code[:, shapes.player]
    items, first = shapes.structure_items, shapes.structure_first
    check_part(np.all((action >= -1) & (action < items[first[before]])), "action")
    is_empty = after == EMPTY
    stays = (code == WAIT) & (action < 0) & (is_empty | (after == before))
    leaves = (code <= END) & (action == END - code) & is_empty
    moved = np.flatnonzero(code >= 0)
    begins, number = first[before[moved]], code[moved]
    check_part(np.all(number < np.diff(first)[before[moved]] // 2), "code")
    place = begins + 1 + 2 * number
    goes = np.zeros(len(code), np.bool_)
    # After omitted steps, a player may have no decisions in some worlds.
    goes[moved] = (action[moved] == items[place]) & (
        is_empty[moved] | (after[moved] == items[place + 1])
    )
    check_part(np.all(np.where(ends, code == WAIT, stays | leaves | goes)), "code")
