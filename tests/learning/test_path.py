"""Learners along the path: against slow ones, numbers worked out elsewhere, and minimisation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from oracle_path import SlowLearners, SlowPulled, behavior_of, own_slots, plan_of

from infoset.games import load_game
from infoset.learning import LEARNERS, Steps, find_learner, make_simulator, tree_size
from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.path import PathLearner
from infoset.learning.path._kernels import learn_alone
from infoset.learning.simulation import TERMINAL_NODE, Paths
from infoset.solvers import Budget, Checkpointing
from infoset.solvers.loop import run_measured
from infoset.tree import build_tree

PATH_LEARNERS = [name for name, row in LEARNERS.items() if isinstance(row, PathLearner)]
UNPULLED = [name for name in PATH_LEARNERS if not LEARNERS[name].pull]
PLAIN = LEARNERS["ixomd"]
BALANCED = LEARNERS["balanced-omd"]


@cache
def simulator_of(game):
    return make_simulator(build_tree(load_game(game)))


def slow_twin(learners):
    """Return the same learners, slow: what a row means is said here once more."""
    simulator, row = learners.simulator, learners.row
    infostates, depth = simulator.infostates, simulator.depth
    weights = {
        "balanced-omd": lambda: balanced_reach(infostates, depth),
        "balanced-ftrl": lambda: 1 / balanced_transitions(infostates, depth),
    }
    power = {"adaptive-ftrl": 1.0, "tweaked-ftrl": 0.5}.get(row.name, 0.0)
    counts = infostates.num_actions
    uniform = np.ones(simulator.num_slots)
    for here, count in enumerate(counts):
        uniform[own_slots(simulator, here)] = 1 / count
    sizes = [tree_size(simulator, player) for player in range(simulator.num_players)]
    return SlowLearners(
        simulator,
        [row.steps(size, 1 if row.anytime else learners.horizon) for size in sizes],
        weight=weights.get(row.name, lambda: np.ones(len(depth)))(),
        initial=subtree_policy(infostates, depth) if row.name == "balanced-ftrl" else uniform,
        power=power,
        drift=power - 0.5 if row.anytime else 0.0,
        centre=row.centre,
        state=learners.state()["stream"][0],
    )


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("name", UNPULLED)
def test_every_episode_is_that_of_the_slow_learners(name, anytime):
    row = replace(LEARNERS[name], anytime=anytime, centre=0.25)
    learners = row.self_play(simulator_of("kuhn_poker"), horizon=300, seed=3)
    slow = slow_twin(learners)
    for _ in range(300):
        learners.run(1)
        slow.play_one()
        np.testing.assert_allclose(learners.state()["policy"], slow.policy, rtol=1e-9, atol=1e-13)
    expected = learners.simulator.policy(slow.average())
    for found, wanted in zip(learners.policy().probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_every_episode_is_that_of_the_slow_learners_that_are_pulled():
    row = replace(LEARNERS["perturbed-ftrl"], renewal=1.7)
    learners = row.self_play(simulator_of("kuhn_poker"), horizon=300, seed=3)
    simulator, state = learners.simulator, learners.state()
    slow = SlowPulled(
        simulator,
        [row.steps] * 2,
        weight=np.ones(len(simulator.depth)),
        initial=simulator.uniform(),
        power=row.power,
        drift=0.0,
        centre=row.centre,
        state=state["stream"][0],
        pull=row.pull,
        renewal=row.renewal,
    )
    for _ in range(300):
        learners.run(1)
        slow.play_one()
        np.testing.assert_allclose(state["policy"], slow.policy, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(state["anchor"], slow.anchor, rtol=1e-9, atol=1e-13)
    last = simulator.policy(slow.policy)
    for found, wanted in zip(learners.policy().probabilities, last.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@pytest.mark.parametrize("name", UNPULLED)
def test_the_average_is_that_of_all_policies_in_a_game_with_rare_infostates(name):
    simulator = simulator_of("leduc_poker")
    learners = find_learner(name, preset="tuned").self_play(simulator, horizon=1000, seed=1)
    total = np.zeros(simulator.num_slots)
    for _ in range(200):
        total += plan_of(simulator, learners.state()["policy"])
        learners.run(1)
    expected = simulator.policy(behavior_of(simulator, total))
    for found, wanted in zip(learners.policy().probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@pytest.mark.parametrize("name", PATH_LEARNERS)
def test_only_infostates_on_the_path_change(name):
    simulator = simulator_of("leduc_poker")
    learners = LEARNERS[name].self_play(simulator, horizon=100, seed=5)
    changes = 0
    for _ in range(50):
        before = {key: np.copy(array) for key, array in learners.state().items()}
        learners.run(1)
        path = on_path(learners._paths)
        met = np.zeros(simulator.num_slots, bool)
        for here in path:
            met[own_slots(simulator, here)] = True
        after = learners.state()
        np.testing.assert_array_equal(after["policy"][~met], before["policy"][~met])
        changes += int(np.sum(after["policy"][met] != before["policy"][met]))
        elsewhere = np.delete(np.arange(len(simulator.depth)), path)
        for key in ("rate", "seen"):
            if len(after[key]):
                np.testing.assert_array_equal(after[key][elsewhere], before[key][elsewhere])
    assert changes > 200


def on_path(paths):
    return np.concatenate(
        [paths.infostate[player, :length] for player, length in enumerate(paths.length)]
    )


def learn_one(row, simulator, path, loss):
    """Return the policies [S] before and after an episode of player 0, who took slots in order."""
    infostates = simulator.infostates
    of_slot = {
        slot: here
        for here in range(len(simulator.depth))
        for slot in range(own_slots(simulator, here).start, own_slots(simulator, here).stop)
    }
    paths = Paths(
        np.array([len(path)], np.int32),
        np.array([[of_slot[slot] for slot in path]], np.int32),
        np.array([path], np.int32),
    )
    numbers = np.array([row.numbers(tree_size(simulator, 0), 1)] * 2)
    state = row.begin(numbers, infostates, simulator.depth, simulator.num_slots)
    before = state.policy.copy()
    learn_alone(numbers[0], infostates, paths, loss, 1.0, state, np.zeros(len(path)))
    return before, state.policy


def children(simulator, slot):
    return np.flatnonzero(simulator.infostates.parent_slot == slot)


def kuhn_path(simulator):
    """Pass at the first infostate, then bet (call) at the one that follows."""
    first = own_slots(simulator, 0).start
    (below,) = children(simulator, first)
    return [first, own_slots(simulator, below).start + 1]


def leduc_path(simulator):
    """Check at the first infostate, then raise where a card came after the other had checked."""
    first = own_slots(simulator, 0).start
    weight = balanced_reach(simulator.infostates, simulator.depth)
    below = next(
        here
        for here in children(simulator, first)
        if np.isclose(weight[here], 0.26) and simulator.infostates.num_actions[here] == 2
    )
    return [first, own_slots(simulator, below).start + 1]


VECTORS = [
    ("kuhn_poker", kuhn_path, PLAIN, 0.25, (0.4, 0.1), (0.46687669, 0.5709466)),
    ("kuhn_poker", kuhn_path, BALANCED, 0.25, (0.4, 0.1), (0.48004433, 0.54157048)),
    ("leduc_poker", leduc_path, PLAIN, 0.5, (2.0, 0.1), (0.34585639, 0.94568673)),
    ("leduc_poker", leduc_path, BALANCED, 0.5, (2.0, 0.1), (0.33182869, 0.71950932)),
]


@pytest.mark.parametrize(("game", "path_in", "row", "loss", "steps", "expected"), VECTORS)
def test_one_episode_gives_the_numbers_worked_out_by_minimising(
    game, path_in, row, loss, steps, expected
):
    simulator = simulator_of(game)
    path = path_in(simulator)
    _, after = learn_one(replace(row, steps=steps), simulator, path, loss)
    found = [after[path[0]], after[path[1] - 1]]
    np.testing.assert_allclose(found, expected, atol=1e-8)


def objective(simulator, weight, steps, path, loss, before, policy):
    """Return η <estimate, plan> + Σ plan / w · log(policy / before) of player 0."""
    plan = plan_of(simulator, policy)
    reach = plan_of(simulator, before)[path[-1]]
    last = len(path) - 1
    here = next(
        x
        for x in range(len(weight))
        if own_slots(simulator, x).start <= path[last] < own_slots(simulator, x).stop
    )
    estimate = loss / (reach + steps.exploration * weight[here])
    distance = sum(
        plan[own_slots(simulator, x)]
        @ np.log(policy[own_slots(simulator, x)] / before[own_slots(simulator, x)])
        / weight[x]
        for x in np.flatnonzero(simulator.infostates.player == 0)
    )
    return steps.rate * estimate * plan[path[-1]] + distance


@pytest.mark.parametrize("row", [PLAIN, BALANCED, LEARNERS["balanced-ftrl"]])
@pytest.mark.parametrize(
    ("game", "path_in"), [("kuhn_poker", kuhn_path), ("leduc_poker", leduc_path)]
)
def test_an_episode_minimises_what_mirror_descent_does(game, path_in, row):
    simulator, steps, loss = simulator_of(game), Steps(0.7, 0.1), 0.8
    path = path_in(simulator)
    before, after = learn_one(replace(row, steps=steps), simulator, path, loss)
    weight = row.weights(simulator.infostates, simulator.depth)

    def cost(policy):
        return objective(simulator, weight, steps, path, loss, before, policy)

    least = cost(after)
    own = own_slots(simulator, 0)
    log_total = np.log(before[own.stop - 1] / after[own.stop - 1])
    assert least == pytest.approx(-log_total / weight[0], abs=1e-12)
    rng = np.random.default_rng(0)
    for scale in np.logspace(-4, 0, 12):
        noisy = after * np.exp(scale * rng.standard_normal(len(after)))
        assert cost(behavior_of(simulator, noisy)) > least


def all_episodes(simulator, policy):
    """Yield probability, terminal, and the slots that player 0 took, of every episode."""
    nodes, ways = simulator.nodes, {0: (1.0, ())}
    for node, here in enumerate(nodes.kind):
        reach, slots = ways.pop(node)
        if here == TERMINAL_NODE:
            yield reach, nodes.first[node], slots
            continue
        for rank in range(nodes.num_children[node]):
            taken, share = slots, 1.0 / nodes.num_children[node]
            if here >= 0:
                slot = own_slots(simulator, here).start + rank
                share = policy[slot]
                taken = (*slots, slot) if simulator.infostates.player[here] == 0 else slots
            ways[nodes.first[node] + rank] = reach * share, taken


@pytest.mark.parametrize("row", [PLAIN, BALANCED])
@pytest.mark.parametrize("exploration", [0.0, 0.2])
def test_estimates_are_unbiased_and_implicit_exploration_makes_them_smaller(row, exploration):
    simulator, rate = simulator_of("kuhn_poker"), 0.3
    policy = simulator.uniform()
    losses = simulator.losses()[:, 0]
    weight = row.weights(simulator.infostates, simulator.depth)
    estimated, true = np.zeros(len(policy)), np.zeros(len(policy))
    plan = plan_of(simulator, policy)
    for probability, end, path in all_episodes(simulator, policy):
        before, after = learn_one(
            replace(row, steps=(rate, exploration)), simulator, list(path), losses[end]
        )
        taken = path[-1]
        here = np.flatnonzero(simulator.infostates.first_slot <= taken)
        here = max(x for x in here if simulator.infostates.player[x] == 0)
        own = own_slots(simulator, here)
        (other,) = set(range(own.start, own.stop)) - {taken}
        moved = np.log(after[taken] / before[taken]) - np.log(after[other] / before[other])
        estimated[taken] += probability * moved / (-rate * weight[here])
        true[taken] += probability / plan[taken] * losses[end]
    assert true.sum() > 1
    if exploration == 0.0:
        np.testing.assert_allclose(estimated, true, atol=1e-12)
    else:
        assert np.all(estimated <= true + 1e-12)
        assert estimated.sum() < 0.95 * true.sum()


@pytest.mark.parametrize("name", PATH_LEARNERS)
def test_runs_in_parts_give_the_same_bits(name):
    simulator = simulator_of("leduc_poker")
    row = replace(LEARNERS[name], anytime=True)
    whole, parts = (row.self_play(simulator, horizon=500, seed=2) for _ in range(2))
    whole.run(500)
    for episodes in (1, 200, 299):
        parts.run(episodes)
        parts.policy()
    assert_same_state(parts, whole)


def assert_same_state(learners, others):
    for (name, array), other in zip(learners.state().items(), others.state().values(), strict=True):
        np.testing.assert_array_equal(array, other, err_msg=name)


@pytest.mark.parametrize("name", PATH_LEARNERS)
def test_the_state_holds_all_that_moves(name):
    simulator = simulator_of("leduc_poker")
    kept, other = (LEARNERS[name].self_play(simulator, horizon=500, seed=s) for s in (2, 3))
    kept.run(200)
    other.run(77)
    other.set_state({key: array.copy() for key, array in kept.state().items()})
    assert other.iteration == 200
    kept.run(100)
    other.run(100)
    assert_same_state(other, kept)


def test_a_run_from_a_checkpoint_gives_the_same_bits(tmp_path):
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
    assert_same_state(gone_on, whole)
    assert found.nash_conv == expected.nash_conv
    assert {p.iteration: p.nash_conv for p in expected.trace}.items() <= {
        p.iteration: p.nash_conv for p in found.trace
    }.items()


def test_seeds_are_different_runs():
    simulator = simulator_of("kuhn_poker")
    policies = [PLAIN.self_play(simulator, horizon=100, seed=seed) for seed in range(3)]
    for learners in policies:
        learners.run(100)
    for one, other in pairwise(policies):
        assert np.any(one.state()["policy"] != other.state()["policy"])


def test_rates_for_any_time_begin_with_those_for_one_episode():
    simulator = simulator_of("kuhn_poker")
    for name in UNPULLED:
        fixed = LEARNERS[name].self_play(simulator, horizon=1, seed=4)
        falling = replace(LEARNERS[name], anytime=True).self_play(simulator, horizon=999, seed=4)
        fixed.run(1)
        falling.run(1)
        np.testing.assert_array_equal(fixed.state()["policy"], falling.state()["policy"])


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(num_cards=2)"])
@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_steps_that_are_far_too_large_leave_policies_behind(game, centre):
    row = replace(PLAIN, steps=(1e6, 0.0), centre=centre)
    learners = row.self_play(simulator_of(game), horizon=1000, seed=1)
    learners.run(1000)
    policy = learners.state()["policy"]
    for here in range(len(learners.simulator.depth)):
        assert policy[own_slots(learners.simulator, here)].sum() == pytest.approx(1.0)
    assert np.all(np.isfinite(np.concatenate(learners.policy().probabilities)))
