"""Balanced CFR, against its slow reference, the theory, and earlier measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.learning import (
    LEARNERS,
    BalancedCFR,
    StepSizes,
    TreeSize,
    get_learner,
)
from infoset.learning.balanced_cfr import balanced_cfr_step_sizes
from tests.learning.playing import UNEVEN, learner_of, nash_conv, simulator_of
from tests.support.reference_balanced_cfr import ReferenceBalancedCFR
from tests.support.reference_tree import ReferenceTree

HEDGE = BalancedCFR("hedge", "", step_sizes=StepSizes(0.3, 0))
MATCHING = BalancedCFR("matching", "")
ROWS = {
    "hedge": HEDGE,
    "matching": MATCHING,
    "matching+": replace(MATCHING, clip_regrets=True),
    "anytime": replace(HEDGE, anytime=True),
    "centerd": replace(HEDGE, center=0.5),
    "baseline": replace(MATCHING, center=0.5, baseline_window=3),
}
ANY_OR_THEORY = ("anytime", "theory")
GAMES = ["kuhn_poker", "kuhn_poker(players=3)", UNEVEN]


def reference_of(row, game="kuhn_poker"):
    learner = learner_of(row, game)
    rates = [numbers[0] for numbers in learner.settings()["parameters"]]
    losses = simulator_of(game).losses()
    return ReferenceBalancedCFR(
        simulator_of(game), row, rates, learner.state()["stream"][0], losses
    )


def episodes_per_iteration(game):
    return int(simulator_of(game).max_decisions.sum())


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_every_iteration_agrees_with_the_reference(name, game):
    learner, reference = learner_of(ROWS[name], game), reference_of(ROWS[name], game)
    for _ in range(25):
        learner.run(episodes_per_iteration(game))
        reference.iterate()
        current = reference.tree.flat(reference.policies)
        assert np.allclose(learner.state()["policy"], current, atol=1e-9)
    plans = np.concatenate(learner.policy().realization_plans())
    kept = reference.tree.flat(reference.average.cumulative_plan)
    assert np.allclose(
        25 * plans[list(reference.tree.owner)], kept[list(reference.tree.owner)], atol=1e-9
    )
    assert int(learner.state()["stream"][0]) == reference.stream.state


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("name", ["hedge", "baseline"])
def test_policies_are_frozen_during_an_iteration(name, game):
    learner, size = learner_of(ROWS[name], game), episodes_per_iteration(game)
    moved = 0
    for _ in range(20):
        before = learner.state()["policy"].copy()
        learner.run(size - 1)
        assert np.array_equal(learner.state()["policy"], before)
        learner.run(1)
        touched = learner.state()["touched"]
        changed = np.flatnonzero(learner.state()["policy"] != before)
        owners = {ReferenceTree(learner.simulator).owner[int(sequence)][0] for sequence in changed}
        assert owners <= set(touched[touched >= 0].tolist())
        moved += len(owners)
    assert moved > 10


@pytest.mark.parametrize("name", ["matching", "matching+"])
def test_regret_matching_is_invariant_to_the_scale_of_losses(name):
    plain, scaled = learner_of(ROWS[name]), learner_of(ROWS[name])
    scaled._play_state.feedback[:] *= 8.0
    plain.run(3000)
    scaled.run(3000)
    assert np.array_equal(plain.state()["policy"], scaled.state()["policy"])


def test_hedge_depends_on_the_product_of_rate_and_losses():
    plain, scaled = learner_of(HEDGE), learner_of(replace(HEDGE, step_sizes=StepSizes(0.3 / 8, 0)))
    scaled._play_state.feedback[:] *= 8.0
    plain.run(3000)
    scaled.run(3000)
    assert np.allclose(plain.state()["policy"], scaled.state()["policy"], rtol=1e-9)


def test_the_rate_of_hedge_minimizes_its_bound():
    size, iterations = TreeSize(6, 14, 3, 2), 1000

    def bound(rate):
        return size.sequences * size.confidence / rate + rate * size.decisions**3 * iterations

    rate = balanced_cfr_step_sizes(size, iterations).learning_rate
    assert bound(rate) < min(bound(0.99 * rate), bound(1.01 * rate))


MEASURED = {
    "balanced-cfr-hedge": {10_000: (0.202, 0.035), 100_000: (0.072, 0.010)},
    "balanced-cfr-rm": {10_000: (0.184, 0.043), 100_000: (0.049, 0.011)},
    "balanced-cfr-rm+": {10_000: (0.210, 0.03), 100_000: (0.093, 0.011)},
}
"""NashConv on Kuhn poker by ten runs of a prototype: mean and deviation of a run, in chips."""


@pytest.mark.parametrize("episodes", [10_000, 100_000])
@pytest.mark.parametrize("name", MEASURED)
def test_kuhn_poker_agrees_with_the_prototype(name, episodes):
    mean, deviation = MEASURED[name][episodes]
    found = [nash_conv(LEARNERS[name], episodes, seed) for seed in range(5)]
    assert abs(np.mean(found) - mean) < 3 * deviation * np.sqrt(1 / 10 + 1 / len(found))


def test_anytime_rates_need_no_horizon():
    """The rate of iteration t is that of the rule for t, whatever the horizon."""
    anytime, planned = (get_learner("balanced-cfr-hedge", preset=name) for name in ANY_OR_THEORY)
    size = TreeSize(6, 12, 2, 2, "kuhn_poker")
    rate, _, _, drift = anytime.parameters(size, 10**9)
    assert rate * 400**drift == pytest.approx(planned.parameters(size, 400)[0])
    gaps = [
        np.mean([nash_conv(row, 300_000, seed) for seed in range(3)]) for row in (anytime, planned)
    ]
    assert gaps[0] < 1.5 * gaps[1]


def test_a_baseline_more_than_halves_the_gap_of_regret_matching():
    names = "balanced-cfr-rm", "balanced-cfr-baseline"
    published, baseline = (
        np.mean([nash_conv(LEARNERS[name], 100_000, seed) for seed in range(4)]) for name in names
    )
    assert baseline < published / 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"step_sizes": StepSizes(0.0, 0)}, "rate=0"),
        ({"step_sizes": StepSizes(-1.0, 0)}, "at least 0"),
        ({"step_sizes": "much"}, "pair"),
        ({"center": np.nan}, "center"),
        ({"baseline_window": -1}, "baseline_window"),
        ({"baseline_window": 0.5}, "baseline_window"),
    ],
)
def test_invalid_numbers_are_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        replace(HEDGE, **changes)
