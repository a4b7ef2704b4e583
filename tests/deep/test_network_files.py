"""Files of networks: what is saved is read again, and other files are refused."""

import jax
import numpy as np
import policy_forgeries
import pytest

from infoset.deep import (
    NetworkPolicy,
    PolicyValueNetwork,
    device_game,
    load_network,
    make_tree_game,
    save_network,
)
from infoset.deep.network_inputs import DeviceInput
from infoset.deep.rules import KuhnPokerRules
from infoset.errors import PolicyFileError, PolicyMismatchError, UnknownNameError
from infoset.front import evaluate, read_policy_metadata, resolve_players
from infoset.games import load_game
from infoset.matches import play_matches
from infoset.tree import build_tree
from infoset.utils.array_files import content_checksum, read_arrays, write_arrays

pytestmark = pytest.mark.networks


def network_for(source, inputs):
    """Return a policy with random weights for an episode source or a device game."""
    sizes = (source.num_features, (8,), source.num_actions)
    network = PolicyValueNetwork(*sizes, jax.random.key(2), "bfloat16")
    return NetworkPolicy(network, inputs)


@pytest.fixture(scope="module")
def made():
    """Networks by the way in which their games are played."""
    game, inputs, _ = make_tree_game(build_tree(load_game("goofspiel(num_cards=3)")))
    device = device_game("goofspiel(num_cards=3)")
    return {"tree": network_for(game, inputs), "rules": network_for(device, DeviceInput(device))}


@pytest.mark.parametrize("kind", ["tree", "rules"])
def test_a_network_from_a_file_plays_the_same(made, kind, tmp_path):
    """The labels of this game are integers, which the file has as text."""
    path = tmp_path / "network.npz"
    save_network(made[kind], path, {"game": "goofspiel(num_cards=3)", "seed": 0})
    loaded = load_network(path)
    form = build_tree(load_game("goofspiel(num_cards=3)")).sequence_form
    before, after = made[kind].tabulate(form), loaded.tabulate(form)
    for mine, other in zip(before.probabilities, after.probabilities, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert read_policy_metadata(path)["seed"] == 0
    assert (
        evaluate("goofspiel(num_cards=3)", path).nash_conv
        == evaluate("goofspiel(num_cards=3)", before).nash_conv
    )
    with pytest.raises((UnknownNameError, PolicyMismatchError)):
        evaluate("kuhn_poker", path)


def test_a_network_plays_a_game_that_is_not_built(made, tmp_path):
    path = tmp_path / "network.npz"
    save_network(made["rules"], path)
    game = load_game("goofspiel(num_cards=3)")
    players = resolve_players([str(path), "uniform"], game)
    assert play_matches(game, *players, num_deals=5).num_deals == 5


@pytest.mark.parametrize("name", ["liars_dice", "phantom_ttt(num_rows=2)"])
def test_files_contain_the_parameters_of_rules_in_jax(name, tmp_path):
    device = device_game(name)
    save_network(network_for(device, DeviceInput(device)), tmp_path / "network.npz")
    assert load_network(tmp_path / "network.npz").inputs.device == device


@pytest.mark.parametrize(
    ("trained", "played"),
    [
        ("dark_hex(board_size=2)", "dark_hex(board_size=2,obstype=reveal-numturns)"),
        ("goofspiel(num_cards=3)", "goofspiel(num_cards=3,imp_info=True)"),
        ("leduc_poker(suit_isomorphism=True)", "leduc_poker"),
    ],
)
def test_infostates_of_another_game_are_unknown_to_rules_in_jax(trained, played):
    form = build_tree(load_game(played)).sequence_form
    infostates = [form.infostate_at(1, number) for _, number in form.labeled_infostates(1)]
    with pytest.raises(UnknownNameError, match="give a network that was trained on this game"):
        DeviceInput(device_game(trained)).features(infostates)


def test_files_that_are_not_networks_are_refused(made, tmp_path):
    path = tmp_path / "network.npz"
    with pytest.raises(PolicyFileError, match="there is no file"):
        load_network(path)
    path.write_bytes(b"nothing")
    with pytest.raises(PolicyFileError, match="cannot be read"):
        load_network(path)
    write_arrays(path, {"kind": "something"}, {})
    with pytest.raises(PolicyFileError, match="does not contain a network"):
        load_network(path)
    save_network(made["rules"], path)
    header, arrays = read_arrays(path)
    for change, error, text in (
        ({"format": 99}, PolicyFileError, "format 99"),
        ({"rules": "MyRules"}, PolicyFileError, "load_network"),
        ({"fingerprint": "0"}, PolicyMismatchError, "GoofspielRules"),
    ):
        write_arrays(path, {**header, **change}, arrays)
        with pytest.raises(error, match=text):
            load_network(path)
    write_arrays(path, header, {"weights_0": arrays["weights_0"]})
    with pytest.raises(PolicyFileError, match="whole network"):
        load_network(path)
    save_network(made["tree"], path)
    header, arrays = read_arrays(path)
    write_arrays(path, {**header, "encoding": 0}, arrays)
    with pytest.raises(PolicyMismatchError, match="version 0"):
        load_network(path)


def test_networks_of_your_own_device_games_need_them(tmp_path):
    class Mine(KuhnPokerRules):
        """Kuhn poker under another name."""

    path = tmp_path / "network.npz"
    policy = network_for(Mine(), DeviceInput(Mine()))
    save_network(policy, path)
    with pytest.raises(PolicyFileError, match=r"load_network\(path, device\)"):
        load_network(path)
    assert load_network(path, Mine()).network.weights[0].shape == policy.network.weights[0].shape
    with pytest.raises(PolicyMismatchError, match="Mine"):
        load_network(path, device_game("kuhn_poker"))


def test_every_change_of_a_file_is_noticed(made, tmp_path):
    """The digest covers the header, and the names, types, shapes and numbers of all arrays."""
    path = tmp_path / "network.npz"
    save_network(made["tree"], path, {"game": "goofspiel(num_cards=3)"})
    header, arrays = read_arrays(path)
    header["sha256"] = content_checksum(header, arrays)
    for name in arrays:
        changed = arrays[name].copy()
        changed.flat[-1] += 1
        policy_forgeries.write_plain(path, header, {**arrays, name: changed})
        with pytest.raises(PolicyFileError, match="does not match its checksum"):
            load_network(path)
    for name in header.keys() - {"kind", "format", "version"}:
        policy_forgeries.write_plain(path, {**header, name: "another"}, arrays)
        with pytest.raises(PolicyFileError, match="does not match its checksum"):
            load_network(path)


def test_forged_files_are_refused_or_read_alike(tmp_path):
    for name, reading in policy_forgeries.network_readings(tmp_path).items():
        answers, wrong = policy_forgeries.count(reading, every=6)
        assert wrong == [], name
        assert answers["refused"] > 60


@pytest.mark.parametrize("name", ["liars_dice", "battleship", "leduc_poker"])
def test_networks_for_all_rules_are_read_again(tmp_path, name):
    """Parameters that are tuples of tuples, such as the bids, are lists of lists in a file."""
    device, path = device_game(name), tmp_path / "network.npz"
    policy = network_for(device, DeviceInput(device))
    save_network(policy, path)
    assert load_network(path).digest == policy.digest
