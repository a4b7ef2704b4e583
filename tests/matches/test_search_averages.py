"""Average policies of searches, against the policies from which they are sampled."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import best_response, reached_best_response
from infoset.game import initial_history
from infoset.games import load_game
from infoset.matches import AveragePolicy, average_search, exact_match
from infoset.policy import tabulate, uniform_policy
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.determinized_dice import DeterminizedDice, SampledDice
from tests.support.fake_players import NoisySearcher, SampledActionSearcher


def some_policy(spec):
    return cached_random_policies(spec)[0]


def gaps(averaged, exact, player):
    """Return [I] the largest difference of probabilities from those of a table."""
    gap = np.abs(averaged.policy.probabilities[player] - exact.probabilities[player])
    plex = exact.form.treeplexes[player]
    return np.maximum.reduceat(gap, plex.first_sequence)


@pytest.mark.broad
def test_averages_are_the_policy_that_answers_are_drawn_from():
    tree, exact = cached_tree("leduc_poker"), some_policy("leduc_poker")
    averaged = average_search(tree, [SampledActionSearcher(exact), None], tolerance=0.06)
    assert averaged.is_converged
    seen_both = averaged.standard_errors[0] > 0
    scores = gaps(averaged, exact, 0)[seen_both] / averaged.standard_errors[0][seen_both]
    assert 0.6 < (scores < 1).mean() < 0.77  # 0.68 of a normal distribution
    assert scores.max() < 5


def test_repeats_are_those_that_the_spread_asks_for():
    tree, exact = cached_tree("kuhn_poker"), some_policy("kuhn_poker")
    averaged = average_search(tree, SampledActionSearcher(exact), tolerance=0.02)
    plexes = exact.form.treeplexes
    for player, plex in enumerate(plexes):
        chance = exact.probabilities[player][plex.first_sequence]
        needed = np.maximum(chance * (1 - chance) / 0.02**2, 50)
        repeats, errors = averaged.repeats[player], averaged.standard_errors[player]
        assert repeats == pytest.approx(needed, rel=0.35)
        assert (errors <= 0.02).all()
        seen_both = errors > 0
        assert seen_both.sum() >= 5
        by_chance = np.sqrt(chance * (1 - chance) / repeats)
        assert errors[seen_both] == pytest.approx(by_chance[seen_both], rel=0.35)
        assert (averaged.last_changes[player] < 5 * 0.02).all()


def test_the_rule_by_hand():
    """Two samples, 1 and 0: the average changes from 1 to 1/2, and the variance is 1/2."""

    class Turns:
        def search(self, infostate, rng):
            self.seen = getattr(self, "seen", {})
            self.seen[infostate] = 1 - self.seen.get(infostate, 1)
            return np.eye(2)[self.seen[infostate]]

    averaged = average_search(cached_tree("kuhn_poker"), Turns(), tolerance=0.5)
    assert set(averaged.policy.probabilities[0][1:]) == {0.5}
    for found, expected in [
        (averaged.repeats, 2),
        (averaged.last_changes, 0.5),
        (averaged.standard_errors, 0.5),
    ]:
        assert np.concatenate(found) == pytest.approx(expected)
    assert averaged.is_converged


def test_stopping_does_not_push_the_average():
    tree, exact = cached_tree("kuhn_poker"), some_policy("kuhn_poker")
    found = [
        average_search(tree, [SampledActionSearcher(exact), None], tolerance=0.1, seed=seed)
        for seed in range(60)
    ]
    offs = [(average.policy.probabilities[0] - exact.probabilities[0])[1::2] for average in found]
    spread = np.std(offs, axis=0) / len(found) ** 0.5
    assert (np.abs(np.mean(offs, axis=0)) < 4 * spread).all()


def test_a_deterministic_search_is_repeated_one_over_tolerance_times():
    dice = DeterminizedDice(1, 3)

    class Sure:
        def search(self, infostate, rng):
            return dice.action_probabilities(infostate, ())

    tree = cached_tree("liars_dice(dice_sides=3)")
    averaged = average_search(tree, Sure(), tolerance=0.1)
    exact = tabulate(tree.sequence_form, [dice, dice])
    for player, plex in enumerate(tree.sequence_form.treeplexes):
        assert averaged.policy.probabilities[player] == pytest.approx(exact.probabilities[player])
        assert set(averaged.repeats[player][plex.num_actions > 1]) == {10}
        assert set(averaged.repeats[player][plex.num_actions == 1]) == {0}
        assert (averaged.standard_errors[player] < 1e-7).all()


@pytest.mark.broad
def test_each_infostate_has_its_own_random_numbers():
    tree, exact = cached_tree("kuhn_poker"), some_policy("kuhn_poker")
    both = average_search(tree, NoisySearcher(exact, 0.9), tolerance=0.05)
    first = average_search(tree.sequence_form, [NoisySearcher(exact, 0.9), None], tolerance=0.05)
    assert (first.policy.probabilities[0] == both.policy.probabilities[0]).all()
    assert set(first.policy.probabilities[1][1:]) == {0.5}
    assert not first.repeats[1].any()
    spread = average_search(tree, NoisySearcher(exact, 0.9), tolerance=0.05, workers=2)
    for player in (0, 1):
        assert (spread.policy.probabilities[player] == both.policy.probabilities[player]).all()
        assert (spread.repeats[player] == both.repeats[player]).all()
    alike = average_search(
        tree, SampledActionSearcher(uniform_policy(tree.sequence_form)), tolerance=0.1
    )
    for player in (0, 1):
        assert len(set(alike.policy.probabilities[player][1::2])) > 2
    assert (alike.policy.probabilities[0] != alike.policy.probabilities[1]).any()
    other = average_search(tree, NoisySearcher(exact, 0.9), tolerance=0.05, seed=1)
    assert (other.policy.probabilities[0] != both.policy.probabilities[0]).any()


class FirstNumber:
    """A searcher whose answer depends on its first random number, which it records."""

    def __init__(self):
        self.drawn = {}

    def search(self, infostate, rng):
        number = rng.random()
        self.drawn.setdefault(infostate, number)
        return np.array([number, 1 - number])


def test_no_two_infostates_have_the_same_numbers():
    searcher = FirstNumber()
    average_search(cached_tree("matrix_mp"), searcher, tolerance=0.5, max_repeats=2)
    average_search(cached_tree("kuhn_poker"), searcher, tolerance=0.5, max_repeats=2)
    assert len(searcher.drawn) == len(set(searcher.drawn.values())) == 2 + 12


def test_unreached_infostates_do_not_matter_to_a_best_response():
    tree = cached_tree("liars_dice(dice_sides=3)")
    searcher = SampledDice(1, 3, 0.4, 20)
    everywhere = average_search(tree, searcher, tolerance=0.1)
    reached = average_search(tree, searcher, tolerance=0.1, reached_only=True)
    asked = [sum(int((n > 0).sum()) for n in a.repeats) for a in (everywhere, reached)]
    assert asked[1] < asked[0] / 2
    for player in (0, 1):
        here = reached.repeats[player] > 0
        plex = tree.sequence_form.treeplexes[player]
        rows = np.repeat(here, plex.num_actions)
        ours, theirs = (a.policy.probabilities[player][1:] for a in (reached, everywhere))
        assert (ours[rows] == theirs[rows]).all()
        value = best_response(everywhere.policy, player).value
        assert best_response(reached.policy, player).value == pytest.approx(value, abs=1e-12)


def test_averages_that_did_not_converge_are_reported():
    tree, exact = cached_tree("kuhn_poker"), some_policy("kuhn_poker")
    averaged = average_search(tree, SampledActionSearcher(exact), tolerance=0.01, max_repeats=30)
    assert not averaged.is_converged
    assert averaged.num_unconverged == sum(int((e > 0.01).sum()) for e in averaged.standard_errors)
    assert max(repeats.max() for repeats in averaged.repeats) == 30


# End to end, against published numbers: search everywhere, average, compute a best response.


@pytest.mark.parametrize(
    ("numdice", "sides", "first", "second"),
    [(1, 3, -0.0741, 0.2593), (1, 4, 0.125, 0.4167), (2, 2, -0.875, 0.875)],
)
def test_best_responses_to_determinised_dice(numdice, sides, first, second):
    tree = cached_tree(f"liars_dice(numdice={numdice},dice_sides={sides})")
    dice = DeterminizedDice(numdice, sides)
    policy = tabulate(tree.sequence_form, [dice, dice])
    assert best_response(policy, 1).value == pytest.approx(first, abs=1e-4)
    assert best_response(policy, 0).value == pytest.approx(second, abs=1e-4)


def test_best_responses_to_the_average_of_many_worlds():
    tree = cached_tree("liars_dice(dice_sides=3)")
    searcher = SampledDice(1, 3, 0.0, 1000)
    averaged = average_search(tree, searcher, tolerance=0.03, reached_only=True)
    assert best_response(averaged.policy, 1).value == pytest.approx(-0.0741, abs=0.03)
    assert best_response(averaged.policy, 0).value == pytest.approx(0.2593, abs=0.03)


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(game="kuhn_poker"), "a GameTree, or its form"),
        (dict(searchers=uniform_policy()), "infoset.policy.tabulate"),
        (dict(searchers=[None]), "got 1 searchers; kuhn_poker has 2 players"),
        (dict(tolerance=0), "tolerance=0 is out of range"),
        (dict(tolerance=1.5), "tolerance=1.5 is out of range"),
        (dict(tolerance=float("nan")), "must be a finite number"),
        (dict(max_repeats=1), "max_repeats=1 must be a whole number, at least 2"),
        (dict(seed=-1), "seed=-1 must be"),
        (dict(workers=0), "workers=0 must be"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"game": cached_tree("kuhn_poker"), "searchers": None, **arguments}
    if given["searchers"] is None:
        given["searchers"] = SampledActionSearcher(some_policy("kuhn_poker"))
    with pytest.raises(ParameterError, match=message):
        average_search(**given)


def test_a_search_that_does_not_return_a_distribution():
    class Wrong:
        def search(self, infostate, rng):
            return np.array([0.5, 0.6])

    with pytest.raises(ParameterError, match=r"returned \[0.5, 0.6\]"):
        average_search(cached_tree("kuhn_poker"), Wrong())


# Averages on demand: AveragePolicy


def test_averages_by_the_rules_are_those_on_the_tree():
    tree, exact = cached_tree("kuhn_poker"), some_policy("kuhn_poker")
    policy = AveragePolicy(NoisySearcher(exact, 0.5), tolerance=0.02)
    table = tabulate(tree.sequence_form, [policy, policy])
    assert policy.num_infostates == 12
    assert policy.num_unconverged == 0
    on_tree = average_search(tree, NoisySearcher(exact, 0.5), tolerance=0.02)
    for player in (0, 1):
        gap = np.abs(table.probabilities[player] - on_tree.policy.probabilities[player])
        assert 0 < gap.max() < 0.1
        expected = 0.5 * exact.probabilities[player] + 0.25
        assert np.abs(table.probabilities[player] - expected)[1:].max() < 0.08


def test_an_average_does_not_depend_on_earlier_queries():
    exact = some_policy("kuhn_poker")
    tree = cached_tree("kuhn_poker").infostate_trees[0]
    infostates = [tree.infostate_at(number) for number in tree.acting.tolist()]
    forth, back = (AveragePolicy(SampledActionSearcher(exact), tolerance=0.1) for _ in range(2))
    answers = [forth.action_probabilities(state, ("pass", "bet")) for state in infostates]
    others = [back.action_probabilities(state, ("pass", "bet")) for state in infostates[::-1]]
    assert np.array_equal(answers, others[::-1])
    answers[0][:] = 7  # the caller may change the result
    again = forth.action_probabilities(infostates[0], ("pass", "bet"))
    assert again == pytest.approx(others[-1])
    alike = AveragePolicy(SampledActionSearcher(uniform_policy(exact.form)), tolerance=0.1)
    drawn = {alike.action_probabilities(state, ("pass", "bet"))[0] for state in infostates}
    assert len(drawn) > 2  # not the same numbers everywhere
    other = AveragePolicy(SampledActionSearcher(exact), tolerance=0.1, seed=1)
    assert (other.action_probabilities(infostates[0], ("pass", "bet")) != again).any()


def test_actions_of_small_probability_are_dropped():
    class Mostly:
        def search(self, infostate, rng):
            return np.array([0.9, 0.06, 0.04])

    kept = AveragePolicy(Mostly(), tolerance=0.5, min_probability=0.05)
    answer = kept.action_probabilities(
        initial_history(load_game("kuhn_poker")).infostates[0], "abc"
    )
    assert answer == pytest.approx([0.9 / 0.96, 0.06 / 0.96, 0])


def test_a_searcher_is_averaged_and_answered_by_the_rules():
    game = load_game("liars_dice(dice_sides=3)")
    policy = AveragePolicy(SampledDice(1, 3, 0.0, 1000), tolerance=0.05, min_probability=0.02)
    assert reached_best_response(game, policy, 1).value == pytest.approx(-0.0741, abs=0.05)
    assert reached_best_response(game, policy, 0).value == pytest.approx(0.2593, abs=0.05)
    on_tree = tabulate(cached_tree("liars_dice(dice_sides=3)").sequence_form, [policy, policy])
    assert reached_best_response(game, policy, 1).value == pytest.approx(
        best_response(on_tree, 1).value, abs=1e-12
    )
    assert exact_match(
        cached_tree("liars_dice(dice_sides=3)"), policy, policy
    ).mean == pytest.approx(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(searcher=some_policy), "infoset.policy.tabulate"),
        (dict(min_probability=0.5), "could drop all actions"),
        (dict(tolerance=0), "tolerance=0 is out of range"),
        (dict(seed=-1), "seed=-1 must be"),
    ],
)
def test_bad_arguments_of_an_average_policy(arguments, message):
    given = {"searcher": SampledActionSearcher(some_policy("kuhn_poker")), **arguments}
    if given["searcher"] is some_policy:
        given["searcher"] = some_policy("kuhn_poker")
    with pytest.raises(ParameterError, match=message):
        AveragePolicy(**given)
