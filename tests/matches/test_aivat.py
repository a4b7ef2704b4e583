"""AIVAT is unbiased by enumeration, and reduces the variance, to zero if values are exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import CorrelatedPolicy, expected_values, history_values
from infoset.evaluation.tree_reach import find_history, reach_without, step_probability
from infoset.game import initial_history
from infoset.games import load_game
from infoset.matches import aivat_utilities, exact_match, play_matches
from infoset.matches.aivat import play_with_correction
from infoset.policy import TabularPolicy, mix, uniform_policy
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.fake_players import SampledActionSearcher

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=random,returns_type=total_points)"
SPECS = ["kuhn_poker", "kuhn_poker(players=3)", "matrix_bos", GOOFSPIEL]


def policies(spec):
    return cached_random_policies(spec, 3, seed=1)


def seated(policy, other, players):
    """Return `policy` with the policies of some players taken from `other`."""
    for player in players:
        policy = policy.replace_player(player, other)
    return policy


def first_actions(tree):
    """Return the policy that takes the first action everywhere."""
    weights = [np.zeros(plex.num_sequences) for plex in tree.sequence_form.treeplexes]
    for values, plex in zip(weights, tree.sequence_form.treeplexes, strict=True):
        values[plex.first_sequence] = 1
    return TabularPolicy.from_weights(tree.sequence_form, weights)


@pytest.mark.parametrize("unknown", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("spec", SPECS)
def test_the_mean_over_all_terminals_is_the_expected_utility_for_any_values(spec, unknown):
    tree = cached_tree(spec)
    known, strange, _ = policies(spec)
    values = np.random.default_rng(2).normal(size=tree.rewards_so_far.shape)
    given = seated(known, first_actions(tree), unknown)  # unknown probabilities are not used
    estimates = aivat_utilities(tree, given, values, unknown=unknown)
    played = seated(known, strange, unknown)
    reach = reach_without(tree, played)[tree.terminals]
    exact = expected_values(played)
    assert reach @ estimates[tree.terminals] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("spec", [*SPECS, "leduc_poker"])
def test_nothing_is_left_to_chance_with_the_true_values(spec):
    tree = cached_tree(spec)
    policy = policies(spec)[0]
    estimates = aivat_utilities(tree, policy, history_values(tree, policy))[tree.terminals]
    assert np.ptp(estimates, axis=0) == pytest.approx(0, abs=1e-12)
    assert estimates[0] == pytest.approx(expected_values(policy), abs=1e-12)


def test_values_of_histories_are_those_of_the_rules_one_step_on():
    tree = cached_tree("leduc_poker")
    policy = policies("leduc_poker")[0]
    values, probability = history_values(tree, policy), step_probability(tree, policy)
    for history in range(0, tree.num_histories, 97):
        children = np.arange(tree.first_child[history], tree.first_child[history + 1])
        if len(children):
            assert probability[children].sum() == pytest.approx(1)
            assert values[history] == pytest.approx(probability[children] @ values[children])
    ends = tree.terminals
    assert (values[ends] == tree.rewards_so_far[ends]).all()


def variances(tree, policy, values, unknown, played):
    """Return the variance over plays of player 0's estimate, and of its utility."""
    reach = reach_without(tree, played)[tree.terminals]
    found = []
    for numbers in (aivat_utilities(tree, policy, values, unknown=unknown), tree.rewards_so_far):
        column = numbers[tree.terminals, 0]
        found.append(reach @ (column - reach @ column) ** 2)
    return found


def test_variance_on_leduc_is_smaller_the_more_is_known():
    tree = cached_tree("leduc_poker")
    policy, other, _ = policies("leduc_poker")
    values = history_values(tree, uniform_policy(tree.sequence_form))  # a poor guess
    shares = []
    for unknown in [(), (1,), (0, 1)]:
        played = seated(policy, other, unknown)
        estimated, plain = variances(tree, policy, values, unknown, played)
        shares.append(estimated / plain)
    assert shares == sorted(shares)
    assert shares[0] < 0.25
    assert shares[2] < 1


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker"])
def test_a_match_with_values_is_the_same_match_with_a_narrower_interval(spec):
    tree = cached_tree(spec)
    first, second, _ = policies(spec)
    values = history_values(tree, mix([first, second], [1, 1]))
    plain = play_matches(tree, first, second, num_deals=4000)
    corrected = play_matches(tree, first, second, num_deals=4000, values=values)
    assert corrected.standard_error < plain.standard_error / 2
    assert corrected.win_rate == plain.win_rate
    exact = exact_match(tree, first, second)
    assert abs(corrected.mean - exact.mean) < 4 * corrected.standard_error
    for estimate, seat in zip(corrected.position_utilities, exact.position_means, strict=True):
        assert abs(estimate.mean - seat) < 4 * estimate.standard_error


def test_a_correlated_policy_is_treated_as_unknown():
    tree = cached_tree("kuhn_poker")
    first, *others = policies("kuhn_poker")
    joint = CorrelatedPolicy(tuple(others), (1.0, 2.0))
    values = history_values(tree, first)
    corrected = play_matches(tree, first, joint, num_deals=4000, values=values)
    exact = exact_match(tree, first, joint)
    for estimate, seat in zip(corrected.position_utilities, exact.position_means, strict=True):
        assert abs(estimate.mean - seat) < 4 * estimate.standard_error


def test_a_table_plays_a_searcher_with_an_unknown_policy():
    tree = cached_tree("leduc_poker")
    first, second, _ = policies("leduc_poker")
    values = history_values(tree, uniform_policy(tree.sequence_form))
    searcher = SampledActionSearcher(second)
    plain = play_matches(tree, first, searcher, num_deals=250)
    corrected = play_matches(tree, first, searcher, num_deals=250, values=values)
    assert corrected.standard_error < 0.85 * plain.standard_error
    exact = exact_match(tree, first, second)
    assert abs(corrected.mean - exact.mean) < 4 * corrected.standard_error


# By the rules


class Script:
    """A random generator with scripted draws."""

    def __init__(self, deck=()):
        self.deck = deck
        self.numbers = []

    def random(self):
        return self.numbers.pop(0)

    def permutation(self, count):
        return self.deck


def by_script(tree, policy, end, values):
    """Play to one terminal of Kuhn poker with scripted draws."""
    path = [end]
    while tree.parent[path[-1]] > 0:
        path.append(int(tree.parent[path[-1]]))
    deal, *steps = reversed(path)
    cards = tree.graph.worlds[tree.world[deal]].cards
    nature, own = Script(["JQK".index(card) for card in cards]), [Script(), Script()]
    for before, after in pairwise([deal, *steps]):
        taken = tree.graph.joint_action[tree.edge[after]]
        (player,) = np.flatnonzero(taken >= 0).tolist()
        states = tree.infostate_trees[player]
        first = states.first_sequence[tree.infostate[before, player]]
        chances = policy.probabilities[player][first : first + 2]
        own[player].numbers.append(chances[0] / 2 if taken[player] == 0 else 1 - chances[1] / 2)
    root = initial_history(tree.game)
    history, correction = play_with_correction(root, [policy] * 2, own, nature, values)
    assert find_history(tree, history) == end
    return np.array(history.rewards_so_far) + correction


@pytest.mark.parametrize("guess", ["random", "exact"])
def test_plays_by_the_rules_are_unbiased_over_all_ends(guess):
    tree = cached_tree("kuhn_poker")
    policy = policies("kuhn_poker")[0]
    table = history_values(tree, policy)
    if guess == "random":
        table = np.random.default_rng(5).normal(size=table.shape)

    def values(history):
        return table[find_history(tree, history)]

    worth = np.array([by_script(tree, policy, int(end), values) for end in tree.terminals])
    reach = reach_without(tree, policy)[tree.terminals]
    exact = expected_values(policy)
    assert reach @ worth == pytest.approx(exact, abs=1e-12)
    assert (np.ptp(worth[:, 0]) < 1e-12) == (guess == "exact")


def test_a_match_by_the_rules_with_a_value_function():
    """A value function of the cards alone removes part of the luck of the deal."""
    game = load_game("kuhn_poker")
    first, second, _ = policies("kuhn_poker")
    ranks = {"J": -1.0, "Q": 0.0, "K": 1.0}

    def values(history):
        mine, yours = (ranks[infostate.steps[0].private] for infostate in history.infostates)
        return (mine - yours, yours - mine)

    plain = play_matches(game, first, second, num_deals=250)
    corrected = play_matches(game, first, second, num_deals=250, values=values)
    assert corrected.win_rate == plain.win_rate
    assert (
        corrected.position_utilities[0].standard_error < plain.position_utilities[0].standard_error
    )
    exact = exact_match(cached_tree("kuhn_poker"), first, second)
    for estimate, seat in zip(corrected.position_utilities, exact.position_means, strict=True):
        assert abs(estimate.mean - seat) < 4 * estimate.standard_error


def test_bad_values():
    tree = cached_tree("kuhn_poker")
    policy = policies("kuhn_poker")[0]
    with pytest.raises(ParameterError, match=r"shape \(3,\).*history_values\(tree, policy\)"):
        play_matches(tree, None, None, values=np.zeros(3))
    with pytest.raises(ParameterError, match="an array"):
        play_matches(tree, None, None, values=lambda history: (0, 0))
    with pytest.raises(ParameterError, match="a function of a History"):
        play_matches(tree.game, None, None, values=np.zeros((55, 2)))
    with pytest.raises(ParameterError, match=r"values returned \[0.0\] at <History of kuhn_poker"):
        play_matches(tree.game, None, None, values=lambda history: (0.0,), num_deals=2)
    with pytest.raises(ParameterError, match="no player 2"):
        aivat_utilities(tree, policy, history_values(tree, policy), unknown=[2])
    with pytest.raises(PolicyMismatchError, match="not for leduc_poker"):
        history_values(cached_tree("leduc_poker"), policy)
