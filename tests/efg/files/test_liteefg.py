"""Files in LiteEFG's .game format contain the game, by a small reader of the format."""

from __future__ import annotations

import re

import numpy as np
import pytest

from infoset.efg import (
    build_extensive_form,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
    format_liteefg,
    save_liteefg,
    terminal,
)
from infoset.errors import UnsupportedGameError
from infoset.evaluation import expected_values
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "kuhn_poker_long",
    "goofspiel(num_cards=3,imp_info=True)",
    "random_game(seed=1)",
]


class Reading:
    """The nodes by path, and the information sets, as the format's documentation describes them."""

    def __init__(self, text):
        self.nodes, self.infosets = {}, {}
        header = [line for line in text.splitlines() if line.startswith("#")]
        assert header[-1] == "# }"
        self.num_players = int(re.search(r"num_players: (\d+),", text)[1])
        for line in text.splitlines()[len(header) :]:
            match line.split(" "):
                case ["node", path, "leaf", "payoffs", *pairs]:
                    paid = dict(pair.split("=") for pair in pairs)
                    assert list(paid) == [str(p + 1) for p in range(self.num_players)]
                    self.nodes[path] = [float(value) for value in paid.values()]
                case ["node", path, "chance", "actions", *pairs]:
                    chances = [pair.split("=") for pair in pairs]
                    self.nodes[path] = "C", {name: float(chance) for name, chance in chances}
                case ["node", path, "player", player, "actions", *names]:
                    self.nodes[path] = f"P{player}", dict.fromkeys(names, 1 / len(names))
                case ["infoset", name, "nodes", *paths]:
                    assert name not in self.infosets
                    self.infosets[name] = paths
                case _:
                    raise AssertionError(line)

    def uniform_values(self, path="/"):
        node = self.nodes[path]
        if isinstance(node, list):
            return np.array(node)
        mover, moves = node
        start = path if path.endswith("/") else f"{path}/"
        return sum(p * self.uniform_values(f"{start}{mover}:{m}") for m, p in moves.items())


@pytest.mark.parametrize("spec", GAMES)
def test_the_file_contains_the_game(spec, tmp_path):
    tree = build_tree(load_game(spec))
    save_liteefg(tree, tmp_path / "a.game")
    found = Reading((tmp_path / "a.game").read_text())
    form = forget_non_acting(build_extensive_form(tree))
    assert len(found.nodes) == form.num_histories
    values = expected_values(uniform_policy(tree.sequence_form))
    assert found.uniform_values() == pytest.approx(values, abs=1e-12)
    for player, one in enumerate(form.infoset_names, start=1):
        own = [paths for name, paths in found.infosets.items() if name.startswith(f"{player}-")]
        assert len(own) == len(one)
        assert sum(map(len, own)) == (form.actor == player - 1).sum()
        for paths in own:
            assert len({(found.nodes[path][0], *found.nodes[path][1]) for path in paths}) == 1


def test_names_contain_no_signs_of_the_format():
    ends = [terminal(n) for n in range(4)]
    moves = dict(zip(["a b", "a_b", "a/=", "♠"], ends, strict=True))
    text = format_liteefg(extensive_form_from_nodes(decision(0, "here we", moves), players=1))
    assert text.splitlines()[4:] == [
        "node / player 1 actions a_b a_b_#2 a|: &#9824;",
        "node /P1:a_b leaf payoffs 1=0.0",
        "node /P1:a_b_#2 leaf payoffs 1=1.0",
        "node /P1:a|: leaf payoffs 1=2.0",
        "node /P1:&#9824; leaf payoffs 1=3.0",
        "infoset 1-1-here_we nodes /",
    ]


def test_actions_that_differ_within_an_infoset_are_refused():
    first, second = (decision(1, "same", {name: terminal()}) for name in "xy")
    form = extensive_form_from_nodes(decision(0, "start", {"a": first, "b": second}))
    with pytest.raises(UnsupportedGameError, match=r"cannot be written as \.game"):
        format_liteefg(form)
