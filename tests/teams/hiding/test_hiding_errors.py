"""Invalid arguments are refused."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.teams.hiding import (
    HidingScheme,
    PenaltySchedule,
    ProgressiveHiding,
    adaptive_penalty,
    best_run,
    constant_penalty,
    entropic_ftrl,
    geometric_penalty,
    hedge,
    linear_penalty,
    project,
    regret_matching,
    relax,
    relaxed_objective,
    run_seeds,
    squared_distance,
)
from tests.teams.hiding.hiding_games import form_of, pennies, random_duel, random_policy, trade


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: constant_penalty(-0.1), "penalty=-0.1"),
        (lambda: HidingScheme(penalty=-1), "penalty=-1"),
        (lambda: HidingScheme(penalty="much"), "penalty='much'"),
        (lambda: relaxed_objective(trade(2), np.ones(1), -0.5), "penalty=-0.5"),
        (lambda: geometric_penalty(0.0, 1.0, 10), r"positive numbers, or use linear_penalty\("),
        (lambda: geometric_penalty(1.0, 2.0, 1), "iterations=1"),
        (lambda: linear_penalty(1.0, -2.0, 10), "last=-2.0"),
        (lambda: adaptive_penalty(1.0, first=0.01), "0.01 is not between low=0.05"),
        (lambda: adaptive_penalty(float("nan")), "target=nan"),
        (lambda: PenaltySchedule("own", 1.0, up=-1.0), "up=-1.0"),
        (lambda: entropic_ftrl(0.0), "rate=0 would never change the policy"),
        (lambda: hedge(-1.0), "rate=-1.0"),
        (lambda: regret_matching(noise=-1), "noise=-1"),
        (lambda: HidingScheme(learner="ftrl"), r"learner='ftrl' .*entropic_ftrl\(\)"),
        (lambda: HidingScheme(exploration=2.0), "exploration=2.0"),
        (lambda: HidingScheme(projector=3), "current, previous, uniform"),
        (lambda: HidingScheme(mixing=1.5), "share=1.5"),
        (
            lambda: HidingScheme(visits="path", exploration=0, learner=regret_matching()),
            "give exploration above 0",
        ),
    ],
)
def test_numbers(make, said):
    with pytest.raises(ParameterError, match=said):
        make()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"projector": "curent"}, "'curent'.*current"),
        ({"weighting": "posteriour"}, "'posteriour'.*posterior"),
        ({"visits": "all"}, "'all'.*everything"),
    ],
)
def test_names(parameters, said):
    with pytest.raises(UnknownNameError, match=said):
        HidingScheme(**parameters)


def test_a_map_that_forgets_is_not_a_relaxation():
    game = trade(2, "private_revealed")
    harder = form_of("trade_comm(num_items=2)")
    with pytest.raises(ParameterError, match=r"does not refine 'original'.*tells apart"):
        relax(harder.with_original(game.relaxed), harder.information)


def test_maps_and_teams():
    form = trade(2).form
    with pytest.raises(ParameterError, match="belongs to another form"):
        relax(form, pennies().relaxed)
    with pytest.raises(ParameterError, match="2 maps for 1 team"):
        relax(form, [form.information, form.information])
    with pytest.raises(ParameterError, match="relaxed"):
        relax(form, ["recall"])
    with pytest.raises(ParameterError, match=r"agent 1 .* is in no team"):
        relax(form, teams=[(0,)])
    with pytest.raises(ParameterError, match="differ"):
        relax(random_duel(4).form, teams=[(0, 1), (2,)])
    with pytest.raises(ParameterError, match="form="):
        relax("trade_comm")


def test_fixed_policies():
    duel = random_duel(4)
    policy = random_policy(duel.original, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="no team 2 to fix"):
        ProgressiveHiding(duel, fixed={2: policy})
    with pytest.raises(ParameterError, match="all teams are fixed"):
        ProgressiveHiding(duel, fixed={0: policy, 1: policy})
    with pytest.raises(ParameterError, match="have shape"):
        ProgressiveHiding(duel, fixed={1: policy[1:]})
    with pytest.raises(ParameterError, match="not a policy"):
        ProgressiveHiding(duel, fixed={1: 2 * policy})


def test_shapes():
    game = trade(2)
    policy = game.lift(game.uniform_policy())
    with pytest.raises(ParameterError, match=r"is not a relaxed policy.*lift\(policy\)"):
        project(game, game.uniform_policy())
    with pytest.raises(ParameterError, match="one for each of the"):
        project(game, policy, np.ones(3))
    with pytest.raises(ParameterError, match="not an implementable policy"):
        squared_distance(game, policy, policy)


def test_runs():
    with pytest.raises(ParameterError, match="seeds is empty"):
        run_seeds(trade(2), iterations=1, seeds=[])
    with pytest.raises(ParameterError, match=r"seeds=3 .*range\(10\)"):
        run_seeds(trade(2), iterations=1, seeds=3)
    with pytest.raises(ParameterError, match="run_seeds"):
        best_run([])
    with pytest.raises(ParameterError, match="threads=0"):
        run_seeds(trade(2), iterations=1, seeds=[1], threads=0)
    with pytest.raises(ParameterError, match="iterations=-1"):
        ProgressiveHiding(trade(2)).run(-1)
    with pytest.raises(ParameterError, match="seed=-1"):
        ProgressiveHiding(trade(2), seed=-1)
    with pytest.raises(ParameterError, match="relaxed_form"):
        ProgressiveHiding(trade(2).form)
    with pytest.raises(ParameterError, match="scheme"):
        ProgressiveHiding(trade(2), "fast")
