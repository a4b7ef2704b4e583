"""`compare`: several methods on one game."""

import pytest

import infoset
from infoset.front import compare
from infoset.regret import SCHEMES


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
    compare("matrix_mp", ["cfr", "cfr+"], on_measured=lambda *what: seen.append(what))
    assert {name for name, _ in seen} == {"cfr", "cfr+"}
    stopped = compare("kuhn_poker", ["cfr", "cfr+"], on_measured=lambda name, _: name == "cfr")
    assert [result.iterations for result in stopped] == [1, 1000]


@pytest.mark.parametrize("methods", [[], "cfr"])
def test_methods_are_a_list(methods):
    with pytest.raises(infoset.InfosetError, match="list of methods"):
        compare("kuhn_poker", methods)
