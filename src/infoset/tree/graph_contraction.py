"""The sequence form of a world graph, built level by level without storing the game tree."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.forms import InfostateTree, SequenceForm, TerminalReach, contract_outcomes, merge_reach
from infoset.game import Game, GameSource
from infoset.tree._unrolling_kernels import child_worlds
from infoset.tree.build_watch import BuildProgress, BuildReport, BuildWatch, ignore_report
from infoset.tree.counting import (
    MAX_HISTORIES,
    GameCounts,
    count_histories,
    level_sizes,
    too_large_error,
)
from infoset.tree.exploration import explore_game
from infoset.tree.limits import allowed_memory
from infoset.tree.state_numbering import (
    StateNumbering,
    StepTable,
    build_infostate_tree,
    check_actions,
)
from infoset.tree.world_graph import WorldGraph
from infoset.typing import FloatArray, IntArray, Player

INFOSTATE_BYTES = 64
EDGE_BYTES = 80
PIECE = 1 << 20


def build_sequence_form(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
) -> SequenceForm:
    """Build the sequence form of a game without storing its histories.

    The result equals `build_tree(game).sequence_form` bit for bit, but needs a fraction of the
    memory. At any time, memory contains the histories of two consecutive levels, the infostates
    found so far and, for each terminal history, one number per player and one for its payoffs.

    Parameters
    ----------
    memory
        Limit in bytes on the world graph and the sequence form together; by default that of
        `build_limits`, 70% of the free memory.
    max_worlds, max_seconds, progress
        As in `build_tree`.

    Raises
    ------
    GameTooLargeError
        If the sequence form would not fit in memory. Terminal histories are counted before anything
        is allocated, and infostates as they are found.
    ExplorationLimitError, GameRuleError
        As in `build_tree`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = build_sequence_form(load_game("kuhn_poker"))
    >>> form.num_payoffs, [plex.num_sequences for plex in form.treeplexes]
    (30, [13, 13])
    """
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    graph = explore_game(game, watch)
    return watch.finish(contract_graph, graph)


def contract_graph(
    graph: WorldGraph, memory: int | None = None, report: BuildReport = ignore_report
) -> SequenceForm:
    """Contract a complete world graph to its sequence form, without calling the rules.

    Parameters
    ----------
    memory
        Limit in bytes for the sequence form; by default 70% of the free memory.
    report : callable, optional
        Called between operations on arrays with the stage, the histories done and their number; an
        exception that it raises ends the building.

    Raises
    ------
    GameTooLargeError, CyclicGameError, GameRuleError
        As in `build_sequence_form`.
    ValueError
        If the graph is not complete.
    """
    if not graph.is_complete:
        raise ValueError(
            "the world graph is partial; build it with higher max_worlds, memory or max_seconds"
        )
    contraction = _Contraction(graph, count_histories(graph), allowed_memory(memory), report)
    contraction.finish_levels()
    return contraction.sequence_form()


def contract_reach(graph: WorldGraph) -> TerminalReach:
    """Return the chance reach of a complete world graph, for `SequenceForm.terminal_reach`.

    The graph is contracted again, so no form needs to store terminal histories.

    Raises
    ------
    GameTooLargeError
        If the terminal histories would not fit in 70% of the free memory.
    """
    counts = count_histories(graph)
    contraction = _Contraction(graph, counts, allowed_memory(None), ignore_report)
    contraction.finish_levels()
    return contraction.terminal_reach()


class _Level(NamedTuple):
    """The nonterminal histories of a level: world, outcome, public_state [n], infostate [N][n]."""

    world: IntArray
    outcome: IntArray
    public_state: IntArray
    infostate: tuple[IntArray, ...]


class _PlayerStates:
    """The infostates of one player found so far."""

    def __init__(self, graph: WorldGraph, player: Player) -> None:
        self.graph = graph
        self.player = player
        self.steps = StepTable.of_player(graph, player)
        self.numbering = StateNumbering(self.steps.of_edge, self.steps.size)
        self.public_states = [np.zeros(1, np.int32)]
        self.worlds = [np.zeros(1, np.int32)]

    def extend(self, level: _Level, world: IntArray, public_state: IntArray) -> IntArray:
        """Return [C] the infostates of the children of a level; world, public_state [C]."""
        known = self.numbering.num_states
        state, first = self.numbering.extend(
            level.world, level.infostate[self.player], self.graph.first_edge, len(world)
        )
        self.public_states.append(public_state[first])
        self.worlds.append(world[first])
        check_actions(self.graph, self.player, state, world, known, self.worlds[-1])
        return state

    def tree(self) -> InfostateTree:
        """Build the infostate tree."""
        world, public_state = map(np.concatenate, (self.worlds, self.public_states))
        return build_infostate_tree(
            self.graph, self.player, self.steps, self.numbering, world, public_state
        )


class _Outcomes:
    """Chance reach and rewards so far, one number for each path through different edges.

    Histories whose edges have the same probabilities and rewards in the same order share a number.
    Products and sums are computed once per number, in the order of the path.
    """

    def __init__(self, graph: WorldGraph) -> None:
        rows = np.column_stack([graph.probability, graph.rewards])
        self.steps, of_edge = np.unique(rows, axis=0, return_inverse=True)
        self.numbering = StateNumbering(of_edge.reshape(-1).astype(np.int32), len(self.steps))

    def payoffs(self) -> tuple[FloatArray, FloatArray]:
        """Return the chance reach [T] and the rewards so far [T, N] of each outcome."""
        # Level by level, so that the outcome one edge shorter is known.
        reach = np.ones(self.numbering.num_states)
        rewards = np.zeros((len(reach), self.steps.shape[1] - 1))
        filled = 1
        for parent, step in self.numbering.levels()[1:]:
            new = slice(filled, filled + len(parent))
            reach[new] = reach[parent] * self.steps[step, 0]
            with np.errstate(over="ignore", invalid="ignore"):  # refused in `contract_outcomes`
                rewards[new] = rewards[parent] + self.steps[step, 1:]
            filled += len(parent)
        return reach, rewards


def forecast_contraction(graph: WorldGraph, counts: GameCounts) -> int:
    """Return the peak number of bytes for building the sequence form, excluding infostates.

    The arrays of terminal histories and of edges are always in memory. In addition, there are first
    the histories of two consecutive levels with all their children, and later the payoffs and their
    sorting order.
    """
    players = graph.num_players
    if counts.terminals > MAX_HISTORIES:
        return counts.terminals * (8 + 16 * players)
    sizes = [*level_sizes(graph), (0, 0)]
    levels = [
        (12 + 4 * players) * (before + after) + 17 * children
        for (_, before), (children, after) in pairwise(sizes)
    ]
    payoffs = counts.terminals * (4 + 12 * players)
    kept = counts.terminals * (4 + 4 * players) + graph.num_edges * EDGE_BYTES
    return kept + max(payoffs, *levels)


class _Contraction:
    """The state of a contraction, which proceeds from the shortest histories to the longest."""

    def __init__(
        self, graph: WorldGraph, counts: GameCounts, allowed: int, report: BuildReport
    ) -> None:
        self.graph = graph
        self.counts = counts
        self.allowed = allowed
        self.report = report
        self.forecast = forecast_contraction(graph, counts)
        self.players: list[_PlayerStates] = []
        self.check_fits()
        self.num_edges = np.diff(graph.first_edge)
        self.outcomes = _Outcomes(graph)
        public = StepTable.of_public(graph)
        self.public = StateNumbering(public.of_edge, public.size)
        self.players = [_PlayerStates(graph, player) for player in range(graph.num_players)]
        self.end_infostate = np.zeros((graph.num_players, counts.terminals), np.uint32)
        self.end_outcome = np.zeros(counts.terminals, np.uint32)
        self.num_histories = 1
        self.num_ends = 0
        self.num_steps = 0
        # The root is a separate level, unless the game ends there.
        root = np.zeros(int(counts.histories > 1), np.int32)
        self.level = _Level(root, root, root, (root,) * graph.num_players)

    def finish_levels(self) -> None:
        """Advance to the end of the game."""
        while len(self.level.world):
            self.advance()

    def advance(self) -> None:
        """Advance to the next level and store its terminal histories."""
        level, edges = self.level, self.graph.first_edge
        # All children, in edge order; those at which the game ends are only stored.
        num_children = int(self.num_edges[level.world].sum())
        world = child_worlds(level.world, edges, self.graph.next_world, num_children)
        goes_on = self.num_edges[world] > 0
        num_ended = num_children - int(np.count_nonzero(goes_on))
        ended = slice(self.num_ends, self.num_ends + num_ended)
        outcome, _ = self.outcomes.numbering.extend(level.world, level.outcome, edges, num_children)
        self.end_outcome[ended] = outcome[~goes_on]
        outcome = outcome[goes_on]
        public, _ = self.public.extend(level.world, level.public_state, edges, num_children)
        infostates = []
        for player, states in enumerate(self.players):
            infostate = states.extend(level, world, public)
            self.end_infostate[player, ended] = infostate[~goes_on]
            infostates.append(infostate[goes_on])
            # A level may take minutes.
            numbered = num_children * (player + 1) // self.graph.num_players
            self.report("histories", self.num_histories + numbered, self.counts.histories)
        self.num_histories += num_children
        self.num_ends += num_ended
        self.num_steps += 1
        self.level = _Level(world[goes_on], outcome, public[goes_on], tuple(infostates))
        self.check_fits()

    def check_fits(self) -> None:
        """Raise if the terminals, levels and infostates found so far would not fit in memory.

        Raises
        ------
        GameTooLargeError
        """
        num_infostates = sum(states.numbering.num_states for states in self.players)
        needed = self.forecast + INFOSTATE_BYTES * num_infostates
        if needed > self.allowed or self.counts.terminals > MAX_HISTORIES:
            name = str(self.graph.game)
            raise too_large_error(self.counts, name, "sequence form", needed, self.allowed)

    def infostate_trees(self) -> tuple[InfostateTree, ...]:
        """Return the infostate trees; the infostates at terminal histories become sequences."""
        # Each numbering is freed once its tree is built.
        trees = tuple(self.players.pop(0).tree() for _ in range(self.graph.num_players))
        for tree, column in zip(trees, self.end_infostate, strict=True):
            # In place and in pieces, because the column may take much of the memory.
            for start in range(0, len(column), PIECE):
                piece = column[start : start + PIECE]
                piece[:] = tree.last_sequence[piece]
            self.report("payoffs", 0, self.counts.terminals)
        return trees

    def terminal_reach(self) -> TerminalReach:
        """Sum the chance reach of the terminal histories by tuples of sequences."""
        sizes = tuple(tree.num_sequences for tree in self.infostate_trees())
        reach, _ = self.outcomes.payoffs()
        return merge_reach(self.end_infostate, sizes, self.end_outcome, reach)

    def sequence_form(self) -> SequenceForm:
        """Contract the terminal histories stored so far."""
        trees = self.infostate_trees()
        reach, utility = self.outcomes.payoffs()
        return contract_outcomes(
            name=str(self.graph.game),
            infostate_trees=trees,
            columns=self.end_infostate,
            outcome=self.end_outcome,
            chance_reach=reach,
            utility=utility,
            num_steps=self.num_steps,
            source=GameSource.of_rules(self.graph.game),
            reach_source=partial(contract_reach, self.graph),
        )
