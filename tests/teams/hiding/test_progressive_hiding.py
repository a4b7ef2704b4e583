"""Progressive hiding against its reference implementation, and invariants of all runs."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.teams.hiding import (
    HidingScheme,
    ProgressiveHiding,
    adaptive_penalty,
    best_run,
    entropic_ftrl,
    geometric_penalty,
    hedge,
    linear_penalty,
    regret_matching,
    regret_matching_plus,
    relax,
    run_seeds,
)
from tests.teams.hiding.hiding_games import by_cell, pennies, random_duel, random_team, trade
from tests.teams.hiding.reference_hiding import ReferenceHiding

pytestmark = pytest.mark.broad

SCHEMES = {
    "ftrl": HidingScheme(),
    "hedge": HidingScheme(learner=hedge(2.0), penalty=linear_penalty(0.0, 1.0, 4)),
    "matching": HidingScheme(
        learner=regret_matching(), projector="previous", penalty=geometric_penalty(0.1, 2.0, 4)
    ),
    "matching+": HidingScheme(
        learner=regret_matching_plus(), penalty=adaptive_penalty(0.4, 1.0, 0.5, low=0.6, high=2.0)
    ),
    "uniform": HidingScheme(projector="uniform", weighting="counterfactual"),
    "agent": HidingScheme(weighting="agent", projector="previous", mixing=0.2),
    "full": HidingScheme(weighting="full"),
    "chance": HidingScheme(weighting="chance"),
    "no future": HidingScheme(future_penalties=False),
    "outcome": HidingScheme(visits="outcome"),
    "outcome, matching": HidingScheme(
        visits="outcome", learner=regret_matching(), weighting="counterfactual"
    ),
    "path": HidingScheme(visits="path", exploration=0.3),
    "path, greedy": HidingScheme(visits="path", exploration=0.0, weighting="agent"),
}
"""Every row of every table, in some company."""

GAMES = {
    "pennies": pennies,
    "trade": lambda: trade(2),
    "private_revealed": lambda: trade(2, "private_revealed"),
    "nothing": lambda: trade(2, "nothing"),
    "random": lambda: random_team(4),
    "duel": lambda: random_duel(4),
}


def agree_with_reference(hiding, iterations=4):
    reference = ReferenceHiding(hiding)
    expected = [reference.step() for _ in range(iterations)]
    found = np.stack(hiding.run(iterations), axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    for name, flat in (
        ("regret", reference.regret),
        ("policy", reference.policy),
        ("projected", reference.projected),
    ):
        np.testing.assert_allclose(hiding.state()[name], np.concatenate(flat), atol=1e-9)
    np.testing.assert_allclose(hiding.state()["penalty"], reference.penalty)


PAIRS = [
    (game, scheme)
    for game in GAMES
    for scheme in SCHEMES
    if game == "random" or scheme in ("ftrl", "outcome, matching", "path, greedy")
]
"""Every scheme on one game, and every game with three schemes."""


@pytest.mark.parametrize(("game", "scheme"), PAIRS)
def test_iterations_agree_with_the_reference(game, scheme):
    agree_with_reference(ProgressiveHiding(GAMES[game](), SCHEMES[scheme], seed=4))


def test_unvisited_cells_of_hedge_also_decay():
    """Its rate falls with all iterations, at unvisited cells too."""
    scheme = HidingScheme(learner=hedge(2.0), visits="path", penalty=0.5)
    agree_with_reference(ProgressiveHiding(pennies(), scheme, seed=1), iterations=8)


def test_fixed_policies_stay_fixed_and_affect_the_learners():
    duel = random_duel(0)
    generator = np.random.default_rng(0)
    policy = np.concatenate(
        [
            generator.dirichlet(np.ones(len(own)))
            for own in by_cell(duel.original, duel.uniform_policy())
        ]
    )
    hiding = ProgressiveHiding(duel, fixed={1: policy})
    agree_with_reference(hiding)
    own = np.repeat(duel.coarse_team == 1, duel.original.num_actions)
    np.testing.assert_array_equal(hiding.policy()[own], policy[own])
    assert not np.allclose(hiding.policy()[~own], duel.uniform_policy()[~own])


def test_resumed_runs_are_bit_identical():
    scheme = HidingScheme(visits="path", learner=regret_matching(), penalty=adaptive_penalty(0.9))
    whole, parts, resumed = (ProgressiveHiding(trade(2), scheme, seed=5) for _ in range(3))
    whole.run(30)
    parts.run(10)
    resumed.set_state({name: array.copy() for name, array in parts.state().items()})
    for hiding in (parts, resumed):
        hiding.run(20)
        assert hiding.iteration == 30
        for name, array in whole.state().items():
            np.testing.assert_array_equal(hiding.state()[name], array)


@pytest.mark.parametrize("visits", ["everything", "outcome", "path"])
def test_results_do_not_depend_on_the_number_of_threads(visits):
    scheme = HidingScheme(visits=visits)
    alone, together = (
        run_seeds(trade(2), scheme, iterations=20, seeds=[3, 1, 4, 1], threads=threads)
        for threads in (1, 3)
    )
    for one, other in zip(alone, together, strict=True):
        assert one.seed == other.seed
        np.testing.assert_array_equal(one.trace.implementable, other.trace.implementable)
        np.testing.assert_array_equal(one.policy, other.policy)
    np.testing.assert_array_equal(alone[1].policy, alone[3].policy)
    assert not np.array_equal(alone[0].policy, alone[1].policy)


def test_best_policy_and_best_run_follow_the_traces():
    runs = run_seeds(trade(3), HidingScheme(), iterations=60, seeds=range(4))
    for run in runs:
        peak = run.trace.implementable.max()
        assert run.best_payoff == peak
        earned = trade(3).payoffs(trade(3).lift(run.best_policy))[0]
        assert earned == pytest.approx(peak, abs=1e-12)
    assert best_run(runs).best_payoff == max(run.best_payoff for run in runs)


def test_the_trace_describes_the_returned_policies():
    game = trade(3)
    hiding = ProgressiveHiding(game, seed=2)
    trace = hiding.run(7)
    relaxed, projected = hiding.relaxed_policy(), hiding.policy()
    assert trace.relaxed[-1, 0] == pytest.approx(game.payoffs(relaxed)[0], abs=1e-12)
    assert trace.implementable[-1, 0] == pytest.approx(
        game.payoffs(game.lift(projected))[0], abs=1e-12
    )
    assert trace.squared_distance[-1, 0] > 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("game", ["trade", "private_revealed", "duel"])
def test_the_projected_policy_is_always_implementable(game, scheme):
    """T9: a probability vector for each cell of the original map, on legal actions."""
    relaxed_form = GAMES[game]()
    hiding = ProgressiveHiding(relaxed_form, SCHEMES[scheme])
    hiding.run(15)
    for policy in (hiding.policy(), hiding.best_policy()):
        assert policy.shape == (relaxed_form.original.num_entries,)
        assert (policy >= 0).all()
        sums = [own.sum() for own in by_cell(relaxed_form.original, policy)]
        np.testing.assert_allclose(sums, 1, atol=1e-12)


@pytest.mark.parametrize("learner", [entropic_ftrl(), regret_matching(), hedge()])
def test_without_relaxation_there_is_no_penalty(learner):
    """T10: γ makes no difference."""
    traces, policies = [], []
    for penalty in (0.0, 0.3, 30.0):
        hiding = ProgressiveHiding(
            trade(3, "nothing"), HidingScheme(learner=learner, penalty=penalty)
        )
        traces.append(hiding.run(40))
        policies.append(hiding.policy())
    for trace, policy in zip(traces, policies, strict=True):
        np.testing.assert_array_equal(trace.squared_distance, 0)
        np.testing.assert_allclose(trace.implementable, traces[0].implementable, atol=1e-10)
        np.testing.assert_allclose(policy, policies[0], atol=1e-10)


@pytest.mark.parametrize(("make_game", "arguments"), [(pennies, ()), (trade, (2,)), (trade, (3,))])
def test_without_penalty_relaxed_information_is_fully_used(make_game, arguments):
    """T11: at γ = 0 the relaxed policy approaches the optimum of full information."""
    hiding = ProgressiveHiding(make_game(*arguments), HidingScheme(penalty=0.0))
    assert hiding.run(400).relaxed[-1, 0] == pytest.approx(1.0, abs=1e-2)


def test_one_team_can_be_relaxed_against_another():
    """The relaxation of one team does not change the information of the other."""
    duel = random_duel(4)
    own = duel.cell_team == 1
    np.testing.assert_array_equal(np.bincount(duel.known[own]), np.bincount(duel.known[own]) > 0)
    assert np.bincount(duel.known[~own]).max() > 1, "nothing is lent"
    trace = ProgressiveHiding(duel, HidingScheme(penalty=0.5)).run(20)
    np.testing.assert_array_equal(trace.squared_distance[:, 1], 0)
    assert (trace.squared_distance[:, 0] > 0).all()
    same = relax(duel.form, [duel.relaxed, duel.relaxed], duel.teams, rule="sum")
    np.testing.assert_array_equal(same.relaxed.cell, duel.relaxed.cell)
