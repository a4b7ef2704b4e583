"""`solve_team`: every method on games with a known optimum, and errors for likely mistakes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import infoset
from infoset.errors import GameTooLargeError, ParameterError, UnknownNameError, UnsupportedGameError
from infoset.games import matrix_game
from infoset.teams import (
    RELAXATIONS,
    TEAM_METHODS,
    HidingScheme,
    ProgressiveHiding,
    Relaxation,
    build_product_form,
    entropic_ftrl,
    expected_payoffs,
    forget_own_actions,
    from_tabular,
    geometric_penalty,
    get_relaxation,
    merge_outcomes,
    product_form_from_functions,
    regret_matching,
    relax,
    security_level,
)
from infoset.teams.solving import portfolio, task
from infoset.teams.solving.learning_methods import default_scheme
from infoset.utils import clocks
from infoset.utils.splitmix import make_stream
from tests.support.example_forms import forgetful

pytestmark = pytest.mark.broad

PENNIES = "cooperative_matching_pennies"
TRADE = "trade_comm(num_items=2)"
TOO_FEW_WORDS = "trade_comm(num_items=3,num_messages=2)"
"""Whose bound cannot be reached, so that all runs go to their ends."""


@pytest.mark.parametrize("method", TEAM_METHODS)
@pytest.mark.parametrize("game", [PENNIES, TRADE])
def test_every_method_finds_the_optimum_of_small_games(game, method):
    result = infoset.solve_team(game, method)
    assert result.method == method
    assert result.outcome == "optimal"
    assert result.payoff == pytest.approx(1, abs=1e-8)
    assert result.upper_bound == pytest.approx(1)
    assert infoset.evaluate(game, result.policy).values == pytest.approx((1, 1), abs=1e-8)
    assert result.last_policy.form is result.policy.form


def test_a_team_with_limited_messages_gets_less_than_the_bound():
    """Two items and one word: the guess that both have the same item is right half of the time."""
    game = "trade_comm(num_items=2,num_messages=1)"
    found = {name: infoset.solve_team(game, name) for name in TEAM_METHODS}
    assert found["exact"].outcome == "optimal"
    assert found["exact"].upper_bound == pytest.approx(found["exact"].payoff) == 0.5
    assert found["iterated-best-response"].outcome == "local"
    assert found["progressive-hiding"].outcome == "iterations"
    assert found["progressive-hiding"].payoff == 0.5
    for result in found.values():
        assert result.payoff <= 0.5 + 1e-9
    assert found["progressive-hiding"].upper_bound == 1


def test_the_answer_is_the_best_of_all_runs_and_includes_the_last():
    result = infoset.solve_team(TOO_FEW_WORDS, iterations=30, restarts=4, seed=5)
    assert result.num_runs == 4
    assert len({result.trace_of(run)[0].payoffs for run in range(4)}) == 4
    for run in range(4):
        assert result.payoff >= max(point.payoffs[0] for point in result.trace_of(run)) - 1e-12
    earned = expected_payoffs(result.information, result.probability)[0]
    assert earned == pytest.approx(result.payoff, abs=1e-12)
    last = expected_payoffs(result.information, result.last_probability)[0]
    assert last == pytest.approx(result.last.payoffs[0], abs=1e-12)
    alone = infoset.solve_team(TOO_FEW_WORDS, iterations=30, restarts=1, seed=5 + result.run)
    assert (alone.probability == result.probability).all()
    assert alone.trace_of(0)[-1].payoffs == result.last.payoffs


def test_the_last_iterate_may_be_worse_than_the_best():
    scheme = HidingScheme(regret_matching(), penalty=0.05)
    result = infoset.solve_team("trade_comm(num_items=3)", scheme, iterations=30, restarts=1)
    last = infoset.evaluate(result.last_policy).values[0]
    assert last == pytest.approx(result.last.payoffs[0], abs=1e-12)
    assert last < result.payoff - 1e-6


def test_measurements_equal_those_of_progressive_hiding():
    """The default is the scheme for the game, with the recall map, on merged outcomes."""
    result = infoset.solve_team(TRADE, iterations=25, restarts=1)
    form = merge_outcomes(build_product_form(infoset.load(TRADE)))
    lent = relax(form, get_relaxation("recall").relax(form.information, (0, 1)))
    hiding = ProgressiveHiding(lent, default_scheme(lent), seed=0)
    hiding.plan(25)
    trace = hiding.run(result.last.iteration)
    for point in result.trace:
        row = point.iteration - 1
        assert point.payoffs == tuple(trace.implementable[row])
        assert point.relaxed_payoffs == tuple(trace.relaxed[row])
        assert point.squared_distances == tuple(trace.squared_distance[row])
        assert point.penalty_coefficients == tuple(trace.penalty_coefficient[row])


def signaling_game(seed, num_types=6, num_words=3, num_actions=6):
    """Return a game in which agent 0 sees a type and says a word, and agent 1 acts."""
    payoff = np.random.default_rng(seed).uniform(-1, 1, (num_types, num_actions))
    return product_form_from_functions(
        dict.fromkeys(range(num_types), 1 / num_types),
        agent_names=("speaker", "listener"),
        num_stages=2,
        agent=lambda kind, actions: len(actions) if len(actions) < 2 else None,
        legal_actions=lambda kind, actions: tuple(range((num_words, num_actions)[len(actions)])),
        information=lambda kind, actions: actions[0] if actions else kind,
        reward=lambda kind, actions: (float(payoff[kind, actions[1]]),) * 2,
    )


def best_by_partition(seed, num_types=6, num_words=3, num_actions=6):
    """Return the optimum of a signaling game: the best partition of the types by their words."""
    payoff = np.random.default_rng(seed).uniform(-1, 1, (num_types, num_actions))
    values = []
    for words in product(range(num_words), repeat=num_types):
        sums = [payoff[np.equal(words, word)].sum(axis=0).max() for word in set(words)]
        values.append(sum(sums) / num_types)
    return max(values)


@pytest.mark.parametrize("seed", range(6))
def test_the_default_is_optimal_in_signaling_games(seed):
    result = infoset.solve_team(signaling_game(seed))
    assert (result.method, result.outcome) == ("portfolio", "optimal")
    assert result.payoff == pytest.approx(best_by_partition(seed), abs=1e-12)
    assert result.upper_bound == pytest.approx(result.payoff)
    assert result.gap == pytest.approx(0, abs=1e-12)


@pytest.fixture
def without_a_proof(monkeypatch):
    """Stop the exact search of the default before its first step."""
    search = portfolio.team_optimum
    limits = {"max_states": 1, "seconds": 0}
    monkeypatch.setattr(
        portfolio, "team_optimum", lambda *about, **more: search(*about, **{**more, **limits})
    )


def test_without_a_proof_the_default_learns_and_climbs(without_a_proof):
    form = signaling_game(2)
    result = infoset.solve_team(form)
    assert result.outcome == "local"
    assert result.num_runs == 1 + 4 + 100
    assert result.gap == result.upper_bound - result.payoff > 0.01
    for method in ("progressive-hiding", "iterated-best-response"):
        options = {"relax": "closure"} if method == "progressive-hiding" else {}
        alone = infoset.solve_team(form, method, **options)
        assert result.payoff >= alone.payoff - 1e-12
    earned = expected_payoffs(result.information, result.probability)[0]
    assert earned == pytest.approx(result.payoff, abs=1e-12)


@pytest.mark.parametrize("run", [0, 2, 60])
def test_a_callback_stops_the_default_in_every_stage(without_a_proof, run):
    seen = []

    def stop(point):
        seen.append(point)
        return point.run == run

    result = infoset.solve_team(signaling_game(2), callback=stop)
    assert result.outcome == "stopped"
    assert result.trace == tuple(seen)
    assert seen[-1].run == run
    assert result.payoff >= max(point.payoffs[0] for point in seen) - 1e-12


@pytest.mark.parametrize("run", [2, 60])
def test_ctrl_c_in_the_default_leaves_the_best_so_far(without_a_proof, run):
    def interrupt(point):
        if point.run == run:
            raise KeyboardInterrupt

    result = infoset.solve_team(signaling_game(2), callback=interrupt)
    assert result.outcome == "interrupted"
    assert result.payoff >= max(point.payoffs[0] for point in result.trace) - 1e-12


def test_a_game_too_large_for_the_exact_search_is_learned(monkeypatch):
    def too_large(*_, **__):
        raise GameTooLargeError("too large", {})

    monkeypatch.setattr(portfolio, "team_optimum", too_large)
    result = infoset.solve_team(TRADE)
    assert (result.outcome, result.payoff) == ("optimal", pytest.approx(1))
    assert result.upper_bound == 1


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_the_default_does_not_depend_on_the_units_of_payoffs(scale):
    game = f"{PENNIES}(win_reward={scale},miss_reward={-2 * scale})"
    result = infoset.solve_team(game, restarts=1, iterations=20)
    point = result.trace_of(0)[9]
    same = infoset.solve_team(PENNIES, restarts=1, iterations=20).trace_of(0)[9]
    assert point.penalty_coefficients == pytest.approx((same.penalty_coefficients[0] * scale,))
    assert point.payoffs[0] / scale == pytest.approx(same.payoffs[0], abs=1e-9)


def test_payoffs_that_are_never_nothing_are_at_stake_by_their_range():
    game = matrix_game([[101.0, 100.0], [100.0, 101.0]], [[101.0, 100.0], [100.0, 101.0]])
    point = infoset.solve_team(game, restarts=1, iterations=1).last
    assert point.penalty_coefficients == pytest.approx((1 / 15,))


def test_a_relaxation_is_a_name_a_spec_or_a_map():
    form = build_product_form(infoset.load(TRADE))
    row = Relaxation("mine", "as recall", RELAXATIONS["recall"].relax)
    given = RELAXATIONS["recall"].relax(form.information, (0, 1))
    results = [infoset.solve_team(form, relax=what, restarts=1) for what in ("recall", row, given)]
    assert len({result.trace[-1].payoffs for result in results}) == 1
    unlent = infoset.solve_team(form, relax="none", restarts=1)
    assert unlent.last.squared_distances == (0.0,)
    assert unlent.last.payoffs == unlent.last.relaxed_payoffs


def test_a_form_in_which_agents_forget_what_they_said():
    form = build_product_form(infoset.load(TRADE))
    form = form.with_original(forget_own_actions(form))
    result = infoset.solve_team(form, "progressive-hiding")
    assert result.payoff == pytest.approx(1)
    assert infoset.evaluate(TRADE, result.policy).values == pytest.approx((1, 1))


def test_a_scheme_is_a_method_and_a_penalty_replaces_its_penalty():
    scheme = HidingScheme(learner=entropic_ftrl(2.0), penalty=0.1)
    result = infoset.solve_team(TRADE, scheme, iterations=11, restarts=1)
    assert {point.penalty_coefficients for point in result.trace} == {(0.1,)}
    grows = infoset.solve_team(
        TRADE, scheme, iterations=11, restarts=1, penalty=geometric_penalty(0.1, 10.0, 11)
    )
    assert grows.trace[1].penalty_coefficients == pytest.approx((0.1 * 100 ** (1 / 10),))


def test_teams_that_play_against_each_other_all_learn_in_one_run():
    result = infoset.solve_team("kuhn_poker", teams=[(0,), (1,)], iterations=100)
    assert result.teams == ((0,), (1,))
    assert result.num_runs == 1
    assert result.upper_bound is None
    assert sum(result.payoffs) == pytest.approx(0)
    assert result.payoffs == pytest.approx(infoset.evaluate(result.policy).values)
    several = infoset.solve_team("kuhn_poker", teams=[(0,), (1,)], iterations=100, restarts=3)
    assert several.num_runs == 3
    assert (several.probability == result.probability).all()


@pytest.mark.parametrize("teams", [[(0, 1), (2,)], [(0, 2), (1,)], [(0,), (1, 2)]])
def test_no_team_is_sure_of_less_than_with_plain_cfr_plus(teams):
    tree = infoset.build_tree("kuhn_poker(players=3)")
    result = infoset.solve_team(tree, teams=teams, rule="sum", iterations=300)
    alone = infoset.solve(tree, "cfr+", iterations=300).policy
    information = build_product_form(tree).information
    for team, level in zip(teams, result.security_levels, strict=True):
        plain = security_level(information, team, from_tabular(information, alone), rule="sum")
        assert level.lower >= plain.lower - 1e-12


def test_agents_who_forget_have_no_plain_cfr_plus_policy():
    result = infoset.solve_team(forgetful(), teams=[(0,), (1,)], relax="closure", iterations=50)
    assert len(result.security_levels) == 2


def test_a_team_with_unequal_pay_may_want_the_sum():
    result = infoset.solve_team("kuhn_poker", rule="sum", restarts=1, iterations=5)
    assert result.payoff == pytest.approx(0)


def test_the_callback_stops_and_sees_all():
    seen = []

    def stop(point):
        seen.append(point)
        return point.run == 1

    result = infoset.solve_team(TOO_FEW_WORDS, iterations=3, callback=stop)
    assert result.outcome == "stopped"
    assert result.trace == tuple(seen)
    assert (seen[-1].run, seen[-1].iteration) == (1, 1)


def test_seconds_end_it():
    result = infoset.solve_team("trade_comm(num_items=3)", relax="none", seconds=0)
    assert result.outcome == "seconds"
    assert len(result.trace) == 1


def test_compilation_and_construction_do_not_count_as_solving(monkeypatch):
    """In this test, the first iteration compiles for a minute, and relaxing takes ten minutes."""
    now = [0.0]
    run, relax_slowly = ProgressiveHiding.run, task.relax
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def compile_first(self, iterations):
        if self.iteration == 0:
            with clocks.compiling():
                now[0] += 60
        now[0] += 1
        return run(self, iterations)

    def relaxed(*arguments, **options):
        now[0] += 600
        return relax_slowly(*arguments, **options)

    monkeypatch.setattr(ProgressiveHiding, "run", compile_first)
    monkeypatch.setattr(task, "relax", relaxed)
    result = infoset.solve_team(TOO_FEW_WORDS, iterations=50, restarts=1, seconds=5)
    assert result.outcome == "seconds"
    assert [point.seconds for point in result.trace] == [1, 2, 3, 4, 5]
    assert (result.seconds, result.build_seconds, result.compile_seconds) == (5, 600, 60)
    assert result.summary()["compile_seconds"] == 60


def test_ctrl_c_leaves_the_best_of_what_is_there():
    whole = infoset.solve_team(TOO_FEW_WORDS, iterations=20, restarts=3)

    def interrupt(point):
        if (point.run, point.iteration) == (2, 5):
            raise KeyboardInterrupt

    result = infoset.solve_team(TOO_FEW_WORDS, iterations=20, restarts=3, callback=interrupt)
    assert result.outcome == "interrupted"
    assert (result.trace[-1].run, result.trace[-1].iteration) == (2, 5)
    done = [whole.trace_of(run)[-1].payoffs[0] for run in range(2)]
    assert result.run == int(np.argmax(done))
    assert result.payoff >= max(done) - 1e-12


def test_the_default_solves_trade_and_bids_well():
    """The seeds were not used for tuning. The page of the study has results over many seeds."""
    for lent in ("recall", "private_revealed"):
        result = infoset.solve_team("trade_comm(num_items=3)", relax=lent, seed=1000)
        assert (result.outcome, result.payoff) == ("optimal", pytest.approx(1))
    bids = infoset.solve_team("tiny_bridge_2p(abstracted=true)", iterations=500, restarts=1)
    assert 20.9 < bids.payoff <= 2647 / 126
    assert bids.payoff >= max(point.payoffs[0] for point in bids.trace) - 1e-12


def test_the_exact_search_reports_its_best_when_time_runs_out():
    result = infoset.solve_team("tiny_bridge_2p(abstracted=true)", "exact", seconds=1e-3)
    assert result.outcome == "seconds"
    assert result.payoff < 2647 / 126 < result.upper_bound


def test_ctrl_c_leaves_the_best_of_iterated_best_response(monkeypatch):
    whole = infoset.solve_team(TOO_FEW_WORDS, "iterated-best-response", restarts=5)
    drawn = []

    def interrupt(*about):
        drawn.append(about)
        if len(drawn) == 4:
            raise KeyboardInterrupt
        return make_stream(*about)

    monkeypatch.setattr("infoset.teams.exact.best_responses.make_stream", interrupt)
    result = infoset.solve_team(TOO_FEW_WORDS, "iterated-best-response", restarts=5)
    assert result.outcome == "interrupted"
    assert [point.payoffs for point in result.trace] == [p.payoffs for p in whole.trace[:3]]
    assert result.payoff == max(point.payoffs[0] for point in result.trace)


def test_ctrl_c_before_there_is_anything_is_not_caught(monkeypatch):
    def interrupt(self, iterations):
        raise KeyboardInterrupt

    monkeypatch.setattr(ProgressiveHiding, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        infoset.solve_team(TRADE, "progressive-hiding")


@pytest.mark.parametrize(
    ("error", "words", "options"),
    [
        (UnsupportedGameError, r"teams=\[\(0,\), \(1,\)\]", {"game": "kuhn_poker"}),
        (ParameterError, "rule='sum'", {"game": "kuhn_poker", "teams": [(0, 1)]}),
        (ParameterError, "exact does not accept relax", {"method": "exact", "relax": "recall"}),
        (ParameterError, "portfolio does not accept restarts", {"method": "portfolio"}),
        (ParameterError, "another seed", {"method": "iterated-best-response"}),
        (
            ParameterError,
            "does not accept checkpoint: the state",
            {"method": "exact"},
        ),
        (UnknownNameError, "did you mean recall", {"relax": "recal"}),
        (UnknownNameError, "did you mean progressive-hiding", {"method": "progresive-hiding"}),
        (ParameterError, "iterations=0 must be", {"iterations": 0}),
        (ParameterError, "restarts=0 must be", {"restarts": 0}),
        (ParameterError, "seed=-1 must be", {"seed": -1}),
        (ParameterError, "negative penalty", {"penalty": -1}),
        (ParameterError, "is a schedule", {"method": "minorize-maximize"}),
        (ParameterError, "agent 1 .* is in no team", {"teams": [(0,)]}),
        (ParameterError, "groups of agents", {"teams": 3}),
        (ParameterError, "method", {"method": 3}),
        (ParameterError, "callback", {"callback": 3}),
        (UnsupportedGameError, "supports one team", {"method": "Exact", "teams": [(0,), (1,)]}),
    ],
)
def test_mistakes_are_reported(error, words, options):
    more = {
        "portfolio": {"restarts": 3},
        "iterated-best-response": {"checkpoint": "run.ckpt"},
        "exact": {"checkpoint": "run.ckpt"},
        "minorize-maximize": {"penalty": geometric_penalty(1, 2, 3)},
    }
    given = {"game": TRADE, **more.get(options.get("method"), {}), **options}
    with pytest.raises(error, match=words):
        infoset.solve_team(**given)


def test_solve_names_the_verb_for_teams():
    with pytest.raises(ParameterError, match=r"call infoset\.solve_team"):
        infoset.solve(TRADE, "Progressive-Hiding")


def test_a_custom_spec():
    mine = replace(TEAM_METHODS["iterated-best-response"], name="mine")
    result = infoset.solve_team(TRADE, mine, restarts=7)
    assert (result.method, result.num_runs) == ("mine", 7)
