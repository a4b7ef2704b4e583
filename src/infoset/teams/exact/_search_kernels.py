"""Kernels of the search for what a team can win: branch and bound over public states.

A state of the search is a public state and a set of its nodes. To win the most there, each cell
gets an action, one by one; a set of nodes in each public state that may come next grows with every
action. What can be won in a union of sets is at most the sum of what can be won in each; so what
the first cells have come to, and what each of the others would win by itself, bound the whole.
"""

from __future__ import annotations

import numpy as np

from infoset.teams.exact._frame_kernels import base_row, hope, next_candidate, open_frame
from infoset.teams.exact._memo_kernels import add_row, find_row
from infoset.teams.exact.frames import Frames
from infoset.teams.exact.memo import Memo
from infoset.teams.exact.public_states import PublicStates
from infoset.utils.compilation import bare_kernel, inner_kernel


@bare_kernel
def search(
    states: PublicStates,
    memo: Memo,
    frames: Frames,
    tolerance: float,
    max_states: int,
    max_steps: int,
) -> int:
    """Go on with a search until it is done, some states are met or some steps over.

    `memo` and `frames` are modified in place; `frames.depth` is -1 when it is done. What is less
    than `tolerance` better is no better. Returns the number of steps.
    """
    steps = 0
    while frames.depth[0] >= 0 and steps < max_steps and memo.num_filled[0] < max_states:
        steps += 1
        depth = frames.depth[0]
        successor = open_successor(frames, depth)
        if successor >= 0:
            ask(states, memo, frames, successor)
        elif not next_candidate(states, frames, depth, tolerance):
            close(memo, frames)
    return steps


@inner_kernel
def open_successor(frames: Frames, depth: int) -> int:
    """Return a successor whose set is to be valued yet; -1 for none, or if it does not matter."""
    is_hopeless = hope(frames, depth) <= frames.need[depth] and not frames.is_trying[depth]
    for successor in range(frames.num_successors[depth]):
        if frames.is_open[depth, successor]:
            if not is_hopeless:
                return successor
            frames.is_open[depth, successor] = False
    return -1


@inner_kernel
def ask(states: PublicStates, memo: Memo, frames: Frames, successor: int) -> None:
    """Value the set in a successor: by the memo if it knows enough, else by a frame below."""
    depth = frames.depth[0]
    row = base_row(frames, depth) + 1
    state = states.next_state[states.first_successor[frames.state[depth]] + successor]
    nodes = frames.sets[depth, row, successor]
    guess = frames.value[depth, row, successor]
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
    """Note what can be won with the set in the first open successor; -inf if it does not matter."""
    row = base_row(frames, depth) + 1
    successor = 0
    while not frames.is_open[depth, successor]:
        successor += 1
    frames.total[depth, row] += value - frames.value[depth, row, successor]
    frames.value[depth, row, successor] = value
    frames.is_open[depth, successor] = False


@inner_kernel
def close(memo: Memo, frames: Frames) -> None:
    """Note what was found at the frame at work, and go back to the one above."""
    depth = frames.depth[0]
    row = find_row(memo, frames.state[depth], frames.nodes[depth])
    if memo.state[row] < 0:
        add_row(memo, row, frames.state[depth], frames.nodes[depth], frames.best[depth])
    if frames.best[depth] > -np.inf:
        memo.upper[row] = frames.best[depth]
        memo.is_exact[row] = True
        for cell in range(memo.choice.shape[1]):
            memo.choice[row, cell] = frames.choice[depth, cell]
    else:
        memo.upper[row] = frames.need[depth]
    frames.depth[0] = depth - 1
    if depth > 0:
        answer(frames, depth - 1, frames.best[depth])
