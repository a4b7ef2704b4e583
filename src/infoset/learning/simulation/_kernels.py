"""What episodes are played on, and the kernels that play them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import inner_kernel
from infoset.utils.splitmix import Stream, next_uniform

CHANCE_NODE = -1
TERMINAL_NODE = -2


class Nodes(NamedTuple):
    """Where episodes go: decisions, draws of nature and ends, parents before children; 0 first.

    Attributes
    ----------
    kind : IntArray
        [K] infostate of the actor, in the numbering of `Infostates`; `CHANCE_NODE` or
        `TERMINAL_NODE`.
    first : IntArray
        [K] the first of a node's children, which stand side by side, one per action or outcome;
        of a terminal node, its rank among them.
    num_children : IntArray
        [K]
    keep : FloatArray
        [K] probability that nature, having drawn a child out of all alike, keeps it.
    other : IntArray
        [K] rank of the sibling that nature takes otherwise (Walker's alias method).
    """

    kind: IntArray
    first: IntArray
    num_children: IntArray
    keep: FloatArray
    other: IntArray


class Infostates(NamedTuple):
    """The acting infostates of all players in one numbering, player by player, parents first.

    The sequences of all players stand in one row of S slots, player by player as in their
    treeplexes, each beginning with the empty sequence.

    Attributes
    ----------
    first_slot, num_actions : IntArray
        [I] the slots of an infostate are `first_slot:first_slot + num_actions`, one per action.
    player : IntArray
        [I]
    parent_slot : IntArray
        [I] slot of the player's last sequence before the infostate.
    root_slot : IntArray
        [N] slot of each player's empty sequence.
    """

    first_slot: IntArray
    num_actions: IntArray
    player: IntArray
    parent_slot: IntArray
    root_slot: IntArray


class Paths(NamedTuple):
    """What each player did in an episode: kernels write it, and learners read it.

    Attributes
    ----------
    length : IntArray
        [N] number of decisions of each player.
    infostate, slot : IntArray
        [N, D] where they were made, and the slots of the actions taken, in order.
    reach : FloatArray
        [N, D + 1] room for what learners make of it: own reach along the path.
    """

    length: IntArray
    infostate: IntArray
    slot: IntArray
    reach: FloatArray


class PlayState(NamedTuple):
    """What learners in all seats of a game play with; kernels write the last three.

    Attributes
    ----------
    nodes : Nodes
    infostates : Infostates
    told : FloatArray
        [Z, N] what each player is told at a terminal node: its loss, or its utility.
    done : LongArray
        [1] number of episodes played.
    stream : Stream
        From which all is drawn.
    paths : Paths
        What each player did in the last episode.
    """

    nodes: Nodes
    infostates: Infostates
    told: FloatArray
    done: LongArray
    stream: Stream
    paths: Paths


@inner_kernel
def draw_outcome(nodes: Nodes, node: int, stream: Stream) -> int:
    """Return the child that nature takes at one of its nodes."""
    place = next_uniform(stream) * nodes.num_children[node]
    rank = np.int64(place)
    child = nodes.first[node] + rank
    if place - rank < nodes.keep[child]:
        return int(child)
    return int(nodes.first[node] + nodes.other[child])


@inner_kernel
def draw_action(policy: FloatArray, first_slot: int, num_actions: int, stream: Stream) -> int:
    """Return the index of an action drawn from `policy` [S] at an infostate."""
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        left -= policy[first_slot + action]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def draw_mixed(
    policy: FloatArray,
    exploration: FloatArray,
    share: float,
    first_slot: int,
    num_actions: int,
    stream: Stream,
) -> int:
    """Return the index of an action drawn from `exploration` with a probability, else `policy`.

    share : that probability. Both are [S].
    """
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        slot = first_slot + action
        left -= share * exploration[slot] + (1.0 - share) * policy[slot]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def add_step(infostates: Infostates, here: int, slot: int, paths: Paths) -> None:
    """Write that the actor of an infostate has taken the action of a slot, in place."""
    player = infostates.player[here]
    step = paths.length[player]
    paths.infostate[player, step] = here
    paths.slot[player, step] = slot
    paths.length[player] = step + 1


@inner_kernel
def play(
    nodes: Nodes,
    infostates: Infostates,
    policy: FloatArray,
    explorer: int,
    exploration: FloatArray,
    share: float,
    num_steps: int,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode; return the rank of the terminal, and write `paths` in place.

    policy, exploration : [S] what players do. The player `explorer` (-1 for nobody) follows the
    mixture of both, with the share of exploration, in its first `num_steps` decisions.
    """
    paths.length[:] = 0
    node = 0
    while True:
        here = nodes.kind[node]
        if here < 0:
            if here == TERMINAL_NODE:
                return int(nodes.first[node])
            node = draw_outcome(nodes, node, stream)
            continue
        player = infostates.player[here]
        first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
        if player == explorer and paths.length[player] < num_steps:
            action = draw_mixed(policy, exploration, share, first_slot, num_actions, stream)
        else:
            action = draw_action(policy, first_slot, num_actions, stream)
        add_step(infostates, here, first_slot + action, paths)
        node = nodes.first[node] + action
