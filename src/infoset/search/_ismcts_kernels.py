"""Kernels of information-set Monte Carlo tree search, with one tree of infostates.

A simulation has four stages: selection of actions inside the tree by upper confidence bounds (UCB),
expansion by one node, the value of the leaf, and backup of the returns along the path. A node
is an infostate of the player who acts there, so that the statistics of all worlds in the infostate
are shared.

Infostates are numbered in the order in which simulations reach them. The infostates of all players
at the roots come first. Every other infostate is identified by its predecessor and the observation
that leads to it; a hash table maps this pair to its number.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from infoset.search.models._model_kernels import (
    CHANCE_MOVE,
    END,
    SUM_UNIT,
    Position,
    actor,
    choose_action,
    copy_position,
    draw_outcome,
    inlined,
    num_actions,
    value_leaf,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform

PREVIOUS, OBSERVATION, NEXT, SEARCH = range(4)
"""Columns of `Tree.steps`: an infostate, the observation made there, the next infostate, and the
number of the search that wrote the row. Rows of other searches count as empty."""

INFOSTATE, ENTRY, PLAYER = range(3)
"""Columns of `Tree.path`: the infostate, the action entry, and the player who acted."""

NUM_INFOSTATES, NUM_ENTRIES, THIS_SEARCH = range(3)
"""Indices of `Tree.counts`."""

NO_NODE = -1
TREE_FULL = -1

NO_DEPTH_LIMIT = 2**62

FACTORS = (0x5BD1E995, 0x2545F491)
"""Odd multipliers of the hash. Their products with 31-bit numbers fit in 64 bits."""
LOW_BITS = 0x7FFFFFFF


class Tree(NamedTuple):
    """The tree of a search. Later searches reuse its arrays."""

    steps: LongArray
    """[2 I, 4] hash table of infostates with open addressing; its length is a power of 2."""
    first_entry: LongArray
    """[I] the first action entry of an infostate's node, or `NO_NODE`."""
    visits: LongArray
    """[I] number N of simulations that passed through a node, excluding the one that added it."""
    entry_visits: LongArray
    """[E] number n of these simulations that took the action."""
    returns: FloatArray
    """[E] sum of the acting player's returns, in `SUM_UNIT`."""
    path: LongArray
    """[D, 3] the actions that the current simulation took inside the tree."""
    counts: LongArray
    """[3] number of infostates, number of action entries, and serial number of the search."""


class Roots(NamedTuple):
    """The positions from which simulations start, and the nodes whose visits form the policy."""

    states: LongArray
    """[K, L]"""
    rewards_so_far: FloatArray
    """[K, N]"""
    infostates: LongArray
    """[K, N] number of each player's infostate; no number is used for two players."""
    cumulative: FloatArray
    """[K] cumulative probability; infinite for the last."""
    num_infostates: int
    """Number of different infostates at the roots."""
    own: LongArray
    """[M] numbers of the searching player's infostates at the roots."""
    own_weights: FloatArray
    """[M] factor of the visits at each of them, see `own_weights`."""
    action_indices: LongArray
    """[M, A] index, at each of the M infostates, of each legal action of the true infostate; -1 if
    it is not legal there."""


class Bonus(NamedTuple):
    """The factor of the exploration bonus."""

    factor: float
    """In units of utility, or relative to the range of each player's utilities."""
    is_relative: bool
    """Whether the factor is relative to the range of the utilities in the playouts so far."""


class Playout(NamedTuple):
    """The workspace of a simulation."""

    position: Position
    leaf: Position
    """The current position, and the one at which the simulation left the tree."""
    infostates: LongArray
    """[N] the current infostate of each player."""
    lowest: FloatArray
    highest: FloatArray
    """[N] the smallest and the largest utility of each player in the playouts of this search, in
    `SUM_UNIT`."""
    width: FloatArray
    """[N] factor of the bonus of each player, in `SUM_UNIT`."""


# The tree


@inlined
def start_search(tree: Tree, num_infostates: int) -> None:
    """Empty the tree, except for the numbered infostates at the roots."""
    tree.counts[NUM_INFOSTATES], tree.counts[NUM_ENTRIES] = num_infostates, 0
    # Rows of the hash table carry the number of their search, so that incrementing the number
    # empties the table in O(1).
    tree.counts[THIS_SEARCH] += 1
    for infostate in range(num_infostates):
        tree.first_entry[infostate] = NO_NODE


@inlined
def step_row(steps: LongArray, previous: int, observation: int, search: int) -> int:
    """Return the row of a step, or the empty row to insert it in (linear probing)."""
    mask = len(steps) - 1
    # Fold the observation to 31 bits so that the product does not overflow, then mix the high bits
    # into the low bits.
    folded = (observation ^ (observation >> 31)) & LOW_BITS
    mixed = (previous * FACTORS[0]) ^ (folded * FACTORS[1])
    row = (mixed ^ (mixed >> 29)) & mask
    while steps[row, SEARCH] == search and (
        steps[row, PREVIOUS] != previous or steps[row, OBSERVATION] != observation
    ):
        row = (row + 1) & mask
    return int(row)


@inlined
def next_infostate(tree: Tree, previous: int, observation: int) -> int:
    """Return the number of the infostate after an observation, or `TREE_FULL`."""
    search = tree.counts[THIS_SEARCH]
    row = step_row(tree.steps, previous, observation, search)
    # With perfect recall an infostate is its predecessor plus one observation, so that a pair of
    # integers identifies a whole sequence of observations.
    if tree.steps[row, SEARCH] == search:
        return int(tree.steps[row, NEXT])
    number = tree.counts[NUM_INFOSTATES]
    # The table has two rows per infostate, so that it is never more than half full.
    if number == len(tree.visits):
        return TREE_FULL
    tree.counts[NUM_INFOSTATES] += 1
    tree.first_entry[number] = NO_NODE
    tree.steps[row, PREVIOUS] = previous
    tree.steps[row, OBSERVATION] = observation
    tree.steps[row, NEXT] = number
    tree.steps[row, SEARCH] = search
    return int(number)


@kernel
def copy_steps(old: LongArray, new: LongArray, search: int) -> None:
    """Copy the steps of a search into a larger, empty hash table."""
    for row in range(len(old)):
        # Rows of earlier searches count as empty and are not copied.
        if old[row, SEARCH] == search:
            place = step_row(new, old[row, PREVIOUS], old[row, OBSERVATION], search)
            for column in range(4):
                new[place, column] = old[row, column]


@inlined
def add_node(tree: Tree, infostate: int, count: int) -> bool:
    """Add a node with `count` actions; return whether there is room."""
    first = tree.counts[NUM_ENTRIES]
    if first + count > len(tree.returns):
        return False
    # The entries of a node are adjacent. Arrays are reused, so the old statistics are cleared.
    tree.counts[NUM_ENTRIES] += count
    tree.first_entry[infostate] = first
    tree.visits[infostate] = 0
    for entry in range(first, first + count):
        tree.entry_visits[entry] = 0
        tree.returns[entry] = 0.0
    return True


@inlined
def draw_untried(tree: Tree, first: int, number: int, stream: Stream) -> int:
    """Draw one of the `number` untried actions of a node uniformly."""
    # Draw a rank among the untried actions, then find the action of that rank.
    rank = int(next_uniform(stream) * number)
    action = 0
    # The loop ends at an untried action once `rank` untried actions have been passed.
    while tree.entry_visits[first + action] > 0 or rank > 0:
        if tree.entry_visits[first + action] == 0:
            rank -= 1
        action += 1
    return action


@inlined
def select_action(tree: Tree, infostate: int, count: int, width: float, stream: Stream) -> int:
    """Return the action with the largest UCB, or an untried one; ties are drawn uniformly.

    `ucb(a) = mean return(a) + width * sqrt(ln N / n(a))`
    """
    first, visits = tree.first_entry[infostate], tree.visits[infostate]
    if visits < count:  # every visit so far tried a new action
        return draw_untried(tree, first, count - visits, stream)
    widened = width * sqrt(log(visits))  # shared by all actions
    best, ties, highest = 0, 0, -np.inf
    for action in range(count):
        tried = tree.entry_visits[first + action]
        # Equals returns / n + widened / sqrt(n), with a single division.
        ucb = (tree.returns[first + action] + widened * sqrt(tried)) / tried
        # Returns and `width` are in the same unit.
        if ucb > highest:
            best, ties, highest = action, 1, ucb
        elif ucb == highest:
            # Reservoir sampling: the k-th tied action replaces the choice with probability 1 / k.
            ties += 1
            if next_uniform(stream) * ties < 1.0:
                best = action
    return best


@kernel
def add_root_totals(tree: Tree, roots: Roots, visits: FloatArray, returns: FloatArray) -> None:
    """Add visits [A] and returns [A] of the actions over the player's own root nodes, in place."""
    # With a public weight λ > 0, simulations start at several own infostates. Their visits are
    # summed, so that at λ = 1 the policy depends on the public state alone.
    for row in range(len(roots.own)):
        # A root from which no simulation started has no node. An index of -1 marks an illegal
        # action.
        first, weight = tree.first_entry[roots.own[row]], roots.own_weights[row]
        for action in range(len(visits)):
            index = roots.action_indices[row, action]
            if first != NO_NODE and index >= 0:
                visits[action] += weight * tree.entry_visits[first + index]
                returns[action] += weight * tree.returns[first + index]


# Simulations


@inlined
def start_widths(playout: Playout, bonus: Bonus) -> None:
    """Forget the utilities of the last search, and set the factors of the bonus."""
    for player in range(len(playout.width)):
        playout.lowest[player], playout.highest[player] = np.inf, -np.inf
        # Until a utility is known, all returns are equally good and the bonus has no effect.
        playout.width[player] = 0.0 if bonus.is_relative else bonus.factor / SUM_UNIT


@inlined
def observe_utility(playout: Playout, bonus: Bonus) -> None:
    """Widen the range of each player's utilities, and with it the factor of its bonus."""
    for player in range(len(playout.width)):
        utility = playout.position.rewards_so_far[player] / SUM_UNIT
        playout.lowest[player] = min(playout.lowest[player], utility)
        playout.highest[player] = max(playout.highest[player], utility)
        # Differences of utilities depend neither on their unit nor on a constant in them.
        playout.width[player] = bonus.factor * (playout.highest[player] - playout.lowest[player])


@inlined
def draw_root(roots: Roots, playout: Playout, stream: Stream) -> None:
    """Start a simulation at a position drawn from the belief: the determinization."""
    # Invert the cumulative distribution. Its last entry is infinite, so that rounding cannot push
    # the draw past the end.
    root = np.searchsorted(roots.cumulative, next_uniform(stream), side="right")
    for entry in range(roots.states.shape[1]):
        playout.position.state[entry] = roots.states[root, entry]
    for player in range(roots.rewards_so_far.shape[1]):
        playout.position.rewards_so_far[player] = roots.rewards_so_far[root, player]
        playout.infostates[player] = roots.infostates[root, player]


@inlined
def update_infostates(tree: Tree, playout: Playout) -> bool:
    """Update all players' infostates after a transition; return whether there is room.

    Players who do not act are included: their observations determine their later nodes.
    """
    for player in range(len(playout.infostates)):
        # An observation includes the player's own action, so that different actions lead to
        # different infostates.
        observation = playout.position.observations[player]
        number = next_infostate(tree, playout.infostates[player], observation)
        if number == TREE_FULL:
            return False
        playout.infostates[player] = number
    return True


@inlined
def descend(model: Any, tree: Tree, playout: Playout, depth: int, stream: Stream) -> int:
    """Select actions inside the tree, then add the first node outside it.

    Stops without a new node after `depth` moves. Returns the number of actions written to
    `Tree.path`, or `TREE_FULL`.
    """
    length, moves, has_chosen = 0, 0, False
    while True:
        player = actor(model, playout.position)
        if player == END:
            return length
        if player == CHANCE_MOVE:
            # Chance is sampled. Infostates change only at transitions, so that simultaneous actors
            # choose without seeing each other's choices.
            draw_outcome(model, playout.position, stream)
            if not update_infostates(tree, playout):
                return TREE_FULL
            # Simultaneous choices are one move, and forced actions none.
            moves += has_chosen
            has_chosen = False
            continue
        # Legal actions depend on the infostate alone, so that `count` equals the number of entries
        # of its node in every world.
        here, count = playout.infostates[player], num_actions(model, playout.position)
        if moves == depth and count > 1:
            return length
        if tree.first_entry[here] == NO_NODE:
            # Stage 2, expansion: this simulation visits none of the new node's actions.
            return length if add_node(tree, here, count) else TREE_FULL
        if length == len(tree.path):
            return TREE_FULL
        # Stage 1, selection: the node belongs to the infostate, whichever world was drawn.
        action = select_action(tree, here, count, playout.width[player], stream)
        # Statistics are updated only after the descent, so that a simulation that runs out of room
        # leaves them unchanged.
        tree.path[length, INFOSTATE] = here
        tree.path[length, ENTRY] = tree.first_entry[here] + action
        tree.path[length, PLAYER] = player
        length += 1
        has_chosen = has_chosen or count > 1
        choose_action(model, playout.position, action)


@inlined
def count_visits(tree: Tree, length: int) -> None:
    """Increment the visit counts of the nodes and actions on the path."""
    for step in range(length):
        # The node that this simulation added is not on the path. Its first visit comes from the
        # next simulation through it, as in OpenSpiel: root visits sum to simulations - 1.
        tree.visits[tree.path[step, INFOSTATE]] += 1
        tree.entry_visits[tree.path[step, ENTRY]] += 1


@inlined
def back_up(tree: Tree, length: int, utility: FloatArray, num_rollouts: int) -> None:
    """Add to each action on the path the acting player's utility."""
    for step in range(length):
        # As in max^n, each action is credited with the utility of the player who took it.
        gain = utility[tree.path[step, PLAYER]] / SUM_UNIT
        tree.returns[tree.path[step, ENTRY]] += gain / num_rollouts


@kernel
def simulate(
    model: Any,
    roots: Roots,
    tree: Tree,
    playout: Playout,
    bonus: Bonus,
    num_rollouts: int,
    depth: int,
    num_simulations: int,
    stream: Stream,
) -> int:
    """Run simulations, changing `tree` in place; return how many were completed before it was full.

    A simulation that finds the tree full restores the stream and adds at most some infostate
    numbers. Repeated in a larger tree, it makes the same random choices.
    """
    for done in range(num_simulations):
        # The state of the stream is this single 64-bit word.
        before = stream[0]
        # Stages 1 and 2: draw a world from the belief, select and expand.
        draw_root(roots, playout, stream)
        length = descend(model, tree, playout, depth, stream)
        if length == TREE_FULL:
            # Only infostate numbers were added so far; visits and returns are unchanged.
            stream[0] = before
            return done
        # Stages 3 and 4: value the leaf, by default by random play to the end, and back up.
        count_visits(tree, length)
        copy_position(playout.leaf, playout.position)
        # Every playout starts from the leaf. Positions below the leaf are not stored.
        for _ in range(num_rollouts):
            copy_position(playout.position, playout.leaf)
            value_leaf(model, playout.position, stream)
            back_up(tree, length, playout.position.rewards_so_far, num_rollouts)
            if bonus.is_relative:
                observe_utility(playout, bonus)
    return num_simulations


@kernel
def repeat_search(
    model: Any,
    roots: Roots,
    tree: Tree,
    playout: Playout,
    bonus: Bonus,
    num_rollouts: int,
    depth: int,
    num_simulations: int,
    seeds: Stream,
    visits: FloatArray,
) -> int:
    """Search once for each of R seeds, and write the visits [R, A] of the root actions.

    Returns how many searches were completed before the tree was full.
    """
    stream, returns = np.zeros(1, np.uint64), np.zeros(visits.shape[1])
    for search in range(len(seeds)):
        stream[0] = seeds[search]
        # Searches are independent: each has an empty tree and its own random stream.
        start_search(tree, roots.num_infostates)
        start_widths(playout, bonus)
        done = simulate(
            model, roots, tree, playout, bonus, num_rollouts, depth, num_simulations, stream
        )
        if done < num_simulations:
            return search
        add_root_totals(tree, roots, visits[search], returns)
    return len(seeds)
