"""Online mirror descent: against a slow reference, what changes, and resumed runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.learning import LEARNERS, SelfPlay, StepSizes, tree_size
from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.online_mirror_descent import OnlineMirrorDescent
from infoset.runs import Budget, Checkpointing
from infoset.runs.loop import run_measured
from tests.learning.playing import assert_same_bits, simulator_of
from tests.learning.reference_mirror_descent import (
    ReferenceLearners,
    behavior_of,
    own_sequences,
    plan_of,
)

MIRROR_DESCENT_LEARNERS = [
    name for name, row in LEARNERS.items() if isinstance(row, OnlineMirrorDescent)
]
PLAIN = LEARNERS["ixomd"]


def average_of(learners):
    """Return the average policy, even if the learner returns another."""
    return SelfPlay.policy(learners).probabilities


def reference_of(learners):
    """Return slow reference learners; the meaning of a spec is written out here again."""
    simulator, row = learners.simulator, learners.spec
    infostates, depth = simulator.infostates, simulator.depth
    weights = {
        "balanced-omd": lambda: balanced_reach(infostates, depth),
        "balanced-ftrl": lambda: 1 / balanced_transitions(infostates, depth),
    }
    adaptivity_exponent = {"adaptive-ftrl": 1.0, "tweaked-ftrl": 0.5, "perturbed-ftrl": 0.75}.get(
        row.name, 0.0
    )
    counts = infostates.num_actions
    uniform = np.ones(simulator.num_sequences)
    for here, count in enumerate(counts):
        uniform[own_sequences(simulator, here)] = 1 / count
    sizes = [tree_size(simulator, player) for player in range(simulator.num_players)]
    return ReferenceLearners(
        simulator,
        [
            steps_of(row, size, 1 if row.anytime else learners.settings()["horizon"])
            for size in sizes
        ],
        weight=weights.get(row.name, lambda: np.ones(len(depth)))(),
        initial=subtree_policy(infostates, depth) if row.name == "balanced-ftrl" else uniform,
        adaptivity_exponent=adaptivity_exponent,
        decay_exponent=adaptivity_exponent - 0.5 if row.anytime else 0.0,
        center=row.center,
        baseline_window=row.baseline_window,
        min_probability=row.min_probability,
        state=learners.state()["stream"][0],
    )


def steps_of(row, size, horizon):
    return (
        row.step_sizes if isinstance(row.step_sizes, StepSizes) else row.step_sizes(size, horizon)
    )


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("name", MIRROR_DESCENT_LEARNERS)
def test_every_episode_agrees_with_the_reference(name, anytime):
    row = replace(LEARNERS[name], anytime=anytime, center=0.25)
    learners = row.self_play(simulator_of("kuhn_poker"), horizon=150, seed=3)
    slow = reference_of(learners)
    for _ in range(150):
        learners.run(1)
        slow.play_one()
        np.testing.assert_allclose(learners.state()["policy"], slow.policy, rtol=1e-9, atol=1e-13)
    expected = learners.simulator.policy(slow.average())
    for found, wanted in zip(average_of(learners), expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@pytest.mark.parametrize("name", MIRROR_DESCENT_LEARNERS)
@pytest.mark.parametrize(
    "changes",
    [
        {"baseline_window": 7.0},
        {"min_probability": 3.0},
        {"baseline_window": 7.0, "min_probability": 0.3},
    ],
)
def test_baselines_and_minimum_probabilities_agree_with_the_reference(name, changes):
    row = replace(
        LEARNERS[name], **{"baseline_window": 0.0, "min_probability": 0.0, **changes}, center=0.25
    )
    learners = row.self_play(simulator_of("kuhn_poker"), horizon=150, seed=3)
    slow = reference_of(learners)
    for _ in range(150):
        learners.run(1)
        slow.play_one()
        np.testing.assert_allclose(learners.state()["policy"], slow.policy, rtol=1e-9, atol=1e-13)


def test_specs_that_return_the_last_policy():
    for name in MIRROR_DESCENT_LEARNERS:
        learners = LEARNERS[name].self_play(simulator_of("kuhn_poker"), horizon=99, seed=3)
        learners.run(99)
        both = zip(
            learners.policy().probabilities, learners.current_policy().probabilities, strict=True
        )
        same = all(np.array_equal(answer, last) for answer, last in both)
        assert same == (name == "perturbed-ftrl")


@pytest.mark.parametrize("name", MIRROR_DESCENT_LEARNERS)
def test_the_lazy_average_agrees_with_the_explicit_one(name):
    simulator = simulator_of("leduc_poker")
    learners = LEARNERS[name].self_play(simulator, horizon=10, seed=1)
    total = np.zeros(simulator.num_sequences)
    for _ in range(30):
        total += plan_of(simulator, learners.state()["policy"])
        learners.run(1)
    expected = simulator.policy(behavior_of(simulator, total))
    for found, wanted in zip(average_of(learners), expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@pytest.mark.parametrize("name", MIRROR_DESCENT_LEARNERS)
def test_only_infostates_on_the_path_change(name):
    simulator = simulator_of("leduc_poker")
    learners = LEARNERS[name].self_play(simulator, horizon=100, seed=5)
    changes = 0
    for _ in range(50):
        before = {key: np.copy(array) for key, array in learners.state().items()}
        learners.run(1)
        path = on_path(learners._play_state.paths)
        met = np.zeros(simulator.num_sequences, bool)
        for here in path:
            met[own_sequences(simulator, here)] = True
        after = learners.state()
        np.testing.assert_array_equal(after["policy"][~met], before["policy"][~met])
        changes += int(np.sum(after["policy"][met] != before["policy"][met]))
        elsewhere = np.delete(np.arange(len(simulator.depth)), path)
        for key in ("rate", "infostate_visits"):
            if len(after[key]):
                np.testing.assert_array_equal(after[key][elsewhere], before[key][elsewhere])
    assert changes > 200


def on_path(paths):
    return np.concatenate(
        [paths.infostate[player, :length] for player, length in enumerate(paths.length)]
    )


def test_a_run_from_a_checkpoint_is_bit_identical(tmp_path):
    simulator = simulator_of("kuhn_poker")
    path = tmp_path / "run.ckpt"

    def run(episodes, checkpoint=None):
        learners = LEARNERS["tweaked-ftrl"].self_play(simulator, horizon=3000, seed=2)
        result = run_measured(
            learners, "tweaked-ftrl", Budget(iterations=episodes, checkpoint=checkpoint)
        )
        return learners, result

    whole, expected = run(3000)
    run(1000, Checkpointing(path))
    gone_on, found = run(3000, Checkpointing(path))
    assert_same_bits(gone_on, whole)
    assert found.nash_conv == expected.nash_conv
    assert {p.iteration: p.nash_conv for p in expected.trace}.items() <= {
        p.iteration: p.nash_conv for p in found.trace
    }.items()


def test_anytime_rates_start_with_those_for_one_episode():
    simulator = simulator_of("kuhn_poker")
    for name in MIRROR_DESCENT_LEARNERS:
        fixed = LEARNERS[name].self_play(simulator, horizon=1, seed=4)
        falling = replace(LEARNERS[name], anytime=True).self_play(simulator, horizon=999, seed=4)
        fixed.run(1)
        falling.run(1)
        np.testing.assert_array_equal(fixed.state()["policy"], falling.state()["policy"])


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(num_cards=2)"])
@pytest.mark.parametrize("center", [0.0, 1.0])
def test_huge_steps_leave_valid_policies(game, center):
    row = replace(PLAIN, step_sizes=(1e6, 0.0), center=center)
    learners = row.self_play(simulator_of(game), horizon=1000, seed=1)
    learners.run(1000)
    policy = learners.state()["policy"]
    for here in range(len(learners.simulator.depth)):
        assert policy[own_sequences(learners.simulator, here)].sum() == pytest.approx(1.0)
    assert np.all(np.isfinite(np.concatenate(learners.policy().probabilities)))
