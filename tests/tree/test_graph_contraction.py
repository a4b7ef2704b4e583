"""The sequence form built level by level, against the one contracted from all histories."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given

from infoset.errors import GameRuleError, GameTooLargeError
from infoset.game import Observation
from infoset.games import load_game
from infoset.tree import (
    build_limits,
    build_sequence_form,
    build_tree,
    build_world_graph,
    contract_graph,
    count_histories,
    unroll,
)
from infoset.tree.counting import level_sizes
from tests.support.function_game import FunctionGame, ladder
from tests.support.hypothesis_strategies import random_games

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "kuhn_poker_long",
    "leduc_poker",
    "liars_dice(dice_sides=4)",
    "liars_dice(dice_sides=5)",
    pytest.param("liars_dice(dice_sides=6)", marks=pytest.mark.long),
    pytest.param("liars_dice(numdice=2,dice_sides=3)", marks=pytest.mark.long),
    "liars_dice(numdice=2,dice_sides=2)",
    pytest.param("goofspiel(num_cards=4)", marks=pytest.mark.long),
    "goofspiel(num_cards=4,imp_info=True,points_order=random)",
    "goofspiel(num_cards=3,players=3,points_order=descending)",
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "trade_comm(num_items=2)",
    "matrix_rps",
]
TREE_ARRAYS = (
    "parent",
    "action",
    "private_observation",
    "public_observation",
    "public_state",
    "action_set",
)


def assert_same_form(form, expected):
    assert form.fingerprint == expected.fingerprint
    assert form.name == expected.name
    assert form.payoff_range == expected.payoff_range
    assert form.constant_sum == expected.constant_sum
    for name in ("terminal_sequence", "payoff"):
        assert_same_bits(getattr(form, name), getattr(expected, name))
    for ours, theirs in zip(form.infostate_trees, expected.infostate_trees, strict=True):
        for name in TREE_ARRAYS:
            assert_same_bits(getattr(ours, name), getattr(theirs, name))
        assert ours.action_sets == theirs.action_sets
        assert ours.observations == theirs.observations
        assert ours.player == theirs.player


def assert_same_bits(ours, theirs):
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()
    assert not ours.flags.writeable


@given(random_games())
def test_random_games_have_the_same_form(game):
    assert_same_form(build_sequence_form(game), build_tree(game).sequence_form)


@pytest.mark.parametrize("spec", GAMES)
def test_known_games_have_the_same_form(spec):
    game = load_game(spec)
    assert_same_form(build_sequence_form(game), build_tree(game).sequence_form)


def test_the_labels_are_those_of_the_histories():
    form = build_sequence_form(load_game("kuhn_poker"))
    walked = build_tree(load_game("kuhn_poker")).sequence_form
    for ours, theirs in zip(form.infostate_trees, walked.infostate_trees, strict=True):
        assert ours.acting_labels == theirs.acting_labels


def test_a_game_that_ends_where_it_starts():
    game = FunctionGame(num_players=2, transitions=lambda w, a: [])
    form = build_sequence_form(game)
    assert_same_form(form, build_tree(game).sequence_form)
    assert form.num_payoffs == 0
    assert form.payoff_range == (0.0, 0.0)


def test_rewards_of_plays_of_every_length_are_counted():
    """Each flip pays more than the last, and tails ends the play, so all levels have payoffs."""
    game = FunctionGame(
        initial_world=lambda: 0,
        transitions=lambda w, a: [(w + 1, 0.75), (-1 - w, 0.25)] if 0 <= w < 4 else [],
        rewards=lambda w, a, n: (2.0**w,),
    )
    form = build_sequence_form(game)
    expected = sum((2 ** (w + 1) - 1) * 0.75**w * 0.25 for w in range(4)) + 15 * 0.75**4
    assert form.payoff.tolist() == [[pytest.approx(expected, rel=1e-15)]]
    assert form.payoff_range == (1.0, 15.0)
    assert form.constant_sum is None
    assert_same_form(form, build_tree(game).sequence_form)


@pytest.mark.parametrize("build", [build_tree, build_sequence_form])
def test_actions_that_depend_on_what_is_hidden_are_refused(build):
    game = FunctionGame(
        actors=lambda w: (0,) if w == "tails" else (),
        transitions=lambda w, a: {
            "start": [("heads", 0.5), ("tails", 0.5)],
            "heads": [("end", 1)],
            "tails": [("end", 1)],
        }.get(w, []),
        observe=lambda w, a, n: Observation(),
    )
    with pytest.raises(GameRuleError, match="determines whether it acts") as caught:
        build(game)
    assert caught.value.player == 0
    assert caught.value.world == "tails"
    assert "'heads'" in str(caught.value)


@given(random_games())
def test_levels_are_counted_before_they_are_built(game):
    tree = build_tree(game)
    going_on = np.diff(tree.first_child) > 0
    expected = [
        (end - start, int(going_on[start:end].sum()))
        for start, end in zip(tree.level_offsets[:-1], tree.level_offsets[1:], strict=True)
    ]
    assert level_sizes(tree.graph) == expected


@pytest.mark.parametrize("height", [12, 400])
def test_a_game_of_too_many_terminals_is_refused_immediately(height):
    with pytest.raises(GameTooLargeError, match="its sequence form needs about") as caught:
        build_sequence_form(ladder(10, height))
    assert caught.value.counts["terminals"] == 10**height


def peak_bytes(build) -> int:
    """Return the peak memory of NumPy while building, and that of Python."""
    tracemalloc.start()
    try:
        build()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("game", [load_game("liars_dice(dice_sides=5)"), ladder(2, 16)], ids=str)
def test_memory_is_what_was_counted_before(game):
    """The peak memory of building is at most the smallest sufficient allowance."""
    graph = build_world_graph(game)
    form = contract_graph(graph)
    held = form.terminal_sequence.nbytes + form.payoff.nbytes
    assert held < peak_bytes(lambda: contract_graph(graph)) < smallest_memory(graph)


def test_memory_is_far_less_than_that_of_the_tree():
    graph = build_world_graph(load_game("liars_dice"))
    assert smallest_memory(graph) < 0.5 * count_histories(graph).bytes


def smallest_memory(graph) -> int:
    """Return the smallest memory limit, to one percent, under which the form can be built."""
    low, high = 0, 2 * count_histories(graph).bytes
    while high - low > high / 100:
        middle = (low + high) // 2
        try:
            contract_graph(graph, memory=middle)
            high = middle
        except GameTooLargeError:
            low = middle
    return high


def test_infostates_past_the_allowance_stop_the_building():
    """The terminals alone would fit: the infostates exceed the limit."""
    graph = build_world_graph(load_game("goofspiel(num_cards=4)"))
    counts = count_histories(graph)
    with pytest.raises(GameTooLargeError, match="goofspiel"):
        contract_graph(graph, memory=counts.terminals * 60)


def test_partial_graphs_are_refused():
    graph = build_world_graph(load_game("leduc_poker"), max_worlds=10, partial=True)
    with pytest.raises(ValueError, match="partial"):
        contract_graph(graph)


def test_the_memory_limit_of_a_block_holds_for_every_form_of_a_graph():
    graph = build_world_graph(load_game("leduc_poker"))
    with build_limits(memory=1000):
        for build in (unroll, contract_graph):
            with pytest.raises(GameTooLargeError):
                build(graph)
