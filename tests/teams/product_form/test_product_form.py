"""Product forms agree with their games in counts, utilities and information."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.efg import build_extensive_form, chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import GameTooLargeError, ParameterError, UnsupportedGameError
from infoset.games import RandomGame, load_game
from infoset.policy import random_policy
from infoset.teams import (
    RELAXATIONS,
    build_product_form,
    expected_payoffs,
    find_recall_violation,
    from_tabular,
)
from infoset.tree import build_tree
from tests.support.function_game import FunctionGame
from tests.support.random_forms import random_form
from tests.teams.shared_forms import tiny_bridge_form

TEAM = (0, 1)


def cells_by_stage(information):
    return np.bincount(information.stage).tolist()


def utilities(tree, policy):
    """Return the expected utility of each player from the terminal histories."""
    ends = tree.terminals
    reach = tree.chance_reach[ends].copy()
    for player, plan in enumerate(policy.realization_plans()):
        reach *= plan[tree.sequence[ends, player]]
    return reach @ tree.rewards_so_far[ends]


def check_same_game(game):
    tree = build_tree(game)
    form = build_product_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(0))
    found = expected_payoffs(form.information, from_tabular(form.information, policy))
    np.testing.assert_allclose(found, utilities(tree, policy), atol=1e-12)


@pytest.mark.parametrize(
    ("count", "nodes"),
    [
        (2, [4, 8, 16, 64]),
        (3, [9, 27, 81, 729]),
        pytest.param(5, [25, 125, 625, 15625], marks=pytest.mark.long),
    ],
)
def test_trade_comm_has_as_many_nodes_as_published(count, nodes):
    form = build_product_form(load_game(f"trade_comm(num_items={count})"))
    assert np.diff(form.arrays.first_node).tolist() == nodes
    assert len(form.arrays.payoff_edge) == nodes[2]
    recall = RELAXATIONS["recall"].relax(form.information, TEAM)
    assert cells_by_stage(recall) == nodes


def test_tiny_bridge_has_as_many_cells_as_published():
    form = tiny_bridge_form()
    assert form.num_nodes == 53_760
    assert np.count_nonzero(form.arrays.child < 0) == 53_340
    assert cells_by_stage(form.information) == [12, 84, 252, 420, 420, 252, 84, 12]
    revealed = RELAXATIONS["private_revealed"].relax(form.information, TEAM)
    assert cells_by_stage(revealed) == [101, 707, 2121, 3535, 3535, 2121, 707, 101]
    assert find_recall_violation(revealed, TEAM) is None


def test_matching_pennies_has_the_published_tree():
    form = build_product_form(load_game("cooperative_matching_pennies"))
    assert form.arrays.first_node.tolist() == [0, 2, 6]
    assert form.arrays.chance.tolist() == [0.5] * 6
    assert form.arrays.agent.tolist() == [0, 0, 1, 1, 1, 1]
    assert form.arrays.child.tolist() == [2, 3, 4, 5] + [-1] * 12
    assert form.arrays.parent_edge.tolist() == [-1, -1, 0, 1, 2, 3]
    assert form.arrays.payoff_edge.tolist() == [4, 5, 7, 8, 10, 11, 13, 14]
    wins = [1, -2, 1, -2, -2, 1, -2, 1]
    assert form.arrays.payoff.tolist() == [[pay, pay] for pay in wins]
    assert form.information.cell.tolist() == [0, 1, 2, 3, 2, 3]
    assert list(form.outcomes) == ["heads", "tails"]
    assert form.legal_actions(5) == ("heads", "tails", "pass")
    assert form.prefix_text(4) == "outcome tails, then player 0: heads"


GAMES = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3)",
    "goofspiel(num_cards=3,imp_info=true,points_order=random,returns_type=point_difference)",
    "matrix_mp",
    "trade_comm(num_items=3)",
)


@pytest.mark.parametrize("name", GAMES)
def test_policy_values_agree_with_the_tree(name):
    check_same_game(load_game(name))


@pytest.mark.parametrize("seed", range(12))
def test_policy_values_agree_with_the_tree_in_random_games(seed):
    check_same_game(RandomGame(seed=seed, num_players=2 + seed % 3, max_histories=150))


@pytest.mark.parametrize("name", ["leduc_poker", "goofspiel(num_cards=3)"])
def test_terminal_reaches_agree_with_the_tree(name):
    tree = build_tree(load_game(name))
    form = build_product_form(tree)
    for player in range(2):
        nodes = np.flatnonzero(form.arrays.agent == player)
        history = form.source.history[nodes]
        chance = np.bincount(history, form.arrays.chance[nodes], tree.num_histories)
        ways = np.ones(tree.num_histories)
        if name.startswith("goofspiel") and player == 1:
            ways = tree.infostate_trees[0].num_actions[tree.infostate[:, 0]]
        acts = tree.infostate_trees[player].num_actions[tree.infostate[:, player]] > 0
        np.testing.assert_allclose(chance, np.where(acts, tree.chance_reach * ways, 0), atol=1e-15)


def test_leduc_poker_deals_all_cards_at_the_start():
    form = build_product_form(load_game("leduc_poker"))
    assert len(form.outcomes) == 30 * 4
    np.testing.assert_allclose(form.arrays.chance, 1 / 120)
    assert len(set(form.outcomes)) == 120
    assert form.outcomes[0] == "Js Jh, Qs"
    assert form.num_stages == 8


def test_serial_games_give_the_same_form_as_their_extensive_form():
    for name in ("kuhn_poker", "trade_comm(num_items=2)", "liars_dice(dice_sides=2)"):
        game = load_game(name)
        first, second = build_product_form(game), build_product_form(build_extensive_form(game))
        for one, other in zip(first.arrays, second.arrays, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(first.original, second.original)
        assert second.private_signal is None
        assert [first.legal_actions(node) for node in range(first.num_nodes)] == [
            second.legal_actions(node) for node in range(second.num_nodes)
        ]


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), memory=st.integers(0, 3))
def test_policy_values_agree_with_the_extensive_form(seed, memory):
    form = random_form(
        seed=seed,
        num_players=2,
        max_depth=4,
        memory=memory,
        public_memory=1,
        knows_public=True,
        knows_time=True,
        knows_turn=True,
        knows_payoffs=False,
        is_augmented=False,
    )
    try:
        made = build_product_form(form)
    except UnsupportedGameError:
        return
    rng = np.random.default_rng(seed)
    weights = rng.random(made.information.num_entries) + 0.1
    sums = np.add.reduceat(weights, made.information.first_entry[:-1])
    probability = weights / np.repeat(sums, made.information.num_actions)
    behavior = _behavior(form, made, probability)
    np.testing.assert_allclose(
        expected_payoffs(made.information, probability), behavior, atol=1e-12
    )


def _behavior(form, made, probability):
    """Return the expected utilities with each cell's probabilities at its information set."""
    entries = {}
    for node in range(made.num_nodes):
        agent, infoset = int(made.arrays.agent[node]), int(made.source.infostate[node])
        first = made.information.first_entry[made.information.cell[node]]
        entries[agent, infoset] = probability[first : first + made.num_actions[node]]

    def walk(history):
        value = form.payoff[history].copy()
        children = range(form.first_child[history], form.first_child[history + 1])
        actor = int(form.actor[history])
        for position, child in enumerate(children):
            share = form.chance_probability[child]
            if actor >= 0 and share:
                share = entries[actor, int(form.infoset[history, actor])][position]
            if share:
                value += share * walk(child)
        return value

    return walk(0)


def forgetful_form():
    """Chance tosses; on heads player 0 moves first; player 1 does not know whether it did."""
    left, right, guess = (
        decision(1, "guess", {"yes": terminal(pays, 0), "no": terminal(0, pays)})
        for pays in (1, 2, 4)
    )
    first = decision(0, "move", {"left": left, "right": right})
    return extensive_form_from_nodes(
        chance({"heads": (0.25, first), "tails": (0.5, guess), "stop": (0.25, terminal(8, 8))}),
        players=2,
    )


def test_cells_stay_in_one_stage_when_plays_differ_in_length():
    form = build_product_form(forgetful_form())
    assert form.arrays.first_node.tolist() == [0, 2, 5]
    assert form.arrays.parent_edge.tolist() == [-1, -1, 0, 1, -1]
    assert [form.outcomes[number] for number in form.outcome] == [
        "heads",
        "stop",
        "heads",
        "heads",
        "tails",
    ]
    assert cells_by_stage(form.information) == [2, 1]


def test_a_play_ended_by_chance_has_a_single_action_node():
    form = build_product_form(forgetful_form())
    waits = int(np.flatnonzero(form.outcome == 2)[0])
    assert form.legal_actions(waits) == (None,)
    assert form.source.infostate[waits] == -1
    probability = np.array([0.5, 0.5, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(
        expected_payoffs(form.information, probability), [0.25 * 1.5 + 0.5 * 4 + 2, 2]
    )


def test_actions_with_the_same_name_stay_distinct():
    twice = decision(0, "here", [("up", terminal(1)), ("up", terminal(2))])
    assert build_product_form(extensive_form_from_nodes(twice, players=1)).legal_actions(0) == (
        "up",
        "up #2",
    )


def absent_minded():
    second = decision(0, "exit?", {"exit": terminal(4), "go on": terminal(1)})
    return extensive_form_from_nodes(
        decision(0, "exit?", {"exit": terminal(0), "go on": second}), players=1
    )


def test_games_without_a_product_form_are_refused():
    with pytest.raises(UnsupportedGameError, match=r"more than 1000 stages, or no stages"):
        build_product_form(absent_minded())
    with pytest.raises(UnsupportedGameError, match="nobody ever acts"):
        build_product_form(FunctionGame())
    uneven = extensive_form_from_nodes(
        chance(
            {
                "a": (0.5, decision(0, "same", {"up": terminal(0)})),
                "b": (0.5, decision(0, "same", {"up": terminal(0), "down": terminal(1)})),
            }
        ),
        players=1,
    )
    with pytest.raises(UnsupportedGameError, match=r"has no product form: .*but the actions are"):
        build_product_form(uneven)


def test_a_form_that_is_too_large_is_refused_before_it_is_built():
    game = load_game("trade_comm(num_items=2)")
    with pytest.raises(GameTooLargeError, match=r"more than 100 histories.*larger max_nodes"):
        build_product_form(game, max_nodes=100)
    with pytest.raises(GameTooLargeError, match=r"outcomes and .*more than max_nodes="):
        build_product_form(load_game("leduc_poker"), max_nodes=20)
    with pytest.raises(UnsupportedGameError, match=r"more than 3 stages.*larger max_stages"):
        build_product_form(game, max_stages=3)
    assert build_product_form(game, max_stages=4).num_stages == 4


@pytest.mark.parametrize(
    ("game", "limits", "message"),
    [
        ("trade_comm", {}, "game='trade_comm' is of type str; give rules"),
        (load_game("matrix_mp"), {"max_nodes": 0}, "max_nodes=0 must be a whole number"),
        (load_game("matrix_mp"), {"max_stages": 2.5}, "max_stages=2.5 must be a whole number"),
    ],
)
def test_invalid_arguments(game, limits, message):
    with pytest.raises(ParameterError, match=message):
        build_product_form(game, **limits)
