"""World states of a graph that was read from a file, made again from the rules where needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from infoset.errors import GraphFileError
from infoset.game import Game
from infoset.typing import NOOP, Action, BoolArray, IntArray, LongArray, World

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
    first = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    return first[group], np.append(first[1:], len(origin))[group]
