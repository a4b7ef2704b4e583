"""All ways to construct a product form agree, in every game of the registry."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.efg import as_game, build_extensive_form, forget_non_acting, format_efg, parse_efg
from infoset.evaluation import expected_values
from infoset.games import RandomGame
from infoset.policy import random_policy
from infoset.teams import (
    build_product_form,
    drop_decided,
    expected_payoffs,
    from_tabular,
    merge_outcomes,
    perfect_recall_closure,
    product_form_from_functions,
    recall_bound,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.small_games import SMALL_GAMES

MANY_PLAYERS = (
    "kuhn_poker(players=3)",
    "goofspiel(players=3,num_cards=3)",
    "hanabi(players=3,colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1)",
)
TAKES_SECONDS = (
    "goofspiel(players=3,num_cards=3)",
    "leduc_poker",
    "tiny_bridge_2p(abstracted=true)",
    "trade_comm(num_items=3)",
)
SPECS = [
    pytest.param(spec, marks=[pytest.mark.long] if spec in TAKES_SECONDS else [])
    for spec in (*SMALL_GAMES, *MANY_PLAYERS)
]
MAX_HISTORIES = 20_000
"""Larger games are built in two ways only."""


REBUILT = [spec for spec in SPECS if not spec.values[0].startswith(("tiny_bridge", "random_game"))]
REBUILT.append(pytest.param("random_game(seed=1,max_histories=80)"))


@cache
def form_of(spec):
    return build_product_form(cached_tree(spec))


def other_constructions(tree):
    """Yield names and forms built from the extensive form, its text, and its rules."""
    augmented = build_extensive_form(tree)
    yield "augmented", build_product_form(augmented)
    if tree.num_histories <= MAX_HISTORIES:
        yield "classical", build_product_form(forget_non_acting(augmented))
        yield "text", build_product_form(parse_efg(format_efg(tree), name=str(tree)))
        yield "rules", build_product_form(as_game(augmented))


def same_arrays(one, other):
    return all(
        first.shape == second.shape and np.allclose(first, second, rtol=0, atol=1e-12)
        for first, second in zip(
            (*one.arrays, one.original), (*other.arrays, other.original), strict=True
        )
    )


@pytest.mark.parametrize("spec", SPECS)
def test_all_constructions_give_the_same_form(spec):
    tree, form = cached_tree(spec), form_of(spec)
    assert same_arrays(form, build_product_form(tree.game))
    for name, other in other_constructions(tree):
        if spec == "random_game":  # nodes of simultaneous players have another order
            assert bounds(form) == pytest.approx(bounds(other), abs=1e-12), name
        else:
            assert same_arrays(form, other), name


def bounds(form):
    """Return the recall bounds of several teams, each against uniform play of the others."""
    information = form.information
    uniform = np.repeat(1 / information.num_actions, information.num_actions)
    agents = range(form.num_agents)
    teams = [(agent,) for agent in agents] + [tuple(agents), tuple(agents)[1:], tuple(agents)[:-1]]
    wins = [recall_bound(information, team, others=uniform, rule="sum") for team in teams if team]
    return np.array(wins)


@pytest.mark.parametrize("seed", range(6))
def test_all_constructions_agree_on_random_simultaneous_games(seed):
    game = RandomGame(seed=seed, num_players=2 + seed % 3, max_histories=60)
    tree = build_tree(game)
    wanted = bounds(build_product_form(tree))
    for name, other in other_constructions(tree):
        assert bounds(other) == pytest.approx(wanted, abs=1e-12), name


@pytest.mark.parametrize("spec", SPECS)
def test_policy_values_agree_between_games_and_reduced_forms(spec):
    policy = random_policy(cached_tree(spec).sequence_form, np.random.default_rng(7))
    form = form_of(spec)
    merged = merge_outcomes(form)
    for smaller in (form, merged, drop_decided(form), drop_decided(merged)):
        found = expected_payoffs(smaller.information, from_tabular(smaller.information, policy))
        assert found == pytest.approx(expected_values(policy), abs=1e-10)


@pytest.mark.parametrize("spec", REBUILT)
def test_a_form_rebuilt_from_its_functions_is_the_same(spec):
    form = form_of(spec)
    assert len(set(form.outcomes)) == len(form.outcomes)
    lengths = [len(form.path(node)) for node in range(form.num_nodes)]
    written = rebuild(form)
    if (form.stage == lengths).all() and form.outcomes.draws.shape[1] <= 1:
        assert same_arrays(form, written)  # later draws change the order of nodes
    team = tuple(range(form.num_agents))[:2]
    cells = [perfect_recall_closure(f.information, team).num_cells for f in (form, written)]
    assert cells[0] == cells[1]
    assert bounds(form) == pytest.approx(bounds(written), abs=1e-12)


def rebuild(form):
    """Rebuild the form from functions of prefixes that look up its own arrays."""
    prefixes = [form.prefix(node) for node in range(form.num_nodes)]
    node_of = {(p.outcome, p.actions): node for node, p in enumerate(prefixes)}
    chance = {p.outcome: form.arrays.chance[node] for node, p in enumerate(prefixes)}
    paid = dict(zip(form.arrays.payoff_edge.tolist(), form.arrays.payoff.tolist(), strict=True))

    def agent(outcome, actions):
        node = node_of.get((outcome, actions))
        return None if node is None else int(form.arrays.agent[node])

    def reward(outcome, actions):
        node = node_of[outcome, actions[:-1]]
        position = form.legal_actions(node).index(actions[-1])
        return paid.get(int(form.arrays.first_edge[node]) + position, [0.0] * form.num_agents)

    return product_form_from_functions(
        chance,
        agent_names=form.agent_names,
        num_stages=form.num_stages,
        agent=agent,
        legal_actions=lambda *prefix: form.legal_actions(node_of[prefix]),
        information=lambda *prefix: int(form.original[node_of[prefix]]),
        reward=reward,
    )
