"""Compiled games on which learners play episodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.learning._simulator_kernels import (
    CHANCE_NODE,
    Infostates,
    Nodes,
    Paths,
    PlayState,
    fill_alias,
    unfold,
)
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, SequenceForm, Treeplex
from infoset.tree.sequence_form import TREE_EXAMPLE
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.arguments import check_type
from infoset.utils.splitmix import make_stream

__all__ = [
    "Simulator",
    "infostate_depths",
    "infostate_sequences",
    "make_simulator",
    "number_infostates",
    "uniform_probabilities",
]


@dataclass(frozen=True, eq=False)
class Simulator:
    """A game on which compiled loops play episodes; `make_simulator` makes one.

    Attributes
    ----------
    sequence_form : SequenceForm
        The game's sequence form, which policies refer to.
    nodes : Nodes
    infostates : Infostates
    utility : FloatArray
        [Z, N] utilities at terminal nodes, in the game's units.
    depth : IntArray
        [I] number of own decisions above each infostate.
    """

    sequence_form: SequenceForm
    nodes: Nodes
    infostates: Infostates
    utility: FloatArray
    depth: IntArray

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return len(self.infostates.root_sequence)

    @property
    def num_sequences(self) -> int:
        """Number S of sequences of all players, the empty ones included."""
        return sum(plex.num_sequences for plex in self.sequence_form.treeplexes)

    @property
    def max_decisions(self) -> IntArray:
        """[N] maximum number of decisions of each player in an episode."""
        most = np.zeros(self.num_players, np.int32)
        np.maximum.at(most, self.infostates.player, self.depth + 1)
        return most

    def losses(self) -> FloatArray:
        """Return [Z, N] losses (maximum utility - utility) / payoff range of terminals, in [0, 1].

        In a game with constant utilities all losses are 0.
        """
        minimum, maximum = self.sequence_form.payoff_range
        return (maximum - self.utility) / ((maximum - minimum) or 1.0)

    def empty_paths(self) -> Paths:
        """Return the arrays into which kernels write the decisions of an episode."""
        num_players, most = self.num_players, max(1, int(self.max_decisions.max(initial=0)))
        infostate, sequence = np.zeros((2, num_players, most), np.int32)
        return Paths(
            np.zeros(num_players, np.int32), infostate, sequence, np.zeros((num_players, most + 1))
        )

    def play_state(self, feedback: FloatArray, done: LongArray, seed: int) -> PlayState:
        """Return the arguments of self-play kernels.

        `feedback` [Z, N] is what each player learns from at a terminal, such as its loss; `done`
        [1] counts episodes.
        """
        stream, paths = make_stream(seed), self.empty_paths()
        return PlayState(self.nodes, self.infostates, feedback, done, stream, paths)

    def uniform(self) -> FloatArray:
        """Return [S] the uniform policy; 1 at empty sequences."""
        return uniform_probabilities(self.infostates, self.num_sequences)

    def by_player(self, values: FloatArray) -> tuple[FloatArray, ...]:
        """Split an array [S] into one part [Q] per player."""
        return tuple(np.split(values, self.infostates.root_sequence[1:]))

    def policy(self, weights: FloatArray) -> TabularPolicy:
        """Return the policy proportional to weights [S]; uniform where all are 0."""
        return TabularPolicy.from_weights(self.sequence_form, self.by_player(weights))


def make_simulator(tree: GameTree) -> Simulator:
    """Compile a game tree for playing episodes.

    Players who act at the same history decide one after another without observing each other.
    Nodes without a choice are left out, except decisions with one action.

    Raises
    ------
    ParameterError
        If `tree` is not a `GameTree`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> simulator = make_simulator(build_tree(load_game("kuhn_poker")))
    >>> len(simulator.nodes.kind), simulator.num_sequences
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


def infostate_sequences(
    infostates: Infostates, members: IntArray | LongArray | BoolArray | slice = slice(None)
) -> LongArray:
    """Return the sequences of selected infostates in order; by default of all infostates."""
    first, counts = infostates.first_sequence[members], infostates.num_actions[members]
    begins = np.repeat(first - np.cumsum(counts) + counts, counts)
    return begins + np.arange(len(begins))


def uniform_probabilities(infostates: Infostates, num_sequences: int) -> FloatArray:
    """Return [S] the uniform policy; 1 at sequences that belong to no infostate."""
    policy = np.ones(num_sequences)
    counts = infostates.num_actions
    policy[infostate_sequences(infostates)] = 1.0 / np.repeat(counts, counts)
    return policy


def number_infostates(treeplexes: tuple[Treeplex, ...]) -> Infostates:
    """Return the infostates and sequences of all treeplexes in one numbering."""
    sizes = [plex.num_sequences for plex in treeplexes]
    roots = (np.cumsum(sizes) - sizes).astype(np.int32)

    def joined(columns: list[IntArray]) -> IntArray:
        return np.concatenate(columns).astype(np.int32)

    numbered = list(zip(treeplexes, roots, strict=True))
    return Infostates(
        first_sequence=joined([root + plex.first_sequence for plex, root in numbered]),
        num_actions=joined([plex.num_actions for plex in treeplexes]),
        player=joined([np.full(plex.num_infostates, p) for p, plex in enumerate(treeplexes)]),
        parent_sequence=joined([root + plex.parent_sequence for plex, root in numbered]),
        root_sequence=roots,
    )


def _nodes(tree: GameTree, infostates: Infostates) -> tuple[Nodes, IntArray]:
    """Return the nodes, and [K] the history of each."""
    acting = _acting_infostates(tree)
    actors_above = (acting >= 0).sum(axis=1)[tree.parent[1:]]
    max_nodes = 1 + len(actors_above) + int(actors_above.sum())
    kind, first, history = (np.empty(max_nodes, np.int32) for _ in range(3))
    chance = np.empty(max_nodes)
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
    """Return [I] the number of own decisions above each infostate."""
    size = int((infostates.first_sequence + infostates.num_actions).max(initial=1))
    depth_below = np.zeros(size, np.int32)
    depth = np.zeros(len(infostates.first_sequence), np.int32)
    for here, (first, count, parent) in enumerate(
        zip(
            infostates.first_sequence,
            infostates.num_actions,
            infostates.parent_sequence,
            strict=True,
        )
    ):
        depth[here] = depth_below[parent]
        depth_below[first : first + count] = depth[here] + 1
    return depth
