"""Exploration of rules: world graphs and errors."""

from __future__ import annotations

import contextlib
import gc
import signal
from collections import UserDict, UserList
from fractions import Fraction
from itertools import count

import numpy as np
import pytest

import infoset
from infoset.errors import (
    ExplorationLimitError,
    GameRuleError,
    GameTooLargeError,
    ParameterError,
)
from infoset.front import game_info
from infoset.game import Observation
from infoset.games import load_game
from infoset.tree import (
    build_limits,
    build_public_form,
    build_sequence_form,
    build_tree,
    build_world_graph,
    count_histories,
    exploration,
)
from infoset.tree.limits import DEFAULT_LIMITS
from infoset.tree.saved_graphs import ARRAYS
from infoset.typing import NOOP
from infoset.utils.watchdog import Watchdog
from tests.support.function_game import FunctionGame


def test_kuhn_by_hand():
    graph = build_world_graph(load_game("kuhn_poker"))
    # The root, 6 deals, and for each deal 9 betting lines, one of which is empty.
    assert graph.num_worlds == 1 + 6 * 9
    assert graph.num_edges == 6 + 6 * 8
    assert graph.exact_probability[:6] == (Fraction(1, 6),) * 6
    assert graph.action_set[0].tolist() == [-1, -1]
    assert graph.action_sets == (("pass", "bet"),)
    assert graph.is_complete


def test_a_next_world_listed_twice_is_one_edge_and_one_of_probability_zero_is_none():
    pairs = [("heads", 0.25), ("tails", 0.5), ("heads", 0.25), ("edge", 0.0)]
    graph = build_world_graph(FunctionGame(transitions=lambda w, a: pairs if w == "start" else []))
    assert graph.worlds == ("start", "heads", "tails")
    assert graph.probability.tolist() == [0.5, 0.5]
    assert graph.next_world.tolist() == [1, 2]


def test_floats_have_no_exact_probabilities():
    assert build_world_graph(FunctionGame()).exact_probability is None


def test_arrays_are_read_only():
    graph = build_world_graph(FunctionGame())
    with pytest.raises(ValueError, match="read-only"):
        graph.probability[0] = 1


def test_observations_of_different_types_are_compared_as_infostates_are():
    graph = build_world_graph(
        FunctionGame(observe=lambda w, a, x: Observation(1 if x == "heads" else "1"))
    )
    assert graph.public_observation[0] != graph.public_observation[1]


def test_what_lies_behind_probability_zero_is_not_explored():
    """A loop that no play enters is not a cycle."""
    after = {"start": [("end", 1), ("x", 0)], "x": [("y", 1)], "y": [("x", 1)]}
    graph = build_world_graph(FunctionGame(transitions=lambda w, a: after.get(w, [])))
    assert graph.worlds == ("start", "end")


def endless() -> FunctionGame:
    return FunctionGame(initial_world=lambda: 0, transitions=lambda w, a: [(w + 1, 1)])


def test_a_game_without_end_meets_the_limit():
    with pytest.raises(ExplorationLimitError, match="at least 1,001 world states") as caught:
        build_world_graph(endless(), max_worlds=1000)
    assert caught.value.counts["world_states"] == 1001


def test_a_partial_graph_says_so():
    graph = build_world_graph(endless(), max_worlds=1000, partial=True)
    assert not graph.is_complete
    assert graph.num_expanded < graph.num_worlds == len(graph.first_edge) - 1


def test_the_time_limit_and_progress():
    calls = []
    with pytest.raises(ExplorationLimitError, match="time limit"):
        build_world_graph(endless(), max_seconds=0.05)
    with pytest.raises(ExplorationLimitError):
        build_world_graph(endless(), max_worlds=5_000, progress=calls.append)
    assert {(point.stage, point.total) for point in calls} == {("world graph", None)}
    worlds = [point.done for point in calls]
    assert worlds == sorted(worlds)
    assert len(calls) > 1


def test_simultaneous_moves_stay_simultaneous():
    graph = build_world_graph(load_game("matrix_rps"))
    assert graph.num_edges == 9
    assert np.array_equal(graph.joint_action, [(i, j) for i in range(3) for j in range(3)])


def dealing_forever():
    """A game whose first chance move has infinitely many outcomes."""

    def outcomes(world, joint_action):
        if world == "start":
            yield from ((number, 0.5**30) for number in count())

    return FunctionGame(transitions=outcomes)


def test_a_move_with_too_many_outcomes_meets_the_limit_too():
    with pytest.raises(ExplorationLimitError, match="at least 2"):
        build_world_graph(dealing_forever(), max_worlds=20_000)
    graph = build_world_graph(dealing_forever(), max_worlds=20_000, partial=True)
    assert graph.num_worlds > 20_000
    assert graph.num_expanded == graph.num_edges == 0
    counts = count_histories(graph)
    assert counts.histories >= graph.num_worlds
    assert not counts.is_exact


def test_the_clock_is_looked_at_within_a_move():
    graph = build_world_graph(dealing_forever(), max_seconds=0.05, partial=True)
    assert not graph.is_complete


@pytest.mark.parametrize("compile_it", [build_world_graph, build_tree, build_sequence_form])
def test_the_name_of_a_game_is_none(compile_it):
    with pytest.raises(ParameterError, match=r"game='kuhn_poker' .* such as infoset\.load\("):
        compile_it("kuhn_poker")


def test_without_a_time_limit_the_clock_decides_nothing(monkeypatch):
    """By default the limits are numbers of world states and memory: a slow game is completed."""
    clock = count(0.0, 3600.0)
    monkeypatch.setattr("infoset.utils.watchdog.working_seconds", lambda: next(clock))
    assert build_world_graph(load_game("leduc_poker")).is_complete
    with pytest.raises(ExplorationLimitError, match=r"time limit of 30 s.* raise max_seconds"):
        build_world_graph(load_game("leduc_poker"), max_seconds=30)


def test_the_number_of_world_states_is_limited_exactly():
    assert build_world_graph(load_game("kuhn_poker"), max_worlds=55).is_complete
    with pytest.raises(ExplorationLimitError, match=r"limit of 54\. .* raise max_worlds"):
        build_world_graph(load_game("kuhn_poker"), max_worlds=54)


def test_a_product_of_many_joint_actions_is_not_begun():
    game = FunctionGame(
        num_players=6,
        actors=lambda w: range(6) if w == "start" else (),
        legal_actions=lambda w, p: range(100),
        transitions=lambda w, a: [("end", 1)] if w == "start" else [],
    )
    with pytest.raises(ExplorationLimitError, match=f"{DEFAULT_LIMITS.max_transitions:,} trans"):
        build_world_graph(game)
    assert build_world_graph(game, partial=True).stop == "transitions"


def test_transitions_are_limited_where_world_states_are_few(monkeypatch):
    monkeypatch.setattr("infoset.tree.limits.MIN_MAX_TRANSITIONS", 1000)
    game = FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,) if w < 9 else (),
        legal_actions=lambda w, p: range(2_000),
        transitions=lambda w, a: [(w + 1, 1)] if w < 9 else [],
    )
    graph = build_world_graph(game, max_worlds=1000, partial=True)
    assert (graph.stop, graph.num_edges) == ("transitions", 10_000)


def slow_outcomes(keep):
    """Return a game whose rules build a list without end, as code of the user may."""

    def outcomes(world, joint_action):
        found = []
        for number in count():
            found.append(keep(number))
        return found

    return FunctionGame(transitions=outcomes)


def test_a_list_without_end_inside_the_rules_meets_the_time_limit():
    graph = build_world_graph(slow_outcomes(lambda n: None), max_seconds=0.05, partial=True)
    assert (graph.stop, graph.worlds) == ("seconds", ("start",))


def test_a_list_without_end_inside_the_rules_meets_the_memory_limit():
    with pytest.raises(ExplorationLimitError, match=r"memory limit of 60.0 MB.* raise memory"):
        build_world_graph(slow_outcomes(lambda n: bytes(100_000)), memory=60_000_000)


def test_rules_that_catch_all_exceptions_are_stopped_too():
    def outcomes(world, joint_action):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))

    graph = build_world_graph(FunctionGame(transitions=outcomes), max_seconds=0.05, partial=True)
    assert graph.stop == "seconds"


def interrupted_after(number):
    def rewards(world, joint_action, next_world):
        if next_world == number:
            raise KeyboardInterrupt
        return (0,)

    return FunctionGame(
        initial_world=lambda: 0, transitions=lambda w, a: [(w + 1, 1)], rewards=rewards
    )


def test_after_ctrl_c_a_partial_graph_has_what_was_found():
    graph = build_world_graph(interrupted_after(100), partial=True)
    assert (graph.stop, graph.num_expanded) == ("interrupted", 99)
    assert count_histories(graph).histories == 101
    with pytest.raises(KeyboardInterrupt):
        build_world_graph(interrupted_after(100))


def test_ctrl_c_while_the_arrays_are_made_leaves_a_partial_graph(monkeypatch):
    make = exploration._graph

    def make_slowly(explorer, stop):
        signal.raise_signal(signal.SIGINT)
        return make(explorer, stop)

    monkeypatch.setattr(exploration, "_graph", make_slowly)
    game = load_game("kuhn_poker")
    graph = build_world_graph(game, partial=True)
    assert (graph.stop, graph.num_worlds) == ("interrupted", 55)
    with pytest.raises(KeyboardInterrupt):
        build_world_graph(game)


def test_ctrl_c_while_the_histories_are_counted_leaves_the_counts(monkeypatch):
    count = game_info.count_histories

    def count_slowly(graph):
        signal.raise_signal(signal.SIGINT)
        return count(graph)

    monkeypatch.setattr(game_info, "count_histories", count_slowly)
    found = infoset.info("kuhn_poker")
    assert (found.stop, found.histories, found.infostates) == ("interrupted", 55, None)


def test_limits_for_everything_in_a_block():
    with build_limits(max_worlds=10):
        with pytest.raises(ExplorationLimitError, match="limit of 10"):
            build_sequence_form(load_game("kuhn_poker"))
        assert build_world_graph(load_game("kuhn_poker"), max_worlds=100).is_complete
    assert build_tree(load_game("kuhn_poker")).num_histories == 55
    with pytest.raises(ParameterError, match="max_worlds=0"), build_limits(max_worlds=0):
        pass


@pytest.mark.parametrize("build", [build_tree, build_sequence_form, build_public_form])
def test_the_memory_of_a_block_is_that_of_calls_without_a_limit(build):
    game = load_game("leduc_poker(num_ranks=2)")
    with build_limits(memory=1000):
        with pytest.raises(GameTooLargeError, match=r"1\.0 kB are allowed"):
            build(game)
        build(game, memory=10**9)
        with build_limits(max_worlds=1000), pytest.raises(GameTooLargeError):
            build(game)
    with pytest.raises(ParameterError, match="memory=0"), build_limits(memory=0):
        pass


@pytest.mark.parametrize("build", [build_tree, build_sequence_form])
def test_the_time_limit_includes_the_histories(build, monkeypatch):
    """The time is used up once the world states are explored."""
    now = [0.0]
    monkeypatch.setattr("infoset.utils.watchdog.working_seconds", lambda: now[0])

    def count_slowly(graph):
        now[0] = 100.0
        return count_histories(graph)

    for module in ("game_tree", "graph_contraction"):
        monkeypatch.setattr(f"infoset.tree.{module}.count_histories", count_slowly)
    with pytest.raises(ExplorationLimitError, match=r"55 world states; .* time limit of 30 s"):
        build(load_game("kuhn_poker"), max_seconds=30)
    assert build(load_game("kuhn_poker")).num_players == 2


@pytest.mark.parametrize("build", [build_tree, build_sequence_form])
def test_the_memory_of_the_world_graph_counts(build, monkeypatch):
    monkeypatch.setattr(Watchdog, "memory_growth", 60_000_000)
    with pytest.raises(GameTooLargeError, match=r"needs about .* and 20\.0 MB are allowed"):
        build(load_game("liars_dice(dice_sides=7)"), memory=80_000_000)


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker(players=3)",
        "leduc_poker(num_ranks=2)",
        "goofspiel(num_cards=3)",
        "liars_dice(dice_sides=2)",
        "trick_taking(num_cards=4,num_suits=2,hand_size=2)",
        "tiny_bridge_2p",
        "dark_hex(num_cols=2,num_rows=2)",
    ],
)
def test_the_arrays_have_the_answers_of_the_rules(name):
    game = load_game(name)
    graph = build_world_graph(game)
    for number, world in enumerate(graph.worlds):
        actors = game.actors(world)
        legal = {player: tuple(game.legal_actions(world, player)) for player in actors}
        for player, chosen in enumerate(graph.action_set[number]):
            assert (graph.action_sets[chosen] if chosen >= 0 else None) == legal.get(player)
        for edge in range(*graph.first_edge[number : number + 2]):
            indices = graph.joint_action[edge]
            joint = tuple(
                legal[player][index] if index >= 0 else NOOP for player, index in enumerate(indices)
            )
            target = graph.worlds[graph.next_world[edge]]
            outcomes = [chance for to, chance in game.transitions(world, joint) if to == target]
            assert graph.probability[edge] == float(sum(outcomes))
            assert (*graph.rewards[edge],) == (*game.rewards(world, joint, target),)
            seen = game.observe(world, joint, target)
            labels = [graph.observations[index] for index in graph.private_observation[edge]]
            assert labels == list(seen.seen_by_each(game.num_players))
            assert graph.observations[graph.public_observation[edge]] == seen.public


def test_public_parts_that_look_like_pairs_are_told_apart():
    def observe(world, joint_action, next_world):
        if next_world == "heads":
            return Observation(("a", ("b", "c")))
        return Observation("a", ("b", "c"))

    graph = build_world_graph(FunctionGame(2, observe=observe))
    public = [graph.observations[index] for index in graph.public_observation]
    assert public == [("a", ("b", "c")), "a"]


def relisted(game, lists, private):
    """Return a game whose answers have other types."""

    def observe(*transition):
        seen = game.observe(*transition)
        return Observation(seen.public, private(enumerate(seen.seen_by_each(game.num_players))))

    return FunctionGame(
        game.num_players,
        initial_world=game.initial_world,
        actors=lambda world: lists(game.actors(world)),
        legal_actions=lambda world, player: lists(game.legal_actions(world, player)),
        transitions=game.transitions,
        rewards=lambda *transition: lists(game.rewards(*transition)),
        observe=observe,
    )


LISTS = {"tuples": tuple, "lists": list, "other lists": UserList}
PRIVATE = {
    "tuples": lambda parts: tuple(part for _, part in parts),
    "dictionaries": dict,
    "in the opposite order": lambda parts: dict(reversed([*parts])),
    "without those of nothing": lambda parts: {who: part for who, part in parts if part},
    "other mappings": UserDict,
}


@pytest.mark.parametrize("private", PRIVATE)
@pytest.mark.parametrize("lists", LISTS)
@pytest.mark.parametrize("name", ["kuhn_poker", "dark_hex(board_size=2)", "goofspiel(num_cards=3)"])
def test_the_types_of_answers_do_not_matter(name, lists, private):
    game = load_game(name)
    graph = build_world_graph(game)
    other = build_world_graph(relisted(game, LISTS[lists], PRIVATE[private]))
    assert (graph.action_sets, graph.observations) == (other.action_sets, other.observations)
    assert [*graph.worlds] == [*other.worlds]
    for field in ARRAYS:
        assert np.array_equal(getattr(graph, field), getattr(other, field))


def steps(observe, private, num_steps=4):
    """Return the private observations of a game of one player who sees `private(step)`."""
    game = FunctionGame(
        2,
        initial_world=lambda: 0,
        transitions=lambda world, joint: [(world + 1, 1)] if world < num_steps else [],
        observe=lambda world, joint, after: observe(private(world)),
    )
    graph = build_world_graph(game)
    return [[graph.observations[number] for number in row] for row in graph.private_observation]


def test_pairs_and_items_of_dictionaries_are_told_apart():
    pairs, items = ((0, "a"), (1, "b")), {0: "a", 1: "b"}

    def found(order):
        return steps(lambda seen: Observation("now", seen), lambda step: order[step % 2])

    assert found([pairs, items]) == [[*pairs], ["a", "b"]] * 2
    assert found([items, pairs]) == [["a", "b"], [*pairs]] * 2


@pytest.mark.parametrize("first", [1, ("bet", 1)])
def test_equal_private_parts_of_other_types_are_refused_in_dictionaries(first):
    second = True if first == 1 else ("bet", True)
    with pytest.raises(GameRuleError, match="equals an earlier one of another type"):
        steps(
            lambda seen: Observation(private={0: seen}), lambda step: first if step < 3 else second
        )


@pytest.mark.parametrize("stray", [2, -1, "0"])
def test_a_private_part_for_nobody_is_refused_after_equal_ones_for_players(stray):
    with pytest.raises(GameRuleError, match="the keys of private observations are players"):
        steps(
            lambda seen: Observation(private={**seen}),
            lambda step: {0: "a", 1: "a"} if step < 3 else {0: "a", 1: "a", stray: "a"},
        )


def test_garbage_collection_is_as_before_after_exploring():
    before = gc.get_threshold()
    during = []
    game = FunctionGame(actors=lambda world: during.append(gc.get_threshold()[0]) or ())
    build_world_graph(game)
    assert gc.get_threshold() == before
    assert during[0] > before[0]
