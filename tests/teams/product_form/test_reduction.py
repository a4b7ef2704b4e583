"""Reductions of product forms preserve values and remove the expected nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.games import RandomGame, load_game
from infoset.policy import random_policy
from infoset.teams import (
    build_product_form,
    drop_decided,
    expected_payoffs,
    from_tabular,
    merge_outcomes,
    product_form_from_functions,
    reveal_private,
)
from infoset.teams.product_form import equivalent_nodes
from infoset.tree import build_tree
from tests.support.random_product_forms import random_product_form
from tests.teams.shared_forms import tiny_bridge_form


@pytest.fixture(scope="module")
def bridge():
    return tiny_bridge_form()


def worth(form, policy):
    return expected_payoffs(form.information, from_tabular(form.information, policy))


def test_hands_of_one_kind_are_merged_in_tiny_bridge(bridge):
    merged = merge_outcomes(bridge)
    assert merged.num_nodes == 101 * 128
    assert len(np.unique(merged.outcome)) == 101
    assert merged.information.num_cells == bridge.information.num_cells
    shown = [reveal_private(form.information, (0, 1)).num_cells for form in (bridge, merged)]
    assert shown == [2 * (101 + 707 + 2121 + 3535)] * 2
    policy = random_policy(bridge.source.tree.sequence_form, np.random.default_rng(0))
    np.testing.assert_allclose(worth(merged, policy), worth(bridge, policy), rtol=1e-13)


@pytest.mark.parametrize("reduce", [merge_outcomes, drop_decided])
@pytest.mark.parametrize(
    "game",
    [load_game(name) for name in ("kuhn_poker", "leduc_poker", "goofspiel(num_cards=3)")]
    + [RandomGame(seed=seed, max_histories=60) for seed in range(8)],
    ids=str,
)
def test_reduction_preserves_policy_values(reduce, game):
    tree = build_tree(game)
    form = build_product_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(1))
    smaller = reduce(form)
    replace(smaller)  # checks the conditions of product forms
    assert smaller.num_nodes <= form.num_nodes
    np.testing.assert_allclose(worth(smaller, policy), worth(form, policy), atol=1e-12)


def toss(coins, seen, private_signals=None):
    """A coin is tossed, player 0 sees part of it and sends a message, player 1 guesses."""
    return product_form_from_functions(
        coins,
        agent_names=("Alice", "Bob"),
        num_stages=2,
        agent=lambda coin, actions: (0, 1, None)[len(actions)],
        legal_actions=lambda coin, actions: ("heads", "tails"),
        information=lambda coin, actions: actions or seen(coin),
        reward=lambda coin, actions: (float(actions[1] == coin[:5]), coin[-1] == "!"),
        private_signals=private_signals,
    )


def test_outcomes_are_merged_exactly_when_indistinguishable():
    coins = {"heads": 0.25, "tails": 0.25, "heads!": 0.5}
    merged = merge_outcomes(toss(coins, lambda coin: coin[:5]))
    assert np.unique(merged.arrays.chance).tolist() == [0.25, 0.75]
    assert (
        merged.arrays.payoff.tolist()
        == [[1, 2 / 3], [0, 2 / 3], [1, 2 / 3], [0, 2 / 3]] + [[1, 0]] * 2
    )
    assert merge_outcomes(toss(coins, lambda coin: coin)).num_nodes == 9
    told = toss(coins, lambda coin: coin[:5], private_signals=lambda coin: (None, coin[-1]))
    assert merge_outcomes(told).num_nodes == 9


def test_equivalent_nodes_under_arbitrary_cells(bridge):
    equivalent = equivalent_nodes(bridge, bridge.original)
    assert len(np.unique(equivalent)) == 101 * 128
    np.testing.assert_array_equal(bridge.original[equivalent], bridge.original)
    np.testing.assert_array_equal(equivalent[equivalent], equivalent)
    assert (
        equivalent_nodes(bridge, np.arange(bridge.num_nodes)) == np.arange(bridge.num_nodes)
    ).all()
    assert len(np.unique(equivalent_nodes(bridge, np.zeros(bridge.num_nodes)))) == 128


def test_outcomes_with_different_terminals_are_not_merged():
    def early(ends):
        return product_form_from_functions(
            {"a": 0.5, "b": 0.5},
            agent_names=("Alice",),
            num_stages=2,
            agent=lambda outcome, actions: (
                None if len(actions) == 2 or (actions and ends(outcome, actions[0])) else 0
            ),
            legal_actions=lambda outcome, actions: (0, 1),
            information=lambda outcome, actions: None,
            reward=lambda outcome, actions: (1,),
        )

    assert merge_outcomes(early(lambda outcome, action: action == 0)).num_nodes == 2
    assert merge_outcomes(early(lambda outcome, action: action == (outcome == "a"))).num_nodes == 4


def test_decided_plays_of_trade_comm_end_immediately():
    form = build_product_form(load_game("trade_comm(num_items=3)"))
    smaller = drop_decided(form)
    assert np.diff(smaller.arrays.first_node).tolist() == [9, 27, 81, 81]
    assert smaller.num_edges == 9 * 3 + 27 * 3 + 81 * 9 + 81 * 9
    assert len(smaller.arrays.payoff_edge) == 81


def test_decided_plays_keep_their_payoffs():
    """All plays but one pay the same; the stage without effect is removed."""
    form = product_form_from_functions(
        {"a": 0.5, "b": 0.5},
        agent_names=("Alice", "Bob"),
        num_stages=3,
        agent=lambda outcome, actions: (0, 1, 0, None)[len(actions)],
        legal_actions=lambda outcome, actions: (0, 1),
        information=lambda outcome, actions: actions,
        reward=lambda outcome, actions: (5, 1 if actions[0] == 0 else 2),
    )
    smaller = drop_decided(form)
    assert smaller.arrays.first_node.tolist() == [0, 2]
    assert smaller.arrays.payoff.tolist() == [[5, 1], [5, 2]] * 2
    assert smaller.num_edges == 4


@pytest.mark.parametrize("seed", range(10))
def test_no_decided_node_remains(seed):
    form = random_product_form(seed, num_stages=4, num_outcomes=4, is_common=False)
    smaller = drop_decided(form)
    arrays = smaller.arrays
    paid = np.zeros((smaller.num_edges, 2))
    paid[arrays.payoff_edge] = arrays.payoff

    def terminals(node):
        for edge in range(arrays.first_edge[node], arrays.first_edge[node + 1]):
            child = arrays.child[edge]
            yield from terminals(child) if child >= 0 else [tuple(paid[edge].tolist())]

    for node in np.flatnonzero(arrays.parent_edge >= 0).tolist():
        assert len(set(terminals(node))) > 1


@pytest.mark.parametrize("reduce", [merge_outcomes, drop_decided])
def test_reduction_refuses_other_types(reduce):
    with pytest.raises(ParameterError, match="give a ProductForm, such as"):
        reduce(load_game("kuhn_poker"))


def test_reduced_forms_keep_their_source(bridge):
    smaller = drop_decided(merge_outcomes(bridge))
    for node in range(0, smaller.num_nodes, 1001):
        history = int(smaller.source.history[node])
        agent = int(smaller.arrays.agent[node])
        assert bridge.source.tree.infostate[history, agent] == smaller.source.infostate[node]
        assert (
            smaller.prefix(node).world
            == smaller.source.tree.graph.worlds[smaller.source.tree.world[history]]
        )
    assert replace(bridge, source=None).prefix(0).world is None
