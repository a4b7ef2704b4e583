"""Regrets and empirical joint play, against sums over stored policies and theorems."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import (
    EFCEEvaluator,
    best_response,
    evaluate_cce,
    evaluate_efce,
    evaluate_policy,
    expected_values,
)
from infoset.games import matrix_game
from infoset.learning import RegretTracker, get_learner, make_simulator, tree_size
from infoset.learning.online_mirror_descent import balanced_omd_step_sizes, ixomd_step_sizes
from infoset.policy import TabularPolicy, mix
from infoset.runs import Budget, Checkpointing, JointGaps, run_measured
from infoset.tree import build_tree
from tests.learning.playing import simulator_of


@pytest.fixture(scope="module")
def kuhn():
    return simulator_of("kuhn_poker")


@pytest.fixture(scope="module")
def kuhn_3():
    return simulator_of("kuhn_poker(players=3)")


def measured(simulator, name="balanced-omd", episodes=300, seed=0, **settings):
    """Return measured self-play; its step sizes are for a tenth of the episodes, to be larger."""
    row = get_learner(name)
    play = RegretTracker(row.self_play(simulator, horizon=episodes // 10, seed=seed), **settings)
    play.run(episodes)
    return play


def policies_of(simulator, name, episodes, seed=0):
    """Yield the policy at the start of each episode."""
    learners = get_learner(name).self_play(simulator, horizon=episodes // 10, seed=seed)
    for _ in range(episodes):
        yield learners.current_policy()
        learners.run(1)


@pytest.mark.parametrize("name", ["ixomd", "balanced-omd", "tweaked-ftrl"])
def test_regrets_are_sums_over_the_policies_played(kuhn, name):
    play = measured(kuhn, name)
    policies = list(policies_of(kuhn, name, 300))
    average = mix(policies, [1.0] * 300)
    for player in range(2):
        earned = sum(expected_values(policy)[player] for policy in policies)
        best = 300 * best_response(average, player).value
        assert play.regrets[player] == pytest.approx(best - earned, abs=1e-9)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize("name", ["ixomd", "balanced-omd", "balanced-ftrl", "adaptive-ftrl"])
def test_nash_conv_of_the_average_is_the_sum_of_regrets(spec, name):
    """For two players with constant sums, this is an identity, not only a bound."""
    play = measured(simulator_of(spec), name, episodes=400)
    conv = evaluate_policy(play.policy()).nash_conv
    assert sum(play.regrets) / 400 == pytest.approx(conv, abs=1e-10)


@pytest.mark.parametrize(
    ("name", "turn"), [("balanced-cfr-hedge", 3), ("local-omd", 2), ("os-mccfr", 1)]
)
def test_the_regret_identity_of_alternating_learners_holds_over_whole_rounds(kuhn, name, turn):
    play = measured(kuhn, name, episodes=198, every=turn)
    conv = evaluate_policy(play.policy()).nash_conv
    assert sum(play.evaluate().gains) == pytest.approx(conv, abs=1e-10)


def test_averaging_behavioral_probabilities_breaks_the_identity(kuhn):
    """The average is over realization plans, not over behavioral probabilities."""
    play = measured(kuhn, "tweaked-ftrl")
    policies = list(policies_of(kuhn, "tweaked-ftrl", 300))
    naive = TabularPolicy(
        kuhn.form,
        tuple(np.mean([p.probabilities[player] for p in policies], axis=0) for player in (0, 1)),
    )
    gap = sum(play.regrets) / 300
    assert abs(evaluate_policy(naive).nash_conv - gap) > 1e-4
    assert evaluate_policy(mix(policies, [1.0] * 300)).nash_conv == pytest.approx(gap, abs=1e-10)


def test_the_cce_gap_is_the_largest_regret(kuhn_3):
    play = measured(kuhn_3)
    policies = list(policies_of(kuhn_3, "balanced-omd", 300))
    joint = evaluate_cce(policies)
    assert play.evaluate().gains == pytest.approx(joint.gains, abs=1e-12)
    assert play.evaluate().values == pytest.approx(joint.values, abs=1e-12)
    assert play.evaluate().cce_gap == pytest.approx(max(play.regrets) / 300, abs=1e-15)


def test_the_product_of_averages_differs_from_the_empirical_joint_play():
    """In Shapley's game play cycles: regrets vanish, but the averages are exploitable."""
    shapley = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    row = get_learner("ixomd", step_sizes=(0.05, 0.005))
    play = RegretTracker(row.self_play(make_simulator(build_tree(shapley)), horizon=10_000))
    play.run(10_000)
    assert max(play.regrets) < 0
    assert play.evaluate().cce_gap == 0
    assert evaluate_policy(play.policy()).nash_conv > 0.02


def test_subsampled_policies(kuhn):
    play = measured(kuhn, "ixomd", every=7, episodes=100)
    policies = list(policies_of(kuhn, "ixomd", 100))[::7]
    assert play.num_counted == len(policies) == 15
    assert play.evaluate().gains == pytest.approx(evaluate_cce(policies).gains, abs=1e-12)


def test_a_learner_that_already_ran_is_tracked_from_then_on(kuhn):
    play = measured(kuhn, episodes=10)
    play.learners.run(5)
    play.run(10)
    assert (play.iteration, play.num_counted) == (25, 20)


def test_tracking_does_not_change_learning(kuhn):
    measured_one = measured(kuhn, every=3, keep=5, episodes=200)
    alone = get_learner("balanced-omd").self_play(kuhn, horizon=20)
    alone.run(200)
    for name, array in alone.state().items():
        assert np.array_equal(array, measured_one.learners.state()[name])


def test_the_reservoir_holds_all_policies_at_first(kuhn_3):
    play = measured(kuhn_3, episodes=60, keep=100)
    kept = play.correlated_policy()
    assert len(kept.policies) == 60
    found = kept.evaluate()
    assert found.gains == pytest.approx(play.evaluate().gains, abs=1e-12)
    first = kept.policies[0].probabilities[0]
    assert np.array_equal(first, kuhn_3.policy(kuhn_3.uniform()).probabilities[0])


def test_the_reservoir_is_uniform():
    """Each of 20 policies is kept with probability 5/20, over 100 seeds."""
    pennies = simulator_of("matrix_mp")
    counts = np.zeros(20)
    for seed in range(100):
        row = replace(get_learner("ixomd", step_sizes=(0.1, 0.1)), center=0.25)
        play = RegretTracker(row.self_play(pennies, horizon=20, seed=seed), keep=5)
        seen = []
        for _ in range(20):
            seen.append(play.current_policy().probabilities[0][1])
            play.run(1)
        kept = [policy.probabilities[0][1] for policy in play.correlated_policy().policies]
        counts += [np.isclose(value, kept, rtol=0, atol=1e-15).any() for value in seen]
        assert len(set(seen)) == 20
    deviation = np.sqrt(100 * 0.25 * 0.75)
    assert np.abs(counts - 25).max() < 4 * deviation


def test_the_reservoir_has_its_own_random_stream(kuhn_3):
    learners = get_learner("ixomd").self_play(kuhn_3, horizon=10)
    state = RegretTracker(learners, keep=5).state()
    assert state["sampling"] != state["stream"]


@pytest.mark.parametrize("cut", [1, 30, 77])
def test_resumed_runs_are_bit_identical(kuhn_3, cut):
    def fresh():
        learners = get_learner("balanced-omd").self_play(kuhn_3, horizon=12)
        return RegretTracker(learners, every=3, keep=10, triggers=True)

    whole, begun, resumed = fresh(), fresh(), fresh()
    whole.run(120)
    begun.run(cut)
    resumed.set_state({name: array.copy() for name, array in begun.state().items()})
    resumed.run(120 - cut)
    for name, array in whole.state().items():
        assert np.array_equal(array, resumed.state()[name]), name


@pytest.mark.broad
def test_trigger_gains_are_over_the_counted_policies(kuhn_3):
    learners = get_learner("balanced-efce-omd").self_play(kuhn_3, horizon=60)
    play = RegretTracker(learners, every=2, keep=100, triggers=True)
    assert play.gaps() == JointGaps()
    play.run(60)
    kept = play.correlated_policy()
    told = evaluate_efce(kept.policies)
    assert len(kept.policies) == 30
    assert play.evaluate_efce().efce_gap == pytest.approx(told.efce_gap, abs=1e-12)
    assert play.gaps() == (play.evaluate().cce_gap, play.evaluate_efce().efce_gap)
    assert learners.num_pairs == EFCEEvaluator(kuhn_3.form).num_pairs
    untold = RegretTracker(get_learner("ixomd").self_play(kuhn_3, horizon=60))
    untold.run(3)
    assert untold.gaps() == (untold.evaluate().cce_gap, None)
    assert (
        play.cost_per_iteration > play.learners.cost_per_iteration + untold.cost_per_iteration // 2
    )
    with pytest.raises(ParameterError, match=r"with RegretTracker\(learners, triggers=True\)"):
        untold.evaluate_efce()


def test_checkpoints_include_measurements(kuhn_3, tmp_path):
    def run(episodes):
        learners = get_learner("ixomd").self_play(kuhn_3, horizon=200)
        play = RegretTracker(learners, every=2, keep=8)
        file = Checkpointing(tmp_path / "run", 60)
        run_measured(play, "ixomd", Budget(iterations=episodes, checkpoint=file))
        return play

    run(90)
    resumed = run(200)
    learners = get_learner("ixomd").self_play(kuhn_3, horizon=200)
    whole = RegretTracker(learners, every=2, keep=8)
    whole.run(200)
    assert resumed.evaluate() == whole.evaluate()
    assert resumed.num_counted == 100


def test_invalid_arguments(kuhn):
    learners = get_learner("ixomd").self_play(kuhn, horizon=10)
    with pytest.raises(ParameterError, match="every=0"):
        RegretTracker(learners, every=0)
    with pytest.raises(ParameterError, match="keep=-1"):
        RegretTracker(learners, keep=-1)
    with pytest.raises(ParameterError, match=r"give the result of .*self_play\("):
        RegretTracker("ixomd")
    empty = RegretTracker(learners)
    with pytest.raises(ParameterError, match="mixture is empty"):
        empty.evaluate()
    empty.run(1)
    with pytest.raises(ParameterError, match="no policies have been sampled"):
        empty.correlated_policy()
    with pytest.raises(ParameterError, match="before the first episode"):
        RegretTracker(learners)


# Three-player Kuhn poker: the gap in units of losses (a payoff range of 6 chips), theory steps,
# mean over 3 seeds. The numbers come from a program that used H = 2 for every player. Here the last
# player decides once, so its steps are larger and the gap is smaller.
TABLE = {
    ("ixomd", ixomd_step_sizes, 1000): 0.123,
    ("ixomd", ixomd_step_sizes, 10_000): 0.092,
    ("balanced-omd", balanced_omd_step_sizes, 1000): 0.115,
    ("balanced-omd", balanced_omd_step_sizes, 10_000): 0.073,
}


def mean_gap(simulator, row, episodes):
    gaps = []
    for seed in range(3):
        learners = row.self_play(simulator, horizon=episodes, seed=seed)
        play = RegretTracker(learners, every=episodes // 500)
        play.run(episodes)
        gaps.append(play.evaluate().cce_gap / 6)
    return np.mean(gaps)


@pytest.mark.parametrize(("name", "rule", "episodes"), TABLE)
def test_the_gap_in_three_player_kuhn(kuhn_3, name, rule, episodes):
    def alike(size, horizon):
        return rule(size._replace(decisions=2), horizon)

    found = mean_gap(kuhn_3, get_learner(name, step_sizes=alike), episodes)
    assert found == pytest.approx(TABLE[name, rule, episodes], rel=0.07)
    assert mean_gap(kuhn_3, get_learner(name, preset="theory"), episodes) < found


@pytest.mark.parametrize(
    ("name", "power", "is_wide"), [("ixomd", 1, True), ("balanced-omd", 3, False)]
)
def test_regrets_satisfy_their_bounds(kuhn, name, power, is_wide):
    """With the constant 1, of losses in [0, 1]: √(H XA X ι T) and √(H³ XA ι T)."""
    episodes = 20_000
    learners = get_learner(name, preset="theory").self_play(kuhn, horizon=episodes)
    learners_play = RegretTracker(learners, every=20)
    learners_play.run(episodes)
    for player in range(2):
        size = tree_size(kuhn, player)
        factor = size.infostates if is_wide else 1
        bound = sqrt(size.decisions**power * size.sequences * factor * size.confidence * episodes)
        regret = learners_play.evaluate().gains[player] * episodes / 4
        assert regret < bound
