"""CFR-BR: against its reference implementation, OpenSpiel and the theory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.errors import UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.regret import SCHEMES
from infoset.solvers import CFRBR, CFRBRSolver
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import ReferenceMinimizer, best_behavior, generic, plan_of


def form_of(spec):
    return cached_tree(spec).sequence_form


class ReferenceSide(ReferenceMinimizer):
    """One player in plain NumPy; the other plays best responses."""

    def answer(self, player, row):
        other = 1 - player
        plans = [self.plan(seat) for seat in range(2)]
        response = best_behavior(self.form, other, plans)
        self.averages[player] = row[6] * self.averages[player] + row[7] * plans[player]
        plans[other] = plan_of(self.form.treeplexes[other], response)
        self.update(player, row, self.gradient(player, plans))


@given(
    random_games(num_players=2, zero_sum=True),
    st.integers(0, 2**32),
    st.sampled_from(["cfr", "cfr+", "dcfr", "sapcfr+"]),
)
def test_random_games_equal_the_reference_implementation(game, seed, name):
    form = generic(build_tree(game).sequence_form, seed)
    fast, slow = CFRBRSolver(form, SCHEMES[name]), ReferenceSide(form, alternating=True)
    for row in SCHEMES[name].schedule(1, 8):
        slow.answer(0, row)
        slow.answer(1, row)
    fast.run(3)
    fast.run(5)
    assert fast.iteration == 8
    averages = fast.policy().realization_plans()
    current = fast.current_policy().realization_plans()
    for player in range(2):
        total = slow.averages[player]
        np.testing.assert_allclose(averages[player], total / total[0], atol=1e-9)
        np.testing.assert_allclose(current[player], slow.plan(player), atol=1e-9)


@pytest.mark.parametrize(
    ("spec", "iterations"),
    [("kuhn_poker", 5), pytest.param("leduc_poker", 4, marks=pytest.mark.long)],
)
def test_average_policies_agree_with_openspiel(spec, iterations):
    """On Kuhn poker, best responses are not unique from iteration 6 on, and choices differ."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(spec)
    theirs, ours = pyspiel.CFRBRSolver(game), CFRBRSolver(form_of(spec), SCHEMES["cfr"])
    for _ in range(iterations):
        theirs.evaluate_and_update_policy()
        ours.run(1)
        expected = pyspiel.nash_conv(game, theirs.average_policy(), True)
        assert evaluate_policy(ours.policy()).nash_conv == pytest.approx(expected, abs=1e-9)


def security_levels(policy):
    """Return the security level of each player in a zero-sum game."""
    measured = evaluate_policy(policy)
    hurt = [value + gain for value, gain in zip(measured.values, measured.gains, strict=True)]
    return np.array([-hurt[1], -hurt[0]])


def test_the_mean_security_level_is_below_that_of_the_average_and_approaches_the_value():
    form = form_of("leduc_poker")
    value = infoset.solve("leduc_poker", "lp").values
    solver = CFRBRSolver(form, SCHEMES["cfr"])
    total, points = np.zeros(2), []
    for iteration in range(1, 601):
        total += security_levels(solver.current_policy())
        solver.run(1)
        if iteration in (75, 150, 300, 600):
            mean = total / iteration
            assert (mean <= security_levels(solver.policy()) + 1e-9).all()
            points.append((iteration, np.sum(value - mean)))
    slope, _ = np.polyfit(*np.log(points).T, 1)
    assert -1.1 < slope < -0.5


def test_the_order_of_updates_does_not_matter():
    """Schemes with alternating and simultaneous updates give the same result."""
    together = replace(SCHEMES["cfr"], alternating=False)
    runs = [CFRBRSolver(form_of("leduc_poker"), row) for row in (SCHEMES["cfr"], together)]
    for run in runs:
        run.run(20)
    first, second = (np.concatenate(run.policy().probabilities) for run in runs)
    assert np.array_equal(first, second)


def test_solving_by_name_and_by_object():
    result = infoset.solve("kuhn_poker", "cfr-br", iterations=1000)
    assert result.method == "cfr-br"
    assert result.exploitability < 6e-3
    assert evaluate_policy(result.policy).exploitability == result.exploitability
    assert evaluate_policy(result.current_policy).exploitability < 0.05
    plus = CFRBR("cfr+-br", "", SCHEMES["cfr+"])
    assert infoset.solve("leduc_poker", plus, iterations=300).exploitability < 0.2


def test_schedules_extend_over_the_iterations_of_the_budget():
    row = CFRBR(scheme=SCHEMES["hs-dcfr"])
    solved = infoset.solve("leduc_poker", row, iterations=60)
    planned = CFRBRSolver(form_of("leduc_poker"), replace(SCHEMES["hs-dcfr"], horizon=60))
    planned.run(60)
    assert evaluate_policy(planned.policy()).exploitability == solved.exploitability


@pytest.mark.parametrize("spec", ["kuhn_poker(players=3)", "matrix_bos"])
def test_it_is_for_two_player_constant_sum_games(spec):
    with pytest.raises(UnsupportedGameError, match=r"two-player constant-sum.*use cfr\+"):
        infoset.solve(spec, "cfr-br", iterations=1)
