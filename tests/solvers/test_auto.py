"""The choice of `auto` and its reason."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import decision, extensive_form_from_nodes, parse_efg, parse_nfg, terminal
from infoset.evaluation import infostate_status
from infoset.forms import lock, reduce_form
from infoset.games import matrix_game
from infoset.policy import TabularPolicy
from infoset.runs import DEFAULT_TARGET, make_budget
from infoset.solvers import Auto, auto
from infoset.solvers.regret_family import RegretMethod
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_perfect_information import OUTLIER, TRUST, Histories


@pytest.mark.parametrize(
    ("spec", "method", "reason"),
    [
        ("leduc_poker", "lp", "9,292 coefficients"),
        ("goofspiel(num_cards=4,imp_info=True,points_order=descending)", "lp", "exact"),
        ("liars_dice", "sapdcfr+", r"\d\d\d,\d\d\d coefficients, limit 65,000"),
        ("liars_dice(dice_sides=5)", "sapdcfr+", r"46,039 coefficients, allow .* seconds"),
        ("kuhn_poker(players=3)", "cfr+", "two-player constant-sum games only"),
        ("matrix_bos", "cfr+", "two-player constant-sum games only"),
    ],
)
def test_the_choice_depends_on_size_and_kind(spec, method, reason):
    seconds = 60 if method == "lp" else 0.05
    result = infoset.solve(spec, "auto", seconds=seconds)
    assert result.method == method
    assert re.search(reason, result.reason)
    assert result.summary()["reason"] == result.reason


def test_a_number_of_iterations_rules_out_the_linear_program():
    result = infoset.solve("kuhn_poker", iterations=10)
    assert (result.method, result.iterations) == ("sapdcfr+", 10)
    assert "iterations" in result.reason


@pytest.mark.parametrize(
    ("spec", "target", "method"),
    [
        ("leduc_poker", "0.1%", "lp"),
        ("liars_dice(dice_sides=5)", "0.1%", "sapdcfr+"),
        ("liars_dice(dice_sides=5)", "1e-3%", "sapdcfr+"),
        ("liars_dice(dice_sides=5)", "9e-5%", "lp"),
        pytest.param(
            "liars_dice(numdice=2,dice_sides=3)", "0.1%", "sapdcfr+", marks=pytest.mark.long
        ),
        pytest.param("liars_dice(numdice=2,dice_sides=3)", "1e-7%", "lp", marks=pytest.mark.long),
    ],
)
def test_precise_targets_allow_larger_programs(spec, target, method):
    form = cached_tree(spec).sequence_form
    budget = make_budget(form, target=target)
    result = Auto().run(form, budget)
    assert result.method == method
    assert result.exploitability <= budget.target


def test_the_default_target_allows_exact_answers_that_take_less_than_a_second():
    form = cached_tree("liars_dice(dice_sides=5)").sequence_form
    by_default = Auto().run(form, make_budget(form))
    assert (by_default.method, by_default.outcome) == ("lp", "optimal")
    assert "limit 65,000" in by_default.reason
    asked = Auto().run(form, make_budget(form, target=DEFAULT_TARGET))
    assert (asked.method, asked.outcome) == ("sapdcfr+", "converged")


def test_only_auto_gives_a_reason():
    assert infoset.solve("kuhn_poker", "lp").reason is None


def test_a_failed_linear_program_falls_back_to_regret_minimization(monkeypatch):
    solve_by_lp = auto.solve_by_lp

    def fail(form, budget):
        return replace(solve_by_lp(form, budget), outcome="failed")

    monkeypatch.setattr(auto, "solve_by_lp", fail)
    result = infoset.solve("kuhn_poker")
    assert (result.method, result.outcome) == ("sapdcfr+", "converged")
    assert result.reason.startswith("lp found no solution")
    assert result.trace[0].iteration == 1


def test_the_choice_does_not_depend_on_the_clock(monkeypatch):
    form = infoset.build_tree(matrix_game([[0, 1], [1, 0]])).sequence_form
    budget = make_budget(form, target=None, iterations=None, seconds=1e9, callback=None)
    chosen = {Auto().run(form, budget).method}
    monkeypatch.setattr("time.monotonic", lambda: 1e6)
    assert chosen == {Auto().run(form, budget).method} == {"lp"}


@pytest.mark.parametrize(("target", "absolute"), [("0.1%", 0.026), (" 2 % ", 0.52), ("0.5", 0.5)])
def test_targets_may_be_percentages_of_the_payoff_range(target, absolute):
    form = cached_tree("leduc_poker").sequence_form
    budget = make_budget(form, target=target, iterations=None, seconds=None, callback=None)
    assert budget.target == pytest.approx(absolute)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("soon", "not a number"),
        ("%", "not a number"),
        ("-1%", "out of range"),
        (1e-17, "below .* rounding error"),
        ("1e-13%", "below .* rounding error"),
    ],
)
def test_invalid_targets_are_refused(target, message):
    with pytest.raises(infoset.InfosetError, match=message):
        infoset.solve("kuhn_poker", target=target)


def test_short_runs_are_never_worse_than_uniform(monkeypatch):
    """The average policy of the first iterations may be worse."""
    pure = first_actions(cached_tree("kuhn_poker").sequence_form)
    measured = infoset.evaluate(pure)
    run = RegretMethod.run
    monkeypatch.setattr(
        RegretMethod,
        "run",
        lambda self, form, budget: replace(run(self, form, budget), policy=pure, measured=measured),
    )
    result = infoset.solve("kuhn_poker", iterations=5)
    assert result.exploitability == pytest.approx(11 / 24)
    assert result.exploitability < measured.exploitability
    assert "worse than the uniform policy" in result.reason
    assert result.trace[-1].nash_conv == result.nash_conv
    assert (result.outcome, result.iterations) == ("iterations", 5)


def first_actions(form):
    weights = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
    for own, plex in zip(weights, form.treeplexes, strict=True):
        own[plex.first_sequence] = 1.0
    return TabularPolicy.from_weights(form, weights)


def test_single_precision_rules_out_the_linear_program():
    result = infoset.solve("leduc_poker", precision="float32", iterations=20)
    assert result.method == "sapdcfr+ (float32)"
    result = infoset.solve("kuhn_poker", precision="float32")
    assert result.method == "sapdcfr+ (float32)"
    assert result.reason.startswith("lp does not compute in float32; ")


@pytest.mark.broad
def test_single_precision_on_a_public_form():
    endgame = "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=1,ranges=[QQ;JJ])"
    result = infoset.solve(endgame, precision="float32", form="public", iterations=5)
    assert result.method == "sapdcfr+ (float32)"


def test_threads_change_neither_choice_nor_answer(monkeypatch):
    assert infoset.solve("kuhn_poker", threads=2).method == "lp"
    seen = []

    def regret_method(*arguments):
        seen.append(RegretMethod(*arguments))
        return seen[-1]

    monkeypatch.setattr(auto, "RegretMethod", regret_method)
    alone, shared = (
        infoset.solve("leduc_poker", threads=threads, iterations=20) for threads in (1, 2)
    )
    assert shared.method == "sapdcfr+"
    assert [method.threads for method in seen] == [1, 2]
    assert shared.policy.digest == alone.policy.digest


def test_the_seller_keeps_what_nobody_pays():
    result = infoset.solve(parse_efg(TRUST))
    assert result.policy["paid"] == {"deliver": 0, "keep": 1}
    assert result.policy["pays ahead?"] == {"pay": 0, "walk away": 1}
    assert (result.values, result.nash_conv, result.outcome) == ((0, 0), 0, "optimal")
    assert (result.method, result.iterations, len(result.trace)) == ("auto", 0, 1)
    assert "backward induction decides at 2 of 2 infostates" in result.reason


def test_a_dominated_strategy_is_not_played_because_of_a_huge_loss():
    result = infoset.solve(parse_nfg(OUTLIER))
    assert list(result.policy["(start)", 0].values()) == [1, 0, 0]
    assert (result.values, result.nash_conv, result.outcome) == ((0, 0), 0, "converged")
    assert result.reason.startswith("2 strictly dominated actions are removed; ")


def threat():
    """Player 1 threatens to fight, which would keep player 0 out; then both play pennies."""

    def pennies(name):
        second = {
            a: decision(1, f"{name} 1", {b: terminal(2 + (a == b), 2 - (a == b)) for b in "ht"})
            for a in "ht"
        }
        return decision(0, f"{name} 0", second)

    entered = decision(1, "entered", {"fight": terminal(-1, -1), "share": terminal(1, 1)})
    return extensive_form_from_nodes(
        decision(0, "enter?", {"out": terminal(0, 5), "in": entered, "play": pennies("pennies")}),
        players=2,
    )


def test_no_equilibrium_rests_on_a_threat_that_is_not_credible():
    """Sharing is decided first, and the rest is solved: pennies are worth 5/2 to player 0."""
    result = infoset.solve(threat(), target=1e-3)
    assert result.policy["entered"] == {"fight": 0, "share": 1}
    assert result.method == "cfr+"
    assert result.reason.startswith("backward induction decides at 1 of 4 infostates")
    assert result.values == pytest.approx((2.5, 1.5), abs=1e-3)
    assert result.nash_conv <= 1e-3
    assert result.policy.form is result.current_policy.form
    assert result.current_policy["entered"] == {"fight": 0, "share": 1}
    assert result.trace[-1].nash_conv == result.nash_conv == infoset.evaluate(result).nash_conv


def test_every_policy_of_a_run_is_one_of_the_whole_game():
    form, seen = threat().sequence_form, []
    budget = make_budget(form, iterations=3)
    budget.policy_callback = seen.append
    Auto().run(form, budget)
    assert all(policy.form is form and policy["entered"]["share"] == 1 for policy in seen)
    budget = make_budget(parse_efg(TRUST).sequence_form)
    budget.policy_callback = seen.append
    result = Auto().run(parse_efg(TRUST).sequence_form, budget)
    assert seen[-1].digest == result.policy.digest


def test_locked_infostates_stay_as_they_are():
    form = parse_efg(TRUST).sequence_form
    result = infoset.solve(lock(form, {("paid", 1): {"deliver": 0.9, "keep": 0.1}}))
    assert result.policy["paid"] == {"deliver": 0.9, "keep": 0.1}
    # Paying is worth 0.9 · 2 - 0.1 · 3 = 3/2 to the buyer.
    assert result.policy["pays ahead?"] == {"pay": 1, "walk away": 0}
    assert result.values == pytest.approx((1.5, 2.2))


def test_forms_without_chance_reach_are_solved_as_they_are():
    form = replace(build_tree(parse_nfg(OUTLIER)).sequence_form, reach_source=None)
    result = infoset.solve(form)
    assert result.outcome == "converged"
    assert "dominated" not in result.reason
    assert result.nash_conv <= 1e-3 * form.payoff_width


def test_zero_sum_games_are_decided_where_information_is_perfect():
    game = infoset.load("random_game(seed=1)")
    form = build_tree(game).sequence_form
    exact, result = infoset.solve(form, "lp"), infoset.solve(form)
    assert (result.method, result.outcome) == ("lp", "optimal")
    assert "backward induction decides at 1 of" in result.reason
    assert result.values == pytest.approx(exact.values)
    assert result.exploitability < 1e-12


@given(random_games(zero_sum=False), st.integers(2, 40))
@settings(max_examples=40, deadline=None)
def test_subgames_of_perfect_information_are_played_well(game, iterations):
    """Whether they are reached or not, no action is played that another one beats there."""
    histories = Histories(build_tree(game))
    result = infoset.solve(histories.form, iterations=iterations)
    assert result.measured == infoset.evaluate(result.policy)
    assert result.trace[-1].nash_conv == result.nash_conv
    statuses = infostate_status(result.policy)
    for (player, number), values in histories.action_values(result.policy).items():
        tree = histories.tree.infostate_trees[player]
        first = tree.first_sequence[number]
        played = result.policy.probabilities[player][first : first + tree.num_actions[number]]
        best = max(values.values())
        assert all(values[action] > best - 1e-9 for action in np.flatnonzero(played))
        assert statuses[player][np.searchsorted(tree.acting, number)] in ("reached", "refined")
    reduced = reduce_form(histories.form)
    if reduced is not None and reduced.leaves_choices:
        rest = infoset.solve(reduced.form, "cfr+", iterations=iterations)
        if not histories.form.is_two_player_constant_sum:
            assert result.nash_conv == pytest.approx(rest.nash_conv, abs=1e-10)
