"""Best responses by the rules alone: against those on trees, and numbers known of larger games."""

from __future__ import annotations

import numpy as np
import pytest

from compiled_games import compiled, policies_at_random
from determinized_dice import DeterminizedDice, SampledDice
from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation import best_response, expected_values, reached_best_response
from infoset.game import initial_history
from infoset.games import load_game
from infoset.matches import AveragePolicy, average_search, exact_match
from infoset.policy import TabularPolicy, tabulate, uniform_policy
from stand_ins import Blend, OneAction

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=random,returns_type=total_points)"
SPECS = ["kuhn_poker", "kuhn_poker(players=3)", "matrix_bos", GOOFSPIEL]


def some_policy(spec):
    return policies_at_random(spec)[0]


def some_pure_policy(spec):
    """Return a policy of one action everywhere, so that little is reached."""
    form = compiled(spec).sequence_form
    rng = np.random.default_rng(4)
    weights = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
    for values, plex in zip(weights, form.treeplexes, strict=True):
        values[plex.first_sequence + rng.integers(plex.num_actions)] = 1
    return TabularPolicy.from_weights(form, weights)


@pytest.mark.parametrize("make", [some_policy, some_pure_policy])
@pytest.mark.parametrize("spec", SPECS)
def test_the_value_is_that_on_the_tree(spec, make):
    tree, policy = compiled(spec), make(spec)
    for player in range(tree.num_players):
        response = reached_best_response(tree.game, policy, player)
        on_tree = best_response(policy, player)
        assert response.value == pytest.approx(on_tree.value, abs=1e-12)
        assert response.num_histories <= tree.num_histories
        table = tabulate(tree.sequence_form, [response.policy] * tree.num_players)
        earned = expected_values(policy.replace_player(player, table))[player]
        assert earned == pytest.approx(response.value, abs=1e-12)


def test_only_what_is_reached_is_made():
    tree = compiled("leduc_poker")
    policy = some_pure_policy("leduc_poker")
    response = reached_best_response(tree.game, [None, policy], 0)
    assert response.value == pytest.approx(best_response(policy, 0).value, abs=1e-12)
    plan = policy.realization_plan(1)[tree.sequence[:, 1]]
    assert response.num_histories == (plan > 0).sum() < tree.num_histories / 4


@pytest.mark.parametrize(
    ("share", "player", "value"),
    [
        (0.0, 1, 0.3025),
        (1.0, 1, 0.383),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in [
                (0.6, 1, 0.285),
                (0.8, 1, 0.318),
                (0.0, 0, 0.6790),
                (0.1, 0, 0.713),
                (0.5, 0, 0.731),
                (0.8, 0, 0.784),
                (1.0, 0, 1.0),
            ]
        ),
    ],
)
def test_two_six_sided_dice_each_in_the_limit_of_many_worlds(share, player, value):
    game = load_game("liars_dice(numdice=2)")
    response = reached_best_response(game, DeterminizedDice(2, 6, share), player)
    assert response.value == pytest.approx(value, abs=6e-4)
    assert response.num_histories < 100_000


def test_policies_that_reach_too_much():
    with pytest.raises(GameTooLargeError, match=r"more than 1,000 histories.*min_probability"):
        reached_best_response(load_game("leduc_poker"), None, 0, max_histories=1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(game="kuhn_poker"), "infoset.load makes of a name"),
        (dict(player=2), "no player 2"),
        (dict(policies=[None]), "got 1 policies; kuhn_poker has 2 players"),
        (dict(max_histories=0), "at least 1"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"game": load_game("kuhn_poker"), "policies": None, "player": 0, **arguments}
    with pytest.raises(ParameterError, match=message):
        reached_best_response(**given)


# Averages where they are asked for


def test_averages_by_the_rules_are_those_on_the_tree():
    tree, exact = compiled("kuhn_poker"), some_policy("kuhn_poker")
    policy = AveragePolicy(Blend(exact, 0.5), tolerance=0.02)
    table = tabulate(tree.sequence_form, [policy, policy])
    assert policy.num_infostates == 12
    assert policy.num_unconverged == 0
    on_tree = average_search(tree, Blend(exact, 0.5), tolerance=0.02)
    for player in (0, 1):
        gap = np.abs(table.probabilities[player] - on_tree.policy.probabilities[player])
        assert 0 < gap.max() < 0.1
        expected = 0.5 * exact.probabilities[player] + 0.25
        assert np.abs(table.probabilities[player] - expected)[1:].max() < 0.08


def test_an_average_does_not_depend_on_what_was_asked_before():
    exact = some_policy("kuhn_poker")
    tree = compiled("kuhn_poker").infostate_trees[0]
    infostates = [tree.infostate_at(number) for number in tree.acting.tolist()]
    forth, back = (AveragePolicy(OneAction(exact), tolerance=0.1) for _ in range(2))
    answers = [forth.action_probabilities(state, ("pass", "bet")) for state in infostates]
    others = [back.action_probabilities(state, ("pass", "bet")) for state in infostates[::-1]]
    assert np.array_equal(answers, others[::-1])
    answers[0][:] = 7  # what is returned is the caller's
    again = forth.action_probabilities(infostates[0], ("pass", "bet"))
    assert again == pytest.approx(others[-1])
    alike = AveragePolicy(OneAction(uniform_policy(exact.sequence_form)), tolerance=0.1)
    drawn = {alike.action_probabilities(state, ("pass", "bet"))[0] for state in infostates}
    assert len(drawn) > 2  # not the same numbers everywhere
    other = AveragePolicy(OneAction(exact), tolerance=0.1, seed=1)
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
    on_tree = tabulate(compiled("liars_dice(dice_sides=3)").sequence_form, [policy, policy])
    assert reached_best_response(game, policy, 1).value == pytest.approx(
        best_response(on_tree, 1).value, abs=1e-12
    )
    assert exact_match(compiled("liars_dice(dice_sides=3)"), policy, policy).mean == pytest.approx(
        0
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(searcher=some_policy("kuhn_poker")), "infoset.policy.tabulate"),
        (dict(min_probability=0.5), "may drop all actions"),
        (dict(tolerance=0), "tolerance=0 is out of range"),
        (dict(seed=-1), "seed=-1 must be"),
    ],
)
def test_averages_that_make_no_sense(arguments, message):
    given = {"searcher": OneAction(some_policy("kuhn_poker")), **arguments}
    with pytest.raises(ParameterError, match=message):
        AveragePolicy(**given)
