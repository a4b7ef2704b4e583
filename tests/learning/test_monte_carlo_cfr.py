"""Monte Carlo CFR: unbiased by enumeration of all draws, and equal to slow references."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from infoset import load
from infoset.learning import (
    OnlineOutcomeSampling,
    OutcomeSampling,
    SampledTraversal,
    get_learner,
)
from infoset.learning.outcome_sampling import OUTCOME_SAMPLING_LEARNERS
from infoset.learning.sampled_traversal import SAMPLED_TRAVERSAL_LEARNERS
from infoset.learning.simulator import make_simulator
from infoset.tree import build_tree
from infoset.tree.decision_nodes import infostate_sequences
from tests.learning.playing import simulator_of
from tests.support.reference_mccfr import (
    ReferenceOnlineOutcomeSampling,
    ReferenceOutcomeSampling,
    ReferenceSampledTraversal,
    SeededDraws,
    all_draws,
    exact_regrets,
)

NAMES = [row.name for row in (*OUTCOME_SAMPLING_LEARNERS, *SAMPLED_TRAVERSAL_LEARNERS)]
PRUNED = replace(get_learner("as-mccfr"), min_probability=0.3, threshold=2.0, bonus=3.0)
ROWS = {
    **{name: get_learner(name) for name in NAMES},
    "pruned": PRUNED,
    "pruned chance sampling": replace(PRUNED, all_opponents=True),
    "es-mccfr+": replace(get_learner("es-mccfr"), clip_regrets=True),
    "vr-mccfr+": replace(get_learner("vr-mccfr"), clip_regrets=True),
}


REFERENCES = {
    OutcomeSampling: ReferenceOutcomeSampling,
    OnlineOutcomeSampling: ReferenceOnlineOutcomeSampling,
    SampledTraversal: ReferenceSampledTraversal,
}


def reference_of(row, simulator):
    return REFERENCES[type(row)](simulator, row)


def random_regrets(simulator, seed):
    """Return regrets, half of them negative, whose policies are far from uniform."""
    regret = np.random.default_rng(seed).normal(size=simulator.num_sequences)
    regret[simulator.infostates.root_sequence] = 0.0
    return regret


def policy_of(simulator, regret):
    reference = reference_of(get_learner("es-mccfr"), simulator)
    reference.regret[:] = regret
    return reference.policy()


def action_values(simulator, policy):
    """Return [S] player 0's utility after its actions if the others reach them, otherwise 0."""
    nodes, infostates = simulator.nodes, simulator.infostates
    found = np.zeros(simulator.num_sequences)

    def visit(node):
        here, first = nodes.kind[node], nodes.first[node]
        if here < 0:
            return simulator.utility[first, 0]
        sequences = infostates.first_sequence[here] + np.arange(nodes.num_children[node])
        is_own = infostates.player[here] == 0
        values = np.array(
            [visit(first + i) if is_own or policy[s] > 0 else 0.0 for i, s in enumerate(sequences)]
        )
        if is_own:
            found[sequences] = values
        return policy[sequences] @ values

    visit(0)
    return found


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ROWS)
def test_sampled_regrets_are_unbiased(name, player):
    simulator, row = simulator_of("kuhn_poker"), ROWS[name]
    if hasattr(row, "clip_regrets"):
        row = replace(row, clip_regrets=False)
    before = random_regrets(simulator, seed=player)
    guesses = np.random.default_rng(7).normal(size=simulator.num_sequences)
    past = np.random.default_rng(8).uniform(size=simulator.num_sequences) * 5.0

    def learn(draws):
        reference = reference_of(row, simulator)
        reference.regret[:], reference.cumulative_plan[:] = before, past
        reference.episodes = 40 + player
        reference.baseline = guesses.copy()
        reference.episode(draws)
        return reference.regret - before

    policy = policy_of(simulator, before)
    total, chance = np.zeros(simulator.num_sequences), 0.0
    for probability, found in all_draws(learn):
        total += probability * found
        chance += probability
    assert chance == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(total, exact_regrets(simulator, policy, player), atol=1e-12)


LARGER = cycle(["kuhn_poker(players=3)", "goofspiel(num_cards=3)"])


@pytest.mark.parametrize(
    ("name", "game", "episodes"),
    [
        *((name, "kuhn_poker", 60) for name in ROWS),
        *((name, next(LARGER), 20) for name in ROWS),
        # Until policies are learned at several decisions of a path: before, the mixture of two
        # plans and the plan of mixed policies are equal.
        ("online-os-mccfr", "kuhn_poker(players=3)", 400),
    ],
)
def test_every_episode_agrees_with_the_reference(name, game, episodes):
    simulator, row = simulator_of(game), ROWS[name]
    learning = row.self_play(simulator, horizon=60, seed=3)
    reference = reference_of(row, simulator)
    draws = SeededDraws(learning.state()["stream"])
    for _ in range(episodes):
        learning.run(1)
        reference.episode(draws)
        np.testing.assert_allclose(learning.state()["regret"], reference.regret, rtol=0, atol=1e-11)
        np.testing.assert_allclose(
            learning.state()["policy"], reference.policy(), rtol=0, atol=1e-9
        )
    expected = simulator.policy(reference.cumulative_plan)
    for found, wanted in zip(learning.policy().probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    if isinstance(row, SampledTraversal):
        assert learning.terminal_visits == reference.ends


def test_infostates_off_the_path_do_not_change():
    learning = get_learner("vr-mccfr-balanced").self_play(simulator_of("leduc_poker"), horizon=9)
    learning.run(50)
    before = learning.state()["policy"].copy()
    learning.run(1)
    moved = np.flatnonzero(before != learning.state()["policy"])
    owners = {
        int(i)
        for i in range(len(learning.simulator.depth))
        if set(infostate_sequences(learning.simulator.infostates, np.array([i]))) & set(moved)
    }
    assert 0 < len(owners) <= 4
    assert {int(learning.simulator.infostates.player[i]) for i in owners} == {0}


def test_an_exact_baseline_leaves_no_variance():
    """With pure opponents and no chance, each sample has the exact regrets."""
    simulator = simulator_of("liars_dice(numdice=2,dice_sides=1)")
    infostates = simulator.infostates
    regret = np.abs(random_regrets(simulator, seed=0))
    for here in np.flatnonzero(infostates.player == 1):
        first, count = infostates.first_sequence[here], infostates.num_actions[here]
        regret[first : first + count] = np.eye(count)[here % count]
    policy = policy_of(simulator, regret)
    exact = exact_regrets(simulator, policy, 0)
    baseline = action_values(simulator, policy)
    root = infostate_sequences(
        infostates, infostates.parent_sequence == infostates.root_sequence[0]
    )
    with_baseline, without = [], []
    for seed in range(30):
        learning = get_learner("os-mccfr").self_play(simulator, horizon=1, seed=seed)
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

    from infoset.interop.openspiel.exchange import list_decisions, to_openspiel

    tree = build_tree(load("openspiel:kuhn_poker"))
    game = to_openspiel(tree)
    simulator = make_simulator(tree)
    before = random_regrets(simulator, seed=4)
    places = {}
    for decision in list_decisions(tree):
        first = simulator.infostates.root_sequence[decision.player] + decision.first_sequence
        places[decision.key] = slice(first, first + len(decision.numbers))

    def theirs(draws):
        def choice(outcomes, p):
            return list(outcomes)[draws.choose(p)]

        monkeypatch.setattr(np.random, "choice", choice)
        if name == "outcome":
            solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
        else:
            solver = external_sampling_mccfr.ExternalSamplingSolver(game)
        for key, sequences in places.items():
            solver._infostates[key] = [before[sequences].copy(), np.zeros(2)]
        if name == "outcome":
            solver._episode(game.new_initial_state(), player, 1.0, 1.0, 1.0)
        else:
            solver._update_regrets(game.new_initial_state(), player)
        return {
            key: solver._infostates[key][0] - before[sequences] for key, sequences in places.items()
        }

    def ours(draws):
        row = get_learner("os-mccfr" if name == "outcome" else "es-mccfr")
        reference = reference_of(row, simulator)
        reference.regret[:], reference.episodes = before, player
        reference.episode(draws)
        return {
            key: reference.regret[sequences] - before[sequences]
            for key, sequences in places.items()
        }

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
