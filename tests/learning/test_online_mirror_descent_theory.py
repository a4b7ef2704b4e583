"""Theorems of online mirror descent: regret equals the gap, its bound and its rate."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import log, sqrt

import numpy as np
import pytest

from infoset.evaluation import nash_conv
from infoset.learning import LEARNERS, get_learner, tree_size
from tests.learning.playing import simulator_of
from tests.learning.reference_mirror_descent import plan_of
from tests.support.reference_regret import gradient_of


def regrets(form, plans):
    """Return each player's regret over the pairs of plans, in the game's units."""
    for player in range(2):
        gradients = [gradient_of(form, player, pair) for pair in plans]
        earned = sum(
            pair[player] @ gradient for pair, gradient in zip(plans, gradients, strict=True)
        )
        plex = form.treeplexes[player]
        yield best_value(plex, np.sum(gradients, axis=0)) - earned


def best_value(plex, gradient):
    """Return the maximum of <plan, gradient> over plans."""
    value = gradient.copy()
    for here in reversed(range(plex.num_infostates)):
        first = plex.first_sequence[here]
        value[plex.parent_sequence[here]] += value[first : first + plex.num_actions[here]].max()
    return value[0]


@pytest.mark.parametrize("name", ["ixomd", "balanced-omd", "tweaked-ftrl"])
@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_the_gap_of_the_average_is_the_sum_of_regrets(name, game):
    simulator, episodes = simulator_of(game), 60
    learners = get_learner(name, preset="tuned").self_play(simulator, horizon=1000, seed=8)
    plans = []
    for _ in range(episodes):
        plan = plan_of(simulator, learners.state()["policy"])
        plans.append([part.copy() for part in simulator.by_player(plan)])
        learners.run(1)
    total = sum(regrets(simulator.form, plans))
    assert nash_conv(learners.policy()) == pytest.approx(total / episodes, abs=1e-10)


@cache
def gap(name, episodes, seed, game="kuhn_poker"):
    """Return NashConv / payoff range after the episodes that the published steps are for."""
    simulator = simulator_of(game)
    learners = LEARNERS[name].self_play(simulator, horizon=episodes, seed=seed)
    learners.run(episodes)
    least, greatest = simulator.form.payoff_range
    return nash_conv(learners.policy()) / (greatest - least)


def bound(name, episodes, game="kuhn_poker"):
    """Return Σ √(H³ XA ι / T) or Σ √(H XA X ι / T) over the players."""
    total = 0.0
    for player in range(2):
        size = tree_size(simulator_of(game), player)
        factor = size.decisions**3 if name == "balanced-omd" else size.decisions * size.infostates
        iota = log(3 * size.decisions * size.sequences / 0.1)
        total += sqrt(factor * size.sequences * iota / episodes)
    return total


@pytest.mark.parametrize("name", ["ixomd", "balanced-omd"])
def test_regret_is_below_the_bound_with_constant_one(name):
    for seed in range(3):
        assert gap(name, 100_000, seed) < bound(name, 100_000)
    assert gap(name, 20_000, 0, "leduc_poker") < bound(name, 20_000, "leduc_poker")


def slope(gaps):
    """Return the exponent of the episodes in the gaps, by least squares of logarithms."""
    return np.polyfit(np.log(list(gaps)), np.log(list(gaps.values())), 1)[0]


@pytest.mark.parametrize(
    "name",
    [
        "balanced-omd",
        pytest.param("ixomd", marks=pytest.mark.long),
        pytest.param("balanced-ftrl", marks=pytest.mark.long),
    ],
)
def test_gaps_fall_with_the_root_of_episodes(name):
    gaps = {
        episodes: np.mean([gap(name, episodes, seed) for seed in range(3)])
        for episodes in (100_000, 300_000, 1_000_000)
    }
    assert -0.6 < slope(gaps) < -0.4


@pytest.mark.parametrize("name", ["balanced-omd", pytest.param("ixomd", marks=pytest.mark.long)])
def test_anytime_steps_need_no_horizon(name):
    simulator = simulator_of("kuhn_poker")
    runs = [
        get_learner(name, preset="anytime").self_play(simulator, horizon=1, seed=s)
        for s in range(3)
    ]
    gaps = {}
    for episodes in (30_000, 100_000, 300_000):
        for learners in runs:
            learners.run(episodes - learners.iteration)
        gaps[episodes] = np.mean([nash_conv(learners.policy()) for learners in runs]) / 4
        fixed = np.mean([gap(name, episodes, seed) for seed in range(3)])
        assert gaps[episodes] < 1.5 * fixed
    assert -0.65 < slope(gaps) < -0.35


@pytest.mark.parametrize(
    ("name", "expected", "deviation"),
    [
        pytest.param("ixomd", (0.153, 0.0560), (0.010, 0.0038), marks=pytest.mark.long),
        ("balanced-omd", (0.109, 0.0369), (0.006, 0.0026)),
    ],
)
def test_published_steps_reach_the_gaps_measured_before(name, expected, deviation):
    for episodes, mean, spread in zip((10**5, 10**6), expected, deviation, strict=True):
        found = 4 * np.mean([gap(name, episodes, seed) for seed in range(3)])
        assert abs(found - mean) < 3 * spread


def test_the_last_policy_converges():
    simulator = simulator_of("kuhn_poker")
    gaps = {}
    for name in ("perturbed-ftrl", "tweaked-ftrl"):
        row = get_learner(name, preset=None if name == "perturbed-ftrl" else "recommended")
        runs = [row.self_play(simulator, horizon=300_000, seed=seed) for seed in range(2)]
        for episodes in (3_000, 30_000, 100_000, 300_000):
            for learners in runs:
                learners.run(episodes - learners.iteration)
            last = np.mean([nash_conv(learners.current_policy()) for learners in runs])
            gaps.setdefault(name, {})[episodes] = last
    assert -0.45 < slope(gaps["perturbed-ftrl"]) < -0.2
    assert gaps["perturbed-ftrl"][300_000] < 0.065
    assert gaps["tweaked-ftrl"][300_000] > 1.5 * gaps["perturbed-ftrl"][300_000]


def test_a_minimum_probability_keeps_actions_alive():
    simulator = simulator_of("leduc_poker")
    row = get_learner("balanced-ftrl", preset="recommended", step_sizes=(0.0005, 0.000025))
    lost = {}
    for min_probability in (row.min_probability, 0.0):
        learners = replace(row, min_probability=min_probability).self_play(
            simulator, horizon=500_000, seed=0
        )
        learners.run(500_000)
        lost[min_probability] = np.mean(learners.current_probabilities < 1e-6)
    assert lost[row.min_probability] == 0.0
    assert lost[0.0] > 0.03
