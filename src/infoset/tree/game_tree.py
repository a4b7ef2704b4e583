"""The game tree, which is unrolled from the world graph without calling the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from infoset.forms import InfostateTree, PublicTree, SequenceForm, contract_terminals
from infoset.game import Game, GameSource
from infoset.tree._unrolling_kernels import unroll_histories
from infoset.tree.build_watch import BuildProgress, BuildReport, BuildWatch, ignore_report
from infoset.tree.counting import GameCounts, check_fits, count_histories
from infoset.tree.exploration import explore_game
from infoset.tree.graph_contraction import contract_reach
from infoset.tree.state_numbering import (
    StateNumbering,
    StepTable,
    build_infostate_tree,
    check_actions,
)
from infoset.tree.world_graph import WorldGraph
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class GameTree(ShortRepr):
    """All histories of a game, with every player's infostate and the public state at each.

    Histories are numbered breadth first. The children of h are `first_child[h]:first_child[h+1]`,
    in the order of the edges of its world state. Arrays are read-only. Equal games have equal
    arrays.

    Attributes
    ----------
    graph
        The world graph, with labels of actions and observations and the probability of each edge.
    counts : GameCounts
    world
        [H] world state in which each history ends.
    parent, edge
        [H] the history one transition shorter, and the edge of the world graph taken from it; -1
        at the root.
    first_child
        [H + 1] first child of each history, as above.
    infostate
        [H, N] number of every player's infostate, acting or not, in its infostate tree.
    public_state
        [H] number of the public state in the public tree.
    chance_reach
        [H] product of the chance probabilities.
    rewards_so_far
        [H, N] sum of rewards; at terminal histories, the utilities.
    infostate_trees
        One per player.
    public_tree : PublicTree
    """

    graph: WorldGraph
    counts: GameCounts
    world: IntArray
    parent: IntArray
    edge: IntArray
    first_child: IntArray
    infostate: IntArray
    public_state: IntArray
    chance_reach: FloatArray
    rewards_so_far: FloatArray
    infostate_trees: tuple[InfostateTree, ...]
    public_tree: PublicTree

    def _facts(self) -> Facts:
        values = {
            "histories": self.num_histories,
            "infostates": tuple(tree.num_acting for tree in self.infostate_trees),
            "public states": self.public_tree.num_public_states,
        }
        return Facts(str(self.game), values, "see .infostate_trees, .public_tree, .sequence_form")

    def __str__(self) -> str:
        return str(self.game)

    @property
    def game(self) -> Game:
        """The rules from which the tree was built."""
        return self.graph.game

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.infostate_trees)

    @property
    def player_names(self) -> Sequence[str]:
        """[N] names of the players; empty if they have none."""
        return self.game.player_names

    @property
    def num_histories(self) -> int:
        """Number of histories, including the root and the terminal ones."""
        return len(self.world)

    @cached_property
    def terminals(self) -> IntArray:
        """[Z] the terminal histories."""
        return np.flatnonzero(np.diff(self.first_child) == 0).astype(np.int32)

    @cached_property
    def level_offsets(self) -> IntArray:
        """[L + 1] histories with d transitions are `level_offsets[d]:level_offsets[d + 1]`."""
        offsets = [0, 1]
        while offsets[-1] < self.num_histories:
            # The next level begins with the children of this one's first history, or where they
            # would be.
            offsets.append(int(self.first_child[offsets[-1]]))
        return np.array(offsets, dtype=np.int32)

    @cached_property
    def public_state_histories(self) -> tuple[IntArray, IntArray]:
        """[H] histories sorted by public state, and [P + 1] the first of each public state."""
        order = np.argsort(self.public_state, kind="stable").astype(np.int32)
        counts = np.bincount(self.public_state, minlength=self.public_tree.num_public_states)
        return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def sequence(self) -> IntArray:
        """[H, N] each player's last sequence; 0 is the empty sequence."""
        return self._last_sequences(self.infostate)

    def _last_sequences(self, infostate: IntArray) -> IntArray:
        columns = [
            tree.last_sequence[infostate[:, player]]
            for player, tree in enumerate(self.infostate_trees)
        ]
        return np.stack(columns, axis=1)

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The game contracted to acting infostates, for solvers and evaluation."""
        ends = self.terminals
        return contract_terminals(
            name=str(self.game),
            infostate_trees=self.infostate_trees,
            sequence=self._last_sequences(self.infostate[ends]),
            chance_reach=self.chance_reach[ends],
            utility=self.rewards_so_far[ends],
            num_steps=len(self.level_offsets) - 2,
            source=GameSource.of_rules(self.game),
            # The form outlives the tree, so the source is the graph, which is much smaller.
            reach_source=partial(contract_reach, self.graph),
        )


def build_tree(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
) -> GameTree:
    """Build the world graph of a game and unroll it into the game tree.

    Parameters
    ----------
    memory
        Limit in bytes on the world graph and the tree together; by default that of `build_limits`,
        70% of the free memory.
    max_worlds
        As in `build_world_graph`.
    progress : callable, optional
        Called with a `BuildPoint` several times.
    max_seconds
        Limit on the time of all stages together; by default that of `build_limits`.

    Raises
    ------
    GameTooLargeError
        If the tree would not fit in memory. This is checked before anything is allocated.
    ExplorationLimitError
        If the world graph exceeds `max_worlds` or `memory`, or building takes `max_seconds`.
    GameRuleError
        If the game breaks a rule of the model, for example because legal actions depend on
        something that the player cannot see.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> tree.num_histories, [t.num_acting for t in tree.infostate_trees]
    (55, [6, 6])
    """
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    graph = explore_game(game, watch)
    return watch.finish(unroll, graph)


def unroll(
    graph: WorldGraph, memory: int | None = None, report: BuildReport = ignore_report
) -> GameTree:
    """Unroll a complete world graph into the game tree, without calling the rules.

    Parameters
    ----------
    memory
        Limit in bytes for the tree; by default 70% of the free memory.
    report : callable, optional
        Called between operations on arrays with the stage, the histories done and their number; an
        exception that it raises ends the building.

    Raises
    ------
    GameTooLargeError, CyclicGameError, GameRuleError
        As in `build_tree`.
    ValueError
        If the graph is not complete.
    """
    if not graph.is_complete:
        raise ValueError(
            "the world graph is partial; build it with higher max_worlds, memory or max_seconds"
        )
    counts = count_histories(graph)
    check_fits(counts, str(graph.game), memory)
    # Histories are listed once, and then numbered once by public state and once by each player.
    num_passes = graph.num_players + 1

    def numbered_in_pass(number: int) -> Callable[[int], None]:
        """Return a function that reports histories numbered: public states first, then players."""
        total = counts.histories
        return lambda done: report("histories", (number * total + done) // num_passes, total)

    world, parent, edge, first_child, chance_reach, rewards_so_far = unroll_histories(
        counts.histories, graph.first_edge, graph.next_world, graph.probability, graph.rewards
    )
    public_tree, public_state = _public_tree(graph, world, first_child, numbered_in_pass(0))
    trees: list[InfostateTree] = []
    infostate = np.empty((graph.num_players, counts.histories), np.int32)
    for player in range(graph.num_players):
        own, infostate[player] = _infostate_tree(
            graph, player, world, first_child, public_state, numbered_in_pass(player + 1)
        )
        trees.append(own)
    tree = GameTree(
        graph=graph,
        counts=counts,
        world=world,
        parent=parent,
        edge=edge,
        first_child=first_child,
        infostate=infostate.T,
        public_state=public_state,
        chance_reach=chance_reach,
        rewards_so_far=rewards_so_far.T,
        infostate_trees=tuple(trees),
        public_tree=public_tree.with_infostates(tuple(trees)),
    )
    freeze(tree)
    return tree


def _public_tree(
    graph: WorldGraph, world: IntArray, first_child: IntArray, report: Callable[[int], None]
) -> tuple[PublicTree, IntArray]:
    """Return the public tree, and [H] the public state of each history."""
    steps = StepTable.of_public(graph)
    numbering = StateNumbering(steps.of_edge, steps.size)
    public_state, _ = _number_histories(graph, numbering, world, first_child, report)
    tree = PublicTree(
        parent=numbering.parent(),
        observation=steps.public_observation[numbering.step()],
        observations=graph.observations,
    )
    return tree, public_state


def _infostate_tree(
    graph: WorldGraph,
    player: Player,
    world: IntArray,
    first_child: IntArray,
    public_state: IntArray,
    report: Callable[[int], None],
) -> tuple[InfostateTree, IntArray]:
    """Return the infostate tree of a player, and [H] its infostate at each history."""
    steps = StepTable.of_player(graph, player)
    numbering = StateNumbering(steps.of_edge, steps.size)
    infostate, first = _number_histories(graph, numbering, world, first_child, report)
    check_actions(graph, player, infostate, world, 0, world[first])
    tree = build_infostate_tree(graph, player, steps, numbering, world[first], public_state[first])
    return tree, infostate


def _number_histories(
    graph: WorldGraph,
    numbering: StateNumbering,
    world: IntArray,
    first_child: IntArray,
    report: Callable[[int], None],
) -> tuple[IntArray, LongArray]:
    """Return [H] the state of each history, and [S] the first history of each state."""
    state = np.zeros(len(world), np.int32)
    first: list[LongArray] = [np.zeros(1, np.int64)]
    # Levels are contiguous: the children of the level from `start` to `end` begin at `end`.
    start, end = 0, 1
    while end < len(world):
        children = slice(end, int(first_child[end]))
        state[children], new = numbering.extend(
            world[start:end], state[start:end], graph.first_edge, children.stop - end
        )
        first.append(new + np.int64(end))
        start, end = end, children.stop
        report(end)
    return state, np.concatenate(first)
