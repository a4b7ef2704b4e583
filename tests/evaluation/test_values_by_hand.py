"""Values of hands: the tree of histories and dense products as independent computations."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import best_response, evaluate_hands, evaluate_policy, history_values
from infoset.game import PublicRulesGame
from infoset.games import load_game
from infoset.policy import TabularPolicy, transfer_policy, uniform_policy
from infoset.tree import (
    build_public_form,
    build_sequence_form,
    build_tree,
    derive_public_form,
)
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.suited_rules import SuitedPoker

SMALL = ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"]
RANDOM_SEEDS = [0, 3, 7, 12]


def random_public_policy(form, seed=0):
    rng = np.random.default_rng(seed)
    weights = [rng.standard_exponential(plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


def values_in_the_tree(tree, policy, player):
    """Return the probability and the value of each hand, by the label of the infostate after it."""
    value = history_values(tree, policy)[:, player]
    infostates = tree.infostate_trees[player]
    found = {}
    first, last = tree.level_offsets[1:3]
    for history in range(first, last):
        label = infostates.observations[
            infostates.private_observation[tree.infostate[history, player]]
        ]
        reach = tree.chance_reach[history]
        before = found.get(label, (0.0, 0.0))
        found[label] = before[0] + reach, before[1] + reach * value[history]
    return {label: (mass, total / mass) for label, (mass, total) in found.items()}


@pytest.mark.parametrize("spec", SMALL)
def test_hands_earn_what_they_earn_in_the_tree(spec):
    tree, [policy] = cached_tree(spec), cached_random_policies(spec)
    form = build_public_form(load_game(spec))
    scale = form.payoff_width * 1e-12
    for player, own in enumerate(evaluate_hands(transfer_policy(policy, form))):
        values = values_in_the_tree(tree, policy, player)
        best = values_in_the_tree(tree, best_response(policy, player).policy, player)
        assert len(values) == len(form.hands[player])
        for place, label in enumerate(form.hands[player]):
            mass, value = values[label]
            assert own.probabilities[place] == pytest.approx(mass, abs=1e-15)
            assert abs(own.values[place] - value) <= scale
            assert abs(own.best_response_values[place] - best[label][1]) <= scale
            assert abs(own.gains[place] - max(0, best[label][1] - value)) <= 2 * scale


@pytest.mark.parametrize("seed", RANDOM_SEEDS)
def test_values_of_hands_are_dense_products(seed):
    form = derive_public_form(build_tree(RandomPublicGame(seed)))
    policy = random_public_policy(form, seed)
    plans, measured = policy.realization_plans(), evaluate_policy(policy)
    for player, own in enumerate(evaluate_hands(policy)):
        earned = np.zeros(form.num_hands[player])
        for terminal, last in enumerate(form.terminal_sequence.tolist()):
            reach = [
                plans[p][s.start[q] + s.stride[q] * np.arange(form.num_hands[p])]
                for p, (s, q) in enumerate(zip(form.sequences, last, strict=True))
            ]
            payoffs = form.payoff_matrix(terminal, player) * np.multiply.outer(*reach)
            earned += payoffs.sum(axis=1 - player)
        dealt = own.probabilities > 0
        assert np.abs(own.values * own.probabilities - earned)[dealt].max() <= 1e-12
        assert np.isnan(own.values[~dealt]).all()
        means = [
            (own.probabilities * column)[dealt].sum()
            for column in (own.values, own.best_response_values, own.gains)
        ]
        value, gain = measured.values[player], measured.gains[player]
        assert means == pytest.approx([value, value + gain, gain], abs=1e-11)
        assert own.probabilities.sum() == pytest.approx(1)


def test_a_best_response_on_a_public_form_is_that_of_the_tree():
    [policy] = cached_random_policies("leduc_poker")
    form = build_public_form(load_game("leduc_poker"))
    public = transfer_policy(policy, form)
    for player in range(2):
        response, expected = best_response(public, player), best_response(policy, player)
        assert response.value == pytest.approx(expected.value, abs=1e-12)
        assert infoset.evaluate(response.policy).values[player] == pytest.approx(response.value)
        assert set(np.unique(response.policy.probabilities[player])) == {0.0, 1.0}
        other = 1 - player
        assert np.array_equal(response.policy.probabilities[other], public.probabilities[other])


def test_labels_and_other_arguments():
    form = build_public_form(load_game("kuhn_poker"))
    first, second = infoset.evaluate_hands(uniform_policy(form))
    probability, value, best, gain = first.by_label()["Q"]
    assert (probability, value, best, gain) == pytest.approx((1 / 3, 0.125, 0.5, 0.375))
    [policy] = cached_random_policies("kuhn_poker")
    mixed = infoset.evaluate_hands("kuhn_poker", ["uniform", policy])
    public = transfer_policy(policy, form)
    parts = uniform_policy(form).probabilities[0], public.probabilities[1]
    expected = evaluate_hands(TabularPolicy(form, parts))
    assert np.array_equal(mixed[1].values, expected[1].values)
    assert np.array_equal(second.probabilities, mixed[1].probabilities)
    with pytest.raises(ParameterError, match="policy is missing"):
        infoset.evaluate_hands("kuhn_poker")
    with pytest.raises(ParameterError, match="got 3 policies; kuhn_poker has 2 players"):
        infoset.evaluate_hands("kuhn_poker", ["uniform"] * 3)
    with pytest.raises(UnsupportedGameError, match="has no public form"):
        infoset.evaluate_hands("goofspiel(num_cards=3)", "uniform")
    of_form, _ = infoset.evaluate_hands(cached_tree("kuhn_poker").sequence_form, "uniform")
    assert np.array_equal(of_form.values, first.values)
    with pytest.raises(ParameterError, match="TabularPolicy"):
        evaluate_hands("uniform")
    with pytest.raises(UnsupportedGameError, match="build its public form"):
        evaluate_hands(policy)


@pytest.mark.parametrize("num_cards", [1, 2])
def test_merged_suits_have_the_same_values(num_cards):
    game = PublicRulesGame(SuitedPoker(num_ranks=2, num_deals=1, num_cards=num_cards), "suited")
    merged, whole = build_public_form(game), build_public_form(game, merge_symmetric=False)
    assert merged.treeplexes[0].num_sequences < whole.treeplexes[0].num_sequences
    policy = random_public_policy(merged, num_cards)
    tabular = transfer_policy(policy, build_sequence_form(game))
    expected = evaluate_hands(transfer_policy(tabular, whole))
    for one, other in zip(evaluate_hands(policy), expected, strict=True):
        assert np.abs(one.values - other.values).max() <= 1e-12
        assert np.abs(one.best_response_values - other.best_response_values).max() <= 1e-12
        assert np.ptp(one.values) > 0.01
