"""Trunk and subgames together are the whole tree, and each has the values of the whole tree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.beliefs import (
    PublicBeliefState,
    counterfactual_form,
    counterfactual_values,
    cut_tree,
    part_between,
    value_form,
    value_subgame,
)
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import best_response, expected_values
from infoset.forms import terminal_gradient
from infoset.games import load_game
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.runs import make_budget
from infoset.solvers import get_method
from infoset.tree import build_tree
from tests.beliefs.reference_values import ReferenceValues
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


def random_cut(tree, rng):
    """Return a cut above some public states, some of which may be below others."""
    count = tree.public_tree.num_public_states
    return cut_tree(tree, public_states=rng.integers(0, count, rng.integers(1, 5)).tolist())


def pure_policy(form, rng):
    """Return a policy that takes one action everywhere, so that many reaches are zero."""
    weights = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    for values, plex in zip(weights, form.treeplexes, strict=True):
        for first, count in zip(plex.first_sequence, plex.num_actions, strict=True):
            own = values[first : first + count]
            own[:] = own == own.max()
    return TabularPolicy.from_weights(form, weights)


def some_policy(form, rng):
    return (random_policy if rng.random() < 0.5 else pure_policy)(form, rng)


def parts_of(cut):
    return [cut.trunk, *cut.subgames()]


@given(game=random_games(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_single_parts_equal_those_of_a_cut(game, seed):
    tree = build_tree(game)
    cut = random_cut(tree, np.random.default_rng(seed))
    for part in parts_of(cut):
        alone = part_between(tree, part.root, part.leaves.tolist())
        for name in ("public_states", "leaves", "histories", "leaf_histories", "terminals"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(part, name))
        for own, wanted in zip(alone.infostates, part.infostates, strict=True):
            np.testing.assert_array_equal(own, wanted)
        # The children of the histories of a part are in it, or at its leaves.
        first = tree.first_child
        children = [
            child for h in part.histories for child in range(int(first[h]), int(first[h + 1]))
        ]
        inside = {*part.histories.tolist(), *part.leaf_histories.tolist()}
        assert set(children) <= inside


def test_leaves_must_be_below_the_root_and_not_below_each_other():
    kuhn = cached_tree("kuhn_poker")
    above, below = 1, int(kuhn.public_tree.children(1)[0])
    with pytest.raises(ParameterError, match="are not leaves of a part"):
        part_between(kuhn, 0, [above, below])
    with pytest.raises(ParameterError, match="are not leaves of a part"):
        part_between(kuhn, below, [above])
    with pytest.raises(ParameterError, match="has public states 0 to"):
        part_between(kuhn, 99)


def leaf_utilities(part, slow):
    """Return [L, N] the expected utilities in the whole game at the leaves of a part."""
    histories = part.leaf_histories
    return part.tree.rewards_so_far[histories] + slow.future[histories]


@settings(max_examples=10)
@given(random_games(max_histories=200), st.integers(0, 2**32))
def test_everything_is_in_exactly_one_part(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    parts = parts_of(random_cut(tree, rng))
    public = np.concatenate([part.public_states for part in parts])
    assert np.array_equal(np.sort(public), np.arange(tree.public_tree.num_public_states))
    histories = np.concatenate([part.histories for part in parts])
    assert np.array_equal(np.sort(histories), np.arange(tree.num_histories))
    for player, own in enumerate(tree.infostate_trees):
        numbers = np.concatenate([part.infostates[player] for part in parts])
        assert np.array_equal(np.sort(numbers), np.arange(own.num_infostates))
        sequences = np.concatenate([part.sequences[player][1:] for part in parts])
        assert np.array_equal(np.sort(sequences), np.arange(1, own.num_sequences))
    leaves = np.concatenate([part.leaves for part in parts])
    assert np.array_equal(np.sort(leaves), [part.root for part in parts[1:]])
    check_insides(tree, parts)


def check_insides(tree, parts):
    ends = np.concatenate([part.terminals for part in parts])
    assert np.array_equal(np.sort(ends), tree.terminals)
    for part in parts:
        assert (np.diff(part.histories) > 0).all()
        assert np.isin(tree.public_state[part.histories], part.public_states).all()
        at_leaves = np.flatnonzero(np.isin(tree.public_state, part.leaves))
        assert np.array_equal(part.leaf_histories, at_leaves)
        for player, own in enumerate(part.infostate_trees):
            numbers = part.infostate_numbers[player]
            whole = tree.infostate_trees[player]
            at_leaves = np.isin(whole.public_state, part.leaves)
            wanted = np.sort([*part.infostates[player], *np.flatnonzero(at_leaves)])
            assert np.array_equal(numbers[numbers >= 0], wanted)
            inside = numbers[own.acting]
            assert np.array_equal(own.num_actions[own.acting], whole.num_actions[inside])


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_cut_at_a_depth_is_above_all_public_states_there(depth):
    tree = cached_tree("kuhn_poker")
    cut = cut_tree(tree, depth=depth)
    level = slice(*tree.level_offsets[depth : depth + 2])
    assert set(cut.roots[1:].tolist()) == set(tree.public_state[level].tolist())
    longest = tree.level_offsets[depth]
    assert cut.trunk.histories.tolist() == list(range(longest))
    assert cut.trunk.leaf_histories.tolist() == list(range(longest, tree.level_offsets[depth + 1]))


@settings(max_examples=8)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_values_at_the_root_of_any_part_equal_those_of_the_whole_game(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = some_policy(tree.sequence_form, rng)
    slow = ReferenceValues.of(game, policy)
    roots = range(tree.public_tree.num_public_states)
    subgames = [cut_tree(tree, public_states=[root])[root] for root in roots]
    for part in [*subgames, *parts_of(random_cut(tree, rng))]:
        belief = PublicBeliefState.from_policy(tree, policy, part.root)
        utilities = leaf_utilities(part, slow)
        form = counterfactual_form(part, belief, utilities)
        inside = part.restrict_policy(policy, form)
        values = counterfactual_values(part, belief, inside, utilities)
        positions = np.flatnonzero(tree.public_state == part.root)
        for player, own in enumerate(values):
            wanted = slow.counterfactual_values(positions, player)
            assert np.allclose(own, wanted, rtol=0, atol=1e-12)
            check_gradient(form, inside, player, own.sum() + paid(slow, positions, player))


def paid(slow, positions, player):
    """Return Σ_h P_-i(h) R_i(h) over some histories."""
    return sum(
        slow.counterfactual_reach(h, player) * slow.visits[h].history.rewards_so_far[player]
        for h in positions
    )


def check_gradient(form, policy, player, wanted):
    """Check that the player's payoffs on the counterfactual form sum to its root values."""
    assert expected_values(policy)[player] == pytest.approx(wanted, abs=1e-11)


@settings(max_examples=8)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_rewards_before_the_root_make_up_the_difference_to_utilities(game, seed):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    slow = ReferenceValues.of(game, policy)
    for public_state in range(tree.public_tree.num_public_states):
        belief = PublicBeliefState.from_policy(tree, policy, public_state)
        positions = np.flatnonzero(tree.public_state == public_state)
        for player in range(tree.num_players):
            total = belief.counterfactual_rewards(player).sum()
            assert total == pytest.approx(paid(slow, positions, player), abs=1e-12)


@settings(max_examples=8)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_the_form_of_a_cut_subgame_is_that_of_the_subgame_as_a_game(game, seed):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    for root in range(1, tree.public_tree.num_public_states):
        part = cut_tree(tree, public_states=[root])[root]
        belief = PublicBeliefState.from_policy(tree, policy, root)
        cut = value_form(part, belief)
        built = build_tree(value_subgame(belief)).sequence_form
        assert cut.name == built.name
        check_same_form(cut, built)


def check_same_form(cut, built):
    for name in ("parent_sequence", "first_sequence", "num_actions"):
        for first, second in zip(cut.treeplexes, built.treeplexes, strict=True):
            assert np.array_equal(getattr(first, name), getattr(second, name))
    for first, second in zip(cut.infostate_trees, built.infostate_trees, strict=True):
        assert first.acting_labels == second.acting_labels
        for name in ("parent", "action", "num_actions", "public_state"):
            assert np.array_equal(getattr(first, name), getattr(second, name))
        acting = first.acting.tolist()
        assert [*map(first.legal_actions, acting)] == [*map(second.legal_actions, acting)]
    assert np.array_equal(cut.terminal_sequence, built.terminal_sequence)
    assert np.allclose(cut.payoff, built.payoff, rtol=1e-12, atol=1e-15)
    assert cut.payoff_range == pytest.approx(built.payoff_range)
    assert cut.constant_sum == pytest.approx(built.constant_sum)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)"])
def test_the_part_that_is_the_whole_game_has_its_fingerprint(spec):
    tree = build_tree(load_game(spec))
    whole = cut_tree(tree, public_states=[0]).trunk
    form = value_form(whole, PublicBeliefState.with_unit_ranges(tree))
    assert form.fingerprint == tree.sequence_form.fingerprint
    assert form.name == spec
    assert form.infostate_trees[0].acting_labels == tree.infostate_trees[0].acting_labels


@settings(max_examples=10)
@given(random_games(max_histories=200), st.integers(0, 2**32))
def test_a_trunk_with_the_values_of_its_leaves_is_worth_the_whole_game(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = some_policy(tree.sequence_form, rng)
    slow = ReferenceValues.of(game, policy)
    trunk = random_cut(tree, rng).trunk
    form = value_form(trunk, PublicBeliefState.with_unit_ranges(tree), leaf_utilities(trunk, slow))
    values = expected_values(trunk.restrict_policy(policy, form))
    assert values == pytest.approx(slow.future[0], abs=1e-10)


@settings(max_examples=10)
@given(random_games(max_histories=200), st.integers(0, 2**32))
def test_values_of_subgames_make_the_gradient_of_the_trunk(game, seed):
    """CFR-D passes ranges down to the leaves, and counterfactual values back up."""
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = some_policy(tree.sequence_form, rng)
    cut = random_cut(tree, rng)
    trunk, start = cut.trunk, PublicBeliefState.with_unit_ranges(tree)
    form = counterfactual_form(
        trunk, start, np.zeros((len(trunk.leaf_histories), tree.num_players))
    )
    inside = trunk.restrict_policy(policy, form)
    plans = inside.realization_plans()
    gradients = [np.zeros(len(plan)) for plan in plans]
    for player, gradient in enumerate(gradients):
        terminal_gradient(player, form.terminal_sequence, form.payoff, plans, gradient)
    slow = ReferenceValues.of(game, policy)
    for leaf in trunk.leaves.tolist():
        belief = trunk.leaf_belief(leaf, start, inside)
        part = cut[leaf]
        utilities = leaf_utilities(part, slow)
        below = part.restrict_policy(policy, value_or_counterfactual(part, belief, utilities))
        values = counterfactual_values(part, belief, below, utilities)
        for player, last in enumerate(trunk.leaf_sequences(leaf)):
            whole = values[player] + belief.counterfactual_rewards(player)
            np.add.at(gradients[player], last, whole)
    total = [gradient @ plan for gradient, plan in zip(gradients, plans, strict=True)]
    assert total == pytest.approx(expected_values(policy), abs=1e-10)


def value_or_counterfactual(part, belief, utilities):
    """Return one of the two forms; policies can be used with both."""
    make = value_form if belief.probability > 0 else counterfactual_form
    return make(part, belief, utilities)


@settings(max_examples=10)
@given(random_games(max_histories=200), st.integers(0, 2**32))
def test_beliefs_at_leaves_are_those_of_the_policy(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = some_policy(tree.sequence_form, rng)
    for part in parts_of(random_cut(tree, rng)):
        start = PublicBeliefState.from_policy(tree, policy, part.root)
        zeros = np.zeros((len(part.leaf_histories), tree.num_players))
        inside = part.restrict_policy(policy, counterfactual_form(part, start, zeros))
        for leaf in part.leaves.tolist():
            wanted = PublicBeliefState.from_policy(tree, policy, leaf)
            found = part.leaf_belief(leaf, start, inside)
            assert all(map(np.allclose, found.ranges, wanted.ranges))


@settings(max_examples=8)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_answers_on_the_counterfactual_form_are_best_at_every_infostate(game, seed):
    """This includes infostates of range zero, which the value form does not optimize."""
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = pure_policy(tree.sequence_form, rng)
    root = int(rng.integers(tree.public_tree.num_public_states))
    part = cut_tree(tree, public_states=[root])[root]
    belief = PublicBeliefState.from_policy(tree, policy, root)
    form = counterfactual_form(part, belief)
    inside = part.restrict_policy(policy, form)
    for player in range(tree.num_players):
        answer = best_response(inside, player).policy
        best = counterfactual_values(part, belief, answer)[player]
        for other in (inside, pure_policy(form, rng), random_policy(form, rng)):
            tried = inside.replace_player(player, other)
            assert (counterfactual_values(part, belief, tried)[player] <= best + 1e-12).all()


@settings(max_examples=10)
@given(random_games(max_histories=200), st.integers(0, 2**32))
def test_putting_a_policy_back_is_the_inverse_of_taking_it_out(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    first, second = (random_policy(tree.sequence_form, rng) for _ in range(2))
    mixed = first
    for part in parts_of(random_cut(tree, rng)):
        belief = PublicBeliefState.with_unit_ranges(tree, part.root)
        zeros = np.zeros((len(part.leaf_histories), tree.num_players))
        inside = part.restrict_policy(second, counterfactual_form(part, belief, zeros))
        same = part.replace_policy(second, inside)
        assert all(map(np.array_equal, same.probabilities, second.probabilities))
        mixed = part.replace_policy(mixed, inside)
    assert all(map(np.array_equal, mixed.probabilities, second.probabilities))


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
def test_subgames_solved_at_an_equilibrium_are_worth_the_game(spec):
    """In equilibrium no player gains in any subgame, so its values equal the expected payoffs."""
    tree = build_tree(load_game(spec))
    policy = solve_exactly(tree.sequence_form).policy
    cut = cut_tree(tree, depth=2)
    total = 0.0
    for part in cut.subgames():
        belief = PublicBeliefState.from_policy(tree, policy, part.root)
        if belief.probability > 1e-12:
            solved = solve_exactly(value_form(part, belief))
            assert solved.exploitability == pytest.approx(0, abs=1e-9)
            total += belief.probability * solved.values[0]
    assert total == pytest.approx(expected_values(policy)[0], abs=1e-9)


def solve_exactly(form):
    return get_method("lp").run(
        form, make_budget(form, target=None, iterations=None, seconds=None, callback=None)
    )


@cache
def kuhn_tree():
    return cached_tree("kuhn_poker")


def test_parts_are_views_and_named():
    cut = cut_tree(kuhn_tree(), depth=2)
    assert [part.name for part in parts_of(cut)] == [
        "trunk(kuhn_poker,leaves=2)",
        "subgame(kuhn_poker,public_state=2)",
        "subgame(kuhn_poker,public_state=3)",
    ]
    assert cut.trunk.histories.base is not None
    assert cut[2].infostates[0].base is cut[3].infostates[0].base


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "exactly one of depth"),
        ({"depth": 1, "public_states": [1]}, "exactly one of depth"),
        ({"depth": 0}, "give a depth from 1 to 4"),
        ({"depth": 5}, "cannot cut at depth 5"),
        ({"public_states": [2, 77]}, "not 77"),
    ],
)
def test_impossible_cuts_are_refused(where, message):
    with pytest.raises(ParameterError, match=message):
        cut_tree(kuhn_tree(), **where)


def test_arguments_for_another_part_are_refused():
    cut = cut_tree(kuhn_tree(), depth=2)
    part, start = cut[2], PublicBeliefState.with_unit_ranges(kuhn_tree())
    here = PublicBeliefState.with_unit_ranges(kuhn_tree(), 2)
    with pytest.raises(ParameterError, match="give a belief at public state 2"):
        value_form(part, start)
    with pytest.raises(
        ParameterError, match=r"has 12 leaf histories.* give an array of shape \(12, 2\)"
    ):
        value_form(cut.trunk, start)
    with pytest.raises(ParameterError, match=r"give an array of shape \(0, 2\)"):
        counterfactual_form(part, here, np.zeros((1, 2)))
    with pytest.raises(PolicyMismatchError, match="restrict_policy"):
        counterfactual_values(part, here, uniform_policy(kuhn_tree().sequence_form))
    with pytest.raises(
        ParameterError, match=r"no part has its root at public state 1;.*\[0, 2, 3\]"
    ):
        cut[1]
    with pytest.raises(ParameterError, match=r"4 is not a leaf of trunk.*\[2, 3\]"):
        cut.trunk.leaf_sequences(4)
    nobody = PublicBeliefState(kuhn_tree(), 2, ([0, 0, 0], [1, 1, 1]))
    with pytest.raises(UnsupportedGameError, match="counterfactual_form"):
        value_form(part, nobody)


@pytest.mark.parametrize("tree", ["kuhn_poker", load_game("kuhn_poker")])
def test_only_trees_are_cut(tree):
    with pytest.raises(ParameterError, match=r"tree(=| is ).* such as infoset\.build_tree\("):
        cut_tree(tree, depth=2)
