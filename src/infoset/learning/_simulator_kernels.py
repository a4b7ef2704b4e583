"""Kernels that play episodes on the nodes of a game."""

from __future__ import annotations

from typing import NamedTuple

from infoset.tree.decision_nodes import (
    TERMINAL_NODE,
    DecisionNodes,
    Infostates,
    draw_action,
    draw_outcome,
)
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel
from infoset.utils.splitmix import Stream, next_uniform


class Paths(NamedTuple):
    """Each player's decisions in an episode; kernels write them, learners read them."""

    length: IntArray
    """[N] number of decisions of each player."""
    infostate: IntArray
    sequence: IntArray
    """[N, D] the infostates of these decisions and the sequences of the actions taken, in order."""
    reach: FloatArray
    """[N, D + 1] workspace of the learners: own reach along the path."""


class PlayState(NamedTuple):
    """A game in play: the arguments of self-play kernels, which write the last three fields."""

    nodes: DecisionNodes
    """The chance, decision and terminal nodes."""
    infostates: Infostates
    """The infostates of all players."""
    feedback: FloatArray
    """[Z, N] loss or utility of each player at each terminal, from which it learns."""
    done: LongArray
    """[1] number of episodes played."""
    stream: Stream
    """Source of all random draws."""
    paths: Paths
    """Each player's decisions in the last episode."""


@inner_kernel
def draw_mixed(
    policy: FloatArray,
    exploration_policy: FloatArray,
    exploration: float,
    first_sequence: int,
    num_actions: int,
    stream: Stream,
) -> int:
    """Return the index of an action drawn from a mixture of two policies [S].

    exploration : probability of `exploration_policy` in the mixture.
    """
    # Subtract probabilities from one random number until it is negative. The last action is the
    # default, so that rounding errors cannot leave the loop without an action.
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        sequence = first_sequence + action
        left -= exploration * exploration_policy[sequence] + (1.0 - exploration) * policy[sequence]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def add_step(infostates: Infostates, here: int, sequence: int, paths: Paths) -> None:
    """Append a decision at infostate `here` to its player's path, in place."""
    # Each player has its own row, so that learners read a path without filtering by player.
    player = infostates.player[here]
    step = paths.length[player]
    paths.infostate[player, step] = here
    paths.sequence[player, step] = sequence
    paths.length[player] = step + 1


@inner_kernel
def play(
    nodes: DecisionNodes,
    infostates: Infostates,
    policy: FloatArray,
    explorer: int,
    exploration_policy: FloatArray,
    exploration: float,
    num_steps: int,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode, write `paths` in place, and return the index of the terminal.

    policy : [S] policies of all players.
    explorer : the player that follows `exploration_policy` [S] with probability `exploration` in
    its first `num_steps` decisions; -1 for none.
    """
    # Paths are overwritten; entries beyond `length` remain from earlier episodes.
    paths.length[:] = 0
    node = 0
    while True:
        here = nodes.kind[node]
        # A negative kind is a chance node or a terminal; any other is the number of an infostate.
        if here < 0:
            if here == TERMINAL_NODE:
                # A terminal has no children: the field is its index, the row of `feedback`.
                return int(nodes.first[node])
            # Chance is sampled with its true probabilities, so that it needs no correction either.
            node = draw_outcome(nodes, node, stream)
            continue
        # Simultaneous actors are nodes one after another. Their infostates do not contain each
        # other's choices, so the order has no effect.
        player = infostates.player[here]
        first_sequence, num_actions = infostates.first_sequence[here], infostates.num_actions[here]
        # The others are sampled on policy, so their reach cancels in the explorer's estimates.
        if player == explorer and paths.length[player] < num_steps:
            # The mixture is drawn anew at each decision: own reach is a product of mixtures.
            action = draw_mixed(
                policy, exploration_policy, exploration, first_sequence, num_actions, stream
            )
        else:
            action = draw_action(policy, first_sequence, num_actions, stream)
        # Sequences of an infostate are consecutive, and so are the children of a node.
        add_step(infostates, here, first_sequence + action, paths)
        node = nodes.first[node] + action


@kernel
def play_for(
    play_state: PlayState, player: int, first_infostate: int, policy: FloatArray, own: Paths
) -> int:
    """Play an episode in which all follow `policy` [S]; return the index of the terminal.

    Write the paths of all players to `play_state`, and the path of `player` to `own`, with
    infostates and sequences numbered from that player's first. first_infostate : number of the
    player's first infostate.
    """
    # Explorer -1: nobody explores.
    nodes, infostates, _, _, stream, paths = play_state
    end = play(nodes, infostates, policy, -1, policy, 0.0, 0, stream, paths)
    own.length[0] = paths.length[player]
    root = infostates.root_sequence[player]
    # Infostates and sequences of a player are adjacent, so subtracting the first renumbers them.
    for step in range(paths.length[player]):
        own.infostate[0, step] = paths.infostate[player, step] - first_infostate
        own.sequence[0, step] = paths.sequence[player, step] - root
    return end
