"""Extensive-form fictitious play: by hand, by the paper's mixing rule, and against OpenSpiel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.evaluation import evaluate_policy
from infoset.solvers import FictitiousPlaySolver
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import best_behavior, generic, infostates, plan_of, uniform


def form_of(spec):
    return cached_tree(spec).sequence_form


class ReferencePlay:
    """Fictitious play as published: behaviors mixed at each infostate, weighted by own reach."""

    def __init__(self, form):
        self.form = form
        self.policies = [uniform(plex) for plex in form.treeplexes]
        self.iteration = 0

    def step(self):
        self.iteration += 1
        plexes = self.form.treeplexes
        plans = [plan_of(plex, own) for plex, own in zip(plexes, self.policies, strict=True)]
        responses = [best_behavior(self.form, player, plans) for player in range(len(plexes))]
        for plex, policy, plan, response in zip(
            plexes, self.policies, plans, responses, strict=True
        ):
            self.mix(plex, policy, plan, response)

    def mix(self, plex, policy, plan, response):
        share = 1 / (self.iteration + 1)
        answer = plan_of(plex, response)
        for parent, own in infostates(plex):
            old, new = (1 - share) * plan[parent], share * answer[parent]
            policy[own] = (old * policy[own] + new * response[own]) / (old + new)


@given(random_games(), st.integers(0, 2**32))
def test_any_game_equals_the_reference_implementation(game, seed):
    form = generic(build_tree(game).sequence_form, seed)
    fast, slow = FictitiousPlaySolver(form), ReferencePlay(form)
    for _ in range(8):
        slow.step()
    fast.run(3)
    fast.run(5)
    assert fast.iteration == 8
    for found, expected in zip(fast.policy().probabilities, slow.policies, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_rock_paper_scissors_by_hand():
    """All responses are equally good at first, so both play the first, and then paper twice."""
    play = FictitiousPlaySolver(form_of("matrix_rps"))
    expected = [(1 / 3, 1 / 3, 1 / 3), (2 / 3, 1 / 6, 1 / 6), (4 / 9, 4 / 9, 1 / 9)]
    for weights in expected:
        for player in range(2):
            np.testing.assert_allclose(play.policy().probabilities[player][1:], weights)
        play.run(1)
    assert [*play.current_policy().probabilities[0][1:]] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("spec", "iterations"),
    # Later, rounding decides between equally good best responses.
    [
        ("kuhn_poker", 3),
        pytest.param("leduc_poker", 2, marks=pytest.mark.long),
        ("kuhn_poker(players=3)", 8),
    ],
)
def test_average_policies_agree_with_openspiel(spec, iterations):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.algorithms.fictitious_play import XFPSolver

    game = pyspiel.load_game(spec)
    theirs, ours = XFPSolver(game), FictitiousPlaySolver(form_of(spec))
    for _ in range(iterations):
        theirs.iteration()
        ours.run(1)
    expected = nash_conv(game, theirs.average_policy())
    assert evaluate_policy(ours.policy()).nash_conv == pytest.approx(expected, abs=1e-9)


REFERENCE = {
    # Exploitability after 1000 iterations, measured by an independent implementation.
    "kuhn_poker": 7.0e-3,
    "leduc_poker": 6.3e-2,
    "goofspiel(num_cards=4,imp_info=True)": 3.5e-2,
}


@pytest.mark.parametrize("spec", REFERENCE)
def test_reference_curves(spec):
    found = infoset.solve(spec, "xfp", iterations=1000)
    assert found.exploitability == pytest.approx(REFERENCE[spec], rel=0.05)
    assert found.method == "xfp"
    assert evaluate_policy(found.policy).exploitability == found.exploitability


def test_exploitability_falls_as_the_root_of_the_iterations():
    play = FictitiousPlaySolver(form_of("leduc_poker"))
    points = []
    for iterations in (100, 300, 1000, 3000):
        play.run(iterations - play.iteration)
        points.append((iterations, evaluate_policy(play.policy()).exploitability))
    slope, _ = np.polyfit(*np.log(points).T, 1)
    assert -0.7 < slope < -0.4


def test_three_players_and_payoffs_of_any_sum():
    assert infoset.solve("kuhn_poker(players=3)", "xfp", iterations=1000).nash_conv < 0.02
    coordination = infoset.solve("matrix_bos", "xfp", iterations=100)
    assert coordination.exploitability is None
    assert coordination.nash_conv < 0.1
