"""Tabular policies."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import expected_values
from infoset.games import load_game
from infoset.policy import (
    TabularPolicy,
    distance,
    mix,
    random_policy,
    tabulate,
    uniform_policy,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


@pytest.fixture(scope="module")
def kuhn():
    return cached_tree("kuhn_poker").sequence_form


def drawn(form, seed):
    return random_policy(form, np.random.default_rng(seed))


def test_realization_plan_by_hand(kuhn):
    plan = uniform_policy(kuhn).realization_plan(0)
    # Each of three cards: pass, bet; and after pass, bet: pass, bet again.
    assert sorted(plan.tolist()) == [0.25] * 6 + [0.5] * 6 + [1.0]


@given(random_games(), st.integers(0, 2**32))
def test_behavior_to_plan_and_back(game, seed):
    form = build_tree(game).sequence_form
    policy = drawn(form, seed)
    again = TabularPolicy.from_weights(form, policy.realization_plans())
    for before, after in zip(policy.probabilities, again.probabilities, strict=True):
        assert np.allclose(before, after, rtol=1e-12)
    for player, plex in enumerate(form.treeplexes):
        plan = policy.realization_plan(player)
        if plex.num_infostates:
            sums = np.add.reduceat(plan, plex.first_sequence)
            assert np.allclose(sums, plan[plex.parent_sequence])


def test_the_policy_is_uniform_where_the_plan_is_zero(kuhn):
    plan = np.zeros(13)
    plan[0] = 1.0
    policy = TabularPolicy.from_weights(kuhn, [plan, plan])
    assert policy["[J] / pass / bet", 0] == {"pass": 0.5, "bet": 0.5}


@given(random_games(), st.integers(0, 2**32))
def test_action_probabilities_agree_with_the_rows(game, seed):
    policy = drawn(build_tree(game).sequence_form, seed)
    rows = {(row.player, row.infostate): row for row in policy.rows()}
    if len(rows) != sum(t.num_acting for t in policy.form.infostate_trees):
        raise AssertionError("two infostates of one player have the same text")
    for visit in enumerate_histories(game)[:200]:
        for player in visit.history.actors:
            legal = visit.history.legal_actions(player)
            known = visit.history.infostates[player]
            values = policy.action_probabilities(known, legal)
            assert values.sum() == pytest.approx(1)
            backwards = policy.action_probabilities(known, legal[::-1])
            assert backwards.tolist() == values.tolist()[::-1]
            if (player, str(known)) in rows:
                assert rows[player, str(known)].probabilities.tolist() == values.tolist()


def test_own_reach_is_the_product_of_own_actions(kuhn):
    reach = {(r.player, r.infostate): r.own_reach for r in drawn(kuhn, 1).rows()}
    policy = drawn(kuhn, 1)
    assert reach[0, "[J]"] == 1
    assert reach[0, "[J] / pass / bet"] == policy["[J]", 0]["pass"]
    assert reach[1, "[J] / bet"] == 1


def test_unknown_infostates_and_actions_get_the_nearest(kuhn):
    policy = uniform_policy(kuhn)
    with pytest.raises(UnknownNameError, match=r"did you mean \[J\] / pass"):
        policy["[J] / pas", 1]
    from infoset.game import initial_history

    history = initial_history(load_game("kuhn_poker"))
    dealt = history.extend((None, None), history.chance_outcomes[0][0])
    with pytest.raises(UnknownNameError, match="action 'bte'"):
        policy.action_probabilities(dealt.infostates[0], ["bte"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda values: values[:-1], "shape"),
        (lambda values: np.where(np.arange(13) == 1, -0.5, values), "negative"),
        (lambda values: np.where(np.arange(13) == 1, np.nan, values), "NaN"),
        (lambda values: np.where(np.arange(13) == 1, 0.6, values), r"'\[.\].*' sum to 1.1"),
    ],
)
def test_what_is_not_a_policy_is_refused(kuhn, change, message):
    good = uniform_policy(kuhn).probabilities
    with pytest.raises(ParameterError, match=message):
        TabularPolicy(kuhn, (change(good[0].copy()), good[1]))


def test_probabilities_for_another_number_of_players(kuhn):
    with pytest.raises(ParameterError, match="1 players"):
        TabularPolicy(kuhn, uniform_policy(kuhn).probabilities[:1])


@given(random_games(), st.integers(0, 2**32), st.floats(0, 1))
def test_mixing_one_player_mixes_the_values(game, seed, share):
    form = build_tree(game).sequence_form
    base, other = drawn(form, seed), drawn(form, seed + 1)
    changed = base.replace_player(0, other)
    mixed = base.replace_player(0, mix([base, other], [1 - share, share]))
    expected = (1 - share) * np.array(expected_values(base)) + share * np.array(
        expected_values(changed)
    )
    assert np.allclose(expected_values(mixed), expected, atol=1e-9)


def test_mixing_needs_one_weight_per_policy_and_one_game(kuhn):
    policy = uniform_policy(kuhn)
    for weights in ([1], [1, -1], [0, 0]):
        with pytest.raises(ParameterError, match="one weight per policy"):
            mix([policy, policy], weights)
    other = uniform_policy(cached_tree("leduc_poker").sequence_form)
    with pytest.raises(PolicyMismatchError, match="leduc_poker"):
        mix([policy, other], [1, 1])


def test_distance_is_a_metric(kuhn):
    a, b, c = (drawn(kuhn, seed) for seed in range(3))
    assert distance(a, a) == 0
    assert distance(a, b) == distance(b, a) > 0
    assert distance(a, c) <= distance(a, b) + distance(b, c)
    pure = [np.array([1.0, *[1.0, 0.0] * 6]), np.array([1.0, *[0.0, 1.0] * 6])]
    first = TabularPolicy(kuhn, (pure[0], pure[0].copy()))
    second = TabularPolicy(kuhn, (pure[1], pure[0].copy()))
    assert distance(first, second) == 1
    assert distance(first, uniform_policy(kuhn)) == 0.5


def test_random_policies_are_drawn_by_the_generator(kuhn):
    assert distance(drawn(kuhn, 7), drawn(kuhn, 7)) == 0
    assert distance(drawn(kuhn, 7), drawn(kuhn, 8)) > 0


def test_the_uniform_policy_needs_no_tree():
    from infoset.game import Infostate

    assert uniform_policy().action_probabilities(Infostate(0), "abcd").tolist() == [0.25] * 4


@pytest.mark.parametrize("wrong", [-1e-300, np.nan, np.inf, -np.inf])
def test_invalid_weights_are_refused(kuhn, wrong):
    """Only a sum of zero means a uniform policy; NaN and negative sums are errors."""
    weights = [np.ones(plex.num_sequences) for plex in kuhn.treeplexes]
    weights[1][3] = wrong
    with pytest.raises(
        ParameterError, match=f"player 1 has the weight {wrong}; weights must be finite"
    ):
        TabularPolicy.from_weights(kuhn, weights)


@cache
def leduc_form():
    return cached_tree("leduc_poker").sequence_form


def test_tabulating_a_table_returns_it():
    policy = random_policy(leduc_form(), np.random.default_rng(0))
    again = tabulate(leduc_form(), [policy, policy])
    for old, new in zip(policy.probabilities, again.probabilities, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-15)


def test_each_player_has_its_policy_and_none_is_uniform():
    policy = random_policy(leduc_form(), np.random.default_rng(1))
    mixed = tabulate(leduc_form(), [None, policy])
    np.testing.assert_array_equal(
        mixed.probabilities[0], uniform_policy(leduc_form()).probabilities[0]
    )
    np.testing.assert_allclose(mixed.probabilities[1], policy.probabilities[1], rtol=1e-15)


def careless(infostate, legal_actions):
    return {"call": 1.0} if str(infostate) == "[Js]" else {legal_actions[-1]: 1}


def in_order(infostate, legal_actions):
    answer = careless(infostate, legal_actions)
    return [answer.get(action, 0) for action in legal_actions]


def test_functions_are_policies_and_may_return_mappings():
    for policies in (careless, in_order, [careless, in_order], [careless, None]):
        table = tabulate(leduc_form(), policies)
        assert table["[Js]", 0] == {"call": 1.0, "raise": 0.0}
        assert table["[Jh]", 0] == {"call": 0.0, "raise": 1.0}
        expected = 0.5 if policies == [careless, None] else 1.0
        assert table["[Jh] / call", 1]["raise"] == expected


def test_objects_that_are_not_policies_are_named():
    class Searching:
        pass

    with pytest.raises(ParameterError, match="contain a Searching, which is not a function"):
        tabulate(leduc_form(), [Searching(), None])
    with pytest.raises(ParameterError, match="contain a UniformPolicy"):
        tabulate(leduc_form(), type(uniform_policy()))
    with pytest.raises(ParameterError, match="form"):
        tabulate(careless, leduc_form())
    with pytest.raises(ParameterError, match="one nonnegative probability per legal action"):
        tabulate(leduc_form(), lambda infostate, legal_actions: {"rise": 1.0})


def test_bad_policies_are_refused():
    class Half:
        def action_probabilities(self, infostate, legal_actions):
            return np.full(len(legal_actions), 0.5 / len(legal_actions))

    with pytest.raises(ParameterError, match="one nonnegative probability per legal action"):
        tabulate(leduc_form(), [Half(), None])
    with pytest.raises(ParameterError, match="got 1 policies; leduc_poker has 2 players"):
        tabulate(leduc_form(), [uniform_policy()])


def test_the_player_may_be_left_out_if_only_one_has_the_infostate():
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    assert policy["[J] / pass / bet"] == policy["[J] / pass / bet", 0]
    assert policy["[J] / pass"] == policy["[J] / pass", 1]
    with pytest.raises(UnknownNameError, match="unknown infostate"):
        policy["[D]"]
    with pytest.raises(ParameterError, match="there is no player 2"):
        policy["[J]", 2]
    pennies = uniform_policy(cached_tree("matrix_mp").sequence_form)
    label = pennies.form.infostate_trees[0].acting_labels[0]
    with pytest.raises(ParameterError, match=r"players 0, 1 have an infostate .*, 0\]"):
        pennies[label]
    for key in (0, (), ("[J]", 0, 1)):
        with pytest.raises(ParameterError, match=r"as in policy\["):
            policy[key]


@pytest.mark.parametrize(
    "game",
    ["kuhn_poker(players=3)", "leduc_poker(num_ranks=2)", "goofspiel(num_cards=3,imp_info=True)"],
)
def test_sorted_rows_are_the_rows_by_step(game):
    policy = uniform_policy(build_tree(load_game(game)).sequence_form)
    found = policy.sorted_rows()
    names = [sorted((row.player, row.infostate) for row in rows) for rows in (found, policy.rows())]
    assert names[0] == names[1]
    for player, tree in enumerate(policy.form.infostate_trees):
        labels = list(tree.acting_labels)
        steps = [
            len(tree.infostate_at(int(tree.acting[labels.index(row.infostate)])).steps)
            for row in found
            if row.player == player
        ]
        assert steps == sorted(steps)


def test_cards_have_the_order_of_the_deck_for_every_player():
    policy = uniform_policy(build_tree(load_game("leduc_poker")).sequence_form)
    rows = [row.infostate for row in policy.sorted_rows() if row.player == 1][:12]
    assert rows == [
        f"[{card}] / {action}"
        for card in ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
        for action in ("call", "raise")
    ]


@pytest.mark.broad
@pytest.mark.parametrize("kind", ["sequence", "public", "world"])
def test_rows_of_the_first_decisions(kind):
    policy = infoset.solve("leduc_poker(num_ranks=2)", "cfr+", iterations=2, form=kind).policy
    everything = policy.sorted_rows()
    # Hands that chance has removed have infostates without rows on a public form.
    numbers = {row.number for row in everything if row.player == 0}
    missing = {*range(policy.form.treeplexes[0].num_infostates)} - numbers
    assert bool(missing) == (kind == "public")
    for depth in (1, 2):
        expected = [row.infostate for row in everything if row.own_depth < depth]
        assert [row.infostate for row in policy.sorted_rows(depth)] == expected
