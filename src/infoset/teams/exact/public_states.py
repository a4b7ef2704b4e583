"""Public states, which represent the common knowledge of a team, and the moves at them."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from infoset.teams.exact.team_problem import NO_CHOICE, TeamTree, stages
from infoset.typing import FloatArray, LongArray
from infoset.utils.clocks import working_seconds
from infoset.utils.ragged import offsets
from infoset.utils.sorting import number_by_appearance

STATES_BETWEEN_CLOCK_CHECKS = 256


def find_components(tree: TeamTree) -> LongArray:
    """Return [N] the public state of each node, numbered by stage and then by first appearance.

    Two nodes of a stage are in one public state if they are connected by a chain of nodes in which
    neighbors share a cell or lead to a common public state at the next stage.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    component = np.empty(len(tree.cell), np.int64)
    node_of_edge = tree.node_of_edge
    # Backward, so that the public states of the children are known.
    for nodes in reversed(list(stages(tree))):
        edges = np.arange(tree.first_edge[nodes.start], tree.first_edge[nodes.stop])
        inner = edges[tree.child[edges] >= 0]
        known = np.flatnonzero(tree.cell[nodes] != NO_CHOICE)
        after = component[tree.child[inner]]
        # A link is a public state of the next stage or, numbered after these, a cell.
        link = np.concatenate([after, tree.cell[nodes][known] + after.max(initial=-1) + 1])
        link = np.unique(link, return_inverse=True)[1]
        row = np.concatenate([node_of_edge[inner] - nodes.start, known])
        size = nodes.stop - nodes.start
        total = size + link.max(initial=-1) + 1
        # A bipartite graph: the nodes of the stage, and after them their links.
        graph = coo_array((np.ones(len(row)), (row, size + link)), shape=(total, total))
        component[nodes] = connected_components(graph, directed=False)[1][:size]
    # Components are numbered within their stage; the factor makes numbers differ by stage.
    return number_by_appearance(component + tree.stage * len(component)).astype(np.int64)


def sort_nodes(tree: TeamTree, component: LongArray) -> LongArray:
    """Return [N] the nodes, sorted by public state and then by first appearance of their cells."""
    # Sorted, because `number_within` requires it; `lexsort` sorts by its last key first.
    by_component = np.argsort(component, kind="stable")
    cell = number_within(component[by_component], tree.cell[by_component])
    return by_component[np.lexsort((cell, component[by_component]))]


def number_within(group: LongArray, value: LongArray) -> LongArray:
    """Return values numbered by first appearance within each group; `group` must be sorted.

    Examples
    --------
    >>> number_within(np.array([0, 0, 0, 1, 1]), np.array([5, 3, 5, 3, 5])).tolist()
    [0, 1, 0, 0, 1]
    """
    if not len(value):
        return value
    # One number per pair of group and value; values begin at 0, so that pairs do not collide.
    shifted = value - value.min()
    number = number_by_appearance(group * (shifted.max() + 1) + shifted).astype(np.int64)
    # The first member of a group has its smallest number.
    return number - number[np.searchsorted(group, group)]


class PublicStates(NamedTuple):
    """The distinct public states: P states, N nodes in them, M moves, C continuations.

    A move is an action at a node. A node without a choice has one move, which contains all its
    edges. A continuation is an edge of a move that does not end play. Public states with the same
    content are stored once.
    """

    first_cell: LongArray
    """[P + 1] the cells of each state, in which all nodes without a choice form one cell."""
    first_node: LongArray
    """[number of cells + 1] the nodes of each cell."""
    first_successor: LongArray
    """[P + 1] the position in `next_state` at which the successors of each state begin."""
    next_state: LongArray
    """The public states that may come next, called successors; several of them may be the same
    stored state."""
    upper: FloatArray
    """[N] upper bound on the team's expected payoff below a node."""
    first_move: LongArray
    """[N + 1] the moves of each node."""
    gain: FloatArray
    """[M] the team's expected payoff where play ends with the move."""
    first_way: LongArray
    """[M + 1] the continuations of each move."""
    successor: LongArray
    """[C] the number, among the successors of the state, of the one that a continuation leads to.
    """
    place: LongArray
    """[C] the number, within that successor, of the node that the continuation leads to."""


class OutOfTimeError(Exception):
    """The time limit was reached before the search could begin; never raised to a user."""


def list_public_states(
    tree: TeamTree, component: LongArray, upper: FloatArray, until: float = inf
) -> tuple[PublicStates, LongArray]:
    """Return the distinct public states, and the state of each component.

    Parameters
    ----------
    tree
        The tree, with padded stages and sorted nodes.
    component
        [N] the public state of each node.
    upper
        [N] upper bounds, as in `PublicStates`.
    until
        Time limit, on the clock of `working_seconds()`.

    Returns
    -------
    tuple[PublicStates, LongArray]
        The states, and [number of components] the number of each component's state.

    Raises
    ------
    OutOfTimeError
        If the time limit is reached.
    """
    whole, begins = _cut(tree, component, upper)
    numbers: dict[tuple[bytes, ...], int] = {}
    state = np.empty(component[-1] + 1, np.int64)
    pieces: list[_Piece] = []
    # From the last one, so that successors already have the numbers of their stored states.
    for number in reversed(range(len(state))):
        is_checked = until < inf and number % STATES_BETWEEN_CLOCK_CHECKS == 0
        if is_checked and working_seconds() >= until:
            raise OutOfTimeError
        piece = whole.part(begins, number)
        piece = piece._replace(next_component=state[piece.next_component])
        # Equal arrays, with equal stored successors, mean equal states and equal values below.
        key = tuple(array.tobytes() for array in piece)
        state[number] = numbers.setdefault(key, len(numbers))
        # The key is new.
        if len(pieces) < len(numbers):
            pieces.append(piece)
    return _put_together(pieces), state


class _Piece(NamedTuple):
    """One or several public states: the arrays of `PublicStates`, with sizes instead of offsets.

    `next_component` is replaced by `next_state` when the states have numbers.
    """

    cell_size: LongArray
    upper: FloatArray
    num_moves: LongArray
    gain: FloatArray
    num_ways: LongArray
    successor: LongArray
    place: LongArray
    next_component: LongArray

    def part(self, begins: _Begins, number: int) -> _Piece:
        """Return the arrays of one of the states."""
        cell, node, move, way, successor = (slice(*first[number : number + 2]) for first in begins)
        return _Piece(
            cell_size=self.cell_size[cell],
            upper=self.upper[node],
            num_moves=self.num_moves[node],
            gain=self.gain[move],
            num_ways=self.num_ways[move],
            successor=self.successor[way],
            place=self.place[way],
            next_component=self.next_component[successor],
        )


class _Begins(NamedTuple):
    """[states + 1] offsets of each state in the arrays of a `_Piece`."""

    cell: LongArray
    node: LongArray
    move: LongArray
    way: LongArray
    successor: LongArray


def _cut(tree: TeamTree, component: LongArray, upper: FloatArray) -> tuple[_Piece, _Begins]:
    """Return all components as one `_Piece`, and the offsets of each component."""
    states = np.arange(component[-1] + 2)
    first_node = np.searchsorted(component, states)
    cell = number_within(component, tree.cell)
    # Nodes are sorted by state and cell: a cell begins where one of the two numbers rises.
    begins_cell = np.append(True, (np.diff(component) > 0) | (np.diff(cell) > 0))
    first = np.append(np.flatnonzero(begins_cell), len(cell))
    node = tree.node_of_edge
    # With a choice, each edge is a move; without one, all edges of the node are one move.
    begins_move = tree.cell[node] != NO_CHOICE
    begins_move[tree.first_edge[:-1]] = True
    move = np.cumsum(begins_move) - 1
    way = np.flatnonzero(tree.child >= 0)
    before, after = component[node[way]], component[tree.child[way]]
    successor = number_within(before, after)
    # The first continuation to each successor, as one number per pair of state and successor.
    begins_successor = np.unique(before * (len(successor) + 1) + successor, return_index=True)[1]
    whole = _Piece(
        cell_size=np.diff(first),
        upper=upper,
        num_moves=np.bincount(node, begins_move).astype(np.int64),
        gain=np.bincount(move, tree.gain).astype(np.float64),
        num_ways=np.bincount(move[way], minlength=int(move[-1]) + 1),
        successor=successor,
        place=tree.child[way] - first_node[after],
        next_component=after[begins_successor],
    )
    # Offsets by state: each column is sorted by state, so `searchsorted` finds its first entry.
    begins = _Begins(
        cell=np.searchsorted(first[:-1], first_node),
        node=first_node,
        move=np.searchsorted(node[begins_move], first_node),
        way=np.searchsorted(node[way], first_node),
        successor=np.searchsorted(before[begins_successor], states),
    )
    return whole, begins


def _put_together(pieces: list[_Piece]) -> PublicStates:
    columns = _Piece(*map(np.concatenate, zip(*pieces, strict=True)))
    return PublicStates(
        first_cell=offsets(np.array([len(piece.cell_size) for piece in pieces])),
        first_node=offsets(columns.cell_size),
        first_successor=offsets(np.array([len(piece.next_component) for piece in pieces])),
        next_state=columns.next_component,
        upper=columns.upper,
        first_move=offsets(columns.num_moves),
        gain=columns.gain,
        first_way=offsets(columns.num_ways),
        successor=columns.successor,
        place=columns.place,
    )
