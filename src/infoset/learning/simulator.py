"""Compiled games in which learners play episodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

import numpy as np

from infoset.forms import TREE_EXAMPLE, SequenceForm, behavior_to_plan, midranges
from infoset.learning._simulator_kernels import Paths, PlayState
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.tree.decision_nodes import (
    DecisionNodes,
    Infostates,
    infostate_depths,
    number_infostates,
    unfold_tree,
    uniform_probabilities,
)
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.arguments import check_type
from infoset.utils.short_repr import ShortRepr
from infoset.utils.splitmix import make_stream

EXTREME = 1e100
"""Utilities above this size or below its inverse are divided by a power of two."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulator(ShortRepr):
    """A game in which compiled loops play episodes, made by `make_simulator`."""

    form: SequenceForm
    """The game's sequence form, which policies refer to."""
    nodes: DecisionNodes
    """The chance, decision and terminal nodes."""
    infostates: Infostates
    """The infostates of all players."""
    utility: FloatArray
    """[Z, N] utilities at terminal nodes, in the game's units."""
    rewards_so_far: FloatArray
    """[K, N] rewards before each node, in the game's units."""
    depth: IntArray
    """[I] number of the player's decisions above each infostate."""

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return len(self.infostates.root_sequence)

    @property
    def num_sequences(self) -> int:
        """Number S of sequences of all players, including the empty ones."""
        return sum(plex.num_sequences for plex in self.form.treeplexes)

    @property
    def max_decisions(self) -> IntArray:
        """[N] maximum number of decisions of each player in an episode."""
        decisions = np.zeros(self.num_players, np.int32)
        np.maximum.at(decisions, self.infostates.player, self.depth + 1)
        return decisions

    def losses(self) -> FloatArray:
        """Return [Z, N] losses of the players at terminal nodes, in [0, 1].

        The loss of a player is (maximum - utility) / (maximum - minimum), with the maximum and the
        minimum of its own utilities. If its utility is constant, all its losses are 0.
        """
        minimum, maximum = self.utility.min(axis=0), self.utility.max(axis=0)
        # The same power of two divides both, because a difference of utilities may overflow.
        width = maximum / 2 - minimum / 2
        losses: FloatArray = (maximum / 2 - self.utility / 2) / np.where(width > 0, width, 1.0)
        return losses

    def centered_utility(self) -> FloatArray:
        """Return [Z, N] utilities at terminal nodes, minus the midrange of each player.

        Utilities so large or small that sums of their estimates would leave float64 are also
        divided by a power of two, which changes no policy of a learner that matches regrets.
        """
        centered = self.utility - midranges(self.utility)
        largest = float(np.abs(centered).max())
        if largest == 0.0 or 1 / EXTREME <= largest <= EXTREME:
            return centered
        return np.ldexp(centered, -frexp(largest)[1])

    def empty_paths(self) -> Paths:
        """Return the arrays into which kernels write the decisions of an episode."""
        num_players, length = self.num_players, max(1, int(self.max_decisions.max(initial=0)))
        infostate, sequence = np.zeros((2, num_players, length), np.int32)
        return Paths(
            np.zeros(num_players, np.int32),
            infostate,
            sequence,
            np.zeros((num_players, length + 1)),
        )

    def play_state(self, feedback: FloatArray, done: LongArray, seed: int) -> PlayState:
        """Return the arguments of self-play kernels.

        `feedback` [Z, N] is the number that each player learns from at a terminal, such as its
        loss; `done` [1] counts the episodes.
        """
        stream, paths = make_stream(seed), self.empty_paths()
        return PlayState(self.nodes, self.infostates, feedback, done, stream, paths)

    def uniform(self) -> FloatArray:
        """Return [S] the uniform policy; its entries are 1 at empty sequences."""
        return uniform_probabilities(self.infostates, self.num_sequences)

    def plans(self, policy: FloatArray) -> FloatArray:
        """Return [S] the realization plans of all players under a policy [S]."""
        here = self.infostates
        return behavior_to_plan(here.parent_sequence, here.first_sequence, here.num_actions, policy)

    def by_player(self, values: FloatArray) -> tuple[FloatArray, ...]:
        """Split an array [S] into one part [Q] per player."""
        return tuple(np.split(values, self.infostates.root_sequence[1:]))

    def policy(self, weights: FloatArray) -> TabularPolicy[SequenceForm]:
        """Return the policy proportional to weights [S]; uniform at infostates with weights 0."""
        return TabularPolicy.from_weights(self.form, self.by_player(weights))


def make_simulator(tree: GameTree) -> Simulator:
    """Compile a game tree for playing episodes.

    Players who act at the same history decide one after another without observing each other.
    Nodes with a single successor are left out, except decisions with one action.

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
    nodes, history = unfold_tree(tree)
    # Terminals in the order of nodes, by which `nodes.first` numbers them.
    ends = history[nodes.num_children == 0]
    return Simulator(
        form=form,
        nodes=nodes,
        infostates=infostates,
        utility=np.ascontiguousarray(tree.rewards_so_far[ends]),
        rewards_so_far=tree.rewards_so_far[history],
        depth=infostate_depths(infostates),
    )
