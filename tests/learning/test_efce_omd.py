"""Balanced EFCE-OMD, against its slow reference and the bound on its gap."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation import EFCEEvaluator, evaluate_efce
from infoset.games import RandomGame, matrix_game
from infoset.learning import (
    LEARNERS,
    AdversarialPlay,
    Knowledge,
    RegretTracker,
    StepSizes,
    get_learner,
    switch_between,
    tree_size,
)
from infoset.policy import TabularPolicy, mix, tabulate
from tests.learning.driven import drive, learners_for, same_as_self_play
from tests.learning.playing import assert_same_bits, learner_of, simulator_of
from tests.support.function_game import FunctionGame
from tests.support.reference_efce_omd import ReferenceEfce, ReferenceTriggers, assemble, plan_from
from tests.support.reference_tree import ReferenceTree, losses_by_sequence

pytestmark = pytest.mark.broad

ROW = LEARNERS["balanced-efce-omd"]
BOLD = replace(ROW, step_sizes=StepSizes(0.7, 0.05))
SHAPLEY = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
UNEVEN = RandomGame(seed=9, max_histories=24)
GAMES = ["kuhn_poker", SHAPLEY, UNEVEN]


def reference_of(learner, row, game):
    numbers = [tuple(row.step_sizes)] * learner.simulator.num_players
    return ReferenceEfce(learner.simulator, numbers, learner.state()["stream"][0])


def matrix_of(learner, triggers):
    """Return M [Q, Q] of a player of the compiled learner."""
    pairs, rows = learner._update.pairs, learner.simulator.infostates
    matrix = np.zeros((len(triggers), len(triggers)))
    for column, (x, a) in enumerate(triggers.sequences):
        for row, sequence in enumerate(triggers.sequences):
            if triggers.follows(sequence, x):
                start = pairs.start[rows.first_sequence[x] + a]
                rank = pairs.rank[rows.first_sequence[sequence[0]] + sequence[1]]
                matrix[row, column] = learner.state()["estimates"][start + rank]
    return matrix


def deviation_of(learner, triggers):
    """Return φ [Q, Q] that the compiled learner has."""
    pairs, rows, state = learner._update.pairs, learner.simulator.infostates, learner.state()
    plans, exponents = [], []
    for x, a in triggers.sequences:
        trigger = rows.first_sequence[x] + a
        policies = {}
        for below in {y for y, b in triggers.sequences if triggers.follows((y, b), x)}:
            first = pairs.start[trigger] + pairs.rank[rows.first_sequence[below]]
            policies[below] = state["behavior"][first : first + rows.num_actions[below]]
        plans.append(plan_from(triggers, policies, x))
        exponents.append(state["exponent"][trigger])
    shares = np.exp(np.array(exponents) - max(exponents))
    return assemble(triggers, shares / shares.sum(), plans)


def plan_of(learner, player):
    return learner.current_policy().realization_plan(player)[1:]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_episode_agrees_with_the_reference(game):
    learner = learner_of(BOLD, game)
    reference = reference_of(learner, BOLD, game)
    for _ in range(30):
        for player, plan in enumerate(reference.plans):
            assert np.allclose(plan_of(learner, player), plan, atol=1e-9)
        learner.run(1)
        reference.episode()
    for player, triggers in enumerate(reference.players):
        assert np.allclose(matrix_of(learner, triggers), reference.matrices[player], atol=1e-9)
    assert int(learner.state()["stream"][0]) == reference.stream.state


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("episodes", [0, 300])
def test_deviations_are_minus_the_gradient_of_the_log_partition(game, episodes):
    learner = learner_of(BOLD, game)
    learner.run(episodes)
    tree = ReferenceTree(learner.simulator)
    for player in range(2):
        triggers = ReferenceTriggers(tree, player)
        matrix = BOLD.step_sizes.learning_rate * matrix_of(learner, triggers)
        found = deviation_of(learner, triggers)
        # A stride of 7 still meets every row and every column.
        for row, column in list(product(range(len(triggers)), repeat=2))[::7]:
            ends = []
            for step in (1e-5, -1e-5):
                moved = matrix.copy()
                moved[row, column] += step
                ends.append(triggers.log_partition(moved))
            assert found[row, column] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-7)


@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)", SHAPLEY, UNEVEN], ids=str)
@pytest.mark.parametrize("episodes", [0, 20_000])
def test_policies_are_fixed_points_of_the_deviations(game, episodes):
    learner = learner_of(BOLD, game)
    learner.run(episodes)
    tree = ReferenceTree(learner.simulator)
    for player in range(learner.simulator.num_players):
        deviation = deviation_of(learner, ReferenceTriggers(tree, player))
        plan = plan_of(learner, player)
        assert np.abs(deviation @ plan - plan).max() < 1e-12
        assert np.ptp(plan) > 0.01 or episodes == 0


def expected_estimates(reference, player):
    """Return the expected increment of M in an episode, by enumeration."""
    total = np.zeros_like(reference.matrices[player])
    for probability, end, paths in reference.tree.trajectories(
        lambda here, step: reference.policies[here]
    ):
        loss = reference.losses[end, player]
        total += probability * reference.estimate(player, paths[player], loss)
    return total


@pytest.mark.parametrize("game", ["kuhn_poker", UNEVEN], ids=str)
def test_estimates_are_unbiased_and_low_with_implicit_exploration(game):
    learner = learner_of(BOLD, game)
    reference = reference_of(learner, BOLD, game)
    for _ in range(10):
        reference.episode()
    for player, triggers in enumerate(reference.players):
        losses = losses_by_sequence(reference.tree, reference.policies, player)
        wanted = np.zeros_like(reference.matrices[player])
        for column, trigger in enumerate(triggers.sequences):
            for row, (x, a) in enumerate(triggers.sequences):
                if triggers.follows((x, a), trigger[0]):
                    wanted[row, column] = reference.plans[player][column] * losses[x][a]
        assert (expected_estimates(reference, player) <= wanted + 1e-12).all()
        assert (expected_estimates(reference, player) < wanted - 1e-4).any()
        rate = reference.numbers[player][0]
        reference.numbers[player] = (rate, 0.0)
        assert np.abs(expected_estimates(reference, player) - wanted).max() < 1e-12


@pytest.mark.parametrize("game", ["kuhn_poker", SHAPLEY], ids=str)
def test_the_efce_gap_is_the_trigger_regret(game):
    """Enumerated over the losses of all episodes and all pure continuations."""
    episodes = 40
    learner = learner_of(BOLD, game)
    tree, rows = ReferenceTree(learner.simulator), learner.simulator.infostates
    players = [ReferenceTriggers(tree, player) for player in range(2)]
    gradients = [np.zeros((len(own), len(own))) for own in players]  # Σ μ(g) l(s), [s, g]
    policies_met = []
    for _ in range(episodes):
        current = learner.current_policy()
        policies_met.append(current)
        sequences = np.concatenate(current.probabilities)
        first = rows.first_sequence
        policies = [sequences[f : f + n] for f, n in zip(first, rows.num_actions, strict=True)]
        for player, own in enumerate(players):
            losses = losses_by_sequence(tree, policies, player)
            loss = np.array([losses[x][a] for x, a in own.sequences])
            gradients[player] += np.outer(loss, current.realization_plan(player)[1:]) / episodes
        learner.run(1)
    regret = 0.0
    for own, gradient in zip(players, gradients, strict=True):
        for column, trigger in enumerate(own.sequences):
            followed = sum(
                gradient[row, row] for row, s in enumerate(own.sequences) if trigger in own.way(s)
            )
            below = sorted({x for x, a in own.sequences if own.follows((x, a), trigger[0])})
            for choice in product(*(range(tree.num_actions[x]) for x in below)):
                pure = {
                    x: np.eye(tree.num_actions[x])[a] for x, a in zip(below, choice, strict=True)
                }
                instead = plan_from(own, pure, trigger[0]) @ gradient[:, column]
                regret = max(regret, followed - instead)
    least, greatest = learner.form.payoff_range
    gap = evaluate_efce(policies_met).efce_gap
    assert gap == pytest.approx(regret * (greatest - least), abs=1e-12)
    assert gap > 0


def gap_after(learner, episodes, count=250):
    """Return the gap of joint play over evenly spaced policies, for utilities in [0, 1]."""
    least, greatest = learner.form.payoff_range
    play = RegretTracker(learner, every=max(1, episodes // count), keep=2 * count)
    play.run(episodes)
    return evaluate_efce(play.correlated_policy().policies).efce_gap / (greatest - least)


HORIZONS = (1_000, 10_000, 100_000)


@pytest.mark.parametrize("game", ["kuhn_poker", SHAPLEY], ids=str)
def test_the_gap_falls_with_the_root_of_episodes_within_its_bound(game):
    means = []
    for horizon in HORIZONS:
        gaps = []
        for seed in range(2):
            learner = learner_of(ROW, game, horizon, seed)
            gaps.append(gap_after(learner, horizon))
        means.append(np.mean(gaps))
        sizes = [tree_size(learner.simulator, player) for player in range(2)]
        bound = max(
            np.sqrt(s.decisions**4 * s.sequences * np.log(100 * s.sequences) / horizon)
            for s in sizes
        )
        assert max(gaps) < bound
    slope = np.polyfit(np.log(HORIZONS), np.log(means), 1)[0]
    assert -0.65 < slope < -0.3
    assert means[-1] < 0.008


def test_three_players_approach_a_correlated_equilibrium():
    gaps = [
        gap_after(learner_of(ROW, "kuhn_poker(players=3)", episodes), episodes, count=100)
        for episodes in (1000, 100_000)
    ]
    assert gaps[1] < 0.01 < 0.03 < gaps[0]


def test_anytime_rates_match_a_fixed_horizon():
    anytime = get_learner("balanced-efce-omd", preset="anytime")
    assert gap_after(learner_of(anytime, horizon=1), 50_000) < 0.012


@pytest.mark.parametrize("anytime", [False, True])
def test_driven_from_outside_it_equals_compiled_self_play(anytime):
    """Averages are not compared: in self-play they include all episodes."""
    row, left_out = (
        replace(BOLD, anytime=anytime),
        ("cumulative_plan", "parent_counted", "behavior", "estimates"),
    )
    same_as_self_play(row, "kuhn_poker(players=3)", 200, left_out=left_out)


def pure_policies(form, count):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(count):
        weights = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
        for own, plex in zip(weights, form.treeplexes, strict=True):
            own[plex.first_sequence + rng.integers(0, plex.num_actions)] = 1
        found.append(TabularPolicy.from_weights(form, weights))
    return found


def trigger_regret(simulator, horizon):
    """Return the trigger regret of player 0 against an opponent that switches policies."""
    form = simulator.form
    adversary, told = switch_between(pure_policies(form, 4)), EFCEEvaluator(form)
    play = AdversarialPlay(ROW, simulator, adversary, horizon=horizon)
    for episode in range(horizon):
        current = play.current_policy()
        others = adversary(episode // play.phase, current)
        told.add(others.replace_player(0, current).realization_plans())
        play.run(1)
    least, greatest = form.payoff_range
    return told.evaluate().deviations[0].gain / (greatest - least)


def test_trigger_regret_against_an_adversary_falls_within_its_bound():
    simulator = simulator_of("kuhn_poker")
    early, late = (trigger_regret(simulator, horizon) for horizon in (600, 4800))
    assert late < np.sqrt(16 * 12 * np.log(1200) / 4800)
    assert late < 0.5 * early
    assert late < 0.045


@pytest.mark.parametrize("anytime", [False, True])
def test_a_run_in_parts_is_bit_identical(anytime):
    row = replace(ROW, anytime=anytime)
    whole, parts, late = (learner_of(row, "kuhn_poker(players=3)", seed=4) for _ in range(3))
    whole.run(331)
    for episodes in (1, 1, 2, 60, 0, 64, 3, 200):
        parts.run(episodes)
        parts.policy(), parts.current_policy()
        if parts.iteration == 128:
            late.set_state({name: array.copy() for name, array in parts.state().items()})
    assert_same_bits(whole, parts)
    late.run(331 - 128)
    assert_same_bits(whole, late)


def test_anytime_rates_follow_powers_of_two():
    row = replace(BOLD, anytime=True)
    learner = learner_of(row)
    learner.run(129)
    fixed = learner_of(
        replace(BOLD, step_sizes=StepSizes(0.7 / 16, 0.05 / 16))
    )  # 256 episodes: by its root
    for array in ("estimates", "stream"):
        fixed.state()[array][...] = learner.state()[array]
    tree = ReferenceTree(learner.simulator)
    for player in range(2):
        triggers = ReferenceTriggers(tree, player)
        wanted = triggers.deviation(0.7 / 16 * matrix_of(learner, triggers))
        assert np.allclose(deviation_of(learner, triggers), wanted, atol=1e-10)


@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_the_average_is_over_the_counted_policies(game):
    steps, whole, policies = learner_of(BOLD, game), learner_of(BOLD, game), []
    every = whole._every
    assert every > 1
    for _ in range(10):
        policies.append(steps.current_policy())
        steps.run(every)
    whole.run(10 * every)
    wanted = mix(policies, [1] * 10)
    for own, other in zip(whole.policy().probabilities, wanted.probabilities, strict=True):
        assert np.allclose(own, other, atol=1e-12)


def test_driven_from_outside_the_average_is_over_all_policies():
    simulator = simulator_of("kuhn_poker")
    form, policies = simulator.form, []
    learners = learners_for(BOLD, simulator, 50)
    for _ in range(50):
        policies.append(tabulate(form, [learner.current_policy for learner in learners]))
        drive(simulator, learners, 1, learners[0]._stream)
    average = tabulate(form, [learner.average_policy for learner in learners])
    wanted = mix(policies, [1] * 50)
    for own, other in zip(average.probabilities, wanted.probabilities, strict=True):
        assert np.allclose(own, other, atol=1e-12)


def test_a_game_without_decisions_has_no_gap():
    play = RegretTracker(learner_of(ROW, FunctionGame(2)), keep=5)
    play.run(5)
    found = evaluate_efce(play.correlated_policy().policies)
    assert found.efce_gap == 0
    assert found.deviations == (None, None)


def test_the_spec():
    assert ROW.knowledge is Knowledge.OWN_TREE
    assert get_learner("balanced-efce-omd", preset="theory") == ROW
    size = tree_size(simulator_of("kuhn_poker"), 0)
    rate, exploration = ROW.step_sizes(size, 10_000)
    assert rate == pytest.approx(np.sqrt(12 * np.log(1200) / (16 * 10_000)))
    assert exploration == pytest.approx(2 * np.sqrt(12 * np.log(1200) / (4 * 10_000)))
    practical = get_learner("balanced-efce-omd", preset="practical").step_sizes(size, 10_000)
    assert practical == pytest.approx((2 * rate, 2 * exploration))


def test_invalid_arguments():
    with pytest.raises(ParameterError, match="rate=0"):
        replace(ROW, step_sizes=(0, 0.1))
    with pytest.raises(ParameterError, match="horizon"):
        learner_of(ROW, horizon=0)


def test_a_game_with_too_many_pairs_is_refused(monkeypatch):
    monkeypatch.setattr("infoset.evaluation.trigger_pairs.MAX_PAIRS", 59)
    with pytest.raises(GameTooLargeError, match="60 pairs"):
        learner_of(ROW)
