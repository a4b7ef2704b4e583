"""Exact matches, against expected values, sampled play and identities."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import CorrelatedPolicy, expected_values
from infoset.games import load_game, matrix_game
from infoset.matches import exact_match, play_matches
from infoset.matches.match_statistics import win_fractions
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.tree import build_public_form, build_tree
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.fake_players import SampledActionSearcher


def policies(spec, number=2):
    return cached_random_policies(spec, number, seed=7)


SPECS = ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "matrix_bos"]


def means(estimates):
    return [estimate.mean for estimate in estimates]


@pytest.mark.parametrize("spec", SPECS)
def test_values_by_position_are_expected_values(spec):
    first, second = policies(spec)
    result = exact_match(cached_tree(spec), first, second)
    seats = range(first.form.num_players)
    exact = [expected_values(second.replace_player(seat, first))[seat] for seat in seats]
    assert result.position_means == pytest.approx(exact, abs=1e-12)
    assert result.mean == pytest.approx(np.mean(exact), abs=1e-12)
    assert result.interval == (result.mean, result.mean)
    assert (result.utility.half_width, result.standard_error, result.num_deals) == (0, 0, 0)


@pytest.mark.parametrize("spec", SPECS)
def test_play_comes_to_the_same(spec):
    tree = cached_tree(spec)
    exact = exact_match(tree, *policies(spec))
    played = play_matches(tree, *policies(spec), num_deals=40_000, seed=3)
    for ours, theirs in [
        (played.utility, exact.utility),
        (played.win_rate, exact.win_rate),
        *zip(played.position_utilities, exact.position_utilities, strict=True),
        *zip(played.position_win_rates, exact.position_win_rates, strict=True),
    ]:
        assert abs(ours.mean - theirs.mean) < 4 * ours.standard_error + 1e-12


def test_a_win_rate_in_liars_dice_is_the_utility_in_other_units():
    tree = build_tree(load_game("liars_dice(dice_sides=2)"))
    rng = np.random.default_rng(0)
    first, second = (random_policy(tree.sequence_form, rng) for _ in range(2))
    result = exact_match(tree, first, second)
    assert means(result.position_win_rates) == pytest.approx(
        [(1 + utility) / 2 for utility in result.position_means], abs=1e-12
    )
    back = exact_match(tree, second, first)
    assert result.position_win_rates[0].mean + back.position_win_rates[1].mean == pytest.approx(1)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)"])
def test_a_policy_meets_itself_at_its_share(spec):
    policy, _ = policies(spec)
    result = exact_match(cached_tree(spec), policy, policy)
    assert result.mean == pytest.approx(0, abs=1e-14)
    assert result.win_rate.mean == pytest.approx(1 / policy.form.num_players)


def test_wins_are_shared_by_those_who_have_the_most():
    utility = np.array([[3, 1, 1], [2, 2, -4], [0, 0, 0], [0.1 + 0.2, 0.3, 0.0]])
    third = 1 / 3
    expected = [[1, 0, 0], [0.5, 0.5, 0], [third, third, third], [0.5, 0.5, 0]]
    assert win_fractions(utility) == pytest.approx(np.array(expected))


def test_wins_by_hand():
    """The first contestant plays row 1 or column 1, the second row 2 or column 2."""
    tree = build_tree(matrix_game([[5, 1], [2, 7]], [[0, 10], [30, 2]]))
    form = tree.sequence_form
    one, two = (
        TabularPolicy(form, (np.array(chosen), np.array(chosen)))
        for chosen in ([1.0, 1, 0], [1.0, 0, 1])
    )
    result = exact_match(tree, one, two)
    assert (result.position_means, means(result.position_win_rates)) == ((1, 30), [0, 1])


def test_correlated_policies_are_drawn_for_all_seats_that_follow_them():
    tree = cached_tree("kuhn_poker(players=3)")
    joint = CorrelatedPolicy(tuple(policies("kuhn_poker(players=3)", 3)), (1.0, 0.0, 3.0))
    exact = joint.evaluate().values
    assert exact_match(tree, joint, joint).position_means == pytest.approx(exact, abs=1e-12)
    leaving = exact_match(tree, None, joint)
    parts = [exact_match(tree, None, policy).position_means for policy in joint.policies]
    assert leaving.position_means == pytest.approx(np.average(parts, axis=0, weights=joint.weights))


def test_other_policies_are_queried_at_every_infostate():
    tree = cached_tree("leduc_poker")
    first, _ = policies("leduc_poker")

    class Same:
        def action_probabilities(self, infostate, legal_actions):
            return first.action_probabilities(infostate, legal_actions)

    given = exact_match(tree, Same(), uniform_policy())
    assert given.position_means == pytest.approx(exact_match(tree, first, None).position_means)


def test_bad_arguments():
    tree = cached_tree("kuhn_poker")
    with pytest.raises(ParameterError, match=r"such as infoset\.build_tree"):
        exact_match(tree.game, None, None)
    with pytest.raises(ParameterError, match=r"average_search\(tree, searcher\).policy"):
        exact_match(tree, SampledActionSearcher(uniform_policy(tree.sequence_form)), None)
    with pytest.raises(PolicyMismatchError, match="is for leduc_poker, not for kuhn_poker"):
        exact_match(tree, uniform_policy(cached_tree("leduc_poker").sequence_form), None)


PUBLIC = ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"]


@pytest.mark.parametrize("spec", PUBLIC)
def test_a_public_form_gives_the_results_of_its_tree(spec):
    tree, form = cached_tree(spec), build_public_form(load_game(spec))
    first, second, third = policies(spec, 3)
    mixed = CorrelatedPolicy((first, third), (2.0, 1.0))
    pairs = [(first, second), (transfer_policy(first, form), None), (mixed, second)]
    for one, other in pairs:
        found, wanted = exact_match(form, one, other), exact_match(tree, one, other)
        assert found.position_means == pytest.approx(wanted.position_means, abs=1e-12)
        rates = found.position_win_rates, wanted.position_win_rates
        assert means(rates[0]) == pytest.approx(means(rates[1]), abs=1e-12)
    together = exact_match(form, first, second, teams=[(0, 1)])
    assert (together.mean, together.win_rate.mean) == pytest.approx((0, 1), abs=1e-12)


def test_sequence_forms_merge_ends():
    with pytest.raises(UnsupportedGameError, match="no public nodes and hands"):
        exact_match(cached_tree("kuhn_poker").sequence_form, None, None)
