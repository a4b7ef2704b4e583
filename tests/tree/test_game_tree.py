"""Unrolling, against a reference walk of the same rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from infoset.errors import GameRuleError
from infoset.game import Observation
from infoset.games import load_game
from infoset.tree import GameTree, build_sequence_form, build_tree, build_world_graph, unroll
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories

ARRAYS = ("world", "parent", "edge", "first_child", "infostate", "public_state", "chance_reach")


def same_partition(numbers, keys) -> bool:
    """Return whether two labelings define the same partition."""
    pairs = set(zip(numbers, keys, strict=True))
    return len(pairs) == len(set(numbers)) == len(set(keys))


def assert_equals_walk(game):
    tree = build_tree(game)
    visits = enumerate_histories(game)
    assert tree.num_histories == tree.counts.histories == len(visits)
    assert tree.parent.tolist() == [visit.parent for visit in visits]
    assert [tree.graph.worlds[w] for w in tree.world] == [v.history.world for v in visits]
    assert np.allclose(tree.chance_reach, [v.chance_reach for v in visits], rtol=1e-14)
    rewards = np.array([v.history.rewards_so_far for v in visits], dtype=float)
    assert np.allclose(tree.rewards_so_far, rewards, atol=1e-12)
    assert set(tree.terminals.tolist()) == {
        i for i, visit in enumerate(visits) if visit.history.is_terminal
    }
    assert same_partition(tree.public_state.tolist(), [v.history.public_state for v in visits])
    for player in range(game.num_players):
        known = [visit.history.infostates[player] for visit in visits]
        assert same_partition(tree.infostate[:, player].tolist(), known)
        infostates = tree.infostate_trees[player]
        for number, visit in zip(tree.infostate[:, player].tolist(), visits, strict=True):
            assert infostates.index_of(visit.history.infostates[player]) == number
            assert infostates.label(number) == str(visit.history.infostates[player])
            assert infostates.legal_actions(number) == visit.history.legal_actions(player)


@given(random_games())
def test_random_games_equal_the_walk(game):
    assert_equals_walk(game)


@pytest.mark.parametrize(
    "spec", ["kuhn_poker(players=3)", "matrix_rps", "goofspiel(num_cards=3,imp_info=True)"]
)
def test_known_games_equal_the_walk(spec):
    assert_equals_walk(load_game(spec))


def test_unrolling_calls_no_rules(monkeypatch):
    game = load_game("leduc_poker")
    graph = build_world_graph(game)

    def fail(*arguments):
        raise AssertionError("a rule is called")

    for name in ("initial_world", "actors", "legal_actions", "transitions", "rewards"):
        monkeypatch.setattr(type(game), name, fail)
    assert unroll(graph).num_histories == 9_451


def test_a_sequence_form_is_built_without_the_tree(monkeypatch):
    def fail(*arguments, **fields):
        raise AssertionError("a tree is built")

    monkeypatch.setattr(GameTree, "__init__", fail)
    assert build_sequence_form(load_game("leduc_poker")).num_players == 2


@given(random_games())
def test_the_same_game_gives_the_same_bits(game):
    first, second = build_tree(game), build_tree(game)
    for name in ARRAYS:
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert first.sequence_form.fingerprint == second.sequence_form.fingerprint


@given(random_games())
def test_structure(game):
    tree = build_tree(game)
    histories = np.arange(1, tree.num_histories)
    assert (tree.first_child[tree.parent[1:]] <= histories).all()
    assert (histories < tree.first_child[tree.parent[1:] + 1]).all()
    depth = np.zeros(tree.num_histories, dtype=int)
    for history in histories:
        depth[history] = depth[tree.parent[history]] + 1
    assert np.array_equal(np.bincount(depth), np.diff(tree.level_offsets))
    assert tree.chance_reach[tree.terminals].min() > 0
    for player, infostates in enumerate(tree.infostate_trees):
        acting = tree.graph.joint_action[:, player][tree.edge[1:]] >= 0
        expected = tree.sequence[tree.parent[1:], player].copy()
        parents = tree.infostate[tree.parent[1:], player]
        taken = tree.graph.joint_action[tree.edge[1:], player]
        expected[acting] = infostates.first_sequence[parents[acting]] + taken[acting]
        assert np.array_equal(tree.sequence[1:, player], expected)


@given(random_games())
def test_public_states_hold_the_infostates(game):
    tree = build_tree(game)
    public = tree.public_tree
    for player, infostates in enumerate(tree.infostate_trees):
        slices = [
            public.infostates[player][slice(*public.first_infostate[player][s : s + 2])]
            for s in range(public.num_public_states)
        ]
        for state, members in enumerate(slices):
            assert (infostates.public_state[members] == state).all()
        assert sorted(np.concatenate(slices)) == list(range(infostates.num_infostates))


def test_an_infostate_counts_off_turn_and_the_sequences_of_kuhn_are_13():
    tree = build_tree(load_game("kuhn_poker"))
    assert [t.num_sequences for t in tree.infostate_trees] == [13, 13]
    assert [t.num_acting for t in tree.infostate_trees] == [6, 6]
    # The root and 9 betting lines for each of 3 cards; the showdown of 5 lines splits them.
    assert all(t.num_infostates > 1 + 3 * 9 - 1 for t in tree.infostate_trees)
    assert tree.infostate_trees[0].label(0) == "(start)"


def test_different_infostates_of_equal_text_stay_distinct():
    rules = dict(
        actors=lambda w: (0,) if w in (1, "1") else (),
        transitions=lambda w, a: {"start": [(1, 0.5), ("1", 0.5)], 1: [(2, 1)], "1": [(2, 1)]}.get(
            w, []
        ),
    )
    (infostates,) = build_tree(FunctionGame(**rules)).infostate_trees
    assert len(set(infostates.acting_labels)) == infostates.num_acting == 2


def test_legal_actions_that_depend_on_the_unseen_are_refused():
    game = FunctionGame(
        num_players=2,
        actors=lambda w: (1,) if w in ("heads", "tails") else (),
        legal_actions=lambda w, p: ("a", "b") if w == "heads" else ("a",),
        transitions=lambda w, a: (
            [("heads", 0.5), ("tails", 0.5)] if w == "start" else [] if w == "end" else [("end", 1)]
        ),
        observe=lambda w, a, x: Observation(private={0: x}),
    )
    with pytest.raises(GameRuleError) as caught:
        build_tree(game)
    message = str(caught.value)
    assert "player 1" in message
    assert "'heads'" in message
    assert "'tails'" in message
    assert "['a', 'b']" in message
    assert caught.value.player == 1


def test_a_game_that_ends_immediately():
    tree = build_tree(FunctionGame(transitions=lambda w, a: []))
    assert tree.num_histories == 1
    assert tree.sequence_form.num_payoffs == 0
    assert tree.level_offsets.tolist() == [0, 1]


def test_a_partial_graph_is_not_unrolled():
    with pytest.raises(ValueError, match="partial"):
        unroll(build_world_graph(load_game("leduc_poker"), max_worlds=10, partial=True))


def test_infostates_become_values_and_numbers_again():
    tree = build_tree(load_game("leduc_poker"))
    for own in tree.infostate_trees:
        numbers = [*range(100), *range(100, own.num_infostates, 7)]
        values = [own.infostate_at(number) for number in numbers]
        assert [own.index_of(value) for value in values] == numbers
        assert [str(value) for value in values] == list(map(own.label, numbers))
