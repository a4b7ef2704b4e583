"""From histories to nodes: one tree of plays for each outcome of chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.teams.product_form.chance import ChanceOutcomes, extend_rows
from infoset.teams.product_form.histories import Histories
from infoset.teams.product_form.ragged import offsets, spread
from infoset.typing import BoolArray, IntArray, LongArray

__all__ = ["Nodes", "Plays", "make_nodes", "unfold"]


class Plays(NamedTuple):
    """The histories that are possible with each outcome of chance: R rows, W of them roots.

    Attributes
    ----------
    outcome, history : LongArray
        [R] what a row is of; parents before children, roots in order of outcomes.
    first_row : LongArray
        [R + 1] the rows after r, one for each joint action, are `first_row[r]:first_row[r + 1]`.
    """

    outcome: LongArray
    history: LongArray
    first_row: LongArray

    @property
    def num_roots(self) -> int:
        """Number W of roots."""
        return int(self.first_row[0])

    @property
    def is_over(self) -> BoolArray:
        """[R] whether play is over."""
        over: BoolArray = self.first_row[1:] == self.first_row[:-1]
        return over


class Nodes(NamedTuple):
    """The N nodes of all plays, in the order of rows, and their E edges.

    Attributes
    ----------
    row, agent : LongArray
        [N] the row of plays that a node is of, and who acts.
    action_set : IntArray
        [N] index of its actions; one beyond all others where the agent only waits.
    first_edge : LongArray
        [N + 1]
    child : LongArray
        [E] the next node; -1 where play ends.
    last_row : LongArray
        [E] the row in which play is over, or goes on.
    """

    row: LongArray
    agent: LongArray
    action_set: IntArray
    first_edge: LongArray
    child: LongArray
    last_row: LongArray


class Turns(NamedTuple):
    """Who acts in which row: T turns, by row and then by agent.

    Attributes
    ----------
    row, agent, action_set, num_actions : LongArray
        [T]
    first_node : LongArray
        [T + 1] an agent has a node for each choice of those who act in its row before it.
    """

    row: LongArray
    agent: LongArray
    action_set: IntArray
    num_actions: LongArray
    first_node: LongArray


def unfold(histories: Histories, outcomes: ChanceOutcomes, max_nodes: int) -> Plays:
    """Return all plays, level by level.

    Raises
    ------
    GameTooLargeError
        If the rows come to more than `max_nodes`; there are no more nodes than rows.
    """
    outcome = np.arange(len(outcomes.probability))
    history, num_draws = np.zeros_like(outcome), np.zeros_like(outcome)
    levels: list[tuple[LongArray, LongArray]] = []
    is_drawn = histories.is_drawn
    size = 0
    while len(outcome):
        levels.append((outcome, history))
        size += len(outcome)
        _check_size(size, max_nodes)
        group, row = extend_rows(histories, history)
        outcome, draw_index = outcome[row], num_draws[row]
        history = histories.first_child[group]
        drawn = np.flatnonzero(is_drawn[group])
        draw = outcomes.draws[outcome[drawn], draw_index[drawn]]
        history[drawn] = histories.choose(group[drawn], draw)
        num_draws = draw_index + is_drawn[group]
    outcome, history = (np.concatenate(column) for column in zip(*levels, strict=True))
    first_row = len(levels[0][0]) + offsets(histories.num_groups[history])
    return Plays(outcome, history, first_row)


def make_nodes(histories: Histories, plays: Plays) -> Nodes:
    """Return the nodes of plays: agents who act at once choose one after another.

    Where chance ends the play before anybody acts, agent 0 has one action, which is to wait.
    """
    stop = _stops(histories, plays)
    turns = _turns(histories, plays, stop)
    turn, way = spread(np.diff(turns.first_node))
    size = turns.num_actions[turn]
    node, action = spread(size)
    next_way = (way * size)[node] + action
    child = turns.first_node[turn + 1][node] + next_way
    last_row = turns.row[turn][node]
    is_last = np.append(np.diff(turns.row) > 0, True)[turn]
    last = np.flatnonzero(is_last[node])
    last_row[last] = stop[plays.first_row[last_row[last]] + next_way[last]]
    child[last] = _first_nodes(plays, turns)[last_row[last]]
    return Nodes(
        row=turns.row[turn],
        agent=turns.agent[turn],
        action_set=turns.action_set[turn],
        first_edge=offsets(size),
        child=child,
        last_row=last_row,
    )


def _stops(histories: Histories, plays: Plays) -> LongArray:
    """Return [R] the first row from each on where somebody acts or play is over."""
    acts = histories.action_set.max(axis=1)[plays.history] >= 0
    passes: BoolArray = ~acts & ~plays.is_over
    stop = np.where(passes, plays.first_row[:-1], np.arange(len(passes)))
    while passes[stop].any():
        stop = stop[stop]
    return stop


def _turns(histories: Histories, plays: Plays, stop: LongArray) -> Turns:
    """Return the turns; `stop` [R] tells the outcomes after which nobody acts."""
    action_set = histories.action_set[plays.history]
    is_over = plays.is_over
    waits = np.flatnonzero(is_over[stop[: plays.num_roots]])
    action_set[waits, 0] = len(histories.action_sets)
    sizes = np.array([*map(len, histories.action_sets), 1, 0], np.int64)[action_set]
    acts = action_set >= 0
    ways = np.cumprod(np.maximum(sizes, 1), axis=1)
    before = np.column_stack([np.ones(len(ways), np.int64), ways[:, :-1]])
    row, agent = np.nonzero(acts)
    return Turns(row, agent, action_set[acts], sizes[acts], offsets(before[acts]))


def _first_nodes(plays: Plays, turns: Turns) -> LongArray:
    """Return [R] the first node of each row where somebody acts; -1 where play is over."""
    first = turns.first_node[np.searchsorted(turns.row, np.arange(len(plays.history)))]
    return np.where(plays.is_over, -1, first)


def _check_size(size: int, max_nodes: int) -> None:
    if size > max_nodes:
        raise GameTooLargeError(
            f"the product form would have more than {max_nodes} histories over all outcomes of "
            "chance; give a smaller game, or a larger max_nodes",
            {"histories": size},
        )
