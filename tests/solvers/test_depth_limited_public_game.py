"""Depth-limited public forms: gradients with leaf values, and re-solving of subgames."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import (
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import PublicContinuation, PublicValues, evaluate_policy
from infoset.forms import cut_public_form, nodes_below
from infoset.policy import TabularPolicy, uniform_policy
from infoset.resolving import public_subgame, resolve_public_subgame
from infoset.runs import Budget
from infoset.solvers import cut_public_game, lock_policy
from infoset.tree import build_tree, derive_public_form
from infoset.typing import CHANCE
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.small_holdem import small_holdem


def random_public_policy(form, seed):
    rng = np.random.default_rng(seed)
    weights = [rng.uniform(0.05, 1, plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


def swept(form, gradient, policy, player):
    """Return [public sequences, hands] a gradient plus what follows each sequence."""
    plex = form.treeplexes[player]
    found = gradient.copy()
    for infostate in range(plex.num_infostates - 1, -1, -1):
        first = plex.first_sequence[infostate]
        here = slice(first, first + plex.num_actions[infostate])
        found[plex.parent_sequence[infostate]] += found[here] @ policy.probabilities[player][here]
    return found


def trunk_sequences(cut):
    """Return per player the sequences of the whole form at the trunk's decisions."""
    whole, trunk = cut.trunk.whole, cut.trunk.form
    found = []
    for player in range(2):
        places = [0]
        for node in trunk.decisions[player].tolist():
            first = whole.sequences[player].first[cut.trunk.nodes[node]]
            begin = whole.sequences[player].start[first]
            size = whole.num_actions[cut.trunk.nodes[node]] * whole.num_hands[player]
            places += range(begin, begin + size)
        found.append(np.array(places))
    return found


def assert_same_gradients(form, policy, **where):
    cut = cut_public_game(form, PublicContinuation(policy), **where)
    places = trunk_sequences(cut)
    trunk_policy = TabularPolicy.from_weights(
        cut.trunk.form, [policy.probabilities[p][places[p]] for p in range(2)]
    )
    plans, whole = trunk_policy.realization_plans(), policy.realization_plans()
    scale = max(1.0, *map(abs, form.payoff_range))
    for player in range(2):
        ours = swept(cut.trunk.form, cut.gradient(plans, player), trunk_policy, player)
        theirs = swept(
            form, form.gradient((whole[1 - player], whole[1 - player]), player), policy, player
        )
        assert np.abs(ours - theirs[places[player]]).max() < 1e-12 * scale
    return cut


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_of_a_fixed_continuation_give_the_gradients_of_the_whole_form(depth):
    for form in (small_holdem(), derive_public_form(cached_tree("leduc_poker"))):
        cut = assert_same_gradients(form, random_public_policy(form, depth), depth=depth)
        assert cut.trunk.form.num_nodes < form.num_nodes
        for leaf, node in enumerate(cut.trunk.leaves.node.tolist()):
            above, actions = node, 0
            while above:
                above = int(form.parent[above])
                actions += form.player[above] != CHANCE
            assert actions == depth
            assert cut.trunk.leaves.label[leaf] == form.label(node)


@pytest.mark.broad
def test_random_games_are_cut_at_random_nodes():
    number = 0
    for seed in range(60):
        form = derive_public_form(build_tree(RandomPublicGame(seed)))
        rng = np.random.default_rng(seed)
        if form.num_nodes < 4:
            continue
        nodes = rng.choice(np.arange(1, form.num_nodes), 2, replace=False).tolist()
        try:
            assert_same_gradients(form, random_public_policy(form, seed), nodes=nodes)
        except UnsupportedGameError:
            continue
        number += 1
    assert number >= 15


def test_the_cut_game_is_the_whole_game_with_the_policy_locked_after_the_leaves():
    form = small_holdem()
    policy = random_public_policy(form, 2)
    cut = cut_public_game(form, PublicContinuation(policy), depth=2)
    result = cut.solve("cfr+", Budget(iterations=60))
    after = {
        form.label(v): policy.at_node(v)
        for leaf in cut.trunk.leaves.node.tolist()
        for v in nodes_below(form, leaf).tolist()
        if form.player[v] != CHANCE
    }
    locked = lock_policy(form, after)
    expected = locked.solve("cfr+", Budget(iterations=60))
    # Suits are equal, and rounding breaks ties between them, so iterates may differ.
    assert result.values == pytest.approx(expected.values, abs=1e-3)
    assert result.exploitability == pytest.approx(expected.exploitability, abs=1e-3)
    assert result.measured.security_levels is None
    whole = cut.complete(result.policy, policy)
    assert locked.evaluate(whole).gains == pytest.approx(result.measured.gains, abs=1e-12)
    assert evaluate_policy(whole).values == pytest.approx(result.values, abs=1e-12)


def test_fixed_values_are_paid_at_the_leaves():
    """Leaves that pay every hand of player 0 the same amount: a game of two actions."""
    form = small_holdem()
    leaves = cut_public_form(form, depth=1).leaves
    pays = {"k": 1.0, "b": 3.0}
    values = {
        node: (np.full(28, pays[label]), np.full(28, -pays[label]))
        for node, label in zip(leaves.node.tolist(), leaves.label, strict=True)
    }
    cut = cut_public_game(form, values, depth=1)
    assert len(cut.trunk.form.terminals) == 0
    uniform = uniform_policy(cut.trunk.form)
    assert cut.evaluate(uniform).values == pytest.approx((2, -2))
    assert cut.evaluate(uniform).gains == pytest.approx((1, 0))
    result = cut.solve("cfr+", Budget(iterations=200))
    assert result.values[0] == pytest.approx(3, abs=1e-3)


def test_ranges_that_are_given_to_a_leaf_function_are_own_reaches():
    form, seen = small_holdem(), {}

    def remember(node, ranges):
        seen[node] = ranges
        return np.zeros(28), np.zeros(28)

    policy = random_public_policy(form, 7)
    cut = cut_public_game(form, remember, depth=3)
    places = trunk_sequences(cut)
    trunk = TabularPolicy.from_weights(
        cut.trunk.form, [policy.probabilities[p][places[p]] for p in range(2)]
    )
    cut.evaluate(trunk)
    values = PublicValues(policy)
    assert set(seen) == set(cut.trunk.leaves.node.tolist())
    for node, ranges in seen.items():
        for player in range(2):
            assert ranges[player] == pytest.approx(values.own_reach(node, player), abs=1e-15)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "small_holdem"])
def test_a_subgame_has_the_values_of_the_whole_game_given_its_root(spec):
    form = small_holdem() if spec == "small_holdem" else derive_public_form(cached_tree(spec))
    policy = random_public_policy(form, 4)
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
        other = random_public_policy(subgame.form, 5)
        changed = subgame.replace_policy(policy, other)
        for place, inner in enumerate(subgame.nodes.tolist()):
            if form.player[inner] != CHANCE:
                assert np.array_equal(changed.at_node(inner), other.at_node(place))
        outside = np.setdiff1d(np.arange(form.num_nodes), subgame.nodes)
        for outer in outside[form.player[outside] != CHANCE].tolist():
            assert np.array_equal(changed.at_node(outer), policy.at_node(outer))
        only = subgame.replace_policy(policy, other, 1)
        assert np.array_equal(only.by_hand(0), policy.by_hand(0))


def best_value(policy, player):
    measured = evaluate_policy(policy)
    return measured.values[player] + measured.gains[player]


@pytest.mark.broad
def test_resolving_with_the_gadget_never_helps_the_opponent():
    """Burch, Johanson, Bowling (2014): the opponent's best response earns at most as much."""
    form = derive_public_form(cached_tree("leduc_poker"))
    rng, gained = np.random.default_rng(6), 0.0
    for seed in range(3):
        blueprint = random_public_policy(form, seed)
        for node in rng.choice(np.flatnonzero(form.player != CHANCE), 3, replace=False).tolist():
            for player in range(2):
                found = resolve_public_subgame(
                    blueprint, node, player, budget=Budget(iterations=300)
                )
                change = best_value(found.policy, 1 - player) - best_value(blueprint, 1 - player)
                # The gadget game is solved up to its exploitability, times the node's probability.
                assert change <= 2 * found.result.exploitability + 1e-9
                gained = min(gained, change)
                assert np.array_equal(
                    found.policy.by_hand(1 - player), blueprint.by_hand(1 - player)
                )
    assert gained < -0.05


def test_resolving_the_whole_game_without_a_gadget_solves_it():
    form = derive_public_form(cached_tree("kuhn_poker"))
    first = resolve_public_subgame(uniform_policy(form), 0, 0, gadget="none")
    second = resolve_public_subgame(first.policy, 0, 1, gadget="none")
    assert evaluate_policy(second.policy).exploitability < 1e-3


@pytest.mark.broad
def test_depth_limited_resolving_is_safe_if_the_leaf_values_are_right():
    """The leaf values are those of the blueprint, and both players follow it after the leaves."""
    form = small_holdem()
    blueprint = random_public_policy(form, 8)
    node, follow = form.children[0, "k"], PublicContinuation(blueprint)
    subgame = nodes_below(form, node)
    leaves = [v for v in subgame.tolist() if form.label(v).count("/") == 2]
    after = {
        form.label(v): blueprint.at_node(v)
        for leaf in leaves
        for v in nodes_below(form, leaf).tolist()
        if form.player[v] != CHANCE
    }
    searching = {form.label(v): blueprint.at_node(v) for v in form.decisions[1].tolist()}
    response = lock_policy(form, after | searching).solve("cfr+", Budget(iterations=200)).policy
    found = resolve_public_subgame(
        blueprint,
        node,
        1,
        depth=2,
        leaf_values=follow,
        opponent_values=PublicValues(response).values(node, 0),
        budget=Budget(iterations=200),
    )
    for line in after:
        deep = next(v for v in range(form.num_nodes) if form.label(v) == line)
        assert np.array_equal(found.policy.at_node(deep), blueprint.at_node(deep))
    assert np.abs(found.policy.at_node(node) - blueprint.at_node(node)).max() > 0.1
    locked = lock_policy(form, after)
    before, now = locked.evaluate(blueprint), locked.evaluate(found.policy)
    assert now.values[0] + now.gains[0] <= before.values[0] + before.gains[0] + 5e-3


def test_likely_mistakes():
    form = small_holdem()
    policy = random_public_policy(form, 1)
    follow = PublicContinuation(policy)
    with pytest.raises(ParameterError, match="either depth= or nodes="):
        cut_public_game(form, follow)
    with pytest.raises(ParameterError, match="depth=0"):
        cut_public_game(form, follow, depth=0)
    with pytest.raises(ParameterError, match="root cannot be a leaf"):
        cut_public_game(form, follow, nodes=[0])
    with pytest.raises(ParameterError, match="lacks 2 of 2 leaves"):
        cut_public_game(form, {}, depth=1)
    with pytest.raises(ParameterError, match="function of a node"):
        cut_public_game(form, 3, depth=1)
    short = cut_public_game(form, lambda node, ranges: (np.zeros(3), np.zeros(3)), depth=1)
    with pytest.raises(ParameterError, match="28 and 28 hands"):
        short.solve("cfr+", Budget(iterations=1))
    unknown = cut_public_game(form, lambda node, ranges: np.full((2, 28), np.nan), depth=1)
    with pytest.raises(ParameterError, match="returned nan for player 0 at 'k'"):
        unknown.solve("cfr+", Budget(iterations=1))
    with pytest.raises(PolicyMismatchError, match="trunk"):
        short.evaluate(policy)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        short.evaluate(form)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        lock_policy(form, {}).evaluate(None)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        public_subgame(form, 1, (np.ones(28), np.ones(28))).restrict(form)
    with pytest.raises(UnknownNameError, match="gadget"):
        resolve_public_subgame(policy, 1, 0, gadget="safe")
    with pytest.raises(UnsupportedGameError, match="opponent chooses its hand"):
        resolve_public_subgame(policy, 1, 0, gadget="max-margin")
    with pytest.raises(ParameterError, match="give both or neither"):
        resolve_public_subgame(policy, 1, 0, depth=2)
    with pytest.raises(ParameterError, match="28 hands of player 1"):
        resolve_public_subgame(policy, 1, 0, opponent_values=np.zeros(3))
    with pytest.raises(ParameterError, match="TabularPolicy"):
        resolve_public_subgame(form, 1, 0)
