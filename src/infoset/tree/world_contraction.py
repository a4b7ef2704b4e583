"""The world form of a world graph, built without listing histories or infostates."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.forms import (
    TERMINAL,
    TRANSFER_BYTES,
    UNIT,
    CompiledSets,
    HistorySweep,
    InfostateShapes,
    SequenceForm,
    WorldClasses,
    WorldForm,
    WorldPrograms,
    common_sum,
)
from infoset.game import Game, GameSource
from infoset.tree._possible_worlds_kernels import world_heights
from infoset.tree._unrolling_kernels import reward_ranges
from infoset.tree._world_merging_kernels import merge_nodes, split_worlds
from infoset.tree.build_watch import BuildProgress, BuildReport, BuildWatch, ignore_report
from infoset.tree.counting import GameCounts, count_histories, too_large_error, world_order
from infoset.tree.exploration import explore_game
from infoset.tree.graph_contraction import contract_graph, forecast_contraction
from infoset.tree.limits import allowed_memory
from infoset.tree.possible_worlds import MAX_SEQUENCES, all_shapes
from infoset.tree.saved_world_forms import WorldFormParts, saved_or_built
from infoset.tree.world_graph import WorldGraph
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.text import format_count

EDGE_BYTES = 100
"""Memory for each transition while worlds are merged and programs are compiled."""
SEQUENCE_BYTES = 32
INFOSTATE_BYTES = 12
"""Memory for each sequence and each acting infostate when a policy is measured: its probability,
its plan, a gradient and a workspace; and the treeplex."""
MANY_HISTORIES = 20_000_000
TIMES_AS_LONG = 3
"""Number of histories from which on a game gets the world form if building and solving the sequence
form would take this many times as long."""
HISTORY_COST = 200
"""Count of numbers read for each history to build the sequence form, as measured."""
MAX_COST = 1e12
"""Count of numbers read, as in `WorldForm.gradient_cost`, for one gradient by histories: about a
quarter of an hour."""


def build_world_form(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
) -> WorldForm:
    """Build the world form of a game, without listing histories or infostates.

    It needs less memory than the sequence form. With two players, it is also faster if many of the
    opponent's infostates share a world, as in games with hidden actions.

    Parameters
    ----------
    memory
        Limit in bytes on the world graph, and on the sets of possible worlds; by default that of
        `build_limits`, 70% of the free memory.
    max_worlds, max_seconds, progress
        As in `build_tree`.

    Raises
    ------
    GameTooLargeError
        If there are too many sets of possible worlds, or if a gradient would take longer than a
        quarter of an hour.
    ExplorationLimitError, GameRuleError
        As in `build_tree`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = build_world_form(load_game("kuhn_poker"))
    >>> [own.num_sequences for own in form.shapes], form.worlds.num_classes
    ([13, 13], 9)
    """
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    graph = explore_game(game, watch)
    return watch.finish(contract_worlds, graph)


def build_sequence_or_world_form(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
    num_gradients: int = 100,
) -> tuple[SequenceForm | WorldForm, str | None]:
    """Return the sequence form of a game, or its world form if the sequence form is too large.

    The world form is also chosen if the game has more than 20 million histories and the sequence
    form would take more than three times as long for `num_gradients` gradients of each player.

    The second result is the reason for a world form; None for a sequence form.

    Parameters
    ----------
    memory, max_worlds, max_seconds, progress
        As in `build_tree`.

    Raises
    ------
    GameTooLargeError
        If neither fits.
    ExplorationLimitError, GameRuleError
        As in `build_tree`.
    """
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    contract = partial(_contract_either, num_gradients=num_gradients)
    return watch.finish(contract, explore_game(game, watch))


def _contract_either(
    graph: WorldGraph, memory: int, report: BuildReport, num_gradients: int
) -> tuple[SequenceForm | WorldForm, str | None]:
    """Return the sequence form or the world form, as `build_sequence_or_world_form` does."""
    counts = count_histories(graph)
    too_large = "does not fit in the limits"
    too_large_by_worlds: GameTooLargeError | None = None
    if counts.histories >= MANY_HISTORIES:
        try:
            form = contract_worlds(graph, memory, report)
        except GameTooLargeError as refused:
            too_large_by_worlds = refused
        else:
            listed = HISTORY_COST * counts.histories
            listed += num_gradients * counts.num_players * counts.terminals
            times = listed / (num_gradients * form.gradient_cost)
            fits = forecast_contraction(graph, counts) <= memory
            if times >= TIMES_AS_LONG or not fits:
                slower = f"would take more than {format_count(int(times))} times as long"
                return form, _reason(form, counts, slower if fits else too_large)
            del form  # it is not in memory beside the other
    try:
        return contract_graph(graph, memory, report), None
    except GameTooLargeError as refused:
        error = refused
    if too_large_by_worlds is not None:
        raise too_large_by_worlds from error
    with suppress(GameTooLargeError):
        form = contract_worlds(graph, memory, report)
        return form, _reason(form, counts, too_large)
    raise error


def _reason(form: WorldForm, counts: GameCounts, why: str) -> str:
    """Return why a game has a world form: what its sequence form would do."""
    sequences = " + ".join(format_count(own.num_sequences) for own in form.shapes)
    visited = "; a gradient visits all of them" if form.visits_histories else ""
    return (
        f"world form ({sequences} sequences): the game has {format_count(counts.histories)} "
        f"histories, and its sequence form {why}{visited}"
    )


def contract_worlds(
    graph: WorldGraph, memory: int | None = None, report: BuildReport = ignore_report
) -> WorldForm:
    """Return the world form of a complete world graph, without calling the rules.

    Parameters
    ----------
    memory, report
        As in `contract_graph`.

    Raises
    ------
    GameTooLargeError, CyclicGameError, GameRuleError
        As in `build_world_form`.
    ValueError
        If the graph is not complete.
    """
    if not graph.is_complete:
        raise ValueError(
            "the world graph is partial; build it with higher max_worlds, memory or max_seconds"
        )
    allowed = allowed_memory(memory)
    parts = saved_or_built(graph, lambda: _merge(graph, allowed, report))
    _check_size(graph, parts.shapes, allowed)
    name = str(graph.game)
    return WorldForm(
        name=name,
        source=GameSource.of_rules(graph.game),
        programs=_programs(name, parts.worlds, parts.shapes, allowed),
        constants=np.zeros(graph.num_players),
        **parts._asdict(),
    )


def _merge(graph: WorldGraph, allowed: int, report: BuildReport) -> WorldFormParts:
    """Return the parts of a form except its programs, if it fits in `allowed` bytes."""
    order = world_order(graph)
    height = world_heights(order, graph.first_edge, graph.next_world)
    shapes, steps = all_shapes(graph, height, allowed)
    report("world graph", graph.num_worlds, graph.num_worlds)
    _check_size(graph, shapes, allowed)
    worlds = _merged_worlds(graph, order, shapes, steps)
    return WorldFormParts(shapes, worlds, *_payoff_facts(graph, order, int(height[0])))


def _check_size(graph: WorldGraph, shapes: tuple[InfostateShapes, ...], allowed: int) -> None:
    """Raise `GameTooLargeError` if a form needs more than `allowed` bytes, or overflows kernels."""
    needed = _size_of(graph, shapes).bytes
    if needed > allowed:
        counts = count_histories(graph)
        raise too_large_error(counts, str(graph.game), "world form", needed, allowed)
    if sum(own.num_sequences for own in shapes) > MAX_SEQUENCES:
        raise GameTooLargeError(
            f"{graph.game} has more than {MAX_SEQUENCES:,} sequences, the largest number in a "
            "world form: use smaller parameters",
            {"sequences": sum(own.num_sequences for own in shapes)},
        )


class WorldFormSize(NamedTuple):
    """The size of a world form, counted without building it."""

    acting_infostates: tuple[int, ...]
    sequences: tuple[int, ...]
    """Per player; the latter include the empty sequence."""
    bytes: int
    """Forecast of the memory in which the form is built and a policy is measured."""


def count_world_form(graph: WorldGraph, memory: int | None = None) -> WorldFormSize:
    """Return the size of the world form of a complete world graph, whatever is allowed for it.

    Parameters
    ----------
    memory
        Limit in bytes for the sets of possible worlds; by default 70% of the free memory.

    Raises
    ------
    GameTooLargeError, GameRuleError
        As in `build_world_form`.
    """
    order = world_order(graph)
    height = world_heights(order, graph.first_edge, graph.next_world)
    return _size_of(graph, all_shapes(graph, height, allowed_memory(memory))[0])


def _size_of(graph: WorldGraph, shapes: tuple[InfostateShapes, ...]) -> WorldFormSize:
    infostates = tuple(own.num_infostates for own in shapes)
    sequences = tuple(own.num_sequences for own in shapes)
    needed = graph.num_edges * EDGE_BYTES
    needed += sum(sequences) * SEQUENCE_BYTES + sum(infostates) * INFOSTATE_BYTES
    return WorldFormSize(infostates, sequences, needed)


def _programs(
    name: str, worlds: WorldClasses, shapes: tuple[InfostateShapes, ...], allowed: int
) -> tuple[WorldPrograms | HistorySweep, ...]:
    """Return, per player, the programs that compute gradients: those with less work.

    Raises
    ------
    GameTooLargeError
        If a gradient would take longer than `MAX_COST` by histories, and programs of sets of worlds
        do not fit in memory, or there are not two players.
    """
    sweeps = WorldForm.sweeps(worlds, shapes)
    cost = sum(own.cost for own in sweeps)
    if len(shapes) == 2:
        # A transfer is done at least once for a gradient, and counts as 6 numbers.
        limit = int(min(allowed, cost / 6 * TRANSFER_BYTES))
        try:
            programs = tuple(
                WorldPrograms.of(
                    player,
                    CompiledSets.of(name, worlds, shapes, player, limit),
                    worlds.reward[:, player] * worlds.probability,
                )
                for player in range(2)
            )
        except GameTooLargeError:
            if max(own.cost for own in sweeps) > MAX_COST:
                raise
        else:
            if sum(own.cost for own in programs) <= cost:
                return programs
    if max(own.cost for own in sweeps) > MAX_COST:
        visits = int(sweeps[0].visits)
        raise GameTooLargeError(
            f"{name} has {format_count(visits)} histories before the end, and its world form would "
            "visit all of them for a gradient, which takes longer than a quarter of an hour: use "
            "smaller parameters",
            {"histories": visits},
        )
    return sweeps


def _merged_worlds(
    graph: WorldGraph,
    order: IntArray,
    shapes: tuple[InfostateShapes, ...],
    steps: tuple[IntArray, ...],
) -> WorldClasses:
    """Return the classes of worlds with equal futures."""
    players = range(len(shapes))
    nodes, first, edge, target, code = split_worlds(
        graph.first_edge,
        graph.next_world,
        steps,
        tuple(own.items for own in shapes),
        tuple(own.first for own in shapes),
        tuple(own.code for own in shapes),
        np.array([own.root for own in shapes]),
    )
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    structure = np.stack([shapes[p].structure[nodes[:, 1 + p]] for p in players], axis=1)
    # Rewards are compared by their bits; adding 0.0 turns -0.0 into 0.0.
    rewards = (graph.rewards[edge] + 0.0).view(np.int64)
    actions = graph.joint_action[edge].astype(np.int64)
    items, begins, outcomes, _, found = merge_nodes(
        np.argsort(-place[nodes[:, 0]], kind="stable"),
        first,
        target,
        np.concatenate([code, actions, rewards], axis=1),
        len(shapes),
        graph.probability[edge],
        structure,
    )
    return _world_classes(items, begins, outcomes, int(found[0]), len(shapes))


def _world_classes(
    items: LongArray, begins: LongArray, outcomes: LongArray, initial: int, num_players: int
) -> WorldClasses:
    """Return the classes that `merge_nodes` has found, in topological order."""
    # `merge_nodes` numbers later classes first, so that the initial one is the last.
    last = len(begins) - 2
    assert initial == last
    order = np.arange(last, -1, -1)
    sizes = (np.diff(begins)[order] - num_players) // 2
    first = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(begins[order] + num_players - 2 * first[:-1], sizes)
    places += 2 * np.arange(first[-1])
    rows = outcomes.reshape(-1, 1 + 3 * num_players)[items[places]]
    code, action, reward = np.split(rows[:, 1:], 3, axis=1)
    structure = np.stack([items[begins[order] + p] for p in range(num_players)], axis=1)
    return WorldClasses(
        first=first,
        target=np.where(rows[:, 0] > 0, last - (rows[:, 0] - 1), TERMINAL),
        probability=items[places + 1].view(np.float64),
        action=np.ascontiguousarray(action),
        reward=np.ascontiguousarray(reward).view(np.float64),
        code=np.ascontiguousarray(code),
        structure=structure,
    )


def _payoff_facts(
    graph: WorldGraph, order: IntArray, num_steps: int
) -> tuple[FloatArray, float | None, float]:
    """Return [N, 2] the range of utilities, their constant sum, and the `payoff_rounding`."""
    low, high = reward_ranges(order, graph.first_edge, graph.next_world, graph.rewards)
    limits = np.stack([low[0], high[0]], axis=1)
    total = graph.rewards.sum(axis=1, keepdims=True)
    sums = [ends[0, 0] for ends in reward_ranges(order, graph.first_edge, graph.next_world, total)]
    # Two ends with the smallest and the largest sum, and with the ranges of all utilities.
    ends = np.stack([limits[:, 0], limits[:, 1]])
    known = np.array([[own[0], least - own[0]] for own, least in zip(ends, sums, strict=True)])
    constant_sum = common_sum(known)
    largest = float(np.abs(limits).max())
    # As in the sequence form: a probability, a product and a sum for each transition.
    rounding = (3 * num_steps + 1) * UNIT * largest
    if constant_sum is not None:
        rounding += max(abs(own - constant_sum) for own in sums)
    return limits, constant_sum, rounding
