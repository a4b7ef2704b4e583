"""Balanced CFR, against its slow twin, the theory, and the numbers that were measured before."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.games import RandomGame, load_game
from infoset.learning import LEARNERS, BalancedCfr, Steps, TreeSize, make_simulator
from infoset.learning.balanced_cfr._kernels import LayerState, learn_layer
from infoset.learning.balanced_cfr.rows import hedge_steps
from infoset.learning.simulation import Paths
from infoset.tree import build_tree
from oracle_balanced import SlowBalancedCfr
from slow_tree import SlowTree, counterfactual_losses, losses_by_sequence
from toys import Toy

HEDGE = BalancedCfr("hedge", "", steps=Steps(0.3, 0))
MATCHING = BalancedCfr("matching", "")
ROWS = {
    "hedge": HEDGE,
    "matching": MATCHING,
    "matching+": replace(MATCHING, forgetful=True),
    "centred": replace(HEDGE, centre=0.5),
    "baseline": replace(MATCHING, centre=0.5, window=3),
}
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


def policies_at_random(tree, seed):
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.ones(size)) for size in tree.num_actions]


def as_paths(paths):
    length = np.array([len(path) for path in paths], np.int32)
    infostate = np.zeros((len(paths), max(length.max(), 1)), np.int32)
    return Paths(length, infostate, infostate.copy())


def regret_of(simulator, policies, player, layer, paths, loss, centre):
    """Return [S] the regret that the kernel adds for one episode."""
    rows, tree = simulator.infostates, SlowTree(simulator)
    given = as_paths(paths)
    for p, path in enumerate(paths):
        for step, (here, action) in enumerate(path):
            given.infostate[p, step] = here
            given.slot[p, step] = rows.first_slot[here] + action
    size = len(simulator.depth)
    state = LayerState(
        policy=tree.flat(policies),
        regret=np.zeros(simulator.num_slots),
        touched=np.zeros(1, np.int32),
        baseline=np.full(size, centre),
        visits=np.zeros(size),
        mass=np.zeros(simulator.num_slots),
        counted=np.zeros(size),
    )
    numbers = np.array([0.0, -np.inf, 0.0])
    learn_layer(numbers, rows, player, layer, given, loss, state)
    return state.regret


@pytest.mark.parametrize("centre", [0.0, 0.5])
@pytest.mark.parametrize("game", ["kuhn_poker", RandomGame(seed=3, max_histories=40)], ids=str)
def test_expected_regrets_are_counterfactual_regrets(game, centre):
    simulator = simulator_of(game)
    tree, losses = SlowTree(simulator), simulator.losses()
    policies = policies_at_random(tree, 1)
    for player, count in enumerate(tree.num_layers):
        exact = counterfactual_losses(tree, policies, losses_by_sequence(tree, policies, player))
        for layer in range(count):
            exploring = tree.exploring(layer)
            expected = np.zeros(simulator.num_slots)
            for probability, end, paths in tree.trajectories(
                lambda here, step, player=player, layer=layer, exploring=exploring: (
                    exploring if tree.player[here] == player and step <= layer else policies
                )[here]
            ):
                regret = regret_of(
                    simulator, policies, player, layer, paths, losses[end, player], centre
                )
                expected += probability * regret
            for slot, (here, action) in tree.owner.items():
                if (tree.player[here], tree.layer(here)) == (player, layer):
                    weight = tree.reach(exploring, here) / tree.num_actions[here]
                    regret = policies[here] @ exact[here] - exact[here][action]
                    assert abs(expected[slot] / weight - regret) < 1e-12
                else:
                    assert expected[slot] == 0


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_regret_is_the_sum_of_counterfactual_regrets(game):
    tree = SlowTree(simulator_of(game))
    first, second = policies_at_random(tree, 2), policies_at_random(tree, 3)
    for player in range(len(tree.num_layers)):
        losses = losses_by_sequence(tree, first, player)
        exact = counterfactual_losses(tree, first, losses)
        own = [here for here in range(tree.num_infostates) if tree.player[here] == player]
        whole = sum(
            tree.reach(first, x) * first[x] @ losses[x]
            - tree.reach(second, x) * second[x] @ losses[x]
            for x in own
        )
        parts = sum(tree.reach(second, x) * (first[x] - second[x]) @ exact[x] for x in own)
        assert abs(whole - parts) < 1e-10


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
    found = []
    for seed in range(5):
        learner = LEARNERS[name].self_play(simulator_of("kuhn_poker"), horizon=episodes, seed=seed)
        learner.run(episodes)
        found.append(evaluate_policy(learner.policy()).nash_conv)
    assert abs(np.mean(found) - mean) < 3 * deviation * np.sqrt(1 / 10 + 1 / len(found))


def test_a_baseline_more_than_halves_the_distance_of_regret_matching():
    def nash_conv(name, seed):
        learner = LEARNERS[name].self_play(simulator_of("kuhn_poker"), horizon=100_000, seed=seed)
        learner.run(100_000)
        return evaluate_policy(learner.policy()).nash_conv

    published = np.mean([nash_conv("balanced-cfr-rm", seed) for seed in range(4)])
    assert np.mean([nash_conv("balanced-cfr-baseline", seed) for seed in range(4)]) < published / 2


@pytest.mark.parametrize("name", ["balanced-cfr-hedge", "balanced-cfr-rm", "balanced-cfr-baseline"])
def test_joint_play_of_three_players_is_nearly_a_coarse_correlated_equilibrium(name):
    simulator = simulator_of("kuhn_poker(players=3)")
    tree, horizon, parts = SlowTree(simulator), 30_000, 20
    learner = LEARNERS[name].self_play(simulator, horizon=horizon, seed=1)
    losses = [[np.zeros(size) for size in tree.num_actions] for _ in range(3)]
    paid = np.zeros(3)
    for _ in range(parts):
        slots = learner.state()["policy"]
        first = simulator.infostates.first_slot
        policies = [slots[f : f + n].copy() for f, n in zip(first, tree.num_actions, strict=True)]
        for player in range(3):
            for here, loss in enumerate(losses_by_sequence(tree, policies, player)):
                losses[player][here] += loss / parts
                paid[player] += tree.reach(policies, here) * policies[here] @ loss / parts
        learner.run(horizon // parts)
    gaps = [paid[player] - least_loss(tree, losses[player], player) for player in range(3)]
    assert -1e-9 < max(gaps) < 0.07


def least_loss(tree, losses, player):
    """Return the least loss of any policy against losses by sequence."""
    best = [loss.copy() for loss in losses]
    total = 0.0
    for here in reversed(range(tree.num_infostates)):
        if tree.player[here] == player:
            least = best[here].min()
            if tree.above[here]:
                above, action = tree.above[here][-1]
                best[above][action] += least
            else:
                total += least
    return total


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
