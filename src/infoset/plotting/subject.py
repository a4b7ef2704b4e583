"""A game compiled as far as its pictures need, and which part of it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.game import Game, Observation, Probability
from infoset.plotting.picture import TERMINAL
from infoset.tree import GameTree, WorldGraph, build_world_graph, count_histories, unroll
from infoset.typing import CHANCE, NOOP, Action, IntArray, JointAction, LongArray, Player, World

__all__ = ["GOES_ON", "Limits", "Part", "Subject", "choose_part", "compile_part", "continued"]

GOES_ON = "…"
"""Stands behind a node whose children are not drawn."""

MOST_WORLDS = 20_000
MOST_HISTORIES = 500_000


@dataclass(frozen=True)
class Subject:
    """A game tree, whole or cut at a depth.

    Attributes
    ----------
    tree : GameTree
    histories : int
        How many the whole game has.
    is_exact : bool
        False where that is a lower bound.
    """

    tree: GameTree
    histories: int
    is_exact: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether the tree is that of the whole game."""
        return not isinstance(self.tree.game, _CutGame)

    def actors(self, history: int) -> tuple[Player, ...]:
        """Return who acts at a history: players, `CHANCE`, or `TERMINAL`."""
        return self._actors_at(int(self.tree.world[history]))

    def actors_among(self, histories: Sequence[int] | LongArray) -> set[Player]:
        """Return everyone who acts at one history at least."""
        worlds = np.unique(self.tree.world[histories]).tolist()
        return {actor for world in worlds for actor in self._actors_at(world)}

    def rank(self, histories: Sequence[int]) -> int:
        """Return the least position of the histories among the moves of their parents."""
        before = self.tree.parent[histories]
        first = np.where(before < 0, 0, self.tree.first_child[before])
        return int((np.asarray(histories) - first).min())

    def is_cut_off(self, histories: Sequence[int]) -> bool:
        """Return whether the game goes on at one of the histories where the tree does not."""
        chosen = np.asarray(histories)
        is_last = self.tree.first_child[chosen] == self.tree.first_child[chosen + 1]
        return bool(self.actors_among(chosen[is_last]) - {TERMINAL})

    def _actors_at(self, world: int) -> tuple[Player, ...]:
        graph = self.tree.graph
        has_moves = graph.first_edge[world] < graph.first_edge[world + 1]
        if isinstance(graph.game, _CutGame) and not has_moves:
            return graph.game.actors_beyond(graph.worlds[world])
        players = np.flatnonzero(graph.action_set[world] >= 0).tolist()
        return tuple(players) or (CHANCE if has_moves else TERMINAL,)


def compile_part(
    game: Game, depth: int | None = None, *, most_worlds: int = MOST_WORLDS
) -> Subject:
    """Compile a game, or its first steps if it has more than `most_worlds` world states.

    Parameters
    ----------
    game : Game
    depth : int, optional
        How many steps will be drawn at most.
    most_worlds : int

    Raises
    ------
    GameTooLargeError
        If not even one step can be compiled.
    GameRuleError
        If the game breaks a rule.
    """
    graph = _explore(game, most_worlds)
    counts = count_histories(graph)
    if counts.is_exact and counts.histories <= MOST_HISTORIES:
        return Subject(unroll(graph), counts.histories)
    first_steps = _explore_first_steps(game, depth, most_worlds)
    return Subject(unroll(first_steps), counts.histories, counts.is_exact)


def _explore(game: Game, most_worlds: int) -> WorldGraph:
    return build_world_graph(game, max_worlds=most_worlds, max_seconds=inf, partial=True)


def _explore_first_steps(game: Game, depth: int | None, most_worlds: int) -> WorldGraph:
    """Explore as many steps as are few enough, at most `depth`, at least one."""
    steps, deepest = 1, None
    while (graph := _explore(_CutGame(game, steps), most_worlds)).is_complete:
        if count_histories(graph).histories > MOST_HISTORIES:
            break
        deepest, steps = graph, steps + 1
        if depth is not None and steps > depth:
            break
    if deepest is None:
        raise GameTooLargeError(
            f"{game} has more than {most_worlds:,} first steps, too many to draw even one; "
            "try smaller parameters",
            {"world_states": graph.num_worlds},
        )
    return deepest


class _CutGame(Game):
    """A game that ends after some steps; world states are pairs of depth and world state."""

    def __init__(self, game: Game, depth: int) -> None:
        self.game = game
        self.depth = depth
        self.num_players = game.num_players

    def initial_world(self) -> World:
        return 0, self.game.initial_world()

    def actors(self, world: Any) -> Sequence[Player]:
        return self.game.actors(world[1]) if world[0] < self.depth else ()

    def legal_actions(self, world: Any, player: Player) -> Sequence[Action]:
        return self.game.legal_actions(world[1], player)

    def transitions(
        self, world: Any, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        depth, inner = world
        if depth == self.depth:
            return []
        pairs = self.game.transitions(inner, joint_action)
        return [((depth + 1, target), probability) for target, probability in pairs]

    def rewards(self, world: Any, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        return self.game.rewards(world[1], joint_action, next_world[1])

    def observe(self, world: Any, joint_action: JointAction, next_world: Any) -> Observation:
        return self.game.observe(world[1], joint_action, next_world[1])

    def __str__(self) -> str:
        return str(self.game)

    def actors_beyond(self, world: Any) -> tuple[Player, ...]:
        """Return who acts at a world state where this game ends and the other may go on."""
        players = tuple(sorted(self.game.actors(world[1])))
        if players:
            return players
        goes_on = any(True for _ in self.game.transitions(world[1], (NOOP,) * self.num_players))
        return (CHANCE if goes_on else TERMINAL,)


class Part(NamedTuple):
    """Which nodes of a tree are drawn: the first ones.

    Attributes
    ----------
    size : int
        Number of nodes drawn.
    depth : int
        Of the deepest drawn.
    is_level : bool
        Whether all nodes of that depth are drawn.
    """

    size: int
    depth: int
    is_level: bool

    def remark(self, singular: str, plural: str, total: int | None, is_exact: bool = True) -> str:
        """Say what is left out; nothing if nothing is. `total` is None where it is not known."""
        if total is not None and total <= self.size:
            return ""
        left = "" if total is None else f"{total - self.size:,} "
        noun = singular if left == "1 " else plural
        bound = "" if is_exact else "at least "
        where = f"below depth {self.depth}" if self.is_level else f"from depth {self.depth} on"
        return f"… {bound}{left}more {noun} {where}"


class Limits(NamedTuple):
    """How much to draw at most.

    Attributes
    ----------
    depth : int or None
        Steps from the root.
    nodes : int
        Histories, infostates or public states.
    """

    depth: int | None
    nodes: int


def choose_part(parent: IntArray, limits: Limits) -> Part:
    """Choose the levels to draw of a tree whose nodes are numbered level by level.

    If not even the first step fits, it is drawn in part.

    Examples
    --------
    >>> choose_part(np.array([-1, 0, 0, 1, 1, 2, 2]), Limits(depth=None, nodes=5))
    Part(size=3, depth=1, is_level=True)
    """
    size, most = len(parent), limits.nodes
    depths = np.zeros(min(size, most + 1), np.int64)
    for node, before in enumerate(parent[1 : most + 1].tolist(), start=1):
        depths[node] = depths[before] + 1
    deepest = int(depths[-1]) - (size > most)
    if deepest == 0 and size > 1 and limits.depth != 0:
        return Part(most, 1, is_level=False)
    depth = deepest if limits.depth is None else min(limits.depth, deepest)
    return Part(int(np.searchsorted(depths, depth, side="right")), depth, is_level=True)


def continued(parent: IntArray, part: Part) -> set[int]:
    """Return the nodes drawn that have a child that is not."""
    left_out = parent[part.size :]
    return set(np.unique(left_out[left_out < part.size]).tolist())
