"""Branch and bound for the optimum of a team and a policy that achieves it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from infoset.teams.exact._search_kernels import move_rows, row_of, search
from infoset.teams.exact.frames import Frames, Memo, empty_frames, empty_memo
from infoset.teams.exact.public_states import PublicStates, list_public_states, number_within
from infoset.teams.exact.team_problem import NO_CHOICE, TeamTree
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.clocks import working_seconds
from infoset.utils.interrupts import interrupts_held
from infoset.utils.ragged import edges_in_order

MIN_ROWS = 1 << 12
STEPS_AT_ONCE = 1 << 16


@dataclass
class Search:
    """A branch and bound that can be interrupted and resumed; it solves one root after another."""

    tree: TeamTree
    """The tree, with nodes sorted by public state and cell."""
    component: LongArray
    """[N] the public state of each node."""
    local_cell: LongArray
    """[N] the number of each node's cell within its public state, from 0."""
    state: LongArray
    """[components] index of each public state in `states`."""
    states: PublicStates
    roots: LongArray
    """The components in which play begins. The search of the first `num_begun` has begun."""
    lower: FloatArray
    upper: FloatArray
    """[roots] the best value found, -inf if none, and an upper bound."""
    memo: Memo
    frames: Frames
    num_begun: int = 0
    num_steps: int = 0

    @property
    def is_done(self) -> bool:
        """Whether the optimum is known."""
        return self.num_begun == len(self.roots) and self.frames.depth[0] < 0

    @property
    def num_states(self) -> int:
        """Number of states that the search has visited."""
        return int(self.memo.num_filled[0])

    def run(self, max_states: int, until: float = inf, max_steps: float = inf) -> None:
        """Search until the optimum is known, or a limit on states, time or steps is reached."""
        while not self.is_done and self.num_states < max_states and self.num_steps < max_steps:
            if working_seconds() >= until:
                return
            with interrupts_held():
                self._advance(max_states)

    def _advance(self, max_states: int) -> None:
        if self.frames.depth[0] < 0:
            self.num_begun += 1
        root, frames = self.num_begun - 1, self.frames
        if self.num_states >= self._max_rows:
            self._grow()
        rows = min(max_states, self._max_rows)
        self.num_steps += search(
            self.states,
            self.memo,
            frames,
            *self._place(self._root_nodes(root)),
            self.tree.tolerance,
            rows,
            STEPS_AT_ONCE,
        )
        self.lower[root] = frames.best[0]
        if frames.depth[0] < 0:
            self.upper[root] = frames.best[0]
        elif not frames.is_trying[0]:
            # What is neither the incumbent nor pruned continues with an open action of some level.
            levels = range(frames.level[0] + 1)
            open_bounds = [frames.bound[0, i, : frames.num_actions[0, i]].max() for i in levels]
            self.upper[root] = max(frames.best[0], *open_bounds)

    @property
    def _max_rows(self) -> int:
        """Number of rows of the memo that may be filled: three in four, for short look-ups."""
        return len(self.memo.state) * 3 // 4

    def write_picks(self, root: int, pick: LongArray) -> None:
        """Write the actions that achieve `lower[root]` into `pick` [cells], in place.

        Cells that play does not reach are left unchanged.
        """
        nodes = self._root_nodes(root)
        # The root in progress has its best actions in frame 0, others in the memo.
        is_at_work = root == self.num_begun - 1 and self.frames.depth[0] >= 0
        choice = self.frames.choice[0] if is_at_work else self._known_choice(nodes)
        waiting = self._play(nodes, choice, pick)
        while waiting:
            nodes = waiting.pop()
            waiting += self._play(nodes, self._known_choice(nodes), pick)

    def _known_choice(self, nodes: LongArray) -> IntArray:
        """Return the optimal action at each cell of a public state for a set of its nodes."""
        choice: IntArray = self.memo.choice[row_of(self.memo, *self._place(nodes))]
        return choice

    def _play(
        self, nodes: LongArray, choice: IntArray | LongArray, pick: LongArray
    ) -> list[LongArray]:
        """Write the actions at nodes of one public state; return the next nodes, by state."""
        tree = self.tree
        action = choice[self.local_cell[nodes]]
        is_own = tree.cell[nodes] != NO_CHOICE
        pick[tree.cell[nodes[is_own]]] = action[is_own]
        chosen = tree.first_edge[nodes[is_own]] + action[is_own]
        forced = edges_in_order(tree.first_edge, nodes[~is_own])[0]
        # Numbers of nodes are in order of public states, so each state is a run of sorted nodes.
        child = np.sort(tree.child[np.concatenate([chosen, forced])])
        child = child[child >= 0]
        parts = np.split(child, np.flatnonzero(np.diff(self.component[child])) + 1)
        return parts if len(child) else []

    def _root_nodes(self, root: int) -> LongArray:
        return np.flatnonzero(self.component == self.roots[root])

    def _grow(self) -> None:
        rows, words = self.memo.nodes.shape
        larger = empty_memo(2 * rows, words, self.memo.choice.shape[1])
        move_rows(self.memo, larger)
        self.memo = larger

    def _place(self, nodes: LongArray) -> tuple[int, NDArray[np.uint64]]:
        """Return the state and the bits of a set of nodes of one public state."""
        component = int(self.component[nodes[0]])
        # Nodes are sorted by public state: subtract the first one of the state.
        place = nodes - np.searchsorted(self.component, component)
        bits = np.zeros(self.memo.nodes.shape[1], np.uint64)
        # Several nodes share a word, which plain indexing would write only once.
        np.bitwise_or.at(bits, place // 64, np.uint64(1) << (place % 64).astype(np.uint64))
        return int(self.state[component]), bits


def begin_search(
    tree: TeamTree, component: LongArray, upper: FloatArray, until: float = inf
) -> Search:
    """Return a search before its first step.

    Parameters
    ----------
    tree
        The tree, with padded stages and sorted nodes.
    component
        [N] the public state of each node.
    upper
        [N] upper bound on the team's expected payoff below each node.
    until
        Time limit of the construction, on the clock of `working_seconds()`.

    Raises
    ------
    GameTooLargeError
        If the search would not fit in memory.
    OutOfTimeError
        If the time limit is reached.
    """
    states, state = list_public_states(tree, component, upper, until)
    is_root = tree.parent_edge < 0
    roots = np.unique(component[is_root])
    root_upper = np.zeros(len(roots))
    # A public state may contain several roots; their gains include chance, so bounds add up.
    np.add.at(root_upper, np.searchsorted(roots, component[is_root]), upper[is_root])
    # State → first cell → first node: the number of nodes of each state.
    num_nodes = np.diff(states.first_node[states.first_cell])
    num_words = 1 + int(num_nodes.max() - 1) // 64
    # Each step down enters the next stage, so there is at most one frame per stage.
    frames = empty_frames(states, len(tree.first_node) - 1, num_words)
    return Search(
        tree=tree,
        component=component,
        local_cell=number_within(component, tree.cell),
        state=state,
        states=states,
        roots=roots,
        lower=np.full(len(roots), -np.inf),
        upper=root_upper,
        memo=empty_memo(MIN_ROWS, num_words, frames.choice.shape[1]),
        frames=frames,
    )
