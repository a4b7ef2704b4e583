"""Files of world graphs: arrays, labels as text, and the digest of the rules; no Python objects."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from infoset.game import Game
from infoset.game.labels import label_from_json, label_to_json
from infoset.tree.replayed_worlds import ReplayedWorlds
from infoset.tree.world_graph import WorldGraph
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.frozen_arrays import freeze

FORMAT: Final = 1
ARRAYS: Final = {
    "action_set": np.int32,
    "first_edge": np.int32,
    "joint_action": np.int32,
    "probability": np.float64,
    "next_world": np.int32,
    "rewards": np.float64,
    "public_observation": np.int32,
    "private_observation": np.int32,
}
EXACT: Final = "exact_probability"


class StaleGraphError(ValueError):
    """A saved graph of other rules, or of another version of the library."""


def write_graph(graph: WorldGraph, path: Path, rules: str) -> None:
    """Write a complete world graph to a file, atomically.

    Parameters
    ----------
    rules
        Digest of the rules, which `read_graph` compares.

    Raises
    ------
    ValueError
        If a label cannot be written as text.
    OSError
        If the file cannot be written.
    """
    header: dict[str, Any] = {
        "format": FORMAT,
        "game": str(graph.game),
        "rules": rules,
        "action_sets": [label_to_json(actions) for actions in graph.action_sets],
        "observations": [label_to_json(label) for label in graph.observations],
    }
    arrays: dict[str, NDArray[Any]] = {name: getattr(graph, name) for name in ARRAYS}
    if graph.exact_probability is not None:
        # Few probabilities are different: they are numbered.
        numbers = {chance: place for place, chance in enumerate(set(graph.exact_probability))}
        arrays[EXACT] = np.array([numbers[chance] for chance in graph.exact_probability], np.int32)
        header["fractions"] = [label_to_json(chance) for chance in numbers]
    write_arrays(path, header, arrays)


def read_graph(game: Game, path: Path, rules: str) -> WorldGraph:
    """Read the world graph of a game from a file.

    World states are not in the file: the rules make those that are asked for.

    Raises
    ------
    FileNotFoundError
    StaleGraphError
        If the graph was built from other rules.
    ValueError
        If the file is damaged.
    """
    header, arrays = read_arrays(path)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StaleGraphError("it is not a world graph, or one of another version of infoset")
    if header.get("rules") != rules:
        raise StaleGraphError("the source code of the rules or the version of infoset has changed")
    try:
        return _graph(game, header, arrays)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError(f"its content is incomplete: {error}") from error


def _graph(game: Game, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> WorldGraph:
    """Return the graph that a file contains, checked so that kernels stay within its arrays."""
    action_sets: Any = tuple(label_from_json(actions) for actions in header["action_sets"])
    observations = tuple(label_from_json(label) for label in header["observations"])
    graph_arrays: dict[str, Any] = {name: arrays[name] for name in ARRAYS}
    _check_arrays(graph_arrays, game.num_players, action_sets, observations)
    graph = WorldGraph(
        game=game,
        worlds=ReplayedWorlds(
            game,
            graph_arrays["action_set"],
            action_sets,
            graph_arrays["first_edge"],
            graph_arrays["joint_action"],
            graph_arrays["next_world"],
        ),
        num_expanded=len(graph_arrays["action_set"]),
        action_sets=action_sets,
        exact_probability=_exact(header, arrays),
        observations=observations,
        **graph_arrays,
    )
    freeze(graph)
    return graph


def _exact(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[Fraction, ...] | None:
    if EXACT not in arrays:
        return None
    fractions: Any = [label_from_json(chance) for chance in header["fractions"]]
    _check(all(isinstance(chance, Fraction) for chance in fractions), "fractions")
    _check(arrays[EXACT].shape == arrays["next_world"].shape, EXACT)
    _check(_is_within(arrays[EXACT], 0, len(fractions)), EXACT)
    return tuple([fractions[number] for number in arrays[EXACT].tolist()])


def _check_arrays(
    arrays: Mapping[str, NDArray[Any]],
    num_players: int,
    action_sets: Sequence[tuple[Hashable, ...]],
    observations: Sequence[Hashable],
) -> None:
    """Raise `ValueError` if the arrays are not those of a graph."""
    num_worlds, num_edges = len(arrays["action_set"]), len(arrays["next_world"])
    _check(num_worlds > 0 and all(type(actions) is tuple for actions in action_sets), "sizes")
    by_player = {"joint_action", "rewards", "private_observation"}
    for name, dtype in ARRAYS.items():
        rows = {"action_set": num_worlds, "first_edge": num_worlds + 1}.get(name, num_edges)
        is_wide = name in by_player or name == "action_set"
        shape = (rows, num_players) if is_wide else (rows,)
        _check(arrays[name].dtype == dtype and arrays[name].shape == shape, name)
    first_edge, next_world = arrays["first_edge"], arrays["next_world"]
    degree = np.diff(first_edge)
    _check(bool(first_edge[0] == 0 and first_edge[-1] == num_edges), "first_edge")
    _check(bool(np.all(degree >= 0)), "first_edge")
    # Every world but the first is found from an earlier one: the first edge that enters it.
    origin = np.repeat(np.arange(num_worlds), degree)
    _check(_is_within(next_world, 0, num_worlds), "next_world")
    earliest = np.full(num_worlds, num_worlds)
    np.minimum.at(earliest, next_world, origin)
    _check(bool(np.all(earliest[1:] < np.arange(1, num_worlds))), "next_world")
    action_set, joint_action = arrays["action_set"], arrays["joint_action"]
    _check(_is_within(action_set, -1, len(action_sets)), "action_set")
    # Entry -1 of these sizes is that of players who do not act.
    sizes = np.array([*map(len, action_sets), 0])
    _check(bool(np.all(joint_action < sizes[action_set[origin]])), "joint_action")
    _check(bool(np.all((joint_action < 0) == (action_set[origin] < 0))), "joint_action")
    _check(bool(np.all(joint_action >= -1)), "joint_action")
    for name in ("public_observation", "private_observation"):
        _check(_is_within(arrays[name], 0, len(observations)), name)
    chance = arrays["probability"]
    _check(bool(np.all((chance > 0) & (chance <= 1.0 + 1e-9))), "probability")
    _check(bool(np.all(np.isfinite(arrays["rewards"]))), "rewards")


def _is_within(numbers: NDArray[Any], low: int, end: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= low and numbers.max() < end)


def _check(is_right: bool, name: str) -> None:
    if not is_right:
        raise ValueError(f"its {name} cannot be those of a world graph")
