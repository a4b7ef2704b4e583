"""Games as sources of episodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.learning.simulation._kernels import CHANCE_NODE, Infostates, Nodes, Paths, PlayState
from infoset.learning.simulation._node_kernels import fill_alias, unfold
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, SequenceForm, Treeplex
from infoset.tree.sequence_form import TREE_EXAMPLE
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.arguments import check_type
from infoset.utils.splitmix import make_stream

__all__ = [
    "Simulator",
    "infostate_depths",
    "infostate_slots",
    "make_simulator",
    "number_infostates",
    "uniform_slots",
]


@dataclass(frozen=True, eq=False)
class Simulator:
    """A game on which compiled loops play episodes.

    Attributes
    ----------
    sequence_form : SequenceForm
        Where infostates and actions have their labels, and policies are measured.
    nodes : Nodes
    infostates : Infostates
    utility : FloatArray
        [Z, N] utilities at terminal nodes, in the game's units.
    depth : IntArray
        [I] how many own decisions lie above each infostate.
    """

    sequence_form: SequenceForm
    nodes: Nodes
    infostates: Infostates
    utility: FloatArray
    depth: IntArray

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return len(self.infostates.root_slot)

    @property
    def num_slots(self) -> int:
        """Number S of sequences of all players, the empty ones included."""
        return sum(plex.num_sequences for plex in self.sequence_form.treeplexes)

    @property
    def most_decisions(self) -> IntArray:
        """[N] most decisions of each player in an episode."""
        most = np.zeros(self.num_players, np.int32)
        np.maximum.at(most, self.infostates.player, self.depth + 1)
        return most

    def losses(self) -> FloatArray:
        """Return [Z, N] (greatest utility - utility) / payoff range, at terminal nodes: in [0, 1].

        In a game that pays the same wherever it ends they are 0.
        """
        least, greatest = self.sequence_form.payoff_range
        return (greatest - self.utility) / ((greatest - least) or 1.0)

    def empty_paths(self) -> Paths:
        """Return room for what each player does in an episode."""
        num_players, most = self.num_players, max(1, int(self.most_decisions.max(initial=0)))
        infostate, slot = np.zeros((2, num_players, most), np.int32)
        return Paths(
            np.zeros(num_players, np.int32), infostate, slot, np.zeros((num_players, most + 1))
        )

    def arena(self, told: FloatArray, done: LongArray, seed: int) -> PlayState:
        """Return the game as kernels play it, who draw by a seed, and count in `done` [1].

        `told` [Z, N] is what each player learns in the end, such as its loss.
        """
        stream, paths = make_stream(seed), self.empty_paths()
        return PlayState(self.nodes, self.infostates, told, done, stream, paths)

    def uniform(self) -> FloatArray:
        """Return [S] the policy that takes every action alike; 1 at empty sequences."""
        return uniform_slots(self.infostates, self.num_slots)

    def by_player(self, slots: FloatArray) -> tuple[FloatArray, ...]:
        """Return per player [Q] its part of an array [S]."""
        return tuple(np.split(slots, self.infostates.root_slot[1:]))

    def policy(self, weights: FloatArray) -> TabularPolicy:
        """Return the policy of weights [S], normalised; uniform where all are zero."""
        return TabularPolicy.from_weights(self.sequence_form, self.by_player(weights))


def make_simulator(tree: GameTree) -> Simulator:
    """Return a game as a source of episodes.

    Actors of one history decide one after another, without seeing what the others do; what has
    no choice in it, other than decisions with one action, is left out.

    Raises
    ------
    ParameterError
        If something else than a tree of histories is given.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> simulator = make_simulator(build_tree(load_game("kuhn_poker")))
    >>> len(simulator.nodes.kind), simulator.num_slots
    (55, 26)
    """
    check_type("tree", tree, GameTree, f"a GameTree, such as {TREE_EXAMPLE}")
    form = tree.sequence_form
    infostates = number_infostates(form.treeplexes)
    nodes, history = _nodes(tree, infostates)
    ends = history[nodes.num_children == 0]
    return Simulator(
        sequence_form=form,
        nodes=nodes,
        infostates=infostates,
        utility=np.ascontiguousarray(tree.rewards_so_far[ends]),
        depth=infostate_depths(infostates),
    )


def infostate_slots(
    infostates: Infostates, members: IntArray | LongArray | BoolArray | slice = slice(None)
) -> LongArray:
    """Return the slots of some infostates, by default of all, in order; a selection by index."""
    first, counts = infostates.first_slot[members], infostates.num_actions[members]
    begins = np.repeat(first - np.cumsum(counts) + counts, counts)
    return begins + np.arange(len(begins))


def uniform_slots(infostates: Infostates, num_slots: int) -> FloatArray:
    """Return [S] the policy that takes every action alike; 1 at slots of no infostate."""
    policy = np.ones(num_slots)
    counts = infostates.num_actions
    policy[infostate_slots(infostates)] = 1.0 / np.repeat(counts, counts)
    return policy


def number_infostates(treeplexes: tuple[Treeplex, ...]) -> Infostates:
    """Return the infostates and slots of all players in one numbering."""
    sizes = [plex.num_sequences for plex in treeplexes]
    roots = (np.cumsum(sizes) - sizes).astype(np.int32)

    def joined(columns: list[IntArray]) -> IntArray:
        return np.concatenate(columns).astype(np.int32)

    numbered = list(zip(treeplexes, roots, strict=True))
    return Infostates(
        first_slot=joined([root + plex.first_sequence for plex, root in numbered]),
        num_actions=joined([plex.num_actions for plex in treeplexes]),
        player=joined([np.full(plex.num_infostates, p) for p, plex in enumerate(treeplexes)]),
        parent_slot=joined([root + plex.parent_sequence for plex, root in numbered]),
        root_slot=roots,
    )


def _nodes(tree: GameTree, infostates: Infostates) -> tuple[Nodes, IntArray]:
    """Return the nodes, and [K] the history that each stands for."""
    acting = _acting_infostates(tree)
    actors_above = (acting >= 0).sum(axis=1)[tree.parent[1:]]
    room = 1 + len(actors_above) + int(actors_above.sum())
    kind, first, history = (np.empty(room, np.int32) for _ in range(3))
    chance = np.empty(room)
    size = unfold(
        tree.first_child,
        acting,
        tree.graph.joint_action[tree.edge],
        tree.graph.probability[tree.edge],
        kind,
        first,
        history,
        chance,
    )
    kind, first, history = (column[:size].copy() for column in (kind, first, history))
    chance = chance[:size]
    inner = kind >= CHANCE_NODE
    num_children = np.zeros(size, np.int32)
    num_children[inner] = np.diff(np.append(first[inner], size))
    keep, other = np.ones(size), np.zeros(size, np.int32)
    fill_alias(kind, first, num_children, chance, keep, other)
    return Nodes(kind, first, num_children, keep, other), history


def _acting_infostates(tree: GameTree) -> IntArray:
    """Return [H, N] the number of each actor's infostate among those of all players, or -1."""
    columns, before = [], 0
    for player, own in enumerate(tree.infostate_trees):
        number = np.full(own.num_infostates, -1, np.int32)
        number[own.acting] = before + np.arange(own.num_acting)
        columns.append(number[tree.infostate[:, player]])
        before += own.num_acting
    return np.stack(columns, axis=1)


def infostate_depths(infostates: Infostates) -> IntArray:
    """Return [I] how many own decisions lie above each infostate."""
    size = int((infostates.first_slot + infostates.num_actions).max(initial=1))
    depth_below = np.zeros(size, np.int32)
    depth = np.zeros(len(infostates.first_slot), np.int32)
    for here, (first, count, parent) in enumerate(
        zip(infostates.first_slot, infostates.num_actions, infostates.parent_slot, strict=True)
    ):
        depth[here] = depth_below[parent]
        depth_below[first : first + count] = depth[here] + 1
    return depth
