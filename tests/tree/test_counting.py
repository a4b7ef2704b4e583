"""Counting before building."""

from __future__ import annotations

import pytest

from infoset.errors import CyclicGameError, GameTooLargeError
from infoset.games import load_game
from infoset.tree import (
    build_tree,
    build_world_graph,
    check_fits,
    count_histories,
    forecast_contraction,
)
from tests.support.function_game import FunctionGame, ladder

COUNTS = {
    # Counts of FOSGs; the serial counts of the references also include extra chance nodes.
    "kuhn_poker": (55, 30),
    "leduc_poker": (9451, 5520),
    "liars_dice": (294_877, 147_420),
    "liars_dice(dice_sides=4)": (8_177, 4_080),
    "goofspiel(num_cards=5,imp_info=True,points_order=descending)": (18_426, 14_400),
    "goofspiel(num_cards=4,imp_info=True,points_order=random)": (None, 13_824),
}


@pytest.mark.parametrize("spec", COUNTS)
def test_counts_of_known_games(spec):
    counts = count_histories(build_world_graph(load_game(spec)))
    histories, terminals = COUNTS[spec]
    assert counts.terminals == terminals
    assert histories is None or counts.histories == histories


@pytest.mark.parametrize("height", [3, 12, 15, 16, 40, 400])
def test_counts_are_exact_integers_of_any_size(height):
    counts = count_histories(build_world_graph(ladder(10, height)))
    assert counts.terminals == 10**height
    assert counts.histories == (10 ** (height + 1) - 1) // 9
    assert type(counts.histories) is int


def test_a_game_of_1e12_histories_is_refused_with_its_numbers():
    with pytest.raises(GameTooLargeError) as caught:
        build_tree(ladder(10, 12))
    assert "1,111,111,111,111 histories" in str(caught.value)
    assert caught.value.counts["histories"] == 1_111_111_111_111
    assert "smaller parameters" in str(caught.value)


def test_the_memory_allowed_is_a_parameter():
    counts = count_histories(build_world_graph(load_game("leduc_poker")))
    check_fits(counts, "leduc_poker", memory=counts.bytes)
    with pytest.raises(GameTooLargeError, match="leduc_poker has"):
        check_fits(counts, "leduc_poker", memory=counts.bytes - 1)


def test_a_cycle_is_printed():
    after = {"start": "a", "a": "b", "b": "c", "c": "a"}
    game = FunctionGame(
        transitions=lambda w, a: [(after[w], 0.5), ("end", 0.5)] if w in after else []
    )
    with pytest.raises(CyclicGameError) as caught:
        count_histories(build_world_graph(game))
    cycle = caught.value.cycle
    assert sorted(cycle) == ["a", "b", "c"]
    assert all(after[w] == x for w, x in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    assert "step counter" in str(caught.value)


def test_a_loop_of_one_world_is_a_cycle():
    game = FunctionGame(transitions=lambda w, a: [(w, 1)])
    with pytest.raises(CyclicGameError, match="'start' -> 'start'"):
        count_histories(build_world_graph(game))


def test_counts_of_a_partial_graph_are_lower_bounds():
    graph = build_world_graph(load_game("leduc_poker"), max_worlds=300, partial=True)
    counts = count_histories(graph)
    assert not counts.is_exact
    assert 300 < counts.histories <= 9451
    assert counts.terminals <= 5520


def test_counts_of_thousands_of_digits_are_lower_bounds_with_a_text():
    """Five thousand levels of three actions: 3**5000 histories are not counted out."""
    graph = build_world_graph(ladder(3, 5_000))
    counts = count_histories(graph)
    assert graph.is_complete
    assert not counts.is_exact
    assert counts.histories >= 10**1000
    with pytest.raises(GameTooLargeError, match=r"e\+1\d\d\d histories"):
        build_tree(ladder(3, 5_000))


def test_an_endless_game_is_counted_in_little_memory():
    """Exact counts of the partial graph would have 300,000 bits for each of 100,000 worlds."""
    endless = FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,),
        legal_actions=lambda w, p: range(8),
        transitions=lambda w, a: [(w + 1, 1)],
    )
    graph = build_world_graph(endless, max_worlds=3_000, partial=True)
    counts = count_histories(graph)
    assert 10**300 < counts.histories < 8**2999
    assert not counts.is_exact


def test_a_lower_bound_is_below_the_exact_count():
    graph = build_world_graph(ladder(10, 40), max_worlds=30, partial=True)
    # The last world state found is known only by transitions that were dropped.
    exact = sum(10**depth for depth in range(30))
    assert exact * 0.9999 < count_histories(graph).histories <= exact


def test_a_long_cycle_is_found_quickly():
    game = FunctionGame(initial_world=lambda: 0, transitions=lambda w, a: [((w + 1) % 30_000, 1)])
    with pytest.raises(CyclicGameError, match="30000 world states in all"):
        count_histories(build_world_graph(game))


def test_a_long_game_with_few_world_states_a_level_is_forecast_quickly():
    graph = build_world_graph(ladder(1, 30_000))
    assert forecast_contraction(graph, count_histories(graph)) > 0
