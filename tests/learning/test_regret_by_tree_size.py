"""How regret grows with the tree: the lower bound, and the advantage of balance."""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
import pytest

from infoset.evaluation import nash_conv
from infoset.learning import RegretTracker, get_learner
from tests.learning.playing import simulator_of

EPISODES = 2000
ARMS = 2


def scaled_regret(name, infostates, seed):
    """Return regret / √(XA T), losses in [0, 1], of X bandits that chance draws from.

    The best arm of each is better by √(XA / T). This gap is large enough to matter, and too small
    to be detected reliably in T / X episodes.
    """
    scale = sqrt(infostates * ARMS / EPISODES)
    spec = f"bandit_tree(depth=1,deals={infostates},best_chance={0.5 + scale:.6f})"
    learners = get_learner(name).self_play(simulator_of(spec), horizon=EPISODES, seed=seed)
    play = RegretTracker(learners)
    play.run(EPISODES)
    return play.regrets[0] / sqrt(infostates * ARMS * EPISODES)


@pytest.mark.parametrize(
    "name",
    [
        "balanced-ftrl",
        pytest.param("vr-mccfr", marks=pytest.mark.long),
        pytest.param("balanced-omd", marks=pytest.mark.long),
    ],
)
def test_the_lower_bound_on_regret(name):
    found = [
        np.mean([scaled_regret(name, infostates, seed) for seed in range(2)])
        for infostates in (4, 16, 64)
    ]
    assert min(found) > 0.3
    assert found[-1] > 0.6 * found[0]


@cache
def gap(name, branching):
    row = get_learner(name, preset="practical")
    simulator = simulator_of(f"bandit_tree(branching={branching})")
    learners = row.self_play(simulator, horizon=1_000_000)
    learners.run(1_000_000)
    return nash_conv(learners.policy())


def test_the_advantage_of_balance_grows_with_the_tree():
    ratios = [gap("ixomd", branching) / gap("balanced-omd", branching) for branching in (4, 8)]
    assert ratios[0] < 1.15
    assert ratios[1] > 1.3
