"""Single precision: half the memory, and the same answers up to rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import NumericalError, ParameterError, UnknownNameError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game, matrix_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Budget
from infoset.solvers import RegretMethod, average_policy
from infoset.tree import build_public_form, build_tree
from tests.support.cached_games import cached_tree
from tests.support.reference_regret import generic

GAMES = ("leduc_poker", pytest.param("kuhn_poker(players=3)", marks=pytest.mark.long))


def form_of(spec):
    return cached_tree(spec).sequence_form


def both(form, scheme, iterations):
    """Return a minimizer of each precision after some iterations."""
    minimizers = [RegretMinimizer(form, scheme, precision) for precision in ("float32", "float64")]
    for minimizer in minimizers:
        minimizer.run(iterations)
    return minimizers


def measured(minimizer):
    return evaluate_policy(average_policy(minimizer)).nash_conv


@pytest.mark.parametrize("name", ["cfr", "cfr-simultaneous", "cfr+", "pcfr+", "sapcfr+"])
def test_single_precision_reaches_the_same_exploitability(name):
    single, double = both(form_of("leduc_poker"), SCHEMES[name], 100)
    assert measured(single) == pytest.approx(measured(double), rel=0.03)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("spec", GAMES)
def test_every_scheme_reaches_about_the_same_exploitability(spec, name):
    """With discounts, the choice between equally good actions by rounding matters sooner."""
    single, double = both(generic(form_of(spec), 1), SCHEMES[name], 100)
    assert measured(double) / 1.5 - 1e-5 < measured(single) < measured(double) * 1.5 + 1e-5


@pytest.fixture(scope="module")
def deep_form():
    return build_public_form(load_game("liars_dice(dice_sides=8)"))


@pytest.mark.broad
@pytest.mark.parametrize(
    "name", ["cfr+", "dcfr+", "pcfr+", "pdcfr+", "apcfr+", "sapdcfr+", "hs-dcfr"]
)
def test_regrets_below_long_lines_become_subnormal(deep_form, name):
    """The last of sixteen bids has a small reach, so that sums of regrets have no inverse."""
    scheme = replace(SCHEMES[name], horizon=20)
    single, double = both(deep_form, scheme, 20)
    assert measured(single) == pytest.approx(measured(double), rel=0.02)


def test_regrets_that_discounts_make_subnormal():
    single, double = both(form_of("liars_dice(dice_sides=5)"), SCHEMES["dcfr+"], 300)
    assert measured(single) < 2 * measured(double)


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_solves_payoffs_near_the_smallest_normal_number(name):
    form = form_of("leduc_poker")
    form = replace(form, payoff=form.payoff * 2.0**-118)
    single, double = both(form, SCHEMES[name], 50)
    assert measured(double) / 1.5 < measured(single) < 1.5 * measured(double)


@pytest.mark.parametrize("name", ["cfr+", "hs-dcfr", "apcfr+"])
def test_the_state_is_float32_and_answers_are_float64(name):
    minimizer = RegretMinimizer(form_of("leduc_poker"), SCHEMES[name], precision="float32")
    assert minimizer.precision == "float32"
    minimizer.run(3)
    state = minimizer.state()
    assert {array.dtype.name for key, array in state.items() if key != "done"} == {"float32"}
    for plans in (minimizer.average_plans(), minimizer.current_plans()):
        assert all(plan.dtype == np.float64 for plan in plans)
    assert minimizer.regrets(0).dtype == np.float64
    for row in average_policy(minimizer).rows():
        assert row.probabilities.sum() == pytest.approx(1, abs=1e-14)


def test_large_averaging_exponents_stay_in_range():
    """Weights t**30 would exceed the range of single precision after 18 iterations."""
    scheme = replace(SCHEMES["hs-pcfr+"], horizon=3000)
    single, double = both(form_of("leduc_poker"), scheme, 3000)
    assert all(np.isfinite(plan).all() for plan in single.average_plans())
    assert measured(single) < 4 * measured(double)


def test_weights_beyond_single_precision_are_refused():
    scheme = replace(SCHEMES["cfr+"], name="steep", regret_exponent=100.0)
    single = RegretMinimizer(form_of("leduc_poker"), scheme, precision="float32")
    single.run(2)
    with pytest.raises(NumericalError, match=r"of steep at iterations up to 9 are .* for float32"):
        single.run(7)
    RegretMinimizer(form_of("leduc_poker"), scheme).run(9)


def test_results_name_the_precision_and_are_measured_in_float64():
    budget = Budget(iterations=200, seconds=None, target=1e-3)
    result = RegretMethod(SCHEMES["cfr+"], "float32").run(form_of("leduc_poker"), budget)
    assert result.method == "cfr+ (float32)"
    assert result.nash_conv == evaluate_policy(result.policy).nash_conv
    assert result.exploitability == pytest.approx(5.9e-3, rel=0.2)


@pytest.mark.parametrize("power", [-3, 8])
def test_scaling_the_payoffs_by_a_power_of_two_changes_no_bit(power):
    form = form_of("leduc_poker")
    plans = []
    for version in (form, replace(form, payoff=form.payoff * 2.0**power)):
        minimizer = RegretMinimizer(version, SCHEMES["pdcfr+"], precision="float32")
        minimizer.run(50)
        plans.append(minimizer.average_plans())
    assert all(np.array_equal(a, b) for a, b in zip(*plans, strict=True))


def test_other_precisions_are_refused_by_name():
    with pytest.raises(UnknownNameError, match="unknown precision 'float16'"):
        RegretMinimizer(form_of("leduc_poker"), SCHEMES["cfr+"], precision="float16")


@pytest.mark.parametrize("name", [name for name in SCHEMES if "p" in name])
def test_the_limits_of_single_precision(name):
    """As on the page about the family, exploitability remains above 1e-7 to 1e-5 of the range."""
    form = cached_tree("kuhn_poker").sequence_form
    single, double = both(form, replace(SCHEMES[name], horizon=50_000), 50_000)
    low, high = form.payoff_range
    assert measured(double) / 2 < 1e-13 * (high - low)
    assert 1e-7 < measured(single) / 2 / (high - low) < 1e-5


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("scale", [1e40, 1e-300])
def test_payoffs_beyond_single_precision_are_refused(players, scale):
    form = build_tree(load_game(f"kuhn_poker(players={players})")).sequence_form
    form = replace(form, payoff=form.payoff * scale)
    with pytest.raises(ParameterError, match=r"float32 represents .*: use precision="):
        RegretMinimizer(form, SCHEMES["cfr+"], precision="float32")
    RegretMinimizer(form, SCHEMES["cfr+"]).run(10)


def test_payoffs_near_the_limits_of_single_precision_are_solved():
    for scale in (1e-25, 1e37):
        game = matrix_game(scale * np.array([[2.0, -1.0], [-1.0, 1.0]]))
        minimizer = RegretMinimizer(build_tree(game).sequence_form, SCHEMES["pcfr+"], "float32")
        minimizer.run(200)
        assert measured(minimizer) < 1e-2 * scale
