"""Games loaded from a Python file, as the command line does."""

from __future__ import annotations

import json

import pytest

import infoset
from infoset.cli import main
from infoset.errors import ParameterError, UnknownNameError

SOURCE = '''
from __future__ import annotations
from dataclasses import dataclass
from infoset import Game, Observation

@dataclass(frozen=True)
class Pennies(Game):
    """The chooser wins where both pennies match."""

    stake: int = 1
    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return () if world else (0, 1)

    def legal_actions(self, world, player):
        return ("heads", "tails")

    def transitions(self, world, joint_action):
        return [] if world else [(joint_action, 1)]

    def rewards(self, world, joint_action, next_world):
        sign = 1 if next_world[0] == next_world[1] else -1
        return (sign * self.stake, -sign * self.stake)

    def observe(self, world, joint_action, next_world):
        return Observation(public=next_world)
'''


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pennies.py"
    path.write_text(SOURCE)
    return path


def test_it_is_loaded_with_its_parameters(file):
    game = infoset.load(f"{file}:Pennies(stake=3)")
    assert str(game) == "Pennies(stake=3)"
    assert infoset.build_tree(game).sequence_form.payoff_range == (-3, 3)


def test_the_command_line_solves_it(file, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["solve", "pennies.py:Pennies", "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["game"] == "Pennies"
    assert found["exploitability"] < 1e-3
    assert sorted(path.name for path in (file.parent / "runs" / "Pennies-lp").iterdir()) == [
        "convergence.png",
        "policy.parquet",
        "result.json",
        "trace.csv",
    ]


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("none.py:Pennies", ParameterError, "there is no file none.py"),
        ("pennies.py:Penny", UnknownNameError, "did you mean Pennies"),
        ("pennies.py:Game", UnknownNameError, "known: Pennies"),
        ("pennies.py:Pennies(stakes=2)", ParameterError, "stakes"),
        ("pennies.py:", ParameterError, "cannot read the game"),
        ("broken.py:Pennies", ParameterError, "executing broken.py raised NameError"),
    ],
)
def test_mistakes(file, spec, kind, message):
    (file.parent / "broken.py").write_text("undefined_name")
    with pytest.raises(kind, match=message):
        infoset.load(spec)
