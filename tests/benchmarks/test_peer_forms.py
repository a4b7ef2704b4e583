"""Game files for peers contain our game, and other games are detected."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from comparison.forms import GameFiles, difference, liteefg_lines, load_form, load_gap, save_form

import infoset
from infoset.policy import random_policy

pytestmark = pytest.mark.benchmarks

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=random)"


@pytest.fixture(params=["kuhn_poker", GOOFSPIEL, "kuhn_poker(players=3)"])
def files(request, tmp_path):
    return GameFiles(infoset.build_tree(infoset.load(request.param)), tmp_path)


def test_a_file_of_gambit_holds_the_same_game(files):
    theirs = infoset.load(files.efg).sequence_form
    assert difference(files.tree.sequence_form, theirs) is None


def read_liteefg(lines):
    """Read a file in LiteEFG's format as histories by name: (actor, children, chances, payoffs)."""
    nodes, infosets = {}, {}
    for line in lines:
        match line.split():
            case ["node", name, "chance", "actions", *pairs]:
                children, chances = zip(*(pair.split("=") for pair in pairs), strict=True)
                nodes[name] = SimpleNamespace(children=children, chances=list(map(float, chances)))
            case ["node", name, "player", player, "actions", *children]:
                nodes[name] = SimpleNamespace(player=int(player), children=children, chances=None)
            case ["node", name, "leaf", "payoffs", *pairs]:
                paid = [float(pair.split("=")[1]) for pair in pairs]
                nodes[name] = SimpleNamespace(children=(), paid=np.array(paid))
            case ["infoset", name, "nodes", *members]:
                infosets[name] = members
    return nodes, infosets


def uniform_values(nodes, name):
    node = nodes[name]
    if not node.children:
        return node.paid
    chances = node.chances or [1 / len(node.children)] * len(node.children)
    return sum(p * uniform_values(nodes, c) for p, c in zip(chances, node.children, strict=True))


def test_a_file_of_liteefg_holds_the_same_game(files):
    nodes, infosets = read_liteefg(liteefg_lines(files.form))
    expected = infoset.expected_values(infoset.uniform_policy(files.tree.sequence_form))
    assert uniform_values(nodes, "n0") == pytest.approx(expected, abs=1e-12)
    for player, plex in enumerate(files.tree.sequence_form.treeplexes):
        met = {name: seen for name, seen in infosets.items() if name.startswith(f"{player}:")}
        assert len(met) == plex.num_infostates
        sizes = [len(nodes[met[f"{player}:{number}"][0]].children) for number in range(len(met))]
        assert sizes == files.form.sequence_form.treeplexes[player].num_actions.tolist()
        assert all(nodes[one].player == player + 1 for seen in met.values() for one in seen)


def test_arrays_of_a_game_are_read_back(files, tmp_path):
    form = files.form.sequence_form
    save_form(form, tmp_path / "form.npz")
    assert difference(form, load_form(tmp_path / "form.npz", form)) is None


def test_a_policy_of_a_peer_is_measured_as_one_of_ours(files, tmp_path):
    policy = random_policy(files.form.sequence_form, np.random.default_rng(1))
    np.savez(tmp_path / "policy.npz", *policy.probabilities)
    measured = infoset.nash_conv(policy) / (2 if policy.form.num_players == 2 else 1)
    assert load_gap(tmp_path / "policy.npz", policy.form) == pytest.approx(measured)


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("kuhn_poker(players=3)", "infosets"),
        ("leduc_poker", "infosets"),
    ],
)
def test_another_game_is_recognized_by_its_sizes(spec, found):
    kuhn, other = (infoset.build_tree(infoset.load(s)).sequence_form for s in ("kuhn_poker", spec))
    assert difference(kuhn, other).startswith(found)


def test_other_payoffs_are_recognized():
    kuhn = infoset.build_tree(infoset.load("kuhn_poker")).sequence_form
    payoff = kuhn.payoff.copy()
    payoff[3] *= 2
    assert difference(kuhn, replace(kuhn, payoff=payoff)) == "payoffs differ"
    assert "uniform play" in difference(kuhn, replace(kuhn, payoff=kuhn.payoff[::-1].copy()))
