"""The loop around iterative methods: where default runs end, and floating-point breakdowns."""

from __future__ import annotations

import numpy as np
import pytest

from infoset import build_public_form, solve
from infoset.efg import decision, extensive_form_from_nodes, parse_nfg, terminal
from infoset.errors import NumericalError
from infoset.forms import SequenceForm, lock
from infoset.games import matrix_game
from infoset.policy import restrict_policy, uniform_policy
from infoset.runs import gradient_cost, loop
from infoset.solvers import RegCFR, RNaD
from tests.support.cached_games import cached_tree
from tests.support.reference_perfect_information import OUTLIER

FRACTIONS = np.array([[2.0, -1.0], [-1.0, 1.0]])
"""The equilibrium plays (0.4, 0.6): uniform policies are none."""


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+", "apcfr+", "cfr-br"])
def test_payoffs_whose_inverse_overflows_are_solved(method):
    found = solve(matrix_game(1e-310 * FRACTIONS), method, iterations=50)
    expected = solve(matrix_game(FRACTIONS), method, iterations=50)
    assert found.exploitability / 1e-310 < 1.01 * expected.exploitability + 1e-3


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pcfr+"])
def test_payoffs_whose_sums_overflow_raise(method):
    game = matrix_game(8e307 * FRACTIONS)
    advice = r"the payoffs of matrix\S* go from -1.6e\+308 to 1.6e\+308: scale them to .* about 1$"
    with pytest.raises(NumericalError, match=advice):
        solve(game, method, iterations=50)


@pytest.mark.parametrize("scale", [1e-290, 1e290])
def test_units_within_range_change_nothing(scale):
    result = solve(matrix_game(scale * FRACTIONS), "pcfr+", iterations=100)
    assert result.exploitability < 1e-3 * scale


def test_minimum_probabilities_that_sum_to_one_start_uniform():
    result = solve("kuhn_poker", RegCFR(min_probability=0.5), iterations=3000)
    assert result.trace[0].exploitability == pytest.approx(11 / 24)
    assert result.exploitability < 1e-4


def test_the_advice_depends_on_the_cause():
    with pytest.raises(NumericalError, match=r"for float64: give rnad less extreme parameters$"):
        solve("kuhn_poker", RNaD(step_size=1e308), iterations=60)
    with pytest.raises(NumericalError, match=r"for float32: use precision='float64'$"):
        solve(matrix_game(1e38 * FRACTIONS), "cfr", iterations=50, precision="float32")


def test_gains_whose_sum_overflows_raise():
    game = matrix_game([[1.7e308, -1.7e308], [-1.7e308, 1.6e308]])
    with pytest.raises(
        NumericalError, match=r"cfr broke down at or before iteration \d+: NashConv is inf"
    ):
        solve(game, "cfr", iterations=50)


def deviations(policy):
    """Return twice the standard deviation of each player's utility in a table, cell by cell."""
    form, (first, second) = policy.form, policy.probabilities
    table = np.zeros((len(first), len(second), 2))
    table[tuple(form.terminal_sequence.T)] = form.payoff
    table, weights = table[1:, 1:], np.multiply.outer(first[1:], second[1:])[..., None]
    mean = (weights * table).sum(axis=(0, 1))
    return 2 * np.sqrt((weights * (table - mean) ** 2).sum(axis=(0, 1)))


def test_one_extreme_payoff_does_not_end_a_default_run():
    """With 0.1% of the payoff range, 9, the run would end after 22 iterations at values of -4.9."""
    result = solve(parse_nfg(OUTLIER), "cfr+")
    assert result.outcome == "converged"
    assert result.nash_conv <= 1e-3 * deviations(result.policy).max()
    # What a cell of -9000 costs that is reached with probability p, against a deviation of √p.
    assert -1e-3 < result.values[0] < 0
    assert result.policy["(start)", 0]["1"] > 0.999


def test_an_extreme_payoff_of_a_small_probability_is_no_spread():
    """Its square times a probability of 10⁻⁸ would be a deviation of 1,000."""
    table = parse_nfg('NFG 1 R "m" { "A" "B" } { 2 3 }\n-5 -5  5 -3  1e7 -2  5 5  1 4  3 -2')
    result = solve(table)
    assert result.outcome != "converged" or result.nash_conv < 0.1


def test_the_spread_of_a_table_is_that_of_its_cells():
    form = cached_tree("matrix_bos").sequence_form
    policy = solve(form, "cfr", iterations=3).policy
    assert form.payoff_spread(policy.realization_plans()) == pytest.approx(deviations(policy).max())
    assert deviations(policy).max() < form.payoff_width


def test_forms_without_a_fast_spread_return_the_payoff_range():
    public = build_public_form("kuhn_poker")
    plans = solve(public, "cfr", iterations=3).policy.realization_plans()
    assert public.payoff_spread(plans) == public.payoff_width == 4


def test_the_spread_of_a_locked_form_is_that_of_its_base():
    form = cached_tree("kuhn_poker").sequence_form
    locked = lock(form, {("[J]", 0): {"bet": 1.0}})
    whole = solve(locked, "cfr", iterations=3).policy
    plans = restrict_policy(locked, whole).realization_plans()
    spread = form.payoff_spread(whole.realization_plans())
    assert locked.payoff_spread(plans) == pytest.approx(spread)
    assert spread < locked.payoff_width


def test_small_general_sum_games_run_on(monkeypatch):
    form = cached_tree("matrix_bos").sequence_form
    result = solve(form, "cfr+")
    assert result.outcome == "converged"
    assert loop.SPARE_ITERATIONS <= result.iterations < 1.1 * loop.SPARE_ITERATIONS
    monkeypatch.setattr(loop, "SPARE_COST", 2000 * gradient_cost(form))
    assert 2000 <= solve(form, "cfr+").iterations < 2200
    asked = solve(form, "cfr+", target="0.1%")
    assert asked.iterations < 200
    assert result.nash_conv < asked.nash_conv / 1000
    # An error that is rounding cannot become less.
    assert solve(matrix_game([[1, 2]], [[5, 5]]), "cfr+").iterations == 1


def test_an_average_that_is_nearly_pure_must_be_so_relative_to_its_spread():
    """Of CFR, first iterations have a share of 1 / n: the spread falls with the root of that."""
    form = cached_tree("matrix_bos").sequence_form
    result = solve(form, "cfr")
    assert (result.outcome, result.iterations) == ("iterations", 100_000)
    assert 1e-3 * deviations(result.policy).max() < result.nash_conv < 1e-4 * form.payoff_width


def test_default_runs_of_zero_sum_games_end_at_the_payoff_range(monkeypatch):
    form = cached_tree("kuhn_poker").sequence_form
    monkeypatch.setattr(loop, "MAX_SPREAD_COST", 0)
    monkeypatch.setattr(SequenceForm, "payoff_spread", None)  # it may take longer than the run
    result = solve(form, "cfr+")
    asked = solve(form, "cfr+", target="0.1%")
    assert (result.iterations, result.policy.digest) == (asked.iterations, asked.policy.digest)


@pytest.mark.parametrize("extreme", [-9000.0, 9000.0])
def test_rare_extreme_payoffs_of_zero_sum_tables_do_not_end_a_default_run(extreme):
    rng = np.random.default_rng(1)
    table = rng.normal(size=(30, 30))
    ordinary = solve(matrix_game(table), "cfr+")
    assert ordinary.iterations == solve(matrix_game(table), "cfr+", target="0.1%").iterations
    table[3, 5] = extreme
    result = solve(matrix_game(table), "cfr+")
    exact = solve(matrix_game(table), "lp")
    assert result.outcome == "converged"
    assert result.values[0] == pytest.approx(exact.values[0], abs=0.01)
    assert result.exploitability < 0.01
    assert solve(matrix_game(table), "cfr+", target="0.1%").exploitability > 0.3


def test_many_players_with_many_sequences_have_a_spread():
    """The number of tuples of sequences exceeds 64 bits."""
    rng, players = np.random.default_rng(1), 11
    node = terminal(*rng.normal(size=players))
    for player in range(players):
        ends = {f"{end}": terminal(*rng.normal(size=players)) for end in range(59)}
        node = decision(player, "turn", {"on": node, **ends})
    form = extensive_form_from_nodes(node, players=players).sequence_form
    plans = uniform_policy(form).realization_plans()
    ends = form.payoff / form.terminal_reach.chance_reach[:, None]
    pairs = zip(plans, form.terminal_sequence.T, strict=True)
    reach = np.prod([plan[own] for plan, own in pairs], axis=0)
    mean = reach @ ends
    expected = 2 * np.sqrt((reach @ (ends - mean) ** 2).max())
    assert form.payoff_spread(plans) == pytest.approx(expected)
