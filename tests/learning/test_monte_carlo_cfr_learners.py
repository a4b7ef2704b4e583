"""Specs of Monte Carlo CFR: knowledge they need, and published results."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import CCEEvaluator, evaluate_policy
from infoset.learning import (
    LEARNERS,
    Knowledge,
    OnlineOutcomeSampling,
    OutcomeSampling,
    SampledTraversal,
    get_learner,
)
from infoset.learning.outcome_sampling import OUTCOME_SAMPLING_LEARNERS
from infoset.learning.sampled_traversal import SAMPLED_TRAVERSAL_LEARNERS
from infoset.runs import Budget, run_measured
from infoset.tree.decision_nodes import TERMINAL_NODE
from tests.learning.playing import simulator_of

NAMES = [row.name for row in (*OUTCOME_SAMPLING_LEARNERS, *SAMPLED_TRAVERSAL_LEARNERS)]


def nash_conv(name, game, episodes, seed):
    learning = get_learner(name).self_play(simulator_of(game), horizon=episodes, seed=seed)
    learning.run(episodes)
    return evaluate_policy(learning.policy()).nash_conv


PUBLISHED = [
    ("os-mccfr", "kuhn_poker", 1_000_000, 0.0018, 0.0098),
    ("es-mccfr", "kuhn_poker", 450_000, 0.0008, 0.0060),
    pytest.param("os-mccfr", "leduc_poker", 1_000_000, 0.33, 0.43, marks=pytest.mark.long),
    pytest.param(
        *("os-mccfr-balanced", "leduc_poker", 1_000_000, 0.25, 0.32), marks=pytest.mark.long
    ),
    pytest.param(*("vr-mccfr", "leduc_poker", 1_000_000, 0.22, 0.31), marks=pytest.mark.long),
    ("vr-mccfr-balanced", "leduc_poker", 1_000_000, 0.15, 0.23),
]


@pytest.mark.parametrize(("name", "game", "episodes", "least", "most"), PUBLISHED)
def test_published_numbers(name, game, episodes, least, most):
    """Means over two seeds, within their spread."""
    found = np.mean([nash_conv(name, game, episodes, seed) for seed in (0, 1)])
    assert least < found < most


def test_external_sampling_by_terminal_visits():
    """With as many terminal visits as outcome sampling has episodes, NashConv is 0.18 chips."""
    learning = get_learner("es-mccfr").self_play(simulator_of("leduc_poker"), horizon=1, seed=1)
    while learning.terminal_visits < 1_000_000:
        learning.run(1000)
    assert 0.13 < evaluate_policy(learning.policy()).nash_conv < 0.23


def test_cost_counts_the_nodes_of_a_traversal():
    """By hand: 7 and 5.5 on average by external sampling, 10 by chance sampling."""
    simulator = simulator_of("kuhn_poker")
    work = {
        name: get_learner(name).self_play(simulator, horizon=1).cost_per_iteration for name in NAMES
    }
    assert work["es-mccfr"] == 8 * (1 + 6)
    assert work["cs-mccfr"] == 8 * (1 + 10)


def passed_on_average(simulator, player, node=0):
    """Return the expected nodes of an external-sampling traversal under uniform draws."""
    first, here = int(simulator.nodes.first[node]), int(simulator.nodes.kind[node])
    if here == TERMINAL_NODE:
        return 1.0
    children = range(first, first + int(simulator.nodes.num_children[node]))
    below = [passed_on_average(simulator, player, child) for child in children]
    is_own = here >= 0 and simulator.infostates.player[here] == player
    return 1.0 + (sum(below) if is_own else fmean(below))


def test_cost_of_external_sampling_with_three_players():
    simulator = simulator_of("kuhn_poker(players=3)")
    passed = fmean(passed_on_average(simulator, player) for player in range(3))
    assert get_learner("es-mccfr").self_play(simulator, horizon=1).cost_per_iteration == 8 * (
        1 + int(passed)
    )


@pytest.mark.parametrize("name", NAMES)
def test_three_players_learn(name):
    simulator = simulator_of("kuhn_poker(players=3)")
    learning = get_learner(name).self_play(simulator, horizon=30_000)
    first = evaluate_policy(learning.policy()).nash_conv
    learning.run(30_000)
    assert evaluate_policy(learning.policy()).nash_conv < 0.2 * first


def regret_while_exploring(name, game, own_episodes, seed, exploration):
    """Return player 0's regret in its own episodes, when it plays the mixture of both policies."""
    simulator = simulator_of(game)
    learning = get_learner(name).self_play(simulator, horizon=1, seed=seed)
    play, uniform = CCEEvaluator(simulator.form), simulator.plans(simulator.uniform())
    own = slice(0, simulator.form.treeplexes[0].num_sequences)
    found = []
    for episode in range(1, max(own_episodes) + 1):
        plans, share = simulator.plans(learning.current_probabilities), exploration(episode)
        plans[own] = share * uniform[own] + (1 - share) * plans[own]
        play.add(simulator.by_player(plans))
        learning.run(simulator.num_players)
        if episode in own_episodes:
            found.append(play.evaluate().gains[0] * episode)
    return np.array(found)


@pytest.mark.broad
@pytest.mark.parametrize("game", ["kuhn_poker", "bandit_tree(depth=2,branching=2)"])
def test_regret_while_exploring_is_of_the_order_of_its_rate(game):
    """Divided by T^(3/4) it falls, also against learners; constant exploration costs more."""
    episodes = (250, 4_000)
    scale = np.array(episodes) ** 0.75

    def mean(name, exploration):
        runs = (regret_while_exploring(name, game, episodes, s, exploration) for s in range(3))
        return sum(runs) / 3 / scale

    first, last = mean("online-os-mccfr", lambda episode: episode**-0.25)
    assert last < first
    assert last < mean("os-mccfr", lambda episode: 0.6)[1]


def test_the_measured_loop_runs_a_learner():
    learning = get_learner("cs-mccfr").self_play(simulator_of("kuhn_poker"), horizon=2000)
    result = run_measured(learning, "cs-mccfr", Budget(iterations=2000))
    assert result.iterations == 2000
    assert result.nash_conv < 0.1


def test_knowledge_that_learners_need():
    knowledge = {name: get_learner(name).knowledge for name in NAMES}
    assert knowledge["os-mccfr"] is knowledge["vr-mccfr"] is Knowledge.NOTHING
    assert knowledge["os-mccfr-balanced"] is knowledge["vr-mccfr-balanced"] is Knowledge.OWN_TREE
    assert knowledge["online-os-mccfr"] is Knowledge.NOTHING
    assert {knowledge[name] for name in NAMES[5:]} == {Knowledge.SIMULATOR}
    assert set(NAMES) <= set(LEARNERS)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: OutcomeSampling("x", "", exploration=0.0), "exploration=0.0 must be above 0"),
        (lambda: OutcomeSampling("x", "", exploration=1.5), "exploration=1.5 must be above 0"),
        (lambda: OutcomeSampling("x", "", exploration=float("nan")), "exploration=nan must be"),
        (
            lambda: OutcomeSampling("x", "", baseline_window=0.5),
            "baseline_window=0.5 must be at least 1",
        ),
        (lambda: OutcomeSampling("x", "", baseline_window=-1), "baseline_window=-1 must be"),
        (
            lambda: OutcomeSampling("x", "", exploration_policy=0.5),
            "exploration_policy=0.5 is of type float",
        ),
        (lambda: OnlineOutcomeSampling("x", "", 0.0), "exponent=0.0 must be above 0 and below 1"),
        (lambda: OnlineOutcomeSampling("x", "", 1.0), "exponent=1.0 must be above 0 and below 1"),
        (
            lambda: SampledTraversal("x", "", min_probability=0.0),
            "min_probability=0.0 must be above 0",
        ),
        (lambda: SampledTraversal("x", "", bonus=-1.0), "bonus=-1.0 must be"),
        (
            lambda: SampledTraversal("x", "", min_probability=0.5),
            "bonus=0 is allowed only with min_probability=1",
        ),
    ],
)
def test_numbers_out_of_range_are_refused(make, complaint):
    with pytest.raises(ParameterError, match=complaint.replace(".", r"\.")):
        make()


@pytest.mark.parametrize("name", ["os-mccfr", "es-mccfr"])
def test_zero_episodes_are_refused(name):
    with pytest.raises(ParameterError, match="horizon=0"):
        get_learner(name).self_play(simulator_of("kuhn_poker"), horizon=0)


def test_exploration_without_full_support_is_refused():
    def stubborn(infostates, depth):
        policy = simulator_of("kuhn_poker").uniform()
        policy[3] = 0.0
        return policy

    row = OutcomeSampling("x", "", exploration_policy=stubborn)
    with pytest.raises(ParameterError, match="exploration_policy=stubborn must give"):
        row.self_play(simulator_of("kuhn_poker"), horizon=1)
