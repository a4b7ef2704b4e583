"""Parts of a game below a public state, built from the rules without the tree of the whole game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import Context
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.beliefs.decomposition import TreePart, part_between
from infoset.beliefs.history_sets import HistorySet
from infoset.beliefs.public_belief_state import find_public_state, histories_at, infostates_at
from infoset.errors import ExplorationLimitError, GameRuleError, UnknownNameError
from infoset.game import Game, Infostate, Observation, Probability, PublicState, Step
from infoset.game.outcome_lists import ended
from infoset.tree import GameTree, build_world_graph
from infoset.tree.counting import count_histories
from infoset.tree.game_tree import unroll
from infoset.typing import NOOP, Action, IntArray, JointAction, LongArray, Player, World

ROOT: Final = 1
"""The public state of a local tree at which the histories of the part begin."""

WORLDS_PER_END: Final = 4
"""World states that are explored for each end that is allowed."""


class LocalWorld(NamedTuple):
    """A world state of a local game."""

    world: World
    """The world state of the base game."""
    num_acted: tuple[int, ...]
    """Per player how often it has acted in the part, up to the depth limit."""
    entry: int = -1
    """Position of the history at the root; -1 after it."""
    is_leaf: bool = False
    """Whether the part ends here because of the depth limit."""


@dataclass(frozen=True, eq=False)
class LocalPart:
    """A part of a game below a public state, as a separate tree."""

    roots: HistorySet
    """The histories at the root."""
    part: TreePart
    """The part, in a tree whose first move draws one of the histories."""

    @property
    def num_ends(self) -> int:
        """Number of terminal histories and of histories at leaves."""
        return len(self.part.terminals) + len(self.part.leaf_histories)

    @cached_property
    def leaves(self) -> HistorySet:
        """The histories at the leaves, in the order of `part.leaf_histories`."""
        tree, histories = self.part.tree, self.part.leaf_histories
        infostates, columns = [], []
        for player, numbers in enumerate(tree.infostate[histories].T):
            found, place = np.unique(numbers, return_inverse=True)
            infostates.append(tuple(self.infostate_at(player, n) for n in found.tolist()))
            columns.append(place)
        return HistorySet(
            worlds=[tree.graph.worlds[world].world for world in tree.world[histories].tolist()],
            infostates=tuple(infostates),
            position=np.stack(columns, axis=1),
            rewards_so_far=tree.rewards_so_far[histories].copy(),
            chance_reach=tree.chance_reach[histories].copy(),
        )

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return the infostate of the game for an infostate of the local tree, not its root."""
        # The first step of a local infostate is the draw, which shows the number of its root.
        entered, *steps = self.part.tree.infostate_trees[player].infostate_at(number).steps
        entry: Any = entered.private
        root = self.roots.infostates[player][entry]
        return Infostate(player, (*root.steps, *steps))

    def find(self, infostate: Infostate) -> int:
        """Return the number of an infostate in the local tree; -1 if it has no such infostate."""
        player, tree = infostate.player, self.part.tree.infostate_trees[infostate.player]
        size = len(self.roots.infostates[player][0].steps)
        entry = self.roots.number_of(Infostate(player, infostate.steps[:size]))
        if entry < 0:
            return -1
        entered = Step(NOOP, entry, None)
        try:
            return tree.index_of(Infostate(player, (entered, *infostate.steps[size:])))
        except UnknownNameError:
            return -1

    @cached_property
    def root_order(self) -> tuple[LongArray, ...]:
        """Per player [S_p] the index in `roots.infostates` of each infostate at the root."""
        return tuple(
            np.array([own.infostate_at(number).steps[0].private for number in numbers.tolist()])
            for own, numbers in zip(
                self.part.tree.infostate_trees, infostates_at(self.part.tree, ROOT), strict=True
            )
        )

    @cached_property
    def root_entries(self) -> LongArray:
        """[R] the position in `roots` of each history at the root."""
        tree = self.part.tree
        return np.array(
            [tree.graph.worlds[tree.world[h]].entry for h in histories_at(tree, ROOT).tolist()]
        )

    def infostates_below(self, observations: Sequence[Any]) -> tuple[int, tuple[IntArray, ...]]:
        """Return the public state after some observations below the root, and its infostates."""
        state = find_public_state(self.part.tree, PublicState((None, *observations)))
        return state, infostates_at(self.part.tree, state)


def local_part(
    game: Game,
    roots: HistorySet,
    *,
    depth: int | None,
    max_ends: int,
    max_seconds: float = inf,
) -> LocalPart | None:
    """Build the part of a game below some histories of one public state.

    Parameters
    ----------
    depth
        The part ends where every player has acted this many times; chance moves that follow are
        inside. Where players do not know who else acts, it ends after this many transitions for
        each player instead. None for no limit.
    max_ends
        Maximum number of terminal histories and histories at leaves together.
    max_seconds
        Limit on the time that the rules may take, in seconds.

    Returns
    -------
    LocalPart or None
        None if there are more ends, or the rules take longer.

    Raises
    ------
    GameRuleError
        If the game breaks a rule of the model.
    """
    # 1. A cheap lower bound: each joint action at a root leads to an end.
    local = _LocalGame(game, roots, depth)
    if local.min_num_ends > max_ends:
        return None
    # 2. The part to the depth limit in own actions. It is cut at public states only if all
    # histories of a public state agree whether they end there.
    try:
        tree = _build(local, max_ends, max_seconds)
        # A public state at which some histories end must not have others that continue.
        is_cut = tree is None or not np.isin(tree.public_tree.parent, _leaves(tree)).any()
    except GameRuleError:
        if depth is None:
            raise
        is_cut = False  # an infostate has a history that ends at the limit, and one that does not
    # 3. Otherwise the limit counts transitions, which every player sees.
    if not is_cut:
        other = _LocalGame(game, roots, depth, counts_transitions=True)
        tree = _build(other, max_ends, max_seconds)
    if tree is None:
        return None
    return LocalPart(roots, part_between(tree, ROOT, _leaves(tree).tolist()))


def _build(local: _LocalGame, max_ends: int, max_seconds: float) -> GameTree | None:
    """Return the tree of a local game; None if it has too many ends, or takes too long."""
    try:
        # In an empty context: limits and caches that a user has set are for whole games.
        graph = Context().run(
            build_world_graph,
            local,
            max_worlds=WORLDS_PER_END * max_ends,
            max_seconds=max_seconds,
        )
    except ExplorationLimitError:
        return None
    return None if count_histories(graph).terminals > max_ends else unroll(graph)


def _leaves(tree: GameTree) -> IntArray:
    """Return the public states at which the depth limit ends a local tree."""
    is_leaf = np.array([isinstance(w, LocalWorld) and w.is_leaf for w in tree.graph.worlds], bool)
    return np.unique(tree.public_state[is_leaf[tree.world]])


class _LocalGame(Game):
    """A game that begins with a draw of one of the histories, and ends at the depth limit.

    The draw shows each player its infostate, as its number.
    """

    def __init__(
        self, base: Game, roots: HistorySet, depth: int | None, counts_transitions: bool = False
    ) -> None:
        self.base, self.roots = base, roots
        self.counts_transitions = counts_transitions
        # A transition counts as a move of every player: for depth moves of each, all of them.
        self.limit = None if depth is None else depth * (base.num_players**counts_transitions)
        self.num_players = base.num_players
        self.player_names = base.player_names
        self.public_actions = base.public_actions
        none_acted = (0,) * base.num_players
        total = float(roots.chance_reach.sum())
        self._entries = [
            (LocalWorld(world, none_acted, entry), weight / total)
            for entry, (world, weight) in enumerate(
                zip(roots.worlds, roots.chance_reach.tolist(), strict=True)
            )
        ]
        self._seen = [
            Observation(public=None, private=tuple(numbers)) for numbers in roots.position.tolist()
        ]
        self._rewards = [tuple(rewards) for rewards in roots.rewards_so_far.tolist()]

    @property
    def min_num_ends(self) -> int:
        """A lower bound on the number of ends: the joint actions at the histories of the root."""
        return sum(
            prod(len(self.base.legal_actions(world, p)) for p in self.base.actors(world))
            for world in self.roots.worlds
        )

    def initial_world(self) -> World:
        return None

    def actors(self, world: Any) -> Sequence[Player]:
        return () if world is None or world.is_leaf else self.base.actors(world.world)

    def legal_actions(self, world: Any, player: Player) -> Sequence[Action]:
        return self.base.legal_actions(world.world, player)

    def transitions(
        self, world: Any, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        if world is None:
            return self._entries
        if world.is_leaf:
            return ()
        listed = self.base.transitions(world.world, joint_action)
        outcomes = ended(listed, world.world, joint_action)
        num_acted = self._num_acted(world)
        if self.limit is None or min(num_acted) < self.limit:
            return [(LocalWorld(inner, num_acted), p) for inner, p in outcomes]
        return [
            (LocalWorld(inner, num_acted, is_leaf=self._is_leaf(inner)), p) for inner, p in outcomes
        ]

    def _num_acted(self, world: LocalWorld) -> tuple[int, ...]:
        """Return how often each player has acted after a world state, up to the limit."""
        if self.limit is None:
            return world.num_acted
        acting = range(self.num_players)
        actors = acting if self.counts_transitions else self.base.actors(world.world)
        return tuple(
            min(number + (player in actors), self.limit)
            for player, number in enumerate(world.num_acted)
        )

    def _is_leaf(self, inner: World) -> bool:
        """Return whether a world state of the base game at the limit is not the end of the game."""
        if self.base.actors(inner):
            return True
        return self.counts_transitions and any(
            True for _ in self.base.transitions(inner, (NOOP,) * self.num_players)
        )

    def rewards(
        self, world: Any, joint_action: JointAction, next_world: LocalWorld
    ) -> Sequence[float]:
        if world is None:
            return self._rewards[next_world.entry]
        return self.base.rewards(world.world, joint_action, next_world.world)

    def observe(self, world: Any, joint_action: JointAction, next_world: LocalWorld) -> Observation:
        if world is None:
            return self._seen[next_world.entry]
        return self.base.observe(world.world, joint_action, next_world.world)

    def __str__(self) -> str:
        return f"part of {self.base}"
