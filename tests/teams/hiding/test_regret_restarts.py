"""Restarts that retain part of the regrets."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.teams.hiding import (
    HidingScheme,
    ProgressiveHiding,
    RegretRestarts,
    entropic_ftrl,
    geometric_penalty,
    regret_matching,
    run_seeds,
)
from tests.teams.hiding.hiding_games import random_team, trade


def hiding_with(rounds, **parameters):
    return ProgressiveHiding(trade(3), HidingScheme(regret_restarts=rounds, **parameters), seed=2)


def test_full_retention_continues_the_run():
    kept, plain = hiding_with(RegretRestarts(7, retain=1.0, noise=0.0)), hiding_with(None)
    np.testing.assert_array_equal(kept.run(30).implementable, plain.run(30).implementable)


def test_zero_retention_restarts_the_run():
    """A restarted run has new noise of the same size, and its schedule starts again."""
    learner, penalty = entropic_ftrl(2.0, noise=0.5), geometric_penalty(0.1, 1.0, 10)
    hiding = hiding_with(
        RegretRestarts(20, retain=0.0, noise=0.5), learner=learner, penalty=penalty
    )
    begun = hiding.state()["regret"].copy()
    penalty = hiding.run(60).penalty_coefficient[:, 0]
    np.testing.assert_array_equal(penalty[:20], penalty[20:40])
    assert (penalty[0], penalty[19]) == (0.1, pytest.approx(1.0))
    hiding._restart()
    regret = hiding.state()["regret"]
    assert np.std(regret) == pytest.approx(0.25, rel=0.1)
    assert abs(np.mean(regret)) < 0.05
    assert abs(np.corrcoef(regret, begun)[0, 1]) < 0.1


@pytest.mark.parametrize("learner", [entropic_ftrl(4.0), regret_matching()], ids=str)
def test_restarts_scale_regrets_and_add_noise(learner):
    quiet = hiding_with(RegretRestarts(5, retain=0.25, noise=0.0), learner=learner)
    shaken = hiding_with(RegretRestarts(5, retain=0.25, noise=0.1), learner=learner)
    before = hiding_with(None, learner=learner)
    before.run(5)
    for hiding in (quiet, shaken):
        hiding.run(5)
        np.testing.assert_array_equal(hiding.state()["regret"], before.state()["regret"])
        hiding._restart()
    np.testing.assert_array_equal(quiet.state()["regret"], 0.25 * before.state()["regret"])
    noise = shaken.state()["regret"] - quiet.state()["regret"]
    if learner.learning_rate:
        assert np.std(learner.learning_rate * noise) == pytest.approx(0.1, rel=0.1)
    else:
        assert noise.min() >= 0
        assert np.mean(noise) == pytest.approx(0.1 * np.sqrt(2 / np.pi), rel=0.1)


@pytest.mark.parametrize("parts", [(1,) * 23, (5, 5, 13), (23,), (0, 10, 0, 13)])
def test_restarts_are_the_same_in_any_parts(parts):
    scheme = HidingScheme(regret_restarts=RegretRestarts(5), penalty=geometric_penalty(0.1, 1.0, 5))
    whole = ProgressiveHiding(random_team(4), scheme, seed=3).run(23)
    hiding = ProgressiveHiding(random_team(4), scheme, seed=3)
    traces = []
    for iterations in parts:
        kept = {name: array.copy() for name, array in hiding.state().items()}
        hiding = ProgressiveHiding(random_team(4), scheme, seed=3)
        hiding.set_state(kept)
        traces.append(hiding.run(iterations))
    for name, numbers in whole._asdict().items():
        np.testing.assert_array_equal(
            np.concatenate([getattr(trace, name) for trace in traces]), numbers
        )


def test_restarts_keep_the_best_and_improve_on_the_first():
    scheme = HidingScheme(regret_restarts=RegretRestarts(60, retain=0.003, noise=0.1), penalty=0.3)
    runs = run_seeds(trade(4, "private_revealed"), scheme, iterations=600, seeds=range(5))
    first = [run.trace.implementable[:60].max() for run in runs]
    assert sum(payoff > 0.99 for payoff in first) < 5
    assert all(run.best_payoff == run.trace.implementable.max() for run in runs)
    assert np.mean([run.best_payoff for run in runs]) > np.mean(first)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"iterations": 0}, "iterations=0 must be"),
        ({"iterations": 5, "retain": 1.5}, "retain=1.5"),
        ({"iterations": 5, "retain": -0.1}, "retain=-0.1"),
        ({"iterations": 5, "noise": -1}, "noise=-1"),
    ],
)
def test_invalid_arguments(given, words):
    with pytest.raises(ParameterError, match=words):
        RegretRestarts(**given)


def test_a_number_is_not_a_restart_rule():
    with pytest.raises(ParameterError, match=r"RegretRestarts\(iterations=100\)"):
        HidingScheme(regret_restarts=100)
