"""`compare`: several methods on one game."""

from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.efg import decision, extensive_form_from_nodes, terminal
from infoset.errors import (
    ComparisonError,
    ParameterError,
    PolicyMismatchError,
    UnsupportedGameError,
)
from infoset.front import applicable_methods, compare
from infoset.regret import SCHEMES
from infoset.runs import make_result
from infoset.solvers import METHODS, CustomMethod, LocalMethod, PerturbedMethod, get_method


def test_each_method_does_what_it_does_alone():
    results = compare("kuhn_poker", ["cfr", SCHEMES["dcfr"], "lp"], iterations=70)
    assert [result.method for result in results] == ["cfr", "dcfr", "lp"]
    for result in results:
        alone = infoset.solve("kuhn_poker", result.method, iterations=70)
        assert result.values == alone.values
        assert result.iterations == alone.iterations


def test_limits_are_for_each_method():
    results = compare("kuhn_poker", ["cfr", "cfr+"], target="1%")
    assert [result.outcome for result in results] == ["converged", "converged"]
    assert [result.iterations for result in compare("matrix_mp", ["cfr", "cfr+"])] == [1000, 1000]


def test_who_is_measured_is_told():
    seen = []
    compare("matrix_mp", ["cfr", "cfr+"], callback=lambda *what: seen.append(what))
    assert {name for name, _ in seen} == {"cfr", "cfr+"}
    stopped = compare("kuhn_poker", ["cfr", "cfr+"], callback=lambda name, _: name == "cfr")
    assert [result.iterations for result in stopped] == [1, 1000]


@pytest.mark.parametrize("methods", [[], "cfr", 5, None])
def test_methods_are_a_list(methods):
    with pytest.raises(infoset.InfosetError, match="list of"):
        compare("kuhn_poker", methods)


def test_a_method_that_refuses_the_game_is_found_before_any_work():
    seen = []
    with pytest.raises(UnsupportedGameError, match="two-player"):
        compare("matrix_bos", ["cfr", "lp"], callback=lambda *what: seen.append(what))
    assert seen == []


def test_exact_methods_are_not_solved_twice():
    given = []

    def run(form, budget):
        given.append(budget.seconds)
        return METHODS["lp"].run(form, budget)

    (result,) = compare("kuhn_poker", [CustomMethod("watched", "", run)], seconds=30)
    assert given == [0, 30]
    assert result.outcome == "optimal"


@pytest.mark.parametrize("players", [1, 3])
def test_any_number_of_players_will_do(players):
    moves = {move: terminal(*[worth] * players) for move, worth in (("one", 1), ("two", 2))}
    choice = extensive_form_from_nodes(decision(0, "choose", moves), players=players)
    for result in compare(choice, ["cfr", "cfr+"], iterations=200):
        assert result.values[0] == pytest.approx(2, abs=0.05)


def two_thirds_first(row, values, policy, state):
    policy[:] = np.array([[2.0], [1.0], [0.0]]) / 3


@pytest.mark.parametrize(
    ("game", "method"),
    [
        ("leduc_poker", PerturbedMethod({("[Js]", 0): 0.1}, "cfr+")),
        ("matrix_rps", LocalMethod("two thirds", two_thirds_first)),
    ],
)
def test_methods_made_for_one_game_are_tried_on_that_game(game, method):
    _, compared = compare(game, ["cfr", method], iterations=3)
    alone = infoset.solve(game, method, iterations=3)
    assert (compared.method, compared.values) == (method.name, alone.values)


def test_what_was_done_before_a_failure_is_kept():
    def run(form, budget):
        if budget.iterations > 1:
            raise ZeroDivisionError("of my own")
        return METHODS["cfr"].run(form, budget)

    careless = CustomMethod("careless", "", run)
    with pytest.raises(ComparisonError, match=r"careless failed: of my own.*cfr, lp") as caught:
        compare("kuhn_poker", ["cfr", "lp", careless, "cfr+"], iterations=70)
    first, second = caught.value.results
    assert first.values == infoset.solve("kuhn_poker", "cfr", iterations=70).values
    assert second.outcome == "optimal"
    with pytest.raises(ZeroDivisionError):
        compare("kuhn_poker", [careless], iterations=70)


def test_ctrl_c_before_there_is_anything_is_raised():
    def run(form, budget):
        return replace(METHODS["cfr"].run(form, budget), outcome="interrupted")

    with pytest.raises(KeyboardInterrupt):
        compare("kuhn_poker", ["cfr", CustomMethod("interrupted", "", run)], iterations=70)


def uniform_result(game="kuhn_poker", **given):
    policy = infoset.uniform_policy(infoset.build_sequence_form(game))
    return make_result(policy, method="outside", **given)


def test_a_finished_result_keeps_its_place():
    outside = uniform_result()
    results = compare("kuhn_poker", ["cfr", outside, "lp"], iterations=10)
    assert [result.method for result in results] == ["cfr", "outside", "lp"]
    assert results[1] is outside
    with pytest.raises(PolicyMismatchError, match="outside is of matrix_mp, not of kuhn_poker"):
        compare("kuhn_poker", ["cfr", uniform_result("matrix_mp")])


def test_a_result_is_evaluated_by_its_policy():
    outside = uniform_result()
    assert infoset.evaluate(outside) == outside.measured
    assert infoset.evaluate("kuhn_poker", outside) == outside.measured


def test_a_function_that_returns_a_policy_is_a_method():
    def my_play(form, budget):
        """Play uniformly.

        More text.
        """
        return infoset.uniform_policy(form)

    (result,) = compare("kuhn_poker", [my_play], iterations=10)
    assert (result.method, result.outcome, len(result.trace)) == ("my-play", "stopped", 1)
    assert result.measured == infoset.evaluate("kuhn_poker", "uniform")
    assert get_method(my_play).description == "Play uniformly."
    assert infoset.solve("kuhn_poker", my_play).exploitability == result.exploitability


def averaged(form, budget):
    policy, iteration = infoset.uniform_policy(form), 1
    while not budget.record(iteration, infoset.evaluate(policy)):
        policy = infoset.solve(form, "cfr", iterations=iteration).policy
        iteration += 1
    return policy


def test_measurements_that_a_function_records_are_its_trace():
    result = infoset.solve("kuhn_poker", averaged, iterations=12)
    assert [point.iteration for point in result.trace] == [*range(1, 13)]
    assert (result.outcome, result.iterations) == ("iterations", 12)
    assert result.trace[-1].exploitability == result.exploitability
    assert infoset.solve("kuhn_poker", averaged, target=0.1).outcome == "converged"


def test_a_policy_that_is_not_the_last_measured_one_is_refused():
    def careless(form, budget):
        budget.record(1, infoset.evaluate(infoset.solve(form, "lp")))
        return infoset.uniform_policy(form)

    with pytest.raises(ParameterError, match="the last measurement must be of this policy"):
        infoset.solve("kuhn_poker", careless)


def test_seeds_are_of_learners_and_of_methods_that_have_them():
    def chance(form, budget, seed=0):
        return infoset.policy.random_policy(form, np.random.default_rng(seed))

    results = compare("kuhn_poker", ["cfr+", "ES-MCCFR", chance], iterations=40, seeds=[3, 5])
    assert [(result.method, result.seed) for result in results] == [
        ("cfr+", None),
        ("es-mccfr", 3),
        ("es-mccfr", 5),
        ("chance", 3),
        ("chance", 5),
    ]
    learned = infoset.learn("kuhn_poker", "es-mccfr", episodes=40, seeds=[3, 5])
    assert [result.exploitability for result in results[1:3]] == [*learned.exploitability]
    assert results[3].exploitability != results[4].exploitability


def test_learners_stop_at_the_target():
    result = compare("kuhn_poker", ["es-mccfr"], target=0.1)[0]
    assert result.outcome == "converged"
    assert result.exploitability <= 0.1


@pytest.mark.parametrize("seeds", [0, [], [1, 1], "2"])
def test_wrong_seeds_are_refused(seeds):
    with pytest.raises(ParameterError, match="seeds"):
        compare("kuhn_poker", ["es-mccfr"], seeds=seeds)


def test_learners_need_a_game():
    form = infoset.build_sequence_form("kuhn_poker")
    for learner, why in (("os-mccfr", "on the tree"), ("es-mccfr", "no public nodes and hands")):
        with pytest.raises(UnsupportedGameError, match=why):
            compare(form, ["cfr", learner])


def test_the_methods_that_apply_to_a_game():
    assert "egt" in applicable_methods("matrix_mp")
    assert "egt" not in applicable_methods("matrix_pd")


def test_different_methods_with_one_name_are_refused():
    other = replace(SCHEMES["dcfr"], negative_discount=0.5)
    for methods in (["dcfr", other], [other]):
        with pytest.raises(ParameterError, match="'dcfr' differs from the library's method"):
            compare("kuhn_poker", methods, iterations=2)
    mine = [replace(other, name="mine"), replace(SCHEMES["cfr"], name="mine")]
    with pytest.raises(ParameterError, match="two different methods are called 'mine'"):
        compare("kuhn_poker", mine, iterations=2)
    assert len(compare("kuhn_poker", ["dcfr", "dcfr"], iterations=2)) == 2
