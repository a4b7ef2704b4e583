"""Product forms built from the rules of a game, its tree or an extensive form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.efg import ExtensiveForm
from infoset.errors import GameTooLargeError, UnsupportedGameError
from infoset.game import Game
from infoset.game.player_names import shown_names
from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.chance_outcomes import (
    ChanceOutcomes,
    OutcomeNames,
    draw_all,
    extend_rows,
)
from infoset.teams.product_form.form import ProductForm, Source
from infoset.teams.product_form.histories import (
    Histories,
    histories_of_form,
    histories_of_tree,
    private_signals,
)
from infoset.tree import GameTree, build_tree
from infoset.typing import NOOP, BoolArray, IntArray, LongArray
from infoset.utils.arguments import check_count, check_type
from infoset.utils.ragged import edges_in_order, offsets, spread
from infoset.utils.sorting import number_by_appearance


class Plays(NamedTuple):
    """The possible histories under each outcome of chance: R rows, of which W are roots."""

    outcome: LongArray
    history: LongArray
    """[R] the outcome and the history of each row. Parents come before children, and roots are in
    order of outcomes."""
    first_row: LongArray
    """[R + 1] the children of row r, one per joint action, are the rows `first_row[r]:first_row[r +
    1]`."""

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
    """The N nodes of all plays, in order of rows, and their E edges."""

    row: LongArray
    agent: LongArray
    """[N] the row in `Plays`, and the acting agent."""
    action_set: IntArray
    """[N] index of the list of actions; one past the last list where an agent only waits."""
    first_edge: LongArray
    """[N + 1] the edges of each node."""
    child: LongArray
    """[E] the next node; -1 where play ends."""
    last_row: LongArray
    """[E] the row where play continues or ends after the edge; the same row as before it if another
    agent acts there next."""


class Turns(NamedTuple):
    """Pairs of a row and an agent who acts there: T turns, sorted by row and then by agent."""

    row: LongArray
    agent: LongArray
    action_set: IntArray
    num_actions: LongArray
    """[T]"""
    first_node: LongArray
    """[T + 1] the nodes of each turn: one for each combination of actions of the agents who act
    before it in the same row."""


def unfold(histories: Histories, outcomes: ChanceOutcomes, max_nodes: int) -> Plays:
    """Return all plays, level by level.

    Raises
    ------
    GameTooLargeError
        If there are more than `max_nodes` rows.
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
        # The only child, except where chance draws: there the draw of the outcome decides.
        history = histories.first_child[group]
        drawn = np.flatnonzero(is_drawn[group])
        draw = outcomes.draws[outcome[drawn], draw_index[drawn]]
        history[drawn] = histories.choose(group[drawn], draw)
        # The k-th draw on a path, whatever the history, uses the k-th number of the outcome.
        num_draws = draw_index + is_drawn[group]
    outcome, history = (np.concatenate(column) for column in zip(*levels, strict=True))
    # Rows are listed by level, so the children of row 0 follow the roots.
    first_row = len(levels[0][0]) + offsets(histories.num_groups[history])
    return Plays(outcome, history, first_row)


def make_nodes(histories: Histories, plays: Plays) -> Nodes:
    """Return the nodes of plays; agents who act simultaneously choose one after another.

    Where chance ends the play before anybody acts, agent 0 gets a node with a single action, which
    does nothing.
    """
    stop = _stops(histories, plays)
    turns = _turns(histories, plays, stop)
    turn, way = spread(np.diff(turns.first_node))
    size = turns.num_actions[turn]
    node, action = spread(size)
    # Combinations of actions are numbered as in a positional system, the last agent's fastest.
    next_way = (way * size)[node] + action
    # The next agent of the row has one node for each combination.
    child = turns.first_node[turn + 1][node] + next_way
    last_row = turns.row[turn][node]
    is_last = np.append(np.diff(turns.row) > 0, True)[turn]
    # After the last agent, the combination is a joint action, which selects the next row.
    last = np.flatnonzero(is_last[node])
    last_row[last] = stop[plays.first_row[last_row[last]] + next_way[last]]
    # Play continues at the first turn of that row; -1 where play is over.
    first = turns.first_node[np.searchsorted(turns.row, np.arange(len(plays.history)))]
    child[last] = np.where(plays.is_over, -1, first)[last_row[last]]
    return Nodes(
        row=turns.row[turn],
        agent=turns.agent[turn],
        action_set=turns.action_set[turn],
        first_edge=offsets(size),
        child=child,
        last_row=last_row,
    )


def _stops(histories: Histories, plays: Plays) -> LongArray:
    """Return [R] the first row, from each row on, where an agent acts or play is over."""
    acts = histories.action_set.max(axis=1)[plays.history] >= 0
    passes: BoolArray = ~acts & ~plays.is_over
    stop = np.where(passes, plays.first_row[:-1], np.arange(len(passes)))
    # Pointer doubling: each pass doubles the number of rows that are skipped.
    while passes[stop].any():
        stop = stop[stop]
    return stop


def _turns(histories: Histories, plays: Plays, stop: LongArray) -> Turns:
    """Return the turns; `stop` [R] shows under which outcomes nobody acts."""
    action_set = histories.action_set[plays.history]
    is_over = plays.is_over
    waits = np.flatnonzero(is_over[stop[: plays.num_roots]])
    action_set[waits, 0] = len(histories.action_sets)
    # One action where an agent waits; -1, where it does not act, finds the last entry, 0.
    sizes = np.array([*map(len, histories.action_sets), 1, 0], np.int64)[action_set]
    acts = action_set >= 0
    ways = np.cumprod(np.maximum(sizes, 1), axis=1)
    # Number of combinations of the agents with smaller numbers, who choose first.
    before = np.column_stack([np.ones(len(ways), np.int64), ways[:, :-1]])
    row, agent = np.nonzero(acts)
    return Turns(row, agent, action_set[acts], sizes[acts], offsets(before[acts]))


def _check_size(size: int, max_nodes: int) -> None:
    if size > max_nodes:
        raise GameTooLargeError(
            f"the product form would have more than {max_nodes} histories over all outcomes of "
            "chance; use a smaller game, or give a larger max_nodes",
            {"histories": size},
        )


def stage_of_cells(
    cell: LongArray | IntArray, parent: LongArray, max_stages: int, name: str
) -> LongArray:
    """Return [M] the stage of each cell, from 0: the first one after all cells that may precede it.

    If the number of actions before a cell is the same in all plays, that number is its stage.

    Parameters
    ----------
    cell : IntArray
        [N] cell of each node, from 0 to M - 1.
    parent
        [N] the parent of each node; -1 at roots.
    name
        Name of the game.

    Raises
    ------
    UnsupportedGameError
        If there are more than `max_stages` stages, or stages cannot be ordered because one cell may
        come both before and after another.
    """
    stage = np.zeros(int(cell.max()) + 1, np.int64)
    inner = np.flatnonzero(parent >= 0)
    before, after = cell[parent[inner]], cell[inner]
    for _ in range(max_stages):
        # Longest paths between cells, one step more in each pass (Bellman and Ford).
        earliest = np.zeros_like(stage)
        np.maximum.at(earliest, after, stage[before] + 1)
        if (earliest == stage).all():
            return stage
        stage = earliest
    raise UnsupportedGameError(
        f"{name} has more than {max_stages} stages, or no stages at all: no information set may "
        "come both before and after another one, because agents must know the stage; use a game "
        "in which players know how much time has passed, or give a larger max_stages"
    )


class Layout(NamedTuple):
    """Information and order of the nodes, which are numbered here in order of creation."""

    infostate: LongArray
    """[N] infostate of the acting agent; -1 where the agent only waits."""
    cell: LongArray
    """[N] number of the pair of agent and infostate."""
    stage: LongArray
    """[N] the stage, from 0."""
    order: LongArray
    """[N] the nodes in their final order."""


def lay_out(histories: Histories, plays: Plays, nodes: Nodes, max_stages: int, name: str) -> Layout:
    """Return the information, stages and final order of the nodes."""
    known = histories.known[plays.history[nodes.row], nodes.agent].astype(np.int64)
    infostate = np.where(nodes.action_set < len(histories.action_sets), known, -1)
    # One number for each pair; infostates of different agents may have the same number.
    codes = (infostate + 1) * histories.num_agents + nodes.agent
    cell = np.unique(codes, return_inverse=True)[1]
    parent = _parents(nodes)
    stage = stage_of_cells(cell, parent, max_stages, name)[cell]
    # By stage, then by outcome; `lexsort` is stable, so the rest is in order of creation.
    order = np.lexsort((plays.outcome[nodes.row], stage))
    return Layout(infostate, cell, stage, order)


def assemble_arrays(
    histories: Histories, outcomes: ChanceOutcomes, plays: Plays, nodes: Nodes, layout: Layout
) -> ProductArrays:
    """Return the arrays of a product form, with its nodes in order."""
    order = layout.order
    edge, first_edge = edges_in_order(nodes.first_edge, order)
    # The last place is for `child` = -1, where play ends.
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    child = rank[nodes.child[edge]]
    ends = np.flatnonzero(child < 0)
    payoff = np.ascontiguousarray(histories.utility[plays.history[nodes.last_row[edge[ends]]]])
    pays = payoff.any(axis=1)
    stages = np.arange(layout.stage.max() + 2)
    return ProductArrays(
        first_node=np.searchsorted(layout.stage[order], stages),
        chance=outcomes.probability[plays.outcome[nodes.row[order]]],
        agent=nodes.agent[order].astype(np.int32),
        first_edge=first_edge,
        child=child.astype(np.int32),
        parent_edge=_parent_edge(child, len(order)),
        payoff_edge=ends[pays],
        payoff=payoff[pays],
    )


def _parent_edge(child: LongArray, num_nodes: int) -> LongArray:
    """Return [N] the edge that leads to each node; -1 at roots."""
    parent_edge = np.full(num_nodes, -1, np.int64)
    inner = np.flatnonzero(child >= 0)
    parent_edge[child[inner]] = inner
    return parent_edge


def _parents(nodes: Nodes) -> LongArray:
    """Return [N] the parent of each node; -1 at roots."""
    node_of_edge, _ = spread(np.diff(nodes.first_edge))
    parent_edge = _parent_edge(nodes.child, len(nodes.row))
    return np.where(parent_edge < 0, -1, node_of_edge[parent_edge])


MAX_NODES = 20_000_000
MAX_STAGES = 1000


def build_product_form(
    game: Game | GameTree | ExtensiveForm,
    *,
    max_nodes: int = MAX_NODES,
    max_stages: int = MAX_STAGES,
) -> ProductForm:
    """Build the product form of a game: chance moves once, then one agent acts per stage.

    All chance moves are drawn at the start, as numbers that determine the move in any history.
    Agents who act simultaneously choose one after another, without observing each other. Agents
    know what they know in the game, including their own actions. The values of policies do not
    change.

    Parameters
    ----------
    max_nodes
        Maximum number of histories, over all outcomes of chance.
    max_stages
        Maximum number of stages.

    Raises
    ------
    GameTooLargeError
        If there are more than `max_nodes` histories.
    UnsupportedGameError
        If nobody ever acts, if there are more than `max_stages` stages, or if the stages of an
        extensive form cannot be ordered.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
    >>> np.diff(form.arrays.first_node).tolist()
    [4, 8, 16, 64]
    """
    check_type(
        "game",
        game,
        (Game, GameTree, ExtensiveForm),
        'rules, such as infoset.load("trade_comm"), or a tree',
    )
    check_count("max_nodes", max_nodes, minimum=1)
    check_count("max_stages", max_stages, minimum=1)
    tree = build_tree(game) if isinstance(game, Game) else game
    histories = _histories(tree)
    outcomes = draw_all(histories, max_nodes)
    plays = unfold(histories, outcomes, max_nodes)
    nodes = make_nodes(histories, plays)
    layout = lay_out(histories, plays, nodes, max_stages, str(tree))
    order = layout.order
    history = plays.history[nodes.row][order]
    return ProductForm(
        name=str(tree),
        agent_names=shown_names(tree),
        arrays=assemble_arrays(histories, outcomes, plays, nodes, layout),
        outcomes=OutcomeNames(tree, histories, outcomes.draws),
        outcome=plays.outcome[nodes.row][order],
        action_sets=(*histories.action_sets, (NOOP,)),
        action_set=nodes.action_set[order],
        original=number_by_appearance(layout.cell[order]),
        private_signal=private_signals(tree)[history] if isinstance(tree, GameTree) else None,
        source=Source(tree, history, layout.infostate[order]),
    )


def _histories(tree: GameTree | ExtensiveForm) -> Histories:
    if isinstance(tree, ExtensiveForm):
        histories = histories_of_form(tree)
    else:
        histories = histories_of_tree(tree)
    if (histories.action_set < 0).all():
        raise UnsupportedGameError(
            f"in {tree} nobody ever acts; give a game with at least one decision"
        )
    return histories
