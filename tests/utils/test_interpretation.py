"""Linear kernels: the same bits compiled and in plain Python, and the choice between the two."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import infoset
from infoset.efg import (
    ExtensiveForm,
    as_game,
    augment,
    build_extensive_form,
    find_thick_public_set,
    find_timing_cycle,
    pad_timing,
)
from infoset.evaluation import evaluate_efce
from infoset.policy import decompose_plan
from infoset.solvers import PerturbedMethod
from infoset.teams import drop_decided
from infoset.utils import interpretation
from infoset.utils.compilation import kernel, linear_kernel
from tests.support.cached_games import cached_tree
from tests.support.example_forms import matching_pennies, staircase
from tests.support.linear_kernels import compared, linear_kernels


def build_and_measure():
    for spec in ("kuhn_poker", "kuhn_poker(players=3)", "goofspiel(num_cards=3,imp_info=True)"):
        game = infoset.load(spec)
        infoset.info(game)
        infoset.evaluate(game, "uniform")


def solve():
    infoset.solve("kuhn_poker")
    infoset.solve("kuhn_poker(players=3)", method="cfr", iterations=3)


def test_linear_kernels_have_the_same_bits_compiled_and_in_plain_python():
    with compared() as called:
        build_and_measure()
        solve()
    assert len(called) > 15


@linear_kernel
def add_up(numbers, places):
    total = 0
    for place in places:
        total += numbers[place]
    numbers[0] = total / 0.0
    return total, (places[0], numbers[1] > 1.0)


@kernel
def half(number):
    return number / 2.0


@linear_kernel
def half_of_first(numbers):
    return half(numbers[0])


def fresh(function):
    """Return a kernel that no test has called."""
    return linear_kernel(function.py_func)


@pytest.fixture
def limits(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(interpretation, "CALL_WORK", 1)
    monkeypatch.setattr(interpretation, "UNLOADED_WORK", 10)
    monkeypatch.setattr(interpretation, "UNCOMPILED_WORK", 20)


NUMBERS, PLACES = np.array([1.0, 2.0, 4.0]), np.array([2, 1], np.uint32)


def test_plain_python_returns_what_the_compiled_kernel_returns(limits):
    tried = fresh(add_up)
    for _ in range(5):  # a call is work 6: three calls in plain Python, two compiled
        numbers = NUMBERS.copy()
        total, (place, is_above) = tried(numbers, PLACES)
        assert (total, place, is_above) == (6.0, 2, True)
        assert [*map(type, (total, place, is_above))] == [float, int, bool]
        assert numbers.tolist() == [math.inf, 2.0, 4.0]


def test_a_linear_kernel_is_compiled_when_its_calls_add_up_to_the_limit(limits):
    tried = fresh(add_up)
    found = [tried(NUMBERS.copy(), PLACES) and len(tried.overloads) for _ in range(5)]
    assert found == [0, 0, 0, 1, 1]


def test_a_linear_kernel_on_disk_is_used_sooner(limits):
    first, second = fresh(add_up), fresh(add_up)
    for _ in range(4):
        first(NUMBERS.copy(), PLACES)
    found = [second(NUMBERS.copy(), PLACES) and len(second.overloads) for _ in range(2)]
    assert found == [0, 1]
    # for these types only: other types are not on disk
    third = fresh(add_up)
    found = [third(NUMBERS.copy(), PLACES.astype(np.int32)) and len(third.overloads)] * 2
    assert found == [0, 0]


def test_a_large_argument_is_compiled_for_immediately(limits):
    tried = fresh(add_up)
    tried(np.ones(30), PLACES)
    assert len(tried.overloads) == 1


def test_arrays_in_nested_tuples_count():
    values = (np.zeros(3), 7, (np.zeros((2, 2)), (np.zeros(1),)))
    assert interpretation.num_elements(values) == 8


def test_kernels_called_by_a_kernel_in_plain_python_are_not_compiled(limits):
    tried = fresh(half_of_first)
    assert tried(NUMBERS) == 0.5
    assert not half.overloads


def convert():
    for form in (matching_pennies(), staircase(3), infoset.load("kuhn_poker")):
        form = form if isinstance(form, ExtensiveForm) else build_extensive_form(form)
        find_timing_cycle(form)
        assert form.chance_reach[0] == 1.0
        find_thick_public_set(form)
        augment(pad_timing(form))
        as_game(form)


def change_policies():
    form = cached_tree("kuhn_poker").sequence_form
    policy = infoset.solve("kuhn_poker").policy
    decompose_plan(form.treeplexes[0], policy.realization_plan(0))
    evaluate_efce([policy])
    infoset.solve("kuhn_poker", PerturbedMethod(0.01, "cfr+"), iterations=3)


def learn_and_search():
    infoset.learn("kuhn_poker", episodes=50)
    infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=50)
    infoset.learn("kuhn_poker", "balanced-efce-omd", episodes=50)
    tree = cached_tree("kuhn_poker")
    pimc = infoset.make_searcher("pimc", tree)
    infoset.play_matches(tree.graph.game, pimc, infoset.uniform_policy(), num_deals=2)


def solve_teams():
    infoset.solve_team("trade_comm(num_items=2)", "exact")
    infoset.solve_team("trade_comm(num_items=2)", "progressive-hiding", iterations=20)
    drop_decided(infoset.teams.build_product_form(infoset.load("kuhn_poker")))


@pytest.mark.long
def test_every_linear_kernel_has_the_same_bits():
    with compared() as called:
        build_and_measure()
        solve()
        convert()
        change_policies()
        learn_and_search()
        solve_teams()
    assert called == set(linear_kernels())
