"""Information-set Monte Carlo tree search, in kernels: one tree over what all players know.

A node is an infostate of the player who acts there. What follows a simulation's new node is played
at random, and not looked up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from infoset.search.ismcts._tree_kernels import (
    CHOSEN,
    INFOSTATE,
    NO_NODE,
    NO_ROOM,
    PLAYER,
    Tree,
    add_returns,
    add_totals,
    begin_search,
    best_action,
    count_path,
    make_node,
    next_infostate,
)
from infoset.search.models._kernels import (
    CHANCE_MOVE,
    END,
    Position,
    actor,
    choose,
    draw,
    inlined,
    num_actions,
    play_out,
    put,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform


class Start(NamedTuple):
    """Where simulations begin.

    Attributes
    ----------
    states : LongArray
        [K, L]
    rewards_so_far : FloatArray
        [K, N]
    infostates : LongArray
        [K, N] numbers of what each player knows, different for different players.
    below : FloatArray
        [K] sum of the probabilities up to each; infinite for the last.
    """

    states: LongArray
    rewards_so_far: FloatArray
    infostates: LongArray
    below: FloatArray


class RootNodes(NamedTuple):
    """Where in the tree the answer is found.

    Attributes
    ----------
    num_known : int
        Number of the infostates of all players where simulations begin.
    own : LongArray
        [M] the numbers of the own infostates that are thought possible.
    numbers : LongArray
        [M, A] the numbers that the actions have there; -1 for one that is not legal there.
    """

    num_known: int
    own: LongArray
    numbers: LongArray


class Play(NamedTuple):
    """Room for a simulation.

    Attributes
    ----------
    position, leaf : Position
        Where the play stands, and where it left the tree.
    known : LongArray
        [N] the infostate of each player.
    """

    position: Position
    leaf: Position
    known: LongArray


@inlined
def begin(start: Start, play: Play, stream: Stream) -> None:
    """Put a play where it may stand, drawn from what is believed."""
    root = np.searchsorted(start.below, next_uniform(stream), side="right")
    for entry in range(start.states.shape[1]):
        play.position.state[entry] = start.states[root, entry]
    for player in range(start.rewards_so_far.shape[1]):
        play.position.rewards_so_far[player] = start.rewards_so_far[root, player]
        play.known[player] = start.infostates[root, player]


@inlined
def learn_step(tree: Tree, play: Play) -> bool:
    """Look up what players know after a transition; return whether there is room."""
    for player in range(len(play.known)):
        number = next_infostate(tree, play.known[player], play.position.observations[player])
        if number == NO_ROOM:
            return False
        play.known[player] = number
    return True


@inlined
def descend(model: Any, tree: Tree, play: Play, width: float, stream: Stream) -> int:
    """Play inside the tree to its edge, where a node is made, or to the end.

    Return the length of `Tree.path`, or `NO_ROOM` where memory is at an end.
    """
    length = 0
    while True:
        player = actor(model, play.position)
        if player == END:
            return length
        if player == CHANCE_MOVE:
            draw(model, play.position, stream)
            if not learn_step(tree, play):
                return NO_ROOM
            continue
        here, count = play.known[player], num_actions(model, play.position)
        if tree.first_slot[here] == NO_NODE:
            return length if make_node(tree, here, count) else NO_ROOM
        if length == len(tree.path):
            return NO_ROOM
        action = best_action(tree, here, count, width, stream)
        tree.path[length, INFOSTATE] = here
        tree.path[length, CHOSEN] = tree.first_slot[here] + action
        tree.path[length, PLAYER] = player
        length += 1
        choose(model, play.position, action)


@kernel
def simulate(
    model: Any,
    start: Start,
    tree: Tree,
    play: Play,
    width: float,
    num_rollouts: int,
    num_simulations: int,
    stream: Stream,
) -> int:
    """Make simulations, `tree` in place; return how many there was room for.

    One that memory does not suffice for leaves no trace but infostates, and the stream as it was:
    made again with more room, it is the same.
    """
    for done in range(num_simulations):
        before = stream[0]
        begin(start, play, stream)
        length = descend(model, tree, play, width, stream)
        if length == NO_ROOM:
            stream[0] = before
            return done
        count_path(tree, length)
        put(play.leaf, play.position)
        for _ in range(num_rollouts):
            put(play.position, play.leaf)
            play_out(model, play.position, stream)
            add_returns(tree, length, play.position.rewards_so_far, num_rollouts)
    return num_simulations


@kernel
def search_often(
    model: Any,
    start: Start,
    roots: RootNodes,
    tree: Tree,
    play: Play,
    width: float,
    num_rollouts: int,
    num_simulations: int,
    seeds: Stream,
    visits: LongArray,
) -> int:
    """Search once for each of the seeds [R], and count the visits [R, A] of actions, in place.

    Return how many searches there was room for.
    """
    stream, returns = np.zeros(1, np.uint64), np.zeros(visits.shape[1])
    for search in range(len(seeds)):
        stream[0] = seeds[search]
        begin_search(tree, roots.num_known)
        done = simulate(model, start, tree, play, width, num_rollouts, num_simulations, stream)
        if done < num_simulations:
            return search
        add_totals(tree, roots.own, roots.numbers, visits[search], returns)
    return len(seeds)
