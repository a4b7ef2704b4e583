"""LocalOMD, against its slow reference, the theory, and earlier measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.learning import LEARNERS, LocalOMD, StepSizes, TreeSize, get_learner
from infoset.learning._local_omd_kernels import estimate_losses
from infoset.learning.local_omd import local_omd_step_sizes
from tests.learning.playing import UNEVEN, learner_of, nash_conv, simulator_of
from tests.support.reference_balanced_cfr import ReferenceLocalOMD
from tests.support.reference_tree import ReferenceTree

FIXED = LocalOMD("fixed", "", step_sizes=StepSizes(0.7, 0))
ADAPTIVE = LocalOMD("adaptive", "", step_sizes=StepSizes(2.0, 0), adaptive=True)
ROWS = {
    "fixed": FIXED,
    "anytime": replace(FIXED, anytime=True, baseline_window=3),
    "adaptive": ADAPTIVE,
    "centerd": replace(ADAPTIVE, center=0.5),
    "baseline": replace(ADAPTIVE, center=0.5, baseline_window=3),
    "by action": replace(ADAPTIVE, center=0.5, baseline_window=3, baseline_per_action=True),
    "mixed": replace(
        ADAPTIVE, center=0.5, baseline_window=3, baseline_per_action=True, exploration=0.6
    ),
    "fixed by action": replace(FIXED, baseline_window=1000, baseline_per_action=True),
}
GAMES = ["kuhn_poker", "kuhn_poker(players=3)", UNEVEN]


def reference_of(row, game="kuhn_poker"):
    learner = learner_of(row, game)
    rates = [numbers[0] for numbers in learner.settings()["parameters"]]
    losses = simulator_of(game).losses()
    return ReferenceLocalOMD(simulator_of(game), row, rates, learner.state()["stream"][0], losses)


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_every_episode_agrees_with_the_reference(name, game):
    learner, reference = learner_of(ROWS[name], game), reference_of(ROWS[name], game)
    for _ in range(60):
        learner.run(1)
        reference.episode()
        assert np.allclose(
            learner.state()["policy"], reference.tree.flat(reference.policies), atol=1e-9
        )
    simulator = learner.simulator
    cumulative_plan = learner.state()["cumulative_plan"][simulator.infostates.root_sequence]
    assert cumulative_plan.tolist() == [60 // simulator.num_players] * simulator.num_players
    sequences = list(reference.tree.owner)
    plans = [
        count * plan
        for count, plan in zip(cumulative_plan, learner.policy().realization_plans(), strict=True)
    ]
    kept = reference.tree.flat(reference.average.cumulative_plan)
    assert np.allclose(np.concatenate(plans)[sequences], kept[sequences], atol=1e-9)
    assert int(learner.state()["stream"][0]) == reference.stream.state


@pytest.mark.parametrize("name", ["fixed", "baseline"])
def test_only_the_path_of_the_sampling_player_changes(name):
    game = "kuhn_poker(players=3)"
    learner, tree = learner_of(ROWS[name], game), ReferenceTree(simulator_of(game))
    moved = 0
    for episode in range(60):
        before = learner.state()["policy"].copy()
        learner.run(1)
        paths, player = learner._play_state.paths, episode % 3
        path = set(paths.infostate[player, : paths.length[player]].tolist())
        changed = np.flatnonzero(learner.state()["policy"] != before)
        assert {tree.owner[int(sequence)][0] for sequence in changed} <= path
        moved += len(changed)
    assert moved > 60


def test_the_sampling_player_follows_the_fixed_policy():
    learner = learner_of(replace(FIXED, step_sizes=StepSizes(1e-12, 0)))
    sampling, policy = learner._state.sampling, learner.state()["policy"]
    policy[:] = 0.0
    rows = learner.simulator.infostates
    policy[rows.first_sequence] = 1.0  # everyone's own policy: always the first action
    chosen = []
    for episode in range(300):
        learner.run(1)
        paths, player = learner._play_state.paths, episode % 2
        others = paths.sequence[1 - player, : paths.length[1 - player]]
        assert set(others.tolist()) <= set(rows.first_sequence.tolist())
        chosen += paths.sequence[player, : paths.length[player]].tolist()
    share = np.mean([sequence in rows.first_sequence for sequence in chosen])
    assert abs(share - sampling[rows.first_sequence].mean()) < 0.1


def test_anytime_rates_need_no_horizon():
    """The rate of episode t is that of the rule for t, whatever the horizon."""
    anytime, planned = (get_learner("local-omd", preset=name) for name in ("anytime", "theory"))
    size = TreeSize(6, 12, 2, 2, "kuhn_poker")
    rate, *_, drift = anytime.parameters(size, 10**9)
    assert rate * 400**drift == pytest.approx(planned.parameters(size, 400)[0])
    gaps = [
        np.mean([nash_conv(row, 300_000, seed) for seed in range(3)]) for row in (anytime, planned)
    ]
    assert gaps[0] < 1.5 * gaps[1]


@pytest.mark.parametrize("name", ["fixed", "adaptive"])
def test_a_constant_baseline_equals_shifted_losses(name):
    centered, shifted = learner_of(replace(ROWS[name], center=0.5)), learner_of(ROWS[name])
    shifted._play_state.feedback[:] -= 0.5
    centered.run(2000)
    shifted.run(2000)
    assert np.allclose(centered.state()["policy"], shifted.state()["policy"], atol=1e-9)


def test_small_steps_pass_up_nearly_the_value():
    simulator = simulator_of("kuhn_poker")
    learner = replace(FIXED, step_sizes=StepSizes(1e-6, 0), baseline_window=100_000).self_play(
        simulator, horizon=1, seed=3
    )
    learner.run(60_000)
    tree, losses = ReferenceTree(simulator), simulator.losses()
    policies, seen = tree.by_subtree(), np.zeros((tree.num_infostates, 2))
    for probability, end, paths in tree.trajectories(lambda here, step: policies[here]):
        for player, path in enumerate(paths):
            for here, _ in path:
                seen[here] += probability * losses[end, player], probability
    baseline = learner.state()["baseline"]
    first = simulator.infostates.first_sequence
    assert np.allclose(baseline[first], seen[:, 0] / seen[:, 1], atol=0.02)


def test_estimates_are_unbiased_for_any_baseline():
    sampling, baseline, losses = (
        np.array(row) for row in ([0.2, 0.5, 0.3], [9, -1, 0.5], [1, 2, 3])
    )
    expected, estimate = np.zeros(3), np.zeros(3)
    for taken, probability in enumerate(sampling):
        largest = estimate_losses(0, 3, taken, losses[taken], 0.7, probability, baseline, estimate)
        assert largest == np.abs(estimate).max()
        expected += probability * estimate
    assert np.allclose(expected, losses - 0.7, atol=1e-12)


@pytest.mark.parametrize("name", ROWS)
def test_policies_stay_valid_at_any_rate(name):
    learner = learner_of(replace(ROWS[name], step_sizes=StepSizes(1e6, 0)))
    learner.run(2000)
    policy = learner.state()["policy"]
    assert (policy > 0).all()
    for plan in learner.policy().realization_plans():
        assert np.isfinite(plan).all()


def test_fixed_rates_minimize_their_bound():
    size, episodes = TreeSize(6, 14, 3, 2), 1000

    def bound(rate):
        paid = size.decisions * size.sequences * np.log(size.actions) / rate
        return paid + rate * size.decisions * episodes / 2

    rate = local_omd_step_sizes(size, episodes).learning_rate
    assert bound(rate) < min(bound(0.99 * rate), bound(1.01 * rate))


MEASURED = {
    ("local-omd", 1.0): (0.0097, 0.0025),
    ("local-omd-adaptive", 3.2): (0.0093, 0.0035),
    ("local-omd-baseline", 3.2): (0.0043, 0.0012),
    ("local-omd-action-baseline", 3.2): (0.0037, 0.0012),
}
"""NashConv on Kuhn poker after 10⁶ episodes, by a prototype but for the last; and deviations."""

QUICK = ("local-omd", "local-omd-action-baseline")


@pytest.mark.parametrize(
    ("name", "rate"),
    [pytest.param(*key, marks=[] if key[0] in QUICK else [pytest.mark.long]) for key in MEASURED],
)
def test_kuhn_poker_agrees_with_the_prototype(name, rate):
    mean, deviation = MEASURED[name, rate]
    row = get_learner(name, step_sizes=StepSizes(rate, 0))
    found = [nash_conv(row, 1_000_000, seed) for seed in range(2)]
    assert abs(np.mean(found) - mean) < 3 * deviation / np.sqrt(len(found))


def test_a_baseline_improves_leduc_poker():
    names = "local-omd-action-baseline", "local-omd-baseline"
    rows = [*(LEARNERS[name] for name in names), get_learner("local-omd-adaptive", preset="tuned")]
    by_action, baseline, published = (nash_conv(row, 300_000, 0, "leduc_poker") for row in rows)
    assert by_action < baseline < 0.6
    assert published > 2 * baseline


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"step_sizes": StepSizes(0.0, 0)}, "rate=0"),
        ({"step_sizes": None}, "pair"),
        ({"center": np.inf}, "center"),
        ({"baseline_window": -1}, "baseline_window"),
        ({"exploration": 0.0}, "exploration"),
        ({"exploration": 1.5}, "exploration"),
    ],
)
def test_invalid_numbers_are_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        replace(FIXED, **changes)
