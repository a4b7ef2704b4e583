"""Cut public forms: values of hands replace the subgames at the leaves."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import PublicContinuation, PublicValues, evaluate_policy
from infoset.forms import cut, lock_infostates, nodes_below
from infoset.policy import TabularPolicy, random_policy, restrict_policy
from infoset.tree import build_tree, derive_public_form
from infoset.typing import CHANCE
from tests.support.cached_games import cached_tree
from tests.support.measured import assert_same_values
from tests.support.random_public_games import RandomPublicGame
from tests.support.small_holdem import small_holdem


def trunk_policy(game, policy):
    """Return a policy of the full form at the trunk's decisions."""
    found = []
    for player in range(2):
        own = [np.ones(1)]
        for node in game.trunk.form.decisions[player].tolist():
            own.append(policy.at_node(int(game.trunk.nodes[node])).T.ravel())
        found.append(np.concatenate(own))
    return TabularPolicy.from_weights(game, found)


def locked_after(game, policy):
    """Return the full form with a policy locked after the leaves of a cut form."""
    form = game.trunk.whole
    after = np.zeros(form.num_nodes, bool)
    for leaf in game.trunk.leaves.node.tolist():
        after[nodes_below(form, leaf)] = True
    masks = tuple(after[states] for states in form.public_states)
    return lock_infostates(form, policy.probabilities, masks)


def assert_same_as_locked(form, seed, **where):
    """Check values and gains in a cut form, given a random policy after the leaves."""
    policy, other = (random_policy(form, np.random.default_rng(seed + k)) for k in (0, 100))
    game = cut(form, PublicContinuation(policy), **where)
    locked = locked_after(game, policy)
    ours = evaluate_policy(trunk_policy(game, other))
    assert_same_values(ours, evaluate_policy(restrict_policy(locked, other)), 1e-11)
    filled = game.extend(trunk_policy(game, other).probabilities, policy.probabilities)
    assert evaluate_policy(TabularPolicy(form, filled)).values == pytest.approx(ours.values)
    return game, locked


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_cut_with_a_continuation_is_the_whole_form_locked_after_the_leaves(depth):
    for form in (small_holdem(), derive_public_form(cached_tree("leduc_poker"))):
        game, _ = assert_same_as_locked(form, depth, depth=depth)
        for leaf, node in enumerate(game.trunk.leaves.node.tolist()):
            above, actions = node, 0
            while above:
                above = int(form.parent[above])
                actions += form.player[above] != CHANCE
            assert actions == depth
            assert game.trunk.leaves.label[leaf] == form.label(node)


def test_random_games_are_cut_at_random_nodes():
    """Zero-sum, constant-sum and general-sum games."""
    number, sums = 0, set()
    for seed in range(24):
        form = derive_public_form(build_tree(RandomPublicGame(seed)))
        if form.num_nodes < 4:
            continue
        nodes = np.random.default_rng(seed).choice(np.arange(1, form.num_nodes), 2, replace=False)
        try:
            assert_same_as_locked(form, seed, nodes=nodes.tolist())
        except UnsupportedGameError:
            continue
        number += 1
        sums.add(form.constant_sum is None)
    assert number >= 8
    assert sums == {True, False}


def test_solutions_of_a_cut_form_are_those_of_the_locked_whole():
    """Suits are equivalent, and rounding breaks ties between them, so iterates may differ."""
    game, locked = assert_same_as_locked(small_holdem(), 2, depth=2)
    ours, theirs = (infoset.solve(own, "cfr+", iterations=60) for own in (game, locked))
    assert ours.values == pytest.approx(theirs.values, abs=1e-3)
    assert ours.measured.gains == pytest.approx(theirs.measured.gains, abs=1e-3)
    assert ours.exploitability is None  # the sum of leaf values is unknown
    assert ours.measured.security_levels is None


def test_a_leaf_function_gets_own_reaches():
    form, seen = small_holdem(), {}
    policy = random_policy(form, np.random.default_rng(7))

    def remember(node, ranges):
        seen[node] = ranges
        return np.zeros(28), np.zeros(28)

    game = cut(form, remember, depth=3)
    evaluate_policy(trunk_policy(game, policy))
    values = PublicValues(policy)
    assert set(seen) == set(game.trunk.leaves.node.tolist())
    for node, ranges in seen.items():
        for player in range(2):
            assert ranges[player] == pytest.approx(values.own_reach(node, player), abs=1e-15)


def test_fixed_values_are_paid_at_the_leaves():
    """Leaves that pay every hand of player 0 the same amount: a game of two actions."""
    form = small_holdem()
    pays = {"k": 1.0, "b": 3.0}
    values = {
        form.children[0, label]: (np.full(28, paid), np.full(28, -paid))
        for label, paid in pays.items()
    }
    game = cut(form, values, depth=1)
    measured = evaluate_policy(infoset.uniform_policy(game))
    assert measured.values == pytest.approx((2, -2))
    assert measured.gains == pytest.approx((1, 0))
    assert game.payoff_range[1] >= 3
    by_function = cut(form, lambda node, _: values[node], depth=1)
    found = [infoset.solve(own, "cfr+", iterations=200) for own in (game, by_function)]
    assert found[0].values[0] == pytest.approx(3, abs=1e-3)
    assert found[0].values == pytest.approx(found[1].values, abs=1e-12)
    assert found[0].policy.form is game.trunk.form


def test_likely_mistakes_in_cuts():
    form = small_holdem()
    follow = PublicContinuation(random_policy(form, np.random.default_rng(1)))
    with pytest.raises(ParameterError, match="either depth= or nodes="):
        cut(form, follow)
    with pytest.raises(ParameterError, match="depth=0"):
        cut(form, follow, depth=0)
    with pytest.raises(ParameterError, match="root cannot be a leaf"):
        cut(form, follow, nodes=[0])
    with pytest.raises(ParameterError, match="lacks 2 of 2 leaves"):
        cut(form, {}, depth=1)
    with pytest.raises(ParameterError, match="function of a node"):
        cut(form, 3, depth=1)
    short = cut(form, lambda node, ranges: (np.zeros(3), np.zeros(3)), depth=1)
    with pytest.raises(ParameterError, match="28 and 28 hands"):
        infoset.solve(short, "cfr+", iterations=1)
    unknown = cut(form, lambda node, ranges: np.full((2, 28), np.nan), depth=1)
    with pytest.raises(ParameterError, match="returned nan for player 0 at 'k'"):
        infoset.solve(unknown, "cfr+", iterations=1)
    with pytest.raises(UnsupportedGameError, match="constant-sum"):
        infoset.solve(unknown, "reg-cfr", iterations=1)
