"""Node locking, against games built by hand in which chance plays the locked part."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import best_response, evaluate_policy
from infoset.forms import UNIT, lock
from infoset.games import load_game, matrix_game
from infoset.policy import complete_policy, random_policy, restrict_policy, uniform_policy
from infoset.regret import SCHEMES
from infoset.runs import Budget
from infoset.solvers import get_method, perturb_game, run_method, solve_coarse_correlated
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.chance_plays import ChancePlays
from tests.support.hypothesis_strategies import random_games


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


def random_lock(form, rng, share=0.4):
    """Return random probabilities at random infostates, some of them zero."""
    policy = random_policy(form, rng)
    if rng.random() < 0.3:
        policy = best_response(policy, 0).policy
    rows = [row for row in policy.rows() if rng.random() < share]
    return {
        (row.infostate, row.player): dict(zip(row.actions, row.probabilities, strict=True))
        for row in rows
    }


@given(random_games(max_histories=60, num_players=2, zero_sum=True), st.integers(0, 2**32))
def test_the_value_is_that_of_the_game_in_which_chance_plays(game, seed):
    form = build_tree(game).sequence_form
    behavior = random_lock(form, np.random.default_rng(seed))
    locked = lock(form, behavior)
    solved = run_method(get_method("lp"), locked, Budget())
    by_hand = get_method("lp").run(ChancePlays(form, behavior).build(game), Budget())
    assert solved.values == pytest.approx(by_hand.values, abs=1e-9)
    assert solved.exploitability == pytest.approx(0, abs=1e-9)


@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_the_rest_and_the_whole_policy_have_the_same_values(game, seed):
    rng = np.random.default_rng(seed)
    form = build_tree(game).sequence_form
    behavior = random_lock(form, rng)
    locked = lock(form, behavior)
    rest = random_policy(locked, rng)
    whole = complete_policy(rest)
    for (label, player), actions in behavior.items():
        assert whole[label, player] == pytest.approx(actions)
    again = restrict_policy(locked, whole)
    assert all(map(np.array_equal, again.probabilities, rest.probabilities))
    measured, of_whole = evaluate_policy(rest), evaluate_policy(whole)
    assert measured.values == pytest.approx(of_whole.values, abs=1e-12)
    for player in range(form.num_players):
        # The best response in the locked game has the same value in the whole game, and at most the
        # value of an unrestricted one.
        answer = best_response(rest, player)
        paid = evaluate_policy(complete_policy(answer.policy)).values[player]
        assert answer.value == pytest.approx(paid, abs=1e-12)
        assert measured.gains[player] <= of_whole.gains[player] + 1e-12


@settings(max_examples=10, deadline=None)
@given(random_games(max_histories=60, max_depth=3), st.integers(0, 2**32))
def test_best_responses_in_the_rest_are_best_among_all_pure_ones(game, seed):
    rng = np.random.default_rng(seed)
    form = build_tree(game).sequence_form
    locked = lock(form, random_lock(form, rng, share=0.7))
    rest = random_policy(locked, rng)
    plex = locked.treeplexes[0]
    if np.prod(plex.num_actions.astype(float)) > 64:
        return
    paid = []
    for choice in product(*map(range, plex.num_actions.tolist())):
        pure = np.zeros(plex.num_sequences)
        pure[0] = 1
        pure[plex.first_sequence + np.array(choice, dtype=np.int32)] = 1
        values = (pure, *rest.probabilities[1:])
        tried = complete_policy(type(rest)(locked, values))
        paid.append(evaluate_policy(tried).values[0])
    assert best_response(rest, 0).value == pytest.approx(max(paid), abs=1e-12)


@pytest.mark.parametrize("method", ["cfr+", "pcfr+", "lp"])
def test_methods_agree(method):
    behavior = {("[J]", 0): {"bet": 1.0}, ("[Q] / bet", 1): {"bet": 0.5, "pass": 0.5}}
    locked = lock(kuhn_form(), behavior)
    result = run_method(get_method(method), locked, Budget(iterations=2000))
    assert result.values[0] * 18 == pytest.approx(-2.0, abs=2e-3)
    assert result.exploitability < 1e-4
    assert result.game == "locked(kuhn_poker)"
    assert result.policy["[Q] / bet", 1] == {"pass": 0.5, "bet": 0.5}
    assert result.policy.form is kuhn_form()
    if result.current_policy is not None:
        assert result.current_policy["[J]", 0] == {"pass": 0.0, "bet": 1.0}


@given(random_games(num_players=2), st.integers(0, 2**32))
def test_chance_reach_includes_the_locked_probabilities(game, seed):
    rng = np.random.default_rng(seed)
    form = build_tree(game).sequence_form
    fixed = lock(form, random_lock(form, rng)).to_sequence_form()
    sequences, reach = fixed.terminal_reach
    first, second = random_policy(fixed, rng).realization_plans()
    assert reach @ (first[sequences[:, 0]] * second[sequences[:, 1]]) == pytest.approx(1)


def test_locking_an_equilibrium_changes_nothing():
    solved = get_method("lp").run(kuhn_form(), Budget()).policy
    keys = [("[J]", 0), ("[K] / pass / bet", 0), ("[Q] / bet", 1)]
    locked = lock(kuhn_form(), {key: solved[key] for key in keys})
    result = run_method(get_method("lp"), locked, Budget())
    assert result.values[0] == pytest.approx(-1 / 18, abs=1e-12)


def test_locking_nothing_and_everything():
    assert lock(kuhn_form(), {}).to_sequence_form().fingerprint == kuhn_form().fingerprint
    policy = random_policy(kuhn_form(), np.random.default_rng(5))
    everything = {(row.infostate, row.player): policy[row.infostate, row.player]
                  for row in policy.rows()}  # fmt: skip
    locked = lock(kuhn_form(), everything)
    rest = uniform_policy(locked)
    assert [len(values) for values in rest.probabilities] == [1, 1]
    assert evaluate_policy(rest).values == pytest.approx(evaluate_policy(policy).values)
    assert evaluate_policy(rest).nash_conv == pytest.approx(0, abs=1e-15)


def test_labels_stay_and_a_locked_action_is_observed():
    locked = lock(kuhn_form(), {("[K]", 0): {"pass": 0.5, "bet": 0.5}})
    left = locked.to_sequence_form().infostate_trees[0]
    assert left.acting_labels == locked.infostate_labels(0)
    assert left.acting_labels == (
        "[J]", "[Q]", "[J] / pass / bet", "[Q] / pass / bet", "[K] / pass / bet"
    )  # fmt: skip
    known = {left.observations[seen] for seen in left.private_observation[left.parent == 3]}
    assert {("pass", None), ("bet", None)} == known


def test_a_game_whose_payoffs_are_zero():
    form = build_tree(matrix_game([[0, 0], [0, 0]])).sequence_form
    (label,) = form.infostate_trees[0].acting_labels
    locked = lock(form, {(label, 0): {"row 1": 1}})
    assert locked.to_sequence_form().num_payoffs == 0
    assert locked.constant_sum == 0


@pytest.mark.parametrize(
    ("behavior", "error", "message"),
    [
        ({("[X]", 0): {"bet": 1}}, UnknownNameError, r"player 0 has no infostate '\[X\]'"),
        ({("[K]", 2): {"bet": 1}}, ParameterError, "kuhn_poker has players 0 to 1"),
        ({("[K]", 0): {"raise": 1}}, UnknownNameError, "known: bet, pass"),
        ({("[K]", 0): {"bet": 0.4}}, ParameterError, "sum to 1"),
        ({"[A]": {"bet": 1}}, UnknownNameError, r"unknown infostate '\[A\]'"),
        ({(0, "[K]"): {"bet": 1}}, ParameterError, r"as in policy\['\[J\]', 0\]"),
        ({("[K]", 0): 1.0}, ParameterError, r"probabilities=1.0 is of type float"),
        ({("[K]", 0): {"bet": "1"}}, ParameterError, "bet='1' must be a finite number"),
        ("uniform", ParameterError, "behavior='uniform' is of type str"),
        ({("[K]", 0): {"bet": 1.5, "pass": -0.5}}, ParameterError, "not negative"),
    ],
)
def test_invalid_locks_are_refused(behavior, error, message):
    with pytest.raises(error, match=message):
        lock(kuhn_form(), behavior)


def test_policies_of_other_games_are_refused():
    locked = lock(kuhn_form(), {("[K]", 0): {"bet": 1}})
    assert complete_policy(uniform_policy(kuhn_form())).form is kuhn_form()
    with pytest.raises(PolicyMismatchError, match="not for kuhn_poker"):
        restrict_policy(locked, uniform_policy(locked))
    with pytest.raises(ParameterError, match="a transform of a form"):
        restrict_policy(kuhn_form(), uniform_policy(kuhn_form()))


@pytest.mark.parametrize("make", [str, load_game, cached_tree])
@pytest.mark.parametrize(
    "take",
    [
        partial(perturb_game, min_probability=0.2),
        solve_coarse_correlated,
        partial(perturb_game, min_probability=0.1),
    ],
)
def test_functions_of_sequence_forms_say_how_to_build_one(make, take):
    with pytest.raises(ParameterError, match=r"form(=| is ).*build_tree\(.*\)\.sequence_form"):
        take(make("kuhn_poker"))


def test_the_rounding_error_is_in_units_of_utility():
    """Payoffs include chance reach and are smaller for it; the rounding error is not."""
    actions = {"win": terminal(1, -1), "draw": terminal(0, 0)}
    tickets = {str(n): (1 / 512, decision(0, str(n), actions)) for n in range(512)}
    form = extensive_form_from_nodes(chance(tickets), players=2).sequence_form
    locked = lock(form, {})
    for other in (locked, locked.to_sequence_form()):
        assert other.rounding - form.rounding >= UNIT * max(map(abs, form.payoff_range))


def test_methods_by_name_scheme_or_object_solve_the_rest():
    locked = lock(kuhn_form(), {("[J]", 0): {"bet": 1.0}})
    first, *others = [
        infoset.solve(locked, method, iterations=20)
        for method in ("cfr+", SCHEMES["cfr+"], get_method("cfr+"))
    ]
    assert all(other.values == first.values for other in others)
    with pytest.raises(UnknownNameError, match="unknown method 'lpp'"):
        infoset.solve(locked, "lpp")
