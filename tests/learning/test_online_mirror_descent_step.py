"""One episode of mirror descent: published numbers, minimization, estimates."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.games import load_game
from infoset.learning import LEARNERS, StepSizes, make_simulator, tree_size
from infoset.learning._online_mirror_descent_kernels import (
    SMALLEST_PROBABILITY,
    descend,
    update_path,
)
from infoset.learning._simulator_kernels import Paths
from infoset.learning.balance import balanced_reach
from infoset.learning.online_mirror_descent import OnlineMirrorDescentUpdate
from infoset.tree import build_tree
from infoset.tree.decision_nodes import TERMINAL_NODE
from infoset.utils.compilation import kernel
from tests.learning.reference_mirror_descent import behavior_of, own_sequences, plan_of

PLAIN = LEARNERS["ixomd"]
BALANCED = LEARNERS["balanced-omd"]


@cache
def simulator_of(game):
    return make_simulator(build_tree(load_game(game)))


def learn_one(row, simulator, path, loss):
    """Return the policies [S] before and after an episode of player 0 along a path."""
    infostates = simulator.infostates
    of_sequence = {
        sequence: here
        for here in range(len(simulator.depth))
        for sequence in range(
            own_sequences(simulator, here).start, own_sequences(simulator, here).stop
        )
    }
    paths = Paths(
        np.array([len(path)], np.int32),
        np.array([[of_sequence[sequence] for sequence in path]], np.int32),
        np.array([path], np.int32),
        np.zeros((1, len(path) + 1)),
    )
    parameters = np.array([row.parameters(tree_size(simulator, 0), 1)] * 2)
    update = OnlineMirrorDescentUpdate(row, parameters)
    state = update.begin(infostates, simulator.depth, simulator.num_sequences)
    before = state.policy.copy()
    update_path(parameters[0], infostates, 0, paths, loss, 1.0, state)
    return before, state.policy


def children(simulator, sequence):
    return np.flatnonzero(simulator.infostates.parent_sequence == sequence)


def kuhn_path(simulator):
    """Pass at the first infostate, then bet (call) at the one that follows."""
    first = own_sequences(simulator, 0).start
    (below,) = children(simulator, first)
    return [first, own_sequences(simulator, below).start + 1]


def leduc_path(simulator):
    """Check at the first infostate, then raise where a card came after the other had checked."""
    first = own_sequences(simulator, 0).start
    weight = balanced_reach(simulator.infostates, simulator.depth)
    below = next(
        here
        for here in children(simulator, first)
        if np.isclose(weight[here], 0.26) and simulator.infostates.num_actions[here] == 2
    )
    return [first, own_sequences(simulator, below).start + 1]


VECTORS = [
    ("kuhn_poker", kuhn_path, PLAIN, 0.25, (0.4, 0.1), (0.46687669, 0.5709466)),
    ("kuhn_poker", kuhn_path, BALANCED, 0.25, (0.4, 0.1), (0.48004433, 0.54157048)),
    ("leduc_poker", leduc_path, PLAIN, 0.5, (2.0, 0.1), (0.34585639, 0.94568673)),
    ("leduc_poker", leduc_path, BALANCED, 0.5, (2.0, 0.1), (0.33182869, 0.71950932)),
]


@pytest.mark.parametrize(("game", "path_in", "row", "loss", "step_sizes", "expected"), VECTORS)
def test_one_episode_agrees_with_numerical_minimization(
    game, path_in, row, loss, step_sizes, expected
):
    simulator = simulator_of(game)
    path = path_in(simulator)
    _, after = learn_one(replace(row, step_sizes=step_sizes), simulator, path, loss)
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
        if own_sequences(simulator, x).start <= path[last] < own_sequences(simulator, x).stop
    )
    estimate = loss / (reach + steps.implicit_exploration * weight[here])
    distance = sum(
        plan[own_sequences(simulator, x)]
        @ np.log(policy[own_sequences(simulator, x)] / before[own_sequences(simulator, x)])
        / weight[x]
        for x in np.flatnonzero(simulator.infostates.player == 0)
    )
    return steps.learning_rate * estimate * plan[path[-1]] + distance


@pytest.mark.parametrize("row", [PLAIN, BALANCED, LEARNERS["balanced-ftrl"]])
@pytest.mark.parametrize(
    ("game", "path_in"), [("kuhn_poker", kuhn_path), ("leduc_poker", leduc_path)]
)
def test_an_episode_minimizes_the_mirror_descent_objective(game, path_in, row):
    simulator, steps, loss = simulator_of(game), StepSizes(0.7, 0.1), 0.8
    path = path_in(simulator)
    before, after = learn_one(replace(row, step_sizes=steps), simulator, path, loss)
    weight = row.weights(simulator.infostates, simulator.depth)

    def cost(policy):
        return objective(simulator, weight, steps, path, loss, before, policy)

    least = cost(after)
    own = own_sequences(simulator, 0)
    log_total = np.log(before[own.stop - 1] / after[own.stop - 1])
    assert least == pytest.approx(-log_total / weight[0], abs=1e-12)
    rng = np.random.default_rng(0)
    for scale in np.logspace(-4, 0, 12):
        noisy = after * np.exp(scale * rng.standard_normal(len(after)))
        assert cost(behavior_of(simulator, noisy)) > least


def all_episodes(simulator, policy):
    """Yield probability, terminal, and the sequences that player 0 took, of every episode."""
    nodes, ways = simulator.nodes, {0: (1.0, ())}
    for node, here in enumerate(nodes.kind):
        reach, sequences = ways.pop(node)
        if here == TERMINAL_NODE:
            yield reach, nodes.first[node], sequences
            continue
        for rank in range(nodes.num_children[node]):
            taken, share = sequences, 1.0 / nodes.num_children[node]
            if here >= 0:
                sequence = own_sequences(simulator, here).start + rank
                share = policy[sequence]
                taken = (
                    (*sequences, sequence) if simulator.infostates.player[here] == 0 else sequences
                )
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
            replace(row, step_sizes=(rate, exploration)), simulator, list(path), losses[end]
        )
        taken = path[-1]
        here = np.flatnonzero(simulator.infostates.first_sequence <= taken)
        here = max(x for x in here if simulator.infostates.player[x] == 0)
        own = own_sequences(simulator, here)
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


@kernel
def descend_once(rate, loss, policy):
    return descend(0, len(policy), 0, rate, loss, 0.0, policy)


@pytest.mark.parametrize("others", [0.0, SMALLEST_PROBABILITY, 0.5])
@pytest.mark.parametrize("loss", [1.0, -1.0])
def test_steps_beyond_the_largest_logit_leave_a_policy(others, loss):
    """Exponents are clipped such that the sum of the weights has a finite inverse."""
    policy = np.array([1 - others, others])
    assert np.isfinite(descend_once(1e6, loss, policy))
    assert policy.sum() == pytest.approx(1)
    assert policy.min() >= SMALLEST_PROBABILITY
