"""`compare`: several methods on one game."""

from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.efg import decision, extensive_form_from_nodes, terminal
from infoset.errors import ComparisonError, UnsupportedGameError
from infoset.front import compare
from infoset.regret import SCHEMES
from infoset.solvers import METHODS, CustomMethod, LocalMethod, PerturbedMethod


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
