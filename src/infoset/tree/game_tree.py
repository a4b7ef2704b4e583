"""The tree of histories, unrolled from the world graph by array work alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.errors import GameRuleError
from infoset.game import Game
from infoset.tree._kernels import first_histories, intern_states, unroll_histories
from infoset.tree.counting import GameCounts, check_fits, count_histories
from infoset.tree.exploration import ExplorationProgress, explore
from infoset.tree.infostate_tree import InfostateTree, PublicTree, StepTable
from infoset.tree.sequence_form import SequenceForm, sequence_form
from infoset.tree.world_graph import WorldGraph, freeze
from infoset.typing import FloatArray, IntArray, Player

__all__ = ["GameTree", "build_tree", "unroll"]


@dataclass(frozen=True, eq=False)
class GameTree:
    """All histories of a game, and what every player and everybody knows at each of them.

    Histories are numbered breadth first; the children of h are `first_child[h]:first_child[h+1]`,
    in the order of the edges of its world state. Arrays are read-only, and the same game gives
    the same arrays.

    Attributes
    ----------
    graph : WorldGraph
        Where actions, observations and probabilities are told apart.
    counts : GameCounts
    world : IntArray
        [H] world state each history ends in.
    parent, edge : IntArray
        [H] the history one transition shorter, and the edge of the world graph taken; -1 at the
        root.
    first_child : IntArray
        [H + 1] see above.
    infostate : IntArray
        [H, N] infostate of every player, acting or not, in its infostate tree.
    public_state : IntArray
        [H] public state, in the public tree.
    chance_reach : FloatArray
        [H] product of nature's probabilities.
    rewards_so_far : FloatArray
        [H, N] sum of rewards; at terminal histories, the utilities.
    infostate_trees : tuple[InfostateTree, ...]
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

    def __str__(self) -> str:
        return str(self.game)

    @property
    def game(self) -> Game:
        """The rules it was built from."""
        return self.graph.game

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self.graph.num_players

    @property
    def num_histories(self) -> int:
        """Number of histories, root and terminals included."""
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
            offsets.append(int(self.first_child[offsets[-1]]))
        return np.array(offsets, dtype=np.int32)

    @cached_property
    def sequence(self) -> IntArray:
        """[H, N] last own sequence of each player; 0 is the empty one."""
        return self._last_sequences(self.infostate)

    def _last_sequences(self, infostate: IntArray) -> IntArray:
        columns = [
            tree.last_sequence[infostate[:, player]]
            for player, tree in enumerate(self.infostate_trees)
        ]
        return np.stack(columns, axis=1)

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The game contracted to acting infostates, on which solving and measuring is done."""
        ends = self.terminals
        return sequence_form(
            name=str(self.game),
            infostate_trees=self.infostate_trees,
            sequence=self._last_sequences(self.infostate[ends]),
            chance_reach=self.chance_reach[ends],
            utility=self.rewards_so_far[ends],
        )


def build_tree(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int = 1_000_000,
    max_seconds: float = 30.0,
    progress: ExplorationProgress | None = None,
) -> GameTree:
    """Explore a game and unroll it: everything the library derives from the rules.

    Parameters
    ----------
    game : Game
    memory : int, optional
        Bytes allowed; by default a share of what is free.
    max_worlds, max_seconds, progress
        Limits and progress of the exploration, as in `explore`.

    Raises
    ------
    GameTooLargeError
        If the tree would not fit, before anything is allocated.
    ExplorationLimitError
        If the world states are too many to explore.
    GameRuleError
        If the game breaks a rule that shows on the way, such as legal actions that depend on
        what the player cannot see.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> tree.num_histories, [t.num_acting for t in tree.infostate_trees]
    (55, [6, 6])
    """
    graph = explore(game, max_worlds=max_worlds, max_seconds=max_seconds, progress=progress)
    return unroll(graph, memory=memory)


def unroll(graph: WorldGraph, *, memory: int | None = None) -> GameTree:
    """Unroll a complete world graph into the tree of histories; calls no rules of the game.

    Raises
    ------
    GameTooLargeError, CyclicGameError, GameRuleError
        As `build_tree`.
    ValueError
        If the graph is not complete.
    """
    if not graph.is_complete:
        raise ValueError("the world graph is partial; explore it without limits to unroll it")
    counts = count_histories(graph)
    check_fits(counts, str(graph.game), memory)
    world, parent, edge, first_child, chance_reach, rewards_so_far = unroll_histories(
        counts.histories, graph.first_edge, graph.next_world, graph.probability, graph.rewards
    )
    public_tree, public_state = _public_tree(graph, parent, edge)
    infostate = np.empty((graph.num_players, counts.histories), np.int32)
    trees = tuple(
        _infostate_tree(graph, player, world, parent, edge, infostate[player], public_state)
        for player in range(graph.num_players)
    )
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
        infostate_trees=trees,
        public_tree=public_tree.with_infostates(trees),
    )
    freeze(tree)
    return tree


def _public_tree(
    graph: WorldGraph, parent: IntArray, edge: IntArray
) -> tuple[PublicTree, IntArray]:
    """Return the public states, and [H] the one of each history."""
    steps = StepTable.of_public(graph)
    public_state = np.empty(len(parent), np.int32)
    state_parent, state_step = intern_states(parent, edge, steps.of_edge, steps.size, public_state)
    tree = PublicTree(
        parent=state_parent,
        observation=steps.public_observation[state_step],
        observations=graph.observations,
    )
    return tree, public_state


def _infostate_tree(
    graph: WorldGraph,
    player: Player,
    world: IntArray,
    parent: IntArray,
    edge: IntArray,
    infostate: IntArray,
    public_state: IntArray,
) -> InfostateTree:
    """Build the tree of one player; fill `infostate` [H] in place."""
    steps = StepTable.of_player(graph, player)
    state_parent, state_step = intern_states(parent, edge, steps.of_edge, steps.size, infostate)
    action_set = np.ascontiguousarray(graph.action_set[:, player])
    first, contradiction = first_histories(infostate, world, action_set, len(state_parent))
    if contradiction >= 0:
        other = first[infostate[contradiction]]
        raise _contradiction_error(graph, player, world[contradiction], world[other])
    return InfostateTree(
        player=player,
        parent=state_parent,
        action=steps.action[state_step],
        private_observation=steps.private_observation[state_step],
        public_observation=steps.public_observation[state_step],
        public_state=public_state[first],
        action_set=action_set[world[first]],
        action_sets=graph.action_sets,
        observations=graph.observations,
    )


def _contradiction_error(
    graph: WorldGraph, player: Player, world: int, other: int
) -> GameRuleError:
    def legal(at: int) -> str:
        chosen = graph.action_set[at, player]
        return str(list(graph.action_sets[chosen])) if chosen >= 0 else "none (it does not act)"

    return GameRuleError(
        "whether a player acts, and its legal actions, follow from what the player has seen; "
        "show the difference in observe()",
        found=f"the player cannot tell this from world state {graph.worlds[other]!r}, but its "
        f"legal actions are {legal(world)} here and {legal(other)} there",
        world=graph.worlds[world],
        player=player,
    )
