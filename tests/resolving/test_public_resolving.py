"""Subgames of public forms: their values, and re-solving that never helps the opponent."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import PublicContinuation, PublicValues, evaluate_policy
from infoset.forms import lock_infostates, nodes_below
from infoset.policy import random_policy, restrict_policy, uniform_policy
from infoset.resolving import GADGETS, public_subgame, resolve_public_subgame
from infoset.runs import Budget
from infoset.solvers import get_method, run_method
from infoset.tree import derive_public_form
from infoset.typing import CHANCE
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem

SAFE = [name for name in GADGETS if name != "none"]


def random_blueprint(form, seed):
    return random_policy(form, np.random.default_rng(seed))


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "small_holdem"])
def test_a_subgame_has_the_values_of_the_whole_game_given_its_root(spec):
    form = small_holdem() if spec == "small_holdem" else derive_public_form(cached_tree(spec))
    policy = random_blueprint(form, 4)
    values = PublicValues(policy)
    for node in np.random.default_rng(1).choice(form.num_nodes, min(8, form.num_nodes), False):
        node = int(node)
        subgame = public_subgame(form, node, (values.own_reach(node, 0), values.own_reach(node, 1)))
        rest = subgame.restrict(policy)
        inside = PublicValues(rest)
        for player in range(2):
            ours, theirs = inside.values(0, player), values.values(node, player)
            assert np.allclose(ours, theirs, atol=1e-11, equal_nan=True)
            mean = np.nansum(values.belief(node, player) * theirs)
            assert evaluate_policy(rest).values[player] == pytest.approx(mean, abs=1e-12)
        other = random_blueprint(subgame.form, 5)
        changed = subgame.replace_policy(policy, other)
        for place, inner in enumerate(subgame.nodes.tolist()):
            if form.player[inner] != CHANCE:
                assert np.array_equal(changed.at_node(inner), other.at_node(place))
        outside = np.setdiff1d(np.arange(form.num_nodes), subgame.nodes)
        for outer in outside[form.player[outside] != CHANCE].tolist():
            assert np.array_equal(changed.at_node(outer), policy.at_node(outer))
        only = subgame.replace_policy(policy, other, 1)
        assert np.array_equal(only.by_hand(0), policy.by_hand(0))


@pytest.mark.parametrize("player", [0, 1])
def test_utilities_of_resolving_are_those_of_the_subgame(player):
    """They are conditional on the node: without a gadget, the value is that of both ranges."""
    form = derive_public_form(cached_tree("leduc_poker"))
    blueprint, budget = random_blueprint(form, 2), Budget(iterations=100)
    found = resolve_public_subgame(
        blueprint, form.children[0, "raise"], player, gadget="none", budget=budget
    )
    alone = run_method(get_method("cfr+"), found.subgame.form, budget)
    assert found.result.values == pytest.approx(alone.values, abs=2e-3)


def best_value(policy, player):
    measured = evaluate_policy(policy)
    return measured.values[player] + measured.gains[player]


@pytest.mark.broad
@pytest.mark.parametrize("gadget", SAFE)
def test_resolving_with_a_gadget_never_helps_the_opponent(gadget):
    """Burch, Johanson, Bowling (2014): the value of the opponent's best response does not rise."""
    form = derive_public_form(cached_tree("leduc_poker"))
    rng, gained = np.random.default_rng(6), 0.0
    for seed in range(3):
        blueprint = random_blueprint(form, seed)
        for node in rng.choice(np.flatnonzero(form.player != CHANCE), 3, replace=False).tolist():
            for player in range(2):
                found = resolve_public_subgame(
                    blueprint, node, player, gadget=gadget, budget=Budget(iterations=300)
                )
                change = best_value(found.policy, 1 - player) - best_value(blueprint, 1 - player)
                if node and gadget != "reach-max-margin":
                    assert change <= max(found.gain, 0.0) + 1e-9
                # The error is the exploitability of the gadget game, times the node's probability.
                assert change <= 2 * found.result.exploitability + 1e-9
                gained = min(gained, change)
                assert np.array_equal(
                    found.policy.by_hand(1 - player), blueprint.by_hand(1 - player)
                )
    assert gained < -0.05


def test_without_a_gadget_the_opponent_can_gain():
    form = derive_public_form(cached_tree("leduc_poker"))
    blueprint = run_method(get_method("cfr+"), form, Budget(iterations=1000)).policy
    found = {
        gadget: resolve_public_subgame(blueprint, form.children[0, "raise"], 1, gadget=gadget)
        for gadget in GADGETS
    }
    gained = {
        name: best_value(own.policy, 0) - best_value(blueprint, 0) for name, own in found.items()
    }
    assert found["none"].gain > 0.01
    assert max(found[name].gain for name in SAFE) < 1e-2
    assert gained.pop("none") > 0.01
    assert max(gained.values()) < 1e-3


def test_a_small_budget_is_seen_in_the_gain():
    form = derive_public_form(cached_tree("leduc_poker"))
    blueprint = run_method(get_method("cfr+"), form, Budget(iterations=200)).policy
    node = form.children[0, "raise"]
    short, long = (
        resolve_public_subgame(blueprint, node, 1, budget=Budget(iterations=iterations))
        for iterations in (1, 1000)
    )
    earned = PublicValues(short.policy).response_values(node, 0)
    assert short.gain == np.nanmax(earned - short.opponent_values)
    assert short.gain > 0.1 > 10 * long.gain
    assert best_value(short.policy, 0) > best_value(blueprint, 0) + 0.01
    assert resolve_public_subgame(blueprint, 0, 1, budget=Budget(iterations=1)).gain is None


def test_resolving_the_whole_game_solves_it():
    form = derive_public_form(cached_tree("kuhn_poker"))
    first = resolve_public_subgame(uniform_policy(form), 0, 0, gadget="none")
    second = resolve_public_subgame(first.policy, 0, 1, gadget="none")
    assert evaluate_policy(second.policy).exploitability < 1e-3


@pytest.mark.broad
@pytest.mark.parametrize("gadget", SAFE)
def test_depth_limited_resolving_is_safe_if_the_leaf_values_are_right(gadget):
    """The leaf values are those of the blueprint, and both players follow it after the leaves.

    Without a gadget, or with leaf values of the other sign, `now` is larger by 0.002 or more.
    """
    form = small_holdem()
    blueprint = random_blueprint(form, 2)
    node, follow = form.children[0, "k"], PublicContinuation(blueprint)
    leaves = [v for v in nodes_below(form, node).tolist() if form.label(v).count("/") == 2]
    after = np.zeros(form.num_nodes, bool)
    for leaf in leaves:
        after[nodes_below(form, leaf)] = True
    fixed = tuple(after[states] for states in form.public_states)
    locked = lock_infostates(form, blueprint.probabilities, fixed)
    searching = lock_infostates(form, blueprint.probabilities, (fixed[0], np.ones_like(fixed[1])))
    response = run_method(get_method("cfr+"), searching, Budget(iterations=200)).policy
    found = resolve_public_subgame(
        blueprint,
        node,
        1,
        gadget=gadget,
        depth=2,
        leaf_values=follow,
        opponent_values=PublicValues(response).values(node, 0),
        budget=Budget(iterations=60),
    )
    for v in np.flatnonzero(after & (form.player != CHANCE)).tolist():
        assert np.array_equal(found.policy.at_node(v), blueprint.at_node(v))
    assert np.abs(found.policy.at_node(node) - blueprint.at_node(node)).max() > 0.1
    before, now = (
        best_value(restrict_policy(locked, policy), 0) for policy in (blueprint, found.policy)
    )
    assert now <= before + 1e-3


def test_leaf_functions_get_own_reaches_in_the_whole_game():
    """The searching player's reach is that of the blueprint; the opponent's starts at 1."""
    form, seen = small_holdem(), {}
    blueprint = random_blueprint(form, 3)
    node, follow = form.children[0, "k"], PublicContinuation(blueprint)

    def remember(leaf, ranges):
        seen[leaf] = ranges
        return follow(leaf, ranges)

    resolve_public_subgame(
        blueprint, node, 1, depth=1, leaf_values=remember, budget=Budget(iterations=1)
    )
    assert set(seen) == {form.children[node, "k"], form.children[node, "b"]}
    checked, bet = (seen[form.children[node, action]] for action in ("k", "b"))
    values = PublicValues(blueprint)
    assert checked[1] + bet[1] == pytest.approx(values.own_reach(node, 1), abs=1e-12)
    assert np.array_equal(checked[0], bet[0])
    assert checked[0].max() <= 1 + 1e-12


def test_likely_mistakes():
    form = small_holdem()
    policy = random_blueprint(form, 1)
    follow = PublicContinuation(policy)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        public_subgame(form, 1, (np.ones(28), np.ones(28))).restrict(form)
    with pytest.raises(PolicyMismatchError, match="small_holdem"):
        public_subgame(form, 1, (np.ones(28), np.ones(28))).restrict(
            uniform_policy(derive_public_form(cached_tree("kuhn_poker")))
        )
    with pytest.raises(UnknownNameError, match="gadget"):
        resolve_public_subgame(policy, 1, 0, gadget="safe")
    with pytest.raises(ParameterError, match="give both or neither"):
        resolve_public_subgame(policy, 1, 0, depth=2)
    with pytest.raises(ParameterError, match="give both or neither"):
        resolve_public_subgame(policy, 1, 0, leaf_values=follow)
    with pytest.raises(ParameterError, match="28 hands of player 1"):
        resolve_public_subgame(policy, 1, 0, opponent_values=np.zeros(3))
    with pytest.raises(ParameterError, match="TabularPolicy"):
        resolve_public_subgame(form, 1, 0)
