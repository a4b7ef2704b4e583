"""Games that break a rule end every command with an error message, never with a traceback."""

from __future__ import annotations

import pytest

GAME = """
from infoset.game import Game, Observation


class Broken(Game):
    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return (len(world),) if len(world) < 2 else ()

    def legal_actions(self, world, player):
        return ("heads", "tails")

    def transitions(self, world, joint_action):
        return [((*world, joint_action[len(world)]), 1)] if len(world) < 2 else []

    def rewards(self, world, joint_action, next_world):
        return {0: -1, 1: 1}[world]

    def observe(self, world, joint_action, next_world):
        return Observation("hidden")
"""

COMMANDS = [
    ["info"],
    ["solve"],
    ["compare", "--methods", "cfr,cfr+"],
    ["learn"],
    ["prove"],
    ["evaluate", "uniform"],
    ["show", "uniform"],
    ["draw", "--out", "tree.svg"],
    ["play", "--player", "0"],
    ["match", "uniform", "uniform", "--deals", "10"],
    ["export", "--out", "broken.efg"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_game_without_a_number_of_players(command, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text(GAME.replace("num_players = 2", "num_players = None"))
    verb, *options = arguments
    ran = command(verb, "broken.py:Broken", *options)
    assert ran.code == 2
    assert "error: num_players of Broken is None. The rule:" in ran.err


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_the_error_names_the_rule_and_the_line_of_the_file(
    command, arguments, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text(GAME)
    verb, *options = arguments
    ran = command(verb, "broken.py:Broken", *options, stdin="heads\n" * 3)
    assert ran.code == 2
    error, place = ran.err.strip().split("\n")[-2:]
    assert error.startswith("error: rewards((), ('heads', None), ('heads',)) raised KeyError: ()")
    assert "The rule: rewards returns a sequence with one number per player" in error
    assert place.startswith("raised in rewards, line 21 of ")
    assert place.endswith("broken.py: return {0: -1, 1: 1}[world]")
    assert "Traceback" not in ran.err


def test_an_error_of_the_library_is_one_line(command, monkeypatch):
    def fail(*args, **kwargs):
        raise ValueError("a bug")

    monkeypatch.setattr("infoset.front.info", fail)
    ran = command("info", "kuhn_poker")
    assert ran.code == 2
    assert ran.err.startswith("error: unexpected ValueError: a bug\n")
    assert "Traceback" not in ran.err


def test_remarks_do_not_change_the_exit_code(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Paid at the last world state, where rewards is not called.
    rules = GAME.replace("{0: -1, 1: 1}[world]", "(1, -1) if len(world) == 2 else (0, 0)")
    (tmp_path / "unpaid.py").write_text(rules)
    ran = command("check", "unpaid.py:Broken")
    assert ran.code == 0
    remark = "  remark: every play ends with the utilities 0, 0; if this is not intended, compute"
    assert remark in ran.out
    found = command("check", "unpaid.py:Broken", "--json").json["remarks"]
    assert [remark["kind"] for remark in found] == [
        "constant utilities",
        "actions that are not observed",
    ]
