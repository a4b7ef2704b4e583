"""Critics: targets against enumeration, learned values against exact ones, and files."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import (
    CRITICS,
    CriticSpec,
    NetworkPolicy,
    NetworkRNaD,
    PolicyValueNetwork,
    device_game,
    get_preset,
    load_critic,
    make_tree_game,
    report_critic,
    save_critic,
    train,
    train_critic,
)
from infoset.deep.blueprints import NetworkBlueprint, TableBlueprint, profile_policies
from infoset.deep.critic import critic_task
from infoset.deep.critic_learning import (
    CriticTask,
    Visits,
    history_v_trace,
    initial_critic,
    visit_histories,
)
from infoset.deep.network_inputs import DeviceInput
from infoset.deep.network_spec import _played, initial_state
from infoset.deep.networks import legal_exp
from infoset.deep.tree_rules import TreeRules
from infoset.errors import (
    CheckpointMismatchError,
    NumericalError,
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import history_values, transformed_profiles, transformed_values
from infoset.game import Infostate, Step
from infoset.games import load_game
from infoset.policy import (
    TRANSFORMATIONS,
    constant_transformations,
    random_policy,
    transform_policy,
    uniform_policy,
)
from infoset.search import PIMC, search_model
from infoset.tree import build_tree
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE
from tests.deep.enumeration import arrays_of, chance_probabilities
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.networks

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
KUHN_ROWS = constant_transformations(["pass", "bet"])
SMALL = replace(CRITICS["expected-backup"], hidden=(32,))


def network_policy(device):
    """Return the policy of a network with random weights."""
    sizes = (device.num_features, (8,), device.num_actions)
    return NetworkPolicy(PolicyValueNetwork(*sizes, jax.random.key(1)), DeviceInput(device))


class Enumerated:
    """All episodes of a small game with their histories, and exact values by recursion."""

    def __init__(self, game, profiles, behavior):
        """profiles : [M, I, A] policies of which the values are wanted; behavior : [I, A]."""
        self.a = arrays_of(game)
        self.profiles, self.behavior = np.asarray(profiles), np.asarray(behavior)
        self.node_values = {}
        self.episodes = []
        self.value(0)
        self.follow(0, [], 1.0)

    def value(self, node):
        """Return [M] the values of player 0 at a node."""
        a, kind = self.a, self.a.kind[node]
        if kind == TERMINAL_NODE:
            return np.full(len(self.profiles), float(a.reward[node]))
        below = [self.value(a.first[node] + k) for k in range(a.num_children[node])]
        if kind == CHANCE_NODE:
            return chance_probabilities(a, node) @ below
        found = sum(
            self.profiles[:, kind, action] * below[a.rank[kind, action]]
            for action in np.flatnonzero(a.legal[kind])
        )
        self.node_values[node] = found
        return found

    def follow(self, node, steps, probability):
        a, kind = self.a, self.a.kind[node]
        if kind == TERMINAL_NODE:
            self.episodes.append((steps, float(a.reward[node]), probability))
        elif kind == CHANCE_NODE:
            for place, chance in enumerate(chance_probabilities(a, node)):
                self.follow(a.first[node] + place, steps, probability * chance)
        else:
            for action in np.flatnonzero(a.legal[kind]):
                ratio = self.profiles[:, kind, action] / self.behavior[kind, action]
                child = a.first[node] + a.rank[kind, action]
                taken = probability * self.behavior[kind, action]
                self.follow(child, [*steps, (node, ratio)], taken)

    def targets(self, values, c_bar, rho_bar):
        """Return by node [M] the expected target of V-trace, with V by node."""
        shape = (max(len(steps) for steps, *_ in self.episodes), len(self.episodes))
        num_profiles = len(self.profiles)
        estimated, ratio = np.zeros((2, *shape, num_profiles), np.float32)
        valid, reward = np.zeros(shape, bool), np.zeros(shape, np.float32)
        for column, (steps, final, _) in enumerate(self.episodes):
            for t, (node, of_action) in enumerate(steps):
                estimated[t, column], ratio[t, column] = values[node], of_action
                valid[t, column] = True
            reward[len(steps) - 1, column] = final
        visits = Visits(None, jnp.asarray(valid), jnp.asarray(reward), jnp.asarray(ratio), None)
        found = np.asarray(history_v_trace(visits, jnp.asarray(estimated), c_bar, rho_bar))
        total = {node: np.zeros(num_profiles) for node in values}
        weight = dict.fromkeys(values, 0.0)
        for column, (steps, _, probability) in enumerate(self.episodes):
            for t, (node, _) in enumerate(steps):
                total[node] += probability * found[t, column]
                weight[node] += probability
        return {node: total[node] / weight[node] for node in values}


def enumerated(name, *, clipped=False):
    """Return all episodes of a game under a random policy, with transformed profiles."""
    tree = cached_tree(name)
    game = make_tree_game(tree)[0]
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(2))
    rules = TreeRules.of(tree)
    rows = TRANSFORMATIONS if name == GOOFSPIEL else KUHN_ROWS
    profiles = np.stack(
        [
            np.asarray(TableBlueprint.of(rules, p).table)
            for p in transformed_profiles(blueprint, rows)
        ]
    )
    behavior = 0.5 * profiles[0] + 0.5 * np.asarray(game.legal) / np.asarray(game.legal).sum(
        axis=1, keepdims=True
    )
    if clipped:
        cut = np.minimum(behavior, profiles)
        profiles_of_values = cut / cut.sum(axis=2, keepdims=True)
        return Enumerated(game, profiles, behavior), Enumerated(game, profiles_of_values, behavior)
    return Enumerated(game, profiles, behavior)


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
@pytest.mark.parametrize("c_bar", [0.0, 1.0, inf])
def test_exact_values_are_the_fixed_point_of_v_trace(name, c_bar):
    """Specification 15.4: for any policy that plays, and any c_bar."""
    found = enumerated(name)
    targets = found.targets(found.node_values, c_bar, inf)
    for node, value in found.node_values.items():
        np.testing.assert_allclose(targets[node], value, atol=2e-5)


def test_v_trace_without_bounds_reaches_the_exact_values_within_the_horizon():
    found = enumerated("kuhn_poker")
    values = {node: np.zeros(len(found.profiles)) for node in found.node_values}
    for _ in range(3):
        values = found.targets(values, inf, inf)
    for node, value in found.node_values.items():
        np.testing.assert_allclose(values[node], value, atol=1e-5)
    wrong = found.targets({node: value + 1 for node, value in values.items()}, 0.0, inf)
    assert max(np.abs(wrong[node] - values[node]).max() for node in values) > 0.5


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_with_bounded_ratios_the_fixed_point_is_the_value_of_the_clipped_policy(name):
    """Specification 15.5: π_ρ ∝ min(rho_bar μ, π), with rho_bar = 1."""
    found, clipped = enumerated(name, clipped=True)
    targets = found.targets(clipped.node_values, 1.0, 1.0)
    for node, value in clipped.node_values.items():
        np.testing.assert_allclose(targets[node], value, atol=2e-5)


@pytest.mark.long
def test_on_policy_the_target_of_the_blueprint_is_the_return():
    """Specification 15.6."""
    device = device_game("kuhn_poker")
    network = network_policy(device).network
    spec = replace(CRITICS["v-trace-paper"], batch_size=64, hidden=(8,))
    task = CriticTask(device, jnp.float32(1.0), KUHN_ROWS, spec)
    visits = visit_histories(task, NetworkBlueprint(network), initial_critic(task, 0))
    np.testing.assert_allclose(visits.ratio[..., 0][visits.valid], 1, atol=1e-5)
    targets = history_v_trace(visits, jnp.zeros(visits.ratio.shape), 1.0, inf)
    returns = np.cumsum(np.asarray(visits.reward)[::-1], axis=0)[::-1]
    valid = np.asarray(visits.valid)
    np.testing.assert_allclose(np.asarray(targets)[..., 0][valid], returns[valid], atol=1e-4)


@pytest.mark.long
def test_a_critic_learns_values_of_simultaneous_moves_by_expected_backups():
    tree = cached_tree(GOOFSPIEL)
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(2))
    rows = TRANSFORMATIONS[:4]
    exact = transformed_values(tree, blueprint, rows)
    critic = train_critic(tree, blueprint, rows, steps=2000, seed=1)
    assert critic.tabulate(tree).errors(exact, blueprint).max() < 0.1


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_profiles_on_the_device_are_those_of_the_library(name):
    tree = cached_tree(name)
    rules = TreeRules.of(tree)
    rows = TRANSFORMATIONS if name == GOOFSPIEL else KUHN_ROWS
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(3))
    table = TableBlueprint.of(rules, blueprint).table
    here = make_tree_game(tree)[0]
    found = profile_policies(rules, rows, here, table)
    for profile, policy in zip(found, transformed_profiles(blueprint, rows), strict=True):
        np.testing.assert_allclose(profile, TableBlueprint.of(rules, policy).table, atol=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "liars_dice(dice_sides=3)",
        GOOFSPIEL,
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[2],num_shots=2)",
        "dark_hex(board_size=2)",
    ],
)
def test_rules_in_jax_number_actions_as_their_trees_do(name):
    rules, tree = device_game(name), TreeRules.of(cached_tree(name))
    for player in range(2):
        for numbers in ("action_numbers", "phase_sizes"):
            found = dict(zip(rules.actions, getattr(rules, numbers)[player], strict=True))
            expected = dict(zip(tree.actions, getattr(tree, numbers)[player], strict=True))
            assert {action: found[action] for action, n in expected.items() if n} == {
                action: n for action, n in expected.items() if n
            }


def test_exact_values_have_the_layout_of_a_critic():
    tree = cached_tree("leduc_poker")
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(3))
    rows = constant_transformations(["fold", "call", "raise"], "call")
    exact = transformed_values(tree, blueprint, rows)
    assert exact.values.shape == (tree.num_histories, 7)
    for player in range(2):
        values = exact.against(player)
        for column, row in enumerate(rows):
            changed = transform_policy(blueprint, 1 - player, row)
            np.testing.assert_allclose(
                values[:, column], history_values(tree, changed)[:, player], atol=1e-12
            )
    assert exact.errors(exact, blueprint).tolist() == [0.0] * 7


@pytest.fixture(scope="module")
def kuhn():
    """A tree, a blueprint, and a critic of it."""
    tree = build_tree(load_game("kuhn_poker"))
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(4))
    return tree, blueprint, train_critic(tree, blueprint, KUHN_ROWS, SMALL, steps=2000)


def test_a_critic_learns_values_by_expected_backups(kuhn):
    tree, blueprint, critic = kuhn
    exact = transformed_values(tree, blueprint, KUHN_ROWS)
    table = critic.tabulate(tree)
    assert table.errors(exact, blueprint).max() < 0.1
    np.testing.assert_array_equal(table.values[tree.terminals], exact.values[tree.terminals])
    assert table.blueprints == exact.blueprints == critic.blueprints


def test_values_of_histories_are_those_of_the_table(kuhn):
    tree, _, critic = kuhn
    inner = np.flatnonzero(np.diff(tree.first_child))[5:9]
    histories = [
        [own.infostate_at(tree.infostate[h, p]) for p, own in enumerate(tree.infostate_trees)]
        for h in inner.tolist()
    ]
    np.testing.assert_allclose(
        critic.values(histories), critic.tabulate(tree).values[inner], atol=1e-6
    )
    with pytest.raises(ParameterError, match="players 0 to 1"):
        critic.values([[Infostate(1), Infostate(0)]])


def test_a_critic_is_a_leaf_value_of_searches(kuhn):
    """At depth one, PIMC averages the values of the histories after an action."""
    tree, _, critic = kuhn

    def critic_value(histories):
        later = critic.values([history.infostates for history in histories])[:, 0]
        total = later + np.array([history.rewards_so_far[0] for history in histories])
        return np.stack([total, -total], axis=1)

    model = search_model(tree)
    king = Infostate(0, (Step(None, "K", None),))
    searcher = PIMC(model, num_worlds=None, depth=1, leaf_value=critic_value)
    searcher.search(king, np.random.default_rng(0))
    table, own = critic.tabulate(tree).values[:, 0], tree.infostate_trees[0]
    there = np.flatnonzero(tree.infostate[:, 0] == own.index_of(king))
    after = [np.flatnonzero(tree.parent == history) for history in there.tolist()]
    assert searcher.last_search.values == pytest.approx(table[after].mean(axis=0), abs=1e-6)


def test_the_same_seed_gives_the_same_bits_and_files_keep_them(kuhn, tmp_path):
    tree, blueprint, _ = kuhn
    one, two = (train_critic(tree, blueprint, KUHN_ROWS, SMALL, steps=60) for _ in range(2))
    other = train_critic(tree, blueprint, KUHN_ROWS, SMALL, steps=60, seed=1)
    for a, b in zip(jax.tree.leaves(one.network), jax.tree.leaves(two.network), strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one.network.weights[0], other.network.weights[0])
    save_critic(one, tmp_path / "critic.npz")
    read = load_critic(tmp_path / "critic.npz", tree)
    np.testing.assert_array_equal(read.tabulate(tree).values, one.tabulate(tree).values)
    assert (read.settings, read.steps, read.blueprints) == (SMALL, 60, (blueprint.digest,))
    assert read.transformations == KUHN_ROWS
    with pytest.raises(PolicyMismatchError, match="always pass, always bet"):
        load_critic(tmp_path / "critic.npz", tree, "all")
    with pytest.raises(PolicyMismatchError, match="another game"):
        load_critic(tmp_path / "critic.npz", "leduc_poker", KUHN_ROWS)
    with pytest.raises(PolicyFileError, match="no file"):
        load_critic(tmp_path / "missing.npz", tree)


def test_the_residual_in_new_episodes_tells_a_trained_critic_from_one_without_sense(kuhn):
    tree, blueprint, critic = kuhn
    report = report_critic(critic, tree, blueprint, max_cost=0)
    assert report.nash_conv is None
    assert 0 < report.residual < 0.2 * report.spread
    assert not report.is_harmful
    assert "only a match can show it" in report.verdict
    assert report == report_critic(critic, tree, blueprint, max_cost=0)
    wrong = replace(critic, network=jax.tree.map(jnp.negative, critic.network))
    useless = report_critic(wrong, tree, blueprint, max_cost=0)
    assert useless.is_harmful
    assert "do not use this critic" in useless.verdict


@pytest.mark.long
def test_a_network_without_a_tree_has_a_critic():
    device = device_game("kuhn_poker")
    policy = network_policy(device)
    critic = train_critic(device, policy, KUHN_ROWS, steps=1500)
    tree = cached_tree("kuhn_poker")
    tabular = policy.tabulate(tree.sequence_form)
    exact = transformed_values(tree, tabular, KUHN_ROWS)
    assert critic.tabulate(tree).errors(exact, tabular).max() < 0.15
    with pytest.raises(PolicyMismatchError, match="another device game"):
        train_critic(device, network_policy(device_game("leduc_poker")), KUHN_ROWS, steps=1)


@pytest.mark.long
def test_a_critic_is_trained_with_the_network_and_does_not_change_it(tmp_path):
    spec = NetworkRNaD(batch_size=32, hidden=(8,))
    settings = {"seed": 2, "critic": "v-trace", "transformations": KUHN_ROWS}
    alone = train("kuhn_poker", spec, steps=1500, seed=2)
    both = train("kuhn_poker", spec, steps=1500, **settings)
    file = tmp_path / "run.npz"
    train("kuhn_poker", spec, steps=700, checkpoint=file, **settings)
    resumed = train("kuhn_poker", spec, steps=1500, checkpoint=file, **settings)
    for a, b in zip(*(jax.tree.leaves(r.policy.network) for r in (alone, both)), strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(*(jax.tree.leaves(r.critic.network) for r in (both, resumed)), strict=True):
        np.testing.assert_array_equal(a, b)
    tree, blueprint = cached_tree("kuhn_poker"), both.run.policy
    exact = transformed_values(tree, blueprint, KUHN_ROWS)
    table = both.critic.tabulate(tree)
    assert table.blueprints == exact.blueprints
    assert table.errors(exact, blueprint).max() < 0.25
    with pytest.raises(CheckpointMismatchError, match="critic"):
        train("kuhn_poker", spec, steps=1500, seed=2, checkpoint=file)


@pytest.mark.long
def test_a_critic_learns_values_by_v_trace(kuhn):
    tree, blueprint, _ = kuhn
    exact = transformed_values(tree, blueprint, KUHN_ROWS)
    critic = train_critic(tree, blueprint, KUHN_ROWS, "v-trace", steps=2000)
    assert critic.tabulate(tree).errors(exact, blueprint).max() < 0.1


@pytest.mark.long
def test_a_loss_that_is_not_finite_is_reported(kuhn):
    tree, blueprint, _ = kuhn
    with pytest.raises(NumericalError, match="learning_rate"):
        train_critic(tree, blueprint, KUHN_ROWS, CriticSpec(learning_rate=1e30), steps=200)


@pytest.mark.parametrize(
    ("preset", "build", "bound"),
    # The rarer an action in the episodes, the larger the errors of what follows it.
    [("rnad", True, 0.3), ("ppo", False, 0.3), ("nash-pg", True, 0.4)],
)
def test_a_critic_learns_from_the_episodes_of_a_network(preset, build, bound):
    """Its values are in the game's unit, whatever the unit of the learner is."""
    tree = cached_tree("kuhn_poker")
    spec = replace(get_preset(preset), batch_size=64, hidden=(8,))
    critic = replace(CRITICS["v-trace-shared"], hidden=(32,))
    settings = {"steps": 800, "seed": 2, "build": build, "response_steps": 0}
    found = train("kuhn_poker", spec, critic=critic, transformations=KUHN_ROWS, **settings)
    policy = found.policy.tabulate(tree.sequence_form)
    exact = transformed_values(tree, policy, KUHN_ROWS)
    # The standard deviation of the values is 1.4.
    assert found.critic.tabulate(tree).errors(exact, policy).max() < bound


def test_shared_episodes_have_the_ratios_and_rewards_of_the_network():
    tree = cached_tree("kuhn_poker")
    spec = replace(CRITICS["v-trace-shared"], batch_size=32, hidden=(8,))
    task = critic_task(device_game(tree), KUHN_ROWS, spec)
    source = make_tree_game(tree)[0]
    network = initial_state(source, get_preset("rnad"), 0).network

    @jax.jit
    def visits_of(network):
        rows, episodes = source.play(network, jax.random.key(1), 64)
        played = _played(source, task, rows, episodes, network)
        table = TableBlueprint(legal_exp(source.store(network), source.legal))
        return visit_histories(task, table, initial_critic(task, 0), played)

    visits = visits_of(network)
    valid = np.asarray(visits.valid)
    assert valid.shape == (3, 32)
    assert 64 < valid.sum() < 96  # two or three decisions each
    np.testing.assert_allclose(np.asarray(visits.ratio)[..., 0][valid], 1, atol=1e-5)
    earned = np.asarray(visits.reward).sum(axis=0) * float(task.unit)
    assert set(np.abs(earned).round(4).tolist()) == {1.0, 2.0}


def test_a_critic_without_a_learner_plays_its_own_episodes_and_says_so(kuhn):
    tree, blueprint, _ = kuhn
    critic = train_critic(tree, blueprint, KUHN_ROWS, "v-trace-shared", steps=1)
    assert not critic.settings.is_shared


def test_a_critic_that_shares_needs_episodes():
    with pytest.raises(UnsupportedGameError, match="rnad-expected does not sample any"):
        train("kuhn_poker", "rnad-expected", steps=1, critic="v-trace-shared")
    with pytest.raises(ParameterError, match="is_shared"):
        CriticSpec(is_shared="yes")


def test_what_a_critic_cannot_be_trained_for(kuhn):
    tree, blueprint, critic = kuhn
    with pytest.raises(ParameterError, match="identity"):
        train_critic(tree, blueprint, KUHN_ROWS[1:], steps=1)
    with pytest.raises(UnknownNameError, match="v-trace"):
        train_critic(tree, blueprint, KUHN_ROWS, "v-trase", steps=1)
    with pytest.raises(ParameterError, match="exploration"):
        CriticSpec(exploration=1.5)
    with pytest.raises(UnsupportedGameError, match="can be built"):
        train_critic(device_game("kuhn_poker"), blueprint, KUHN_ROWS, steps=1)
    with pytest.raises(PolicyMismatchError, match="a different game"):
        critic.tabulate(cached_tree("leduc_poker"))
    three = cached_tree("kuhn_poker(players=3)")
    with pytest.raises(UnsupportedGameError, match="two-player"):
        transformed_values(three, uniform_policy(three.sequence_form), KUHN_ROWS)
