"""Balanced CFR, against its slow twin, the theory, and the numbers that were measured before."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.games import RandomGame, load_game
from infoset.learning import (
    LEARNERS,
    BalancedCfr,
    Steps,
    TreeSize,
    find_learner,
    make_simulator,
)
from infoset.learning.balanced_cfr.rows import hedge_steps
from infoset.tree import build_tree
from oracle_balanced import SlowBalancedCfr
from slow_tree import SlowTree
from toys import Toy

HEDGE = BalancedCfr("hedge", "", steps=Steps(0.3, 0))
MATCHING = BalancedCfr("matching", "")
ROWS = {
    "hedge": HEDGE,
    "matching": MATCHING,
    "matching+": replace(MATCHING, forgetful=True),
    "anytime": replace(HEDGE, anytime=True),
    "centred": replace(HEDGE, centre=0.5),
    "baseline": replace(MATCHING, centre=0.5, window=3),
}
ANY_OR_THEORY = ("anytime", "theory")
UNEVEN = RandomGame(seed=3, max_depth=6, max_actions=4, max_histories=300)
GAMES = ["kuhn_poker", "kuhn_poker(players=3)", UNEVEN]


@cache
def simulator_of(game):
    return make_simulator(build_tree(load_game(game) if isinstance(game, str) else game))


def learner_of(row, game="kuhn_poker", seed=0):
    return row.self_play(simulator_of(game), horizon=1000, seed=seed)


def twin_of(row, game="kuhn_poker", seed=0):
    learner = learner_of(row, game, seed)
    rates = [numbers[0] for numbers in learner.settings()["numbers"]]
    losses = simulator_of(game).losses()
    return SlowBalancedCfr(simulator_of(game), row, rates, learner.state()["stream"][0], losses)


def nash_conv(row, episodes, seed):
    learner = row.self_play(simulator_of("kuhn_poker"), horizon=episodes, seed=seed)
    learner.run(episodes)
    return evaluate_policy(learner.policy()).nash_conv


def episodes_per_iteration(game):
    return int(simulator_of(game).most_decisions.sum())


def assert_same_bits(first, second):
    for name, array in first.state().items():
        assert np.array_equal(array, second.state()[name]), name


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_every_iteration_equals_that_of_the_slow_twin(name, game):
    learner, twin = learner_of(ROWS[name], game), twin_of(ROWS[name], game)
    for _ in range(25):
        learner.run(episodes_per_iteration(game))
        twin.iterate()
        current = twin.tree.flat(twin.policies)
        assert np.allclose(learner.state()["policy"], current, atol=1e-9)
    plans = np.concatenate(learner.policy().realization_plans())
    kept = twin.tree.flat(twin.average.mass)
    assert np.allclose(25 * plans[list(twin.tree.owner)], kept[list(twin.tree.owner)], atol=1e-9)
    assert int(learner.state()["stream"][0]) == twin.stream.state


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("name", ["hedge", "baseline"])
def test_policies_stay_as_they_are_while_an_iteration_is_under_way(name, game):
    learner, size = learner_of(ROWS[name], game), episodes_per_iteration(game)
    moved = 0
    for _ in range(20):
        before = learner.state()["policy"].copy()
        learner.run(size - 1)
        assert np.array_equal(learner.state()["policy"], before)
        learner.run(1)
        touched = learner.state()["touched"]
        changed = np.flatnonzero(learner.state()["policy"] != before)
        owners = {SlowTree(learner.simulator).owner[int(slot)][0] for slot in changed}
        assert owners <= set(touched[touched >= 0].tolist())
        moved += len(owners)
    assert moved > 10


@pytest.mark.parametrize("name", ROWS)
def test_a_run_in_parts_has_the_bits_of_a_run_in_one(name):
    whole = learner_of(ROWS[name], "kuhn_poker(players=3)", seed=4)
    parts = learner_of(ROWS[name], "kuhn_poker(players=3)", seed=4)
    whole.run(331)
    for episodes in (1, 2, 7, 90, 0, 31, 200):
        parts.run(episodes)
        parts.policy()
    assert_same_bits(whole, parts)


@pytest.mark.parametrize("episodes", [5, 7, 12])
def test_a_run_is_gone_on_with_from_its_state(episodes):
    whole, early, late = (learner_of(ROWS["baseline"], UNEVEN) for _ in range(3))
    whole.run(100)
    early.run(episodes)
    late.set_state({name: array.copy() for name, array in early.state().items()})
    late.run(100 - episodes)
    assert_same_bits(whole, late)


@pytest.mark.parametrize("name", ["matching", "matching+"])
def test_regret_matching_does_not_see_the_scale_of_losses(name):
    plain, scaled = learner_of(ROWS[name]), learner_of(ROWS[name])
    scaled._losses *= 8.0
    plain.run(3000)
    scaled.run(3000)
    assert np.array_equal(plain.state()["policy"], scaled.state()["policy"])


def test_hedge_sees_the_product_of_rate_and_losses_only():
    plain, scaled = learner_of(HEDGE), learner_of(replace(HEDGE, steps=Steps(0.3 / 8, 0)))
    scaled._losses *= 8.0
    plain.run(3000)
    scaled.run(3000)
    assert np.allclose(plain.state()["policy"], scaled.state()["policy"], rtol=1e-9)


def test_the_rate_of_hedge_makes_its_bound_least():
    size, iterations = TreeSize(6, 14, 3, 2), 1000

    def bound(rate):
        return size.sequences * size.confidence / rate + rate * size.decisions**3 * iterations

    rate = hedge_steps(size, iterations).rate
    assert bound(rate) < min(bound(0.99 * rate), bound(1.01 * rate))


MEASURED = {
    "balanced-cfr-hedge": {10_000: (0.202, 0.035), 100_000: (0.072, 0.010)},
    "balanced-cfr-rm": {10_000: (0.184, 0.043), 100_000: (0.049, 0.011)},
    "balanced-cfr-rm+": {10_000: (0.210, 0.03), 100_000: (0.093, 0.011)},
}
"""NashConv on Kuhn poker by ten runs of a prototype: mean and deviation of a run, in chips."""


@pytest.mark.parametrize("episodes", [10_000, 100_000])
@pytest.mark.parametrize("name", MEASURED)
def test_kuhn_poker_is_learnt_as_fast_as_by_the_prototype(name, episodes):
    mean, deviation = MEASURED[name][episodes]
    found = [nash_conv(LEARNERS[name], episodes, seed) for seed in range(5)]
    assert abs(np.mean(found) - mean) < 3 * deviation * np.sqrt(1 / 10 + 1 / len(found))


def test_rates_for_any_time_need_no_horizon():
    """The rate of iteration t is that of the rule for t, whatever the horizon."""
    anytime, planned = (find_learner("balanced-cfr-hedge", preset=name) for name in ANY_OR_THEORY)
    size = TreeSize(6, 12, 2, 2, "kuhn_poker")
    rate, _, _, drift = anytime.numbers(size, 10**9)
    assert rate * 400**drift == pytest.approx(planned.numbers(size, 400)[0])
    gaps = [
        np.mean([nash_conv(row, 300_000, seed) for seed in range(3)]) for row in (anytime, planned)
    ]
    assert gaps[0] < 1.5 * gaps[1]


def test_a_baseline_more_than_halves_the_distance_of_regret_matching():
    def nash_conv(name, seed):
        learner = LEARNERS[name].self_play(simulator_of("kuhn_poker"), horizon=100_000, seed=seed)
        learner.run(100_000)
        return evaluate_policy(learner.policy()).nash_conv

    published = np.mean([nash_conv("balanced-cfr-rm", seed) for seed in range(4)])
    assert np.mean([nash_conv("balanced-cfr-baseline", seed) for seed in range(4)]) < published / 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": Steps(0.0, 0)}, "rate=0"),
        ({"steps": Steps(-1.0, 0)}, "at least 0"),
        ({"steps": "much"}, "pair"),
        ({"centre": np.nan}, "centre"),
        ({"window": -1}, "window"),
        ({"window": 0.5}, "window"),
    ],
)
def test_numbers_that_are_none_are_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        replace(HEDGE, **changes)


def test_a_horizon_without_episodes_is_refused():
    with pytest.raises(ParameterError, match="horizon"):
        HEDGE.self_play(simulator_of("kuhn_poker"), horizon=0)


def test_a_game_without_decisions_is_played_and_teaches_nothing():
    learner = MATCHING.self_play(make_simulator(build_tree(Toy(2))), horizon=10)
    learner.run(10)
    assert learner.iteration == 10
    assert learner.state()["policy"].tolist() == [1, 1]
