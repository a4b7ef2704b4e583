"""Networks as tables: by shapes on world forms, by infostates on others; and other games."""

import jax
import numpy as np
import pytest

from infoset.deep import (
    NetworkPolicy,
    PolicyValueNetwork,
    device_game,
    make_tree_game,
    save_network,
)
from infoset.deep import network_policy as module
from infoset.deep.network_inputs import DeviceInput
from infoset.deep.rules import KuhnPokerRules
from infoset.errors import PolicyMismatchError, UnknownNameError
from infoset.front import evaluate, resolve_players
from infoset.games import load_game
from infoset.policy import transfer_policy
from infoset.tree import build_tree, build_world_form

pytestmark = pytest.mark.networks

BOARDS = ("phantom_ttt(num_rows=2,num_cols=3,gameversion=abrupt)", "dark_hex(board_size=2)")
GAMES = (
    *("kuhn_poker", BOARDS[1]),
    *(
        pytest.param(name, marks=pytest.mark.broad)
        for name in (
            BOARDS[0],
            "phantom_ttt(num_rows=2,num_cols=3)",
            "dark_hex(num_rows=2,num_cols=3,obstype=reveal-numturns)",
            "dark_hex(num_rows=2,num_cols=3,gameversion=adh)",
            "leduc_poker",
            "liars_dice(dice_sides=4)",
            "goofspiel(num_cards=4)",
            "goofspiel(num_cards=3,imp_info=True)",
            "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],num_shots=2)",
            "random_game",
        )
    ),
)


def policy_of(inputs, num_features, is_fine_tuned=False):
    """Return a policy with random weights that is far from uniform."""
    network = PolicyValueNetwork(num_features, (16, 8), len(inputs.actions), jax.random.key(5))
    *hidden, head = map(np.asarray, network.weights)
    return NetworkPolicy(network.filled([*hidden, 8 * head], network.biases), inputs, is_fine_tuned)


def device_policy(name, is_fine_tuned=False):
    device = device_game(name)
    return policy_of(DeviceInput(device), device.num_features, is_fine_tuned)


def assert_same(policy, tree, form, tolerance=1e-6):
    """By shapes, the policy is that which infostates have one by one."""
    listed = transfer_policy(policy.tabulate(tree.sequence_form), form)
    shaped = policy.tabulate(form)
    for expected, found in zip(listed.probabilities, shaped.probabilities, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
        assert np.ptp(found) > 0.3


@pytest.mark.parametrize("name", GAMES)
def test_networks_are_the_same_by_shapes_and_one_by_one(name):
    tree = build_tree(load_game(name))
    form = build_world_form(load_game(name))
    source, inputs, _ = make_tree_game(tree)
    assert_same(device_policy(name), tree, form)
    assert_same(policy_of(inputs, source.num_features), tree, form)


def test_batches_end_anywhere(monkeypatch):
    monkeypatch.setattr(module, "MAX_BATCH", 7)
    for name in ("kuhn_poker", BOARDS[1]):
        tree, form = build_tree(load_game(name)), build_world_form(load_game(name))
        assert_same(device_policy(name), tree, form)


def test_fine_tuned_networks_and_networks_from_files(tmp_path):
    name, path = BOARDS[1], tmp_path / "network.npz"
    tree, form = build_tree(load_game(name)), build_world_form(load_game(name))
    assert_same(device_policy(name, is_fine_tuned=True), tree, form)
    source, inputs, _ = make_tree_game(tree)
    save_network(policy_of(inputs, source.num_features), path, {"game": name})
    assert evaluate(form, path).nash_conv == pytest.approx(evaluate(tree, path).nash_conv)


def test_rules_that_encode_in_another_way_are_queried_infostate_by_infostate():
    class Doubled(type(device_game(BOARDS[1]))):
        """Entries are 2 in the place of 1."""

        def encode(self, infostate):
            return 2 * super().encode(infostate)

    inputs = DeviceInput(Doubled.of(load_game(BOARDS[1])))
    assert inputs.step_encoder(0) is None
    tree, form = (build(load_game(BOARDS[1])) for build in (build_tree, build_world_form))
    assert_same(policy_of(inputs, inputs.num_features), tree, form)


@pytest.mark.parametrize(
    ("trained", "played"),
    [
        ("phantom_ttt(num_rows=2,num_cols=2,line_length=2)", "dark_hex(board_size=2)"),
        ("dark_hex(board_size=2)", "dark_hex(board_size=2,gameversion=adh)"),
        ("liars_dice(dice_sides=3)", "liars_dice(dice_sides=2)"),
    ],
)
def test_networks_for_other_rules_are_refused(trained, played, tmp_path):
    """The infostates of one game happen to be infostates of the other one, too."""
    policy, path = device_policy(trained), tmp_path / "network.npz"
    save_network(policy, path, {"game": trained})
    for build in (build_tree, build_world_form):
        form = build(load_game(played))
        with pytest.raises(PolicyMismatchError, match="not the rules of"):
            policy.tabulate(getattr(form, "sequence_form", form))
        with pytest.raises(PolicyMismatchError, match=r"holds a network for .* infoset train"):
            evaluate(form, path)
    with pytest.raises(PolicyMismatchError, match="holds a network for"):
        resolve_players([str(path)], load_game(played))


def test_networks_for_other_trees_are_refused(tmp_path):
    path = tmp_path / "network.npz"
    source, inputs, _ = make_tree_game(build_tree(load_game("liars_dice(dice_sides=3)")))
    save_network(policy_of(inputs, source.num_features), path, {"game": "liars_dice(dice_sides=3)"})
    with pytest.raises(PolicyMismatchError, match=r"not for liars_dice\(dice_sides=2\)"):
        evaluate("liars_dice(dice_sides=2)", path)


def test_one_game_may_have_several_names(tmp_path):
    """A board has its size in two ways, and a network may not say its game at all."""
    path = tmp_path / "network.npz"
    for about in ({"game": "dark_hex(num_rows=2,num_cols=2)"}, {"game": "PhantomRules"}, {}):
        save_network(device_policy(BOARDS[1]), path, about)
        assert evaluate(BOARDS[1], path).nash_conv > 0


@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice(dice_sides=2)"])
def test_infostates_that_the_rules_do_not_know_are_refused_by_shapes(name):
    class Mine(KuhnPokerRules):
        """Rules that are not known to belong to a game."""

    source, inputs, _ = make_tree_game(build_tree(load_game("kuhn_poker")))
    form = build_world_form(load_game(name))
    for policy in (policy_of(DeviceInput(Mine()), 9), policy_of(inputs, source.num_features)):
        with pytest.raises(UnknownNameError):
            policy.tabulate(form)
