"""Monte Carlo CFR: unbiased by listing all draws, equal to slow twins, as good as published."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset import load
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.learning import LEARNERS, Knowledge, OutcomeSampling, TraversalSampling, find_learner
from infoset.learning.simulation import infostate_slots, make_simulator
from infoset.solvers import Budget, run_measured
from infoset.tree import build_tree
from oracle_mccfr import (
    SeededDraws,
    SlowOutcomeSampling,
    SlowTraversalSampling,
    all_draws,
    exact_regrets,
)

NAMES = (
    "os-mccfr",
    "os-mccfr-balanced",
    "vr-mccfr",
    "vr-mccfr-balanced",
    "es-mccfr",
    "cs-mccfr",
    "as-mccfr",
)
PRUNED = replace(find_learner("as-mccfr"), least=0.3, threshold=2.0, bonus=3.0)
ROWS = {
    **{name: find_learner(name) for name in NAMES},
    "pruned": PRUNED,
    "pruned chance sampling": replace(PRUNED, all_opponents=True),
    "es-mccfr+": replace(find_learner("es-mccfr"), regret_floor=0.0),
    "vr-mccfr+": replace(find_learner("vr-mccfr"), regret_floor=0.0),
}


@cache
def simulator_of(name):
    return make_simulator(build_tree(load_game(name)))


def twin_of(row, simulator):
    slow = SlowOutcomeSampling if isinstance(row, OutcomeSampling) else SlowTraversalSampling
    return slow(simulator, row)


def random_regrets(simulator, seed):
    """Return regrets of which half are negative, and the policies are far from uniform."""
    regret = np.random.default_rng(seed).normal(size=simulator.num_slots)
    regret[simulator.infostates.root_slot] = 0.0
    return regret


def policy_of(simulator, regret):
    twin = twin_of(find_learner("es-mccfr"), simulator)
    twin.regret[:] = regret
    return twin.policy()


def action_values(simulator, policy):
    """Return [S] what player 0 gets after its actions where the others reach them, else 0."""
    nodes, infostates = simulator.nodes, simulator.infostates
    found = np.zeros(simulator.num_slots)

    def visit(node):
        here, first = nodes.kind[node], nodes.first[node]
        if here < 0:
            return simulator.utility[first, 0]
        slots = infostates.first_slot[here] + np.arange(nodes.num_children[node])
        is_own = infostates.player[here] == 0
        values = np.array(
            [visit(first + i) if is_own or policy[s] > 0 else 0.0 for i, s in enumerate(slots)]
        )
        if is_own:
            found[slots] = values
        return policy[slots] @ values

    visit(0)
    return found


def nash_conv(name, game, episodes, seed):
    learning = find_learner(name).self_play(simulator_of(game), horizon=episodes, seed=seed)
    learning.run(episodes)
    return evaluate_policy(learning.policy()).nash_conv


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ROWS)
def test_the_mean_over_all_draws_is_the_counterfactual_regret(name, player):
    simulator, row = simulator_of("kuhn_poker"), replace(ROWS[name], regret_floor=-np.inf)
    before = random_regrets(simulator, seed=player)
    guesses = np.random.default_rng(7).normal(size=simulator.num_slots)
    past = np.random.default_rng(8).uniform(size=simulator.num_slots) * 5.0

    def learn(draws):
        twin = twin_of(row, simulator)
        twin.regret[:], twin.mass[:], twin.episodes = before, past, player
        twin.baseline = guesses.copy()
        twin.episode(draws)
        return twin.regret - before

    policy = policy_of(simulator, before)
    total, chance = np.zeros(simulator.num_slots), 0.0
    for probability, found in all_draws(learn):
        total += probability * found
        chance += probability
    assert chance == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(total, exact_regrets(simulator, policy, player), atol=1e-12)


@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)", "goofspiel(num_cards=3)"])
@pytest.mark.parametrize("name", ROWS)
def test_every_episode_is_that_of_the_slow_twin(name, game):
    simulator, row = simulator_of(game), ROWS[name]
    learning = row.self_play(simulator, horizon=60, seed=3)
    twin = twin_of(row, simulator)
    draws = SeededDraws(learning.state()["stream"])
    for _ in range(60 if game == "kuhn_poker" else 20):
        learning.run(1)
        twin.episode(draws)
        np.testing.assert_allclose(learning.state()["regret"], twin.regret, rtol=0, atol=1e-11)
        np.testing.assert_allclose(learning.state()["policy"], twin.policy(), rtol=0, atol=1e-9)
    expected = simulator.policy(twin.mass)
    for found, wanted in zip(learning.policy().probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    if isinstance(row, TraversalSampling):
        assert learning.terminal_visits == twin.ends


@pytest.mark.parametrize("name", NAMES)
def test_a_run_in_parts_has_the_bits_of_one_run(name):
    simulator = simulator_of("kuhn_poker")
    whole, first, second = (
        find_learner(name).self_play(simulator, horizon=100, seed=s) for s in (5, 5, 6)
    )
    whole.run(100)
    first.run(37)
    first.policy()
    second.set_state({key: array.copy() for key, array in first.state().items()})
    second.run(63)
    assert second.iteration == 100
    for key, array in whole.state().items():
        np.testing.assert_array_equal(array, second.state()[key], err_msg=key)


def test_what_is_never_on_the_path_stays_as_it_is():
    learning = find_learner("vr-mccfr-balanced").self_play(simulator_of("leduc_poker"), horizon=9)
    learning.run(50)
    before = learning.state()["policy"].copy()
    learning.run(1)
    moved = np.flatnonzero(before != learning.state()["policy"])
    owners = {
        int(i)
        for i in range(len(learning.simulator.depth))
        if set(infostate_slots(learning.simulator.infostates, np.array([i]))) & set(moved)
    }
    assert 0 < len(owners) <= 4
    assert {int(learning.simulator.infostates.player[i]) for i in owners} == {0}


def test_an_exact_baseline_leaves_no_variance():
    """Where the others are pure and nature is silent, each sample has the exact regrets."""
    simulator = simulator_of("liars_dice(numdice=2,dice_sides=1)")
    infostates = simulator.infostates
    regret = np.abs(random_regrets(simulator, seed=0))
    for here in np.flatnonzero(infostates.player == 1):
        first, count = infostates.first_slot[here], infostates.num_actions[here]
        regret[first : first + count] = np.eye(count)[here % count]
    policy = policy_of(simulator, regret)
    exact = exact_regrets(simulator, policy, 0)
    baseline = action_values(simulator, policy)
    root = infostate_slots(infostates, infostates.parent_slot == infostates.root_slot[0])
    with_baseline, without = [], []
    for seed in range(30):
        learning = find_learner("os-mccfr").self_play(simulator, horizon=1, seed=seed)
        state = learning.state()
        for guesses, found in ((baseline, with_baseline), (0.0, without)):
            state["done"][:], state["regret"][:], state["policy"][:] = 0, regret, policy
            state["baseline"][:] = guesses
            learning.run(1)
            found.append(state["regret"][root] - regret[root])
    np.testing.assert_allclose(with_baseline, np.tile(exact[root], (30, 1)), atol=1e-12)
    assert np.std(without, axis=0).max() > 0.1


@pytest.mark.parametrize("name", ["outcome", "external"])
@pytest.mark.parametrize("player", [0, 1])
def test_updates_are_distributed_as_those_of_openspiel(name, player, monkeypatch):
    """The same policies, all draws of an episode: the same updates, equally likely."""
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import external_sampling_mccfr, outcome_sampling_mccfr

    from infoset.interop.openspiel.export import to_openspiel
    from infoset.interop.openspiel.policies import list_decisions

    tree = build_tree(load("openspiel:kuhn_poker"))
    game = to_openspiel(tree)
    simulator = make_simulator(tree)
    before = random_regrets(simulator, seed=4)
    places = {}
    for decision in list_decisions(tree, game):
        first = simulator.infostates.root_slot[decision.player] + decision.first_sequence
        places[decision.key] = slice(first, first + len(decision.numbers))

    def theirs(draws):
        def choice(outcomes, p):
            return list(outcomes)[draws.choose(p)]

        monkeypatch.setattr(np.random, "choice", choice)
        if name == "outcome":
            solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
        else:
            solver = external_sampling_mccfr.ExternalSamplingSolver(game)
        for key, slots in places.items():
            solver._infostates[key] = [before[slots].copy(), np.zeros(2)]
        if name == "outcome":
            solver._episode(game.new_initial_state(), player, 1.0, 1.0, 1.0)
        else:
            solver._update_regrets(game.new_initial_state(), player)
        return {key: solver._infostates[key][0] - before[slots] for key, slots in places.items()}

    def ours(draws):
        row = find_learner("os-mccfr" if name == "outcome" else "es-mccfr")
        twin = twin_of(row, simulator)
        twin.regret[:], twin.episodes = before, player
        twin.episode(draws)
        return {key: twin.regret[slots] - before[slots] for key, slots in places.items()}

    def distribution(run):
        chances = Counter()
        for probability, updates in all_draws(run):
            moved = tuple(
                (key, *np.round(update, 8) + 0.0)
                for key, update in sorted(updates.items())
                if np.abs(update).max() > 1e-12
            )
            chances[moved] += probability
        return chances

    assert distribution(theirs) == pytest.approx(distribution(ours), abs=1e-12)


PUBLISHED = [
    ("os-mccfr", "kuhn_poker", 1_000_000, 0.0018, 0.0098),
    ("es-mccfr", "kuhn_poker", 450_000, 0.0008, 0.0060),
    ("os-mccfr", "leduc_poker", 1_000_000, 0.33, 0.43),
    ("os-mccfr-balanced", "leduc_poker", 1_000_000, 0.25, 0.32),
    ("vr-mccfr", "leduc_poker", 1_000_000, 0.22, 0.31),
    ("vr-mccfr-balanced", "leduc_poker", 1_000_000, 0.15, 0.21),
]


@pytest.mark.parametrize(("name", "game", "episodes", "least", "most"), PUBLISHED)
def test_published_numbers(name, game, episodes, least, most):
    """Means over two seeds, within what seeds differ by."""
    found = np.mean([nash_conv(name, game, episodes, seed) for seed in (0, 1)])
    assert least < found < most


def test_external_sampling_by_terminal_visits():
    """As many terminal visits as episodes of outcome sampling give a better policy, 0.18 chips."""
    learning = find_learner("es-mccfr").self_play(simulator_of("leduc_poker"), horizon=1, seed=1)
    while learning.terminal_visits < 1_000_000:
        learning.run(1000)
    assert 0.13 < evaluate_policy(learning.policy()).nash_conv < 0.23


@pytest.mark.parametrize("name", NAMES)
def test_three_players_learn(name):
    simulator = simulator_of("kuhn_poker(players=3)")
    learning = find_learner(name).self_play(simulator, horizon=30_000)
    first = evaluate_policy(learning.policy()).nash_conv
    learning.run(30_000)
    assert evaluate_policy(learning.policy()).nash_conv < 0.2 * first


def test_the_loop_of_solvers_measures_a_learner():
    learning = find_learner("cs-mccfr").self_play(simulator_of("kuhn_poker"), horizon=2000)
    result = run_measured(learning, "cs-mccfr", Budget(iterations=2000))
    assert result.iterations == 2000
    assert result.nash_conv < 0.1


def test_who_may_know_what():
    knowledge = {name: find_learner(name).knowledge for name in NAMES}
    assert knowledge["os-mccfr"] is knowledge["vr-mccfr"] is Knowledge.NOTHING
    assert knowledge["os-mccfr-balanced"] is knowledge["vr-mccfr-balanced"] is Knowledge.OWN_TREE
    assert {knowledge[name] for name in NAMES[4:]} == {Knowledge.SIMULATOR}
    assert set(NAMES) <= set(LEARNERS)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: OutcomeSampling("x", "", share=0.0), "share=0.0 must be above 0"),
        (lambda: OutcomeSampling("x", "", share=1.5), "share=1.5 must be above 0"),
        (lambda: OutcomeSampling("x", "", share=float("nan")), "share=nan must be"),
        (lambda: OutcomeSampling("x", "", window=0.5), "window=0.5 is less than one visit"),
        (lambda: OutcomeSampling("x", "", window=-1), "window=-1 must be"),
        (lambda: OutcomeSampling("x", "", regret_floor=-2.0), "regret_floor=-2.0 must be 0"),
        (lambda: TraversalSampling("x", "", least=0.0), "least=0.0 must be above 0"),
        (lambda: TraversalSampling("x", "", bonus=-1.0), "bonus=-1.0 must be"),
        (lambda: TraversalSampling("x", "", regret_floor=1.0), "regret_floor=1.0 must be 0"),
    ],
)
def test_numbers_out_of_range_are_refused(make, complaint):
    with pytest.raises(ParameterError, match=complaint.replace(".", r"\.")):
        make()


@pytest.mark.parametrize("name", ["os-mccfr", "es-mccfr"])
def test_no_episodes_are_refused(name):
    with pytest.raises(ParameterError, match="horizon=0"):
        find_learner(name).self_play(simulator_of("kuhn_poker"), horizon=0)
