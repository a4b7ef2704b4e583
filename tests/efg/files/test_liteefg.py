"""LiteEFG's .game files contain the game, by another small reader; and they are read back."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from infoset.efg import (
    build_extensive_form,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
    format_liteefg,
    load_liteefg,
    parse_liteefg,
    save_liteefg,
    terminal,
)
from infoset.errors import GameFileError, UnsupportedGameError
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


@pytest.mark.parametrize("spec", GAMES)
def test_a_written_file_is_read_as_the_same_game(spec, tmp_path):
    tree = build_tree(load_game(spec))
    save_liteefg(tree, tmp_path / "a.game")
    form = load_liteefg(tmp_path / "a.game")
    again = forget_non_acting(build_extensive_form(tree))
    assert form.name == str(tree.game)
    assert form.num_histories == again.num_histories
    paid = [one.utility[one.terminals] for one in (form, again)]
    assert np.allclose(*paid, rtol=0, atol=1e-12)
    assert [len(names) for names in form.infoset_names] == [len(n) for n in again.infoset_names]
    uniform = uniform_policy(form.sequence_form)
    values = expected_values(uniform_policy(tree.sequence_form))
    assert expected_values(uniform) == pytest.approx(values, abs=1e-12)
    nodes = [
        re.findall("^node /.*(?:player|chance).*$", format_liteefg(f), re.M) for f in (form, again)
    ]
    assert nodes[0] == nodes[1]


def test_rounded_probabilities_are_scaled_and_lines_may_be_in_any_order():
    lines = [
        "# An instance with parameters:",
        "#     num_players: 3,",
        "infoset both nodes /C:a /C:b",
        "node /C:a/P2:l leaf payoffs 1=1 2=-1.5e0",
        "node /C:a player 2 actions l",
        "node /C:b player 2 actions l",
        "node /C:b/P2:l leaf payoffs 2=1/2",
        "node /C:c leaf payoffs",
        "",
        "node / chance actions a=0.33333333 b=0.33333333 c=0.33333333",
    ]
    form = parse_liteefg("\n".join(lines), name="some.game")
    assert (form.name, form.num_players) == ("some.game", 3)
    assert [*form.probabilities] == [Fraction(1, 3)]
    assert form.infoset_names == ((), ("both",), ())
    assert [one.payoffs for one in form.outcomes] == [(1, -1.5, 0), (0, 0.5, 0)]


ROOT = "node / player 1 actions in out"
ENDS = "node /P1:in leaf payoffs 1=1\nnode /P1:out leaf payoffs 1=0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "g.game, line 1: there is no line that begins with node /"),
        ("node", r"line 1: read 'node', expected a line such as 'node / chance"),
        ("node / player 1 actions", "line 1: read 'node / player 1 actions', expected"),
        ("node / player 0 actions a", "line 1: read '0', expected a player from 1 to 999"),
        ("node / player 1000 actions a", "expected a player from 1 to 999"),
        ("node / player x actions a", "expected a player from 1 to 999"),
        ("node / leaf payoffs 1=x", "read '1=x', expected NAME=NUMBER"),
        ("node / leaf payoffs 1=1e", "expected NAME=NUMBER"),
        ("node / leaf payoffs =1", "expected NAME=NUMBER"),
        ("node / leaf payoffs 1=1e9999", "expected NAME=NUMBER"),
        ("node / chance actions a=0.5 b=0.4\n", "line 1: the probabilities .* sum to 0.9"),
        ("node / chance actions a=-1 b=2\n", "line 1: -1 is not a probability"),
        (f"{ROOT}\nnode /P1:in leaf payoffs", "line 1: a move leads to /P1:out, which has no line"),
        (f"{ROOT}\n{ENDS}\nnode /P2:x leaf payoffs", "line 4: no move leads to node /P2:x"),
        (f"{ROOT}\n{ENDS}\n{ROOT}", "line 4: node / is already described"),
        ("node / player 1 actions a a", "line 1: two moves at node / have the same name"),
        (f"{ROOT}\n{ENDS}\ninfoset x nodes /P1:in", "line 4: expected nodes of one player"),
        (f"{ROOT}\n{ENDS}\ninfoset x nodes /no", "line 4: expected nodes of one player, read /no"),
        (f"{ROOT}\n{ENDS}\ninfoset x nodes /\ninfoset y nodes /", "line 5: node / is in two inf"),
    ],
)
def test_what_breaks_the_format_is_named_with_its_line(text, message):
    with pytest.raises(GameFileError, match=message):
        parse_liteefg(text, name="g.game")


def test_an_infoset_of_two_players_is_refused():
    text = """node / player 1 actions a
        node /P1:a player 2 actions b
        node /P1:a/P2:b leaf payoffs
        infoset both nodes / /P1:a"""
    with pytest.raises(GameFileError, match="line 4: expected nodes of one player, read /P1:a"):
        parse_liteefg(text)
