"""Kernels of the branch and bound over public states.

A state of the search is a public state and a set of its nodes. The cells of these nodes receive
actions one by one. Each action adds nodes to a set in each successor, a public state that may come
next. The value of a union of sets is at most the sum of their values. Hence the exact value of the
cells that have their actions, plus the best value of every other cell alone, is an upper bound.

The search is depth first, with an explicit stack of frames instead of recursion, so that it can be
interrupted and resumed after any step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.teams.exact.frames import Frames, Memo
from infoset.teams.exact.public_states import PublicStates
from infoset.utils.compilation import (
    bare_kernel,
    inner_kernel,
    kernel,
    linear_kernel,
    nested_kernel,
)

FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)
ONE = np.uint64(1)
LOW_BITS = 63


@inner_kernel
def find_row(memo: Memo, state: int, nodes: NDArray[np.uint64]) -> int:
    """Return the row of a state of the search, or the empty row where it belongs."""
    # The length is a power of two, so `&` with the mask computes the remainder.
    mask = len(memo.state) - 1
    row = _mixed(state, nodes) & mask
    # Linear probing; some rows are always empty, so the loop ends.
    while memo.state[row] >= 0 and not _is_at(memo, row, state, nodes):
        row = (row + 1) & mask
    return row


@inner_kernel
def _mixed(state: int, nodes: NDArray[np.uint64]) -> int:
    """Return a hash of a state: multiply and shift, as in SplitMix64."""
    mixed = np.uint64(state)
    for word in range(len(nodes)):
        mixed = (mixed ^ nodes[word]) * FACTOR
        # A product spreads bits only to higher places; the shift moves them back to lower ones.
        mixed ^= mixed >> SHIFT
    # Dropping one bit makes the hash a nonnegative signed integer.
    return int(mixed >> ONE)


@inner_kernel
def _is_at(memo: Memo, row: int, state: int, nodes: NDArray[np.uint64]) -> bool:
    """Return whether a row contains a state."""
    differs = memo.state[row] != state
    for word in range(len(nodes)):
        # Equal hashes do not imply equal sets, so all words are compared.
        differs |= memo.nodes[row, word] != nodes[word]
    return not differs


@inner_kernel
def add_row(memo: Memo, row: int, state: int, nodes: NDArray[np.uint64], upper: float) -> None:
    """Fill an empty row with a state for which only an upper bound is known."""
    memo.state[row] = state
    for word in range(len(nodes)):
        memo.nodes[row, word] = nodes[word]
    memo.upper[row] = upper
    # An upper bound may suffice for pruning; `close` writes the exact value.
    memo.is_exact[row] = False
    memo.num_filled[0] += 1


@linear_kernel
def row_of(memo: Memo, state: int, nodes: NDArray[np.uint64]) -> int:
    """Return the row of a state of the search, or the empty row where it belongs."""
    return find_row(memo, state, nodes)


@kernel
def move_rows(old: Memo, new: Memo) -> None:
    """Copy the rows of a table into a larger, empty table."""
    for row in range(len(old.state)):
        if old.state[row] >= 0:
            # The place of a row depends on the length of the table.
            place = find_row(new, old.state[row], old.nodes[row])
            add_row(new, place, old.state[row], old.nodes[row], old.upper[row])
            new.is_exact[place] = old.is_exact[row]
            for cell in range(old.choice.shape[1]):
                new.choice[place, cell] = old.choice[row, cell]


@nested_kernel
def open_frame(
    states: PublicStates, frames: Frames, state: int, nodes: NDArray[np.uint64], need: float
) -> None:
    """Push a frame for a state of the search.

    need : the threshold above which the value must be exact.
    """
    frames.depth[0] += 1
    depth = frames.depth[0]
    frames.state[depth] = state
    for word in range(len(nodes)):
        frames.nodes[depth, word] = nodes[word]
    frames.need[depth] = need
    frames.best[depth] = -np.inf
    # Row 0: no cell has its action yet, so no successor is reached and the value is 0. Row k + 1
    # adds the action of cell k to row k (see `copy_row`).
    frames.total[depth, 0] = 0.0
    frames.num_successors[depth] = states.first_successor[state + 1] - states.first_successor[state]
    for successor in range(frames.num_successors[depth]):
        frames.is_open[depth, successor] = False
        frames.value[depth, 0, successor] = 0.0
        for word in range(len(nodes)):
            frames.sets[depth, 0, successor, word] = 0
    list_cells(states, frames, depth)
    # Exact single values are useful only to order several cells with successors to evaluate.
    frames.is_trying[depth] = frames.num_successors[depth] > 0 and frames.num_cells[depth] > 1
    frames.level[depth] = 0
    frames.candidate[depth] = -1
    frames.is_valued[depth] = False
    if not frames.is_trying[depth]:
        begin_branching(frames, depth)


@nested_kernel
def list_cells(states: PublicStates, frames: Frames, depth: int) -> None:
    """List the cells of a frame with a node in the set, and bound each of their actions."""
    state = frames.state[depth]
    first_cell = states.first_cell[state]
    origin = states.first_node[first_cell]
    count = 0
    for cell in range(first_cell, states.first_cell[state + 1]):
        num_actions = 0
        for node in range(states.first_node[cell], states.first_node[cell + 1]):
            # Nodes of the cell that play cannot have reached do not count.
            if not has_bit(frames.nodes[depth], node - origin):
                continue
            first = states.first_move[node]
            if num_actions == 0:
                num_actions = states.first_move[node + 1] - first
                for action in range(num_actions):
                    frames.single[depth, count, action] = 0.0
            for action in range(num_actions):
                # The initial bound is the sum over nodes; trying the cell alone makes it exact.
                frames.single[depth, count, action] += bound_move(states, state, first + action)
        # Only cells with a node in the set are listed, so positions have no gaps.
        if num_actions > 0:
            frames.cell[depth, count] = cell - first_cell
            frames.num_actions[depth, count] = num_actions
            count += 1
    frames.num_cells[depth] = count


@inner_kernel
def bound_move(states: PublicStates, state: int, move: int) -> float:
    """Return an upper bound on the value of a move, from the bounds of the next nodes."""
    upper = states.gain[move]
    # After a move, chance may lead to several nodes; gains include the probabilities.
    for way in range(states.first_way[move], states.first_way[move + 1]):
        upper += states.upper[next_node(states, state, way)]
    return float(upper)


@inner_kernel
def next_node(states: PublicStates, state: int, way: int) -> int:
    """Return the node that a continuation leads to."""
    after = states.next_state[states.first_successor[state] + states.successor[way]]
    return int(states.first_node[states.first_cell[after]] + states.place[way])


@nested_kernel
def next_candidate(states: PublicStates, frames: Frames, depth: int, tolerance: float) -> bool:
    """Process the evaluated candidate and prepare the next one; return False if there is none."""
    # Stage 1: evaluate every action of every cell alone, for tight bounds.
    if frames.is_trying[depth]:
        if next_trial(frames, depth):
            make_candidate(states, frames, depth)
            return True
        begin_branching(frames, depth)
    # Stage 2: assign actions cell by cell, in order of their bounds.
    while next_action(frames, depth):
        if not frames.is_valued[depth]:
            make_candidate(states, frames, depth)
            return True
        pick(frames, depth, tolerance)
    return False


@inner_kernel
def next_trial(frames: Frames, depth: int) -> bool:
    """Record the value of the candidate alone, and advance to the next action or cell."""
    cell = frames.level[depth]
    # All successors of the last candidate have been evaluated, so `total[1]` is exact.
    if frames.candidate[depth] >= 0:
        frames.single[depth, cell, frames.candidate[depth]] = frames.total[depth, 1]
    frames.candidate[depth] += 1
    if frames.candidate[depth] == frames.num_actions[depth, cell]:
        frames.candidate[depth] = 0
        frames.level[depth] += 1
    return bool(frames.level[depth] < frames.num_cells[depth])


@nested_kernel
def begin_branching(frames: Frames, depth: int) -> None:
    """Order the cells, bound each suffix by its best single values, and start at the first cell."""
    # Cells whose second-best action costs most come first: they tighten the bound early.
    count = frames.num_cells[depth]
    frames.is_trying[depth] = False
    frames.level[depth] = 0
    sort_cells(frames, depth)
    frames.rest[depth, count] = 0.0
    # Suffix sums: `rest[k]` bounds the value that cell k and all later cells can add.
    for position in range(count - 1, -1, -1):
        best = -np.inf
        for action in range(frames.num_actions[depth, position]):
            best = max(best, frames.single[depth, position, action])
        frames.rest[depth, position] = frames.rest[depth, position + 1] + best
    begin_level(frames, depth)


@inner_kernel
def sort_cells(frames: Frames, depth: int) -> None:
    """Sort cells by decreasing loss from taking their second-best action."""
    # Insertion sort suffices for few cells, and is stable: ties remain in order.
    for end in range(1, frames.num_cells[depth]):
        place = end
        while place > 0 and stake(frames, depth, place - 1) < stake(frames, depth, place):
            swap_cells(frames, depth, place)
            place -= 1


@inner_kernel
def stake(frames: Frames, depth: int, position: int) -> float:
    """Return the difference between the best and second-best action of a cell."""
    best, second = -np.inf, -np.inf
    for action in range(frames.num_actions[depth, position]):
        value = frames.single[depth, position, action]
        if value > best:
            best, second = value, best
        elif value > second:
            second = value
    return float(best - second)


@inner_kernel
def swap_cells(frames: Frames, depth: int, position: int) -> None:
    """Exchange a cell with the one before it."""
    before = position - 1
    for action in range(frames.single.shape[2]):
        value = frames.single[depth, position, action]
        frames.single[depth, position, action] = frames.single[depth, before, action]
        frames.single[depth, before, action] = value
    cell, count = frames.cell[depth, position], frames.num_actions[depth, position]
    frames.cell[depth, position] = frames.cell[depth, before]
    frames.num_actions[depth, position] = frames.num_actions[depth, before]
    frames.cell[depth, before] = cell
    frames.num_actions[depth, before] = count


@inner_kernel
def begin_level(frames: Frames, depth: int) -> None:
    """Bound the value of each action of the next cell."""
    level = frames.level[depth]
    # Value of the cells with actions + single value of the action + bound on the other cells.
    others = frames.total[depth, level] + frames.rest[depth, level + 1]
    for action in range(frames.num_actions[depth, level]):
        frames.bound[depth, level, action] = others + frames.single[depth, level, action]
    frames.candidate[depth] = -1
    frames.is_valued[depth] = False


@inner_kernel
def next_action(frames: Frames, depth: int) -> bool:
    """Select the action with the highest bound, at the deepest level with one above `need`.

    Returns False if no level has one. An evaluated candidate remains evaluated if its bound is
    still the highest.
    """
    level = frames.level[depth]
    # The evaluated candidate has a tighter bound than its single value.
    if frames.candidate[depth] >= 0:
        tried = frames.bound[depth, level, frames.candidate[depth]]
        frames.bound[depth, level, frames.candidate[depth]] = min(tried, hope(frames, depth))
    # Backtrack to a level with an action whose bound exceeds `need`.
    while level >= 0:
        action = 0
        for other in range(frames.num_actions[depth, level]):
            if frames.bound[depth, level, other] > frames.bound[depth, level, action]:
                action = other
        # Otherwise all actions of this level are pruned.
        if frames.bound[depth, level, action] > frames.need[depth]:
            is_same = level == frames.level[depth] and action == frames.candidate[depth]
            frames.is_valued[depth] = is_same
            frames.level[depth] = level
            frames.candidate[depth] = action
            return True
        level -= 1
        frames.candidate[depth] = -1
    return False


@inner_kernel
def pick(frames: Frames, depth: int, tolerance: float) -> None:
    """Take the evaluated candidate at its cell, and advance to the next cell."""
    level, action = frames.level[depth], frames.candidate[depth]
    frames.picked[depth, level] = action
    found = frames.bound[depth, level, action]
    # The action is not selected again at this level.
    frames.bound[depth, level, action] = -np.inf
    if level + 1 < frames.num_cells[depth]:
        frames.level[depth] = level + 1
        begin_level(frames, depth)
        return
    # All cells have their actions, so `found` is the exact value of a new incumbent. Later
    # assignments must exceed it.
    frames.best[depth] = found
    frames.need[depth] = found + tolerance
    frames.candidate[depth] = -1
    for position in range(frames.num_cells[depth]):
        cell = frames.cell[depth, position]
        frames.choice[depth, cell] = frames.picked[depth, position]


@nested_kernel
def make_candidate(states: PublicStates, frames: Frames, depth: int) -> None:
    """Fill the candidate's row: add the nodes that its action reaches to the sets."""
    base = base_row(frames, depth)
    copy_row(frames, depth, base)
    state = frames.state[depth]
    first_cell = states.first_cell[state]
    origin = states.first_node[first_cell]
    cell = first_cell + frames.cell[depth, frames.level[depth]]
    for node in range(states.first_node[cell], states.first_node[cell + 1]):
        if has_bit(frames.nodes[depth], node - origin):
            move = states.first_move[node] + frames.candidate[depth]
            frames.total[depth, base + 1] += states.gain[move]
            # The reached nodes enlarge the sets of successors. The value of an enlarged set is not
            # known, so its successor is open; the old value plus the bounds of the new nodes is an
            # upper bound.
            for way in range(states.first_way[move], states.first_way[move + 1]):
                successor = states.successor[way]
                upper = states.upper[next_node(states, state, way)]
                put_bit(frames.sets[depth, base + 1, successor], states.place[way])
                frames.is_open[depth, successor] = True
                frames.value[depth, base + 1, successor] += upper
                frames.total[depth, base + 1] += upper


@inner_kernel
def copy_row(frames: Frames, depth: int, row: int) -> None:
    """Copy a row to the next one."""
    frames.total[depth, row + 1] = frames.total[depth, row]
    for successor in range(frames.num_successors[depth]):
        frames.value[depth, row + 1, successor] = frames.value[depth, row, successor]
        # Row k + 1 differs from row k only by the candidate, so it starts as a copy.
        for word in range(frames.nodes.shape[1]):
            frames.sets[depth, row + 1, successor, word] = frames.sets[depth, row, successor, word]


@inner_kernel
def base_row(frames: Frames, depth: int) -> int:
    """Return the row that a candidate extends: row 0 while cells are tried alone."""
    return 0 if frames.is_trying[depth] else int(frames.level[depth])


@inner_kernel
def hope(frames: Frames, depth: int) -> float:
    """Return an upper bound on the total value with the candidate."""
    row = base_row(frames, depth) + 1
    return float(frames.total[depth, row] + frames.rest[depth, row])


@inner_kernel
def has_bit(nodes: NDArray[np.uint64], place: int) -> bool:
    """Return whether a set contains a node."""
    # Word `place // 64`, bit `place % 64`.
    return bool(nodes[place >> 6] >> np.uint64(place & LOW_BITS) & ONE)


@inner_kernel
def put_bit(nodes: NDArray[np.uint64], place: int) -> None:
    """Add a node to a set, in place."""
    nodes[place >> 6] |= ONE << np.uint64(place & LOW_BITS)


@bare_kernel
def search(
    states: PublicStates,
    memo: Memo,
    frames: Frames,
    root: int,
    nodes: NDArray[np.uint64],
    tolerance: float,
    max_states: int,
    max_steps: int,
) -> int:
    """Advance a search until it is done, or for some states or steps; return the number of steps.

    `memo` and `frames` are modified in place; `frames.depth` is -1 when the search is done. An
    incumbent is replaced only by a value that is larger by more than `tolerance`.

    root, nodes : the state at which a search begins if the stack is empty.
    """
    if frames.depth[0] < 0:
        open_frame(states, frames, root, nodes, -np.inf)
    steps = 0
    while frames.depth[0] >= 0 and steps < max_steps and memo.num_filled[0] < max_states:
        steps += 1
        depth = frames.depth[0]
        # Down: evaluate an open successor, from the memo or in a new frame. Across: without open
        # successors, prepare the next candidate. Up: without candidates, close the frame.
        successor = open_successor(frames, depth)
        if successor >= 0:
            ask(states, memo, frames, successor)
        elif not next_candidate(states, frames, depth, tolerance):
            close(memo, frames)
    return steps


@inner_kernel
def open_successor(frames: Frames, depth: int) -> int:
    """Return a successor whose set has no value yet; -1 if there is none or it cannot matter."""
    is_hopeless = hope(frames, depth) <= frames.need[depth] and not frames.is_trying[depth]
    for successor in range(frames.num_successors[depth]):
        if frames.is_open[depth, successor]:
            if not is_hopeless:
                return successor
            # The bound prunes the candidate, so its remaining sets need no values.
            frames.is_open[depth, successor] = False
    return -1


@inner_kernel
def ask(states: PublicStates, memo: Memo, frames: Frames, successor: int) -> None:
    """Evaluate the set of a successor: from the memo if that suffices, otherwise in a new frame."""
    depth = frames.depth[0]
    row = base_row(frames, depth) + 1
    state = states.next_state[states.first_successor[frames.state[depth]] + successor]
    nodes = frames.sets[depth, row, successor]
    guess = frames.value[depth, row, successor]
    # Values of stage 1 must be exact. In stage 2 a value matters only if the total bound, with this
    # value in place of `guess`, exceeds `need` of the frame.
    need = -np.inf if frames.is_trying[depth] else frames.need[depth] - hope(frames, depth) + guess
    entry = find_row(memo, state, nodes)
    if memo.state[entry] < 0:
        add_row(memo, entry, state, nodes, guess)
    if memo.is_exact[entry] or memo.upper[entry] <= need:
        answer(frames, depth, memo.upper[entry] if memo.is_exact[entry] else -np.inf)
    else:
        open_frame(states, frames, state, nodes, need)


@inner_kernel
def answer(frames: Frames, depth: int, value: float) -> None:
    """Record the value of the set of the first open successor; -inf if it cannot matter."""
    row = base_row(frames, depth) + 1
    successor = 0
    # Successors are evaluated in order, one at a time: the value is that of the first open one.
    while not frames.is_open[depth, successor]:
        successor += 1
    # The value replaces the bound of the set. -inf rejects the candidate: it cannot exceed `need`,
    # whatever its exact value is.
    frames.total[depth, row] += value - frames.value[depth, row, successor]
    frames.value[depth, row, successor] = value
    frames.is_open[depth, successor] = False


@inner_kernel
def close(memo: Memo, frames: Frames) -> None:
    """Store the result of the active frame in the memo, and pop it."""
    depth = frames.depth[0]
    row = find_row(memo, frames.state[depth], frames.nodes[depth])
    # Only a root may be missing from the memo: `ask` adds other states before their frames open.
    if memo.state[row] < 0:
        add_row(memo, row, frames.state[depth], frames.nodes[depth], frames.best[depth])
    if frames.best[depth] > -np.inf:
        memo.upper[row] = frames.best[depth]
        memo.is_exact[row] = True
        for cell in range(memo.choice.shape[1]):
            memo.choice[row, cell] = frames.choice[depth, cell]
    else:
        # No value exceeds `need`, which is therefore an upper bound.
        memo.upper[row] = frames.need[depth]
    frames.depth[0] = depth - 1
    if depth > 0:
        answer(frames, depth - 1, frames.best[depth])
