"""Compilation of the part of a game that pictures need, and the choice of the part to draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from infoset.efg import TERMINAL
from infoset.errors import GameTooLargeError
from infoset.game import Game, Observation, Probability
from infoset.game.outcome_lists import ended
from infoset.tree import (
    GameTree,
    WorldGraph,
    build_limits,
    build_world_graph,
    count_histories,
    unroll,
)
from infoset.typing import CHANCE, NOOP, Action, IntArray, JointAction, LongArray, Player, World

CONTINUES = "…"
"""Note at a node whose children are not drawn."""

MAX_WORLDS = 20_000
MAX_HISTORIES = 500_000


@dataclass(frozen=True)
class TruncatedTree:
    """A game tree, whole or truncated at a depth."""

    tree: GameTree
    histories: int
    """Number of histories of the whole game."""
    is_exact: bool = True
    """Whether `histories` is exact; otherwise it is a lower bound."""

    @property
    def is_whole(self) -> bool:
        """Whether the tree covers the whole game."""
        return not isinstance(self.tree.game, _TruncatedGame)

    def actors(self, history: int) -> tuple[Player, ...]:
        """Return the players who act at a history, or `CHANCE` or `TERMINAL`."""
        return self._actors_at(int(self.tree.world[history]))

    def actors_among(self, histories: Sequence[int] | LongArray) -> set[Player]:
        """Return all who act at one or more of the histories."""
        worlds = np.unique(self.tree.world[histories]).tolist()
        return {actor for world in worlds for actor in self._actors_at(world)}

    def rank(self, histories: Sequence[int]) -> int:
        """Return the smallest position of the histories among the children of their parents."""
        before = self.tree.parent[histories]
        first = np.where(before < 0, 0, self.tree.first_child[before])
        return int((np.asarray(histories) - first).min())

    def is_cut_off(self, histories: Sequence[int]) -> bool:
        """Return whether the game continues after a history that is a leaf of the tree."""
        chosen = np.asarray(histories)
        # first_child[h] up to first_child[h + 1] are the children of h.
        is_last = self.tree.first_child[chosen] == self.tree.first_child[chosen + 1]
        return bool(self.actors_among(chosen[is_last]) - {TERMINAL})

    def _actors_at(self, world: int) -> tuple[Player, ...]:
        graph = self.tree.graph
        has_moves = graph.first_edge[world] < graph.first_edge[world + 1]
        if isinstance(graph.game, _TruncatedGame) and not has_moves:
            return graph.game.actors_beyond(graph.worlds[world])
        players = np.flatnonzero(graph.action_set[world] >= 0).tolist()
        return tuple(players) or (CHANCE if has_moves else TERMINAL,)


def compile_part(
    game: Game, depth: int | None = None, *, max_worlds: int = MAX_WORLDS
) -> TruncatedTree:
    """Compile a game, or its first steps if it has more than `max_worlds` world states.

    Parameters
    ----------
    depth
        Maximum number of steps that will be drawn.

    Raises
    ------
    GameTooLargeError
        If even the first step is too large to compile.
    GameRuleError
        If the game breaks a rule.
    """
    began = monotonic()
    graph = _explore(game, max_worlds)
    counts = count_histories(graph)
    if counts.is_exact and counts.histories <= MAX_HISTORIES:
        return TruncatedTree(unroll(graph), counts.histories)
    first_steps = _explore_first_steps(game, depth, max_worlds, began)
    tree = unroll(first_steps)
    # The steps may contain all histories that are counted, since both counts are lower bounds.
    histories = max(counts.histories, tree.num_histories + 1)
    return TruncatedTree(tree, histories, counts.is_exact)


def _explore(game: Game, max_worlds: int, since: float | None = None) -> WorldGraph:
    """Explore a game within half the time limit of `build_limits`, or within all of it `since`."""
    with build_limits() as limits:
        left = limits.max_seconds
    if left is not None:
        left = left / 2 if since is None else max(0.0, left - (monotonic() - since))
    return build_world_graph(game, max_worlds=max_worlds, max_seconds=left, partial=True)


def _explore_first_steps(
    game: Game, depth: int | None, max_worlds: int, since: float
) -> WorldGraph:
    """Explore at most `depth` steps, one by one, while world states and histories remain few."""
    steps, deepest = 1, None
    while (graph := _explore(_TruncatedGame(game, steps), max_worlds, since)).is_complete:
        if count_histories(graph).histories > MAX_HISTORIES:
            break
        deepest, steps = graph, steps + 1
        if depth is not None and steps > depth:
            break
    if deepest is None:
        problem = f"{game} has more than {graph.num_worlds - 1:,} possible first steps, too many"
        if graph.stop in ("seconds", "memory"):
            problem = f"the first steps of {game} take more than the {graph.stop} allowed"
        raise GameTooLargeError(
            f"{problem} to draw; use smaller parameters, or draw a policy by itself "
            "(view='policy', --view policy)",
            {"world_states": graph.num_worlds},
        )
    return deepest


class _TruncatedGame(Game):
    """A game that ends after `depth` steps; its world states are pairs of depth and world state."""

    def __init__(self, game: Game, depth: int) -> None:
        self.game = game
        self.depth = depth
        self.num_players = game.num_players
        self.player_names = game.player_names

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
        pairs = ended(self.game.transitions(inner, joint_action), inner, joint_action)
        return [((depth + 1, target), probability) for target, probability in pairs]

    def rewards(self, world: Any, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        return self.game.rewards(world[1], joint_action, next_world[1])

    def observe(self, world: Any, joint_action: JointAction, next_world: Any) -> Observation:
        return self.game.observe(world[1], joint_action, next_world[1])

    def __str__(self) -> str:
        return str(self.game)

    def actors_beyond(self, world: Any) -> tuple[Player, ...]:
        """Return who acts in the original game at a world state where this game ends."""
        players = tuple(sorted(self.game.actors(world[1])))
        if players:
            return players
        continues = any(True for _ in self.game.transitions(world[1], (NOOP,) * self.num_players))
        return (CHANCE if continues else TERMINAL,)


class DrawnPart(NamedTuple):
    """The first nodes of a tree, which are drawn."""

    size: int
    """Number of nodes drawn."""
    depth: int
    """Depth of the deepest node drawn."""
    is_level: bool
    """Whether all nodes of that depth are drawn."""

    def remark(self, singular: str, plural: str, total: int | None, is_exact: bool = True) -> str:
        """Return how much is omitted as text, or empty text. `total` is None if unknown."""
        if total is not None and total <= self.size:
            return ""
        left = "" if total is None else f"{total - self.size:,} "
        noun = singular if left == "1 " else plural
        bound = "" if is_exact else "at least "
        where = f"below depth {self.depth}" if self.is_level else f"from depth {self.depth} on"
        return f"… {bound}{left}more {noun} {where}"


class Limits(NamedTuple):
    """Largest part of a tree to draw."""

    depth: int | None
    """Steps from the root."""
    nodes: int
    """Number of histories, infostates or public states."""


def choose_part(parent: IntArray, limits: Limits) -> DrawnPart:
    """Choose which levels of a tree to draw; its nodes are numbered level by level.

    If the first step alone is too large, only some of its nodes are drawn.

    Examples
    --------
    >>> choose_part(np.array([-1, 0, 0, 1, 1, 2, 2]), Limits(depth=None, nodes=5))
    DrawnPart(size=3, depth=1, is_level=True)
    """
    size, most = len(parent), limits.nodes
    # One node more than fits shows whether the level of the last node is complete.
    depths = np.zeros(min(size, most + 1), np.int64)
    for node, before in enumerate(parent[1 : most + 1].tolist(), start=1):
        depths[node] = depths[before] + 1
    deepest = int(depths[-1]) - (size > most)
    if deepest == 0 and size > 1 and limits.depth != 0:
        return DrawnPart(most, 1, is_level=False)
    depth = deepest if limits.depth is None else min(limits.depth, deepest)
    return DrawnPart(int(np.searchsorted(depths, depth, side="right")), depth, is_level=True)


def truncated_nodes(parent: IntArray, part: DrawnPart) -> set[int]:
    """Return the drawn nodes with a child that is not drawn."""
    omitted = parent[part.size :]
    return set(np.unique(omitted[omitted < part.size]).tolist())
