"""Saved world graphs: a folder of them, their files, and world states that rules make again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GraphCacheWarning, GraphFileError, ParameterError
from infoset.game import Game
from infoset.game.labels import label_from_json, label_to_json
from infoset.game.rules_identity import UnknownRulesError, parameters_digest, rules_digest
from infoset.tree.world_graph import WorldGraph
from infoset.typing import NOOP, Action, BoolArray, IntArray, LongArray, World
from infoset.utils.arguments import check_path
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.frozen_arrays import freeze

DIGITS: Final = 16
SUFFIX: Final = ".graph"
_FOLDER: ContextVar[Path | None] = ContextVar("graph_cache", default=None)


@contextmanager
def graph_cache(folder: str | Path) -> Iterator[Path]:
    """Save the world graphs of all games that are built in the block, and load those saved before.

    Building a large game mostly consists of visiting its world states in Python. A graph that is
    loaded has the same arrays and labels; its world states are made by the rules when they are
    needed. The slowest part of building a world form is saved beside the graph.

    A saved file is used only if the class of the game, its parameters, the source code and
    constants of its module and of your own modules that it imports, and the versions of Python,
    NumPy, other packages and this library are the same. Otherwise, or if it is damaged, the game is
    built, the file is replaced, and a `GraphCacheWarning` says why.

    The same warning is issued, and nothing is saved, if a label is not text, a number, bytes, None,
    or a tuple or frozen set of these, if the rules are not in a file, or if the disk is full. Rules
    that read other files must make their content a parameter or a constant of the module.

    Parameters
    ----------
    folder
        It is created if it does not exist. Any of its files can be deleted.

    Raises
    ------
    ParameterError
        If the folder cannot be created.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> with graph_cache("graphs"):
    ...     tree = build_tree(load_game("kuhn_poker"))
    """
    check_path("cache", folder)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"cache={path} cannot be made ({error.strerror or error}); give another folder"
        ) from error
    token = _FOLDER.set(path)
    try:
        yield path
    finally:
        _FOLDER.reset(token)


Saved = TypeVar("Saved")


@dataclass(frozen=True)
class CacheEntry:
    """The files of one game in the cache."""

    game: Game
    path: Path
    """That of the world graph."""
    rules: str
    """Digest of the rules before they were called."""

    def load(self) -> WorldGraph | None:
        """Return the graph in the file; None if it is missing or, with a warning, unusable."""
        return self.read(self.path, lambda: read_graph(self.game, self.path, self.rules))

    def save(self, graph: WorldGraph) -> None:
        """Write a graph to the file; a warning is issued if this is impossible."""
        self.write(self.path, lambda: write_graph(graph, self.path, self.rules))

    def read(self, path: Path, reader: Callable[[], Saved]) -> Saved | None:
        """Return what `reader` reads from a file of this entry; see `load`."""
        try:
            return reader()
        except FileNotFoundError:
            return None
        except (ValueError, MemoryError) as error:
            _warn(f"{path} is not used and will be replaced: {error or 'out of memory'}")
            return None

    def write(self, path: Path, writer: Callable[[], None]) -> None:
        """Call `writer`, which writes a file of this entry; see `save`."""
        try:
            writer()
        except OSError as error:
            _warn(f"{self.game} cannot be saved in {path}: {error.strerror or error}")
        except (ValueError, RecursionError) as error:
            _warn(f"{self.game} is not saved in the cache, because a label has no text: {error}")


def find_cache_entry(game: Game, *, warns: bool = True) -> CacheEntry | None:
    """Return the entry of a game in the cache of `graph_cache`.

    It is None if there is no cache, or if the rules cannot be identified, which is a warning if
    `warns` is true.
    """
    folder = _FOLDER.get()
    if folder is None:
        return None
    try:
        # Before the rules are called, because they may change what they depend on.
        parameters, rules = parameters_digest(game), rules_digest(game)
    except UnknownRulesError as error:
        reason = str(error)
    except (OSError, ValueError, SyntaxError, RecursionError) as error:
        reason = f"its source cannot be read: {error}"
    else:
        name = re.sub(r"\W+", "_", game.name or type(game).__name__)[:100]
        return CacheEntry(game, folder / f"{name}-{parameters[:DIGITS]}{SUFFIX}", rules)
    if warns:
        _warn(f"{game} is not saved in the cache: {reason}")
    return None


def _warn(message: str) -> None:
    warnings.warn(message, GraphCacheWarning, stacklevel=4)


FORMAT: Final = 2
WITHOUT_DIGEST: Final = 1
"""The format of version 0.1.0, which is the same without a digest."""

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
FRACTIONS: Final = "fractions"
"""Names of the array that numbers the probabilities, and of the field that lists them."""


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
        header[FRACTIONS] = [label_to_json(chance) for chance in numbers]
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
    header, arrays = read_arrays(path, without_digest=(WITHOUT_DIGEST,))
    if header.get("format") not in (FORMAT, WITHOUT_DIGEST):
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
    check_part((EXACT in arrays) == (FRACTIONS in header), EXACT)
    if EXACT not in arrays:
        return None
    fractions: Any = [label_from_json(chance) for chance in header[FRACTIONS]]
    check_part(all(isinstance(chance, Fraction) for chance in fractions), "fractions")
    check_part(arrays[EXACT].shape == arrays["next_world"].shape, EXACT)
    check_part(is_within(arrays[EXACT], 0, len(fractions)), EXACT)
    return tuple([fractions[number] for number in arrays[EXACT].tolist()])


def _check_arrays(
    arrays: Mapping[str, NDArray[Any]],
    num_players: int,
    action_sets: Sequence[tuple[Hashable, ...]],
    observations: Sequence[Hashable],
) -> None:
    """Raise `ValueError` if the arrays are not those of a graph."""
    num_worlds, num_edges = len(arrays["action_set"]), len(arrays["next_world"])
    check_part(num_worlds > 0 and all(type(actions) is tuple for actions in action_sets), "sizes")
    by_player = {"joint_action", "rewards", "private_observation"}
    for name, dtype in ARRAYS.items():
        rows = {"action_set": num_worlds, "first_edge": num_worlds + 1}.get(name, num_edges)
        is_wide = name in by_player or name == "action_set"
        shape = (rows, num_players) if is_wide else (rows,)
        check_part(arrays[name].dtype == dtype and arrays[name].shape == shape, name)
    first_edge, next_world = arrays["first_edge"], arrays["next_world"]
    check_part(are_offsets(first_edge, num_edges), "first_edge")
    # Every world but the first is found from an earlier one: the first edge that enters it.
    origin = np.repeat(np.arange(num_worlds), np.diff(first_edge))
    check_part(is_within(next_world, 0, num_worlds), "next_world")
    earliest = np.full(num_worlds, num_worlds)
    np.minimum.at(earliest, next_world, origin)
    check_part(np.all(earliest[1:] < np.arange(1, num_worlds)), "next_world")
    action_set, joint_action = arrays["action_set"], arrays["joint_action"]
    check_part(is_within(action_set, -1, len(action_sets)), "action_set")
    # Entry -1 of these sizes is that of players who do not act.
    sizes = np.array([*map(len, action_sets), 0])
    check_part(np.all(joint_action < sizes[action_set[origin]]), "joint_action")
    check_part(np.all((joint_action < 0) == (action_set[origin] < 0)), "joint_action")
    check_part(np.all(joint_action >= -1), "joint_action")
    for name in ("public_observation", "private_observation"):
        check_part(is_within(arrays[name], 0, len(observations)), name)
    chance = arrays["probability"]
    check_part(np.all((chance > 0) & (chance <= 1.0 + 1e-9)), "probability")
    check_part(np.all(np.isfinite(arrays["rewards"])), "rewards")


def is_within(numbers: NDArray[Any], low: int, end: int) -> bool:
    """Return whether all numbers are at least `low` and less than `end`."""
    return not len(numbers) or bool(numbers.min() >= low and numbers.max() < end)


def are_offsets(offsets: NDArray[Any], end: int) -> bool:
    """Return whether these numbers are the offsets of consecutive ranges from 0 to `end`."""
    # Their differences could overflow.
    is_sorted = bool(np.all(offsets[1:] >= offsets[:-1]))
    return len(offsets) > 0 and is_sorted and bool(offsets[0] == 0 and offsets[-1] == end)


def check_part(is_right: bool | np.bool_, name: str) -> None:
    """Raise `ValueError` if a part of a file cannot be valid."""
    if not is_right:
        raise ValueError(f"its {name} cannot be those of this game")


UNKNOWN = object()


class ReplayedWorlds(Sequence[World]):
    """[W] the world states of a graph, each of them made by the rules when it is first asked for.

    World states are arbitrary objects, which a file cannot contain. Each one is the outcome of the
    first edge that enters it, so that few calls of `transitions` find it. Solving and evaluation
    never ask.

    Parameters
    ----------
    action_set, action_sets, first_edge, joint_action, next_world
        As in `WorldGraph`.
    """

    def __init__(
        self,
        game: Game,
        action_set: IntArray,
        action_sets: Sequence[tuple[Action, ...]],
        first_edge: IntArray,
        joint_action: IntArray,
        next_world: IntArray,
    ) -> None:
        self._game = game
        self._action_set = action_set
        self._action_sets = action_sets
        self._joint_action = joint_action
        self._next_world = next_world
        worlds = np.arange(len(first_edge) - 1, dtype=np.int32)
        self._origin: IntArray = np.repeat(worlds, np.diff(first_edge))
        self._first_outcome, self._end = _outcome_ranges(self._origin, joint_action)
        self._entry = np.full(len(first_edge) - 1, -1, np.int64)
        # From the last edge to the first, so that the first edge into each world stays.
        self._entry[next_world[::-1]] = np.arange(len(next_world))[::-1]
        self._worlds: list[Any] = [UNKNOWN] * len(self._entry)

    def __len__(self) -> int:
        return len(self._worlds)

    @overload
    def __getitem__(self, place: int) -> World: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[World, ...]: ...
    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(len(self))[place])
        if self._worlds[place] is UNKNOWN:
            self._replay(range(len(self))[place])
        return self._worlds[place]

    def __iter__(self) -> Iterator[World]:
        return (self[number] for number in range(len(self)))

    def _replay(self, world: int) -> None:
        """Make a world state, after those on the way to it that are not known yet."""
        entries = []
        while self._worlds[world] is UNKNOWN and world > 0:
            entries.append(int(self._entry[world]))
            world = int(self._origin[entries[-1]])
        if self._worlds[0] is UNKNOWN:
            self._worlds[0] = self._game.initial_world()
        for entry in reversed(entries):
            self._follow(entry)

    def _follow(self, entry: int) -> None:
        """Make all outcomes of the joint action of an edge."""
        origin = int(self._origin[entry])
        joint = tuple(
            NOOP if action < 0 else self._action_sets[chosen][action]
            for chosen, action in zip(
                self._action_set[origin].tolist(), self._joint_action[entry].tolist(), strict=True
            )
        )
        # Exploration has numbered equal outcomes of positive probability once, in this order.
        found = self._game.transitions(self._worlds[origin], joint)
        outcomes: Iterable[World] = dict.fromkeys(after for after, chance in found if chance > 0)
        numbers = self._next_world[self._first_outcome[entry] : self._end[entry]].tolist()
        try:
            pairs = [*zip(numbers, outcomes, strict=True)]
        except ValueError as error:
            raise GraphFileError(
                f"the rules of {self._game} have other transitions than in the cache: they depend "
                "on something else than source code and parameters; do not use a cache"
            ) from error
        for number, after in pairs:
            if self._worlds[number] is UNKNOWN:
                self._worlds[number] = after


def _outcome_ranges(origin: IntArray, joint_action: IntArray) -> tuple[LongArray, LongArray]:
    """Return [E] the first edge with the same origin and joint action, and the end of these."""
    if not len(origin):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    is_first: BoolArray = np.ones(len(origin), np.bool_)
    is_first[1:] = (origin[1:] != origin[:-1]) | np.any(
        joint_action[1:] != joint_action[:-1], axis=1
    )
    # Edges of a group are consecutive: its end is the first edge of the next one.
    first = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    return first[group], np.append(first[1:], len(origin))[group]
