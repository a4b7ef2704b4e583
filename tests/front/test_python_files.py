"""Games loaded from a Python file, as on the command line."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

import infoset
from infoset.cli import main
from infoset.errors import ParameterError, PolicyFileError, UnknownNameError
from infoset.front import register_learner, register_method, register_searcher, resolve_players
from infoset.regret import SCHEMES
from tests.support.own_files import PENNIES
from tests.support.registries import undo_registrations


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pennies.py"
    path.write_text(PENNIES)
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
        "policy.parquet",
        "policy.png",
        "result.json",
        "trace.csv",
    ]


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("none.py:Pennies", ParameterError, "there is no file none.py"),
        ("pennies.py:Penny", UnknownNameError, "did you mean Pennies"),
        ("pennies.py:Game", UnknownNameError, "known: Pennies"),
        ("pennies.py:Pennies(stakes=2)", UnknownNameError, "did you mean stake?"),
        ("pennies.py:Pennies(", ParameterError, "cannot read the game"),
        ("pennies.py(stakes=2)", UnknownNameError, "did you mean stake?"),
        ("pennies.py(stake)", ParameterError, "not of the form parameter=value"),
        ("broken.py:Pennies", ParameterError, "executing broken.py raised NameError"),
    ],
)
def test_mistakes(file, spec, kind, message):
    (file.parent / "broken.py").write_text("undefined_name")
    with pytest.raises(kind, match=message):
        infoset.load(spec)


METHODS_OF_MINE = """
from dataclasses import replace

from infoset.learning import LEARNERS
from infoset.regret import SCHEMES
from tests.support.registries import undo_registrations
from infoset.search import PIMC
from infoset.solvers import LinearProgram

slow_plus = replace(SCHEMES["cfr+"], name="slow-plus", average_delay=3)
learner = replace(LEARNERS["ixomd"], name="my-ixomd")


class Program(LinearProgram):
    pass


class Cautious(PIMC):
    pass


class AlwaysFirst:
    def action_probabilities(self, infostate, legal_actions):
        return [1.0] + [0.0] * (len(legal_actions) - 1)
"""


ONE_EACH = {
    "scheme.py": """
from dataclasses import replace
from infoset.regret import SCHEMES
slow_plus = replace(SCHEMES["cfr+"], name="slow-plus", average_delay=3)
""",
    "learner.py": """
from dataclasses import replace
from infoset.learning import LEARNERS
learner = replace(LEARNERS["ixomd"], name="my-ixomd")
""",
    "searcher.py": """
from infoset.search import PIMC
class Cautious(PIMC):
    pass
""",
    "policy.py": """
class AlwaysFirst:
    def action_probabilities(self, infostate, legal_actions):
        return [1.0] + [0.0] * (len(legal_actions) - 1)
""",
    "search.py": """
class Plain:
    def __init__(self, model):
        self.model = model

    def search(self, infostate, rng):
        count = len(self.model.legal_actions(infostate))
        return [1 / count] * count
""",
}


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(METHODS_OF_MINE)
    return path


def test_a_method_of_a_file_is_solved_and_compared_with(mine):
    own = infoset.solve("kuhn_poker", f"{mine}:slow_plus", iterations=10)
    assert own.method == "slow-plus"
    (scheme, program) = infoset.compare(
        "kuhn_poker", [f"{mine}:slow_plus", f"{mine}:Program"], iterations=10
    )
    assert scheme.nash_conv == own.nash_conv
    assert program.nash_conv < 1e-9


def test_a_learner_of_a_file_learns(mine):
    own = infoset.learn("kuhn_poker", f"{mine}:learner", episodes=100)
    library = infoset.learn("kuhn_poker", "ixomd", episodes=100)
    assert own.method == "my-ixomd"
    assert own.nash_conv == library.nash_conv


def test_searchers_and_policies_of_a_file_play(mine):
    game = infoset.load("kuhn_poker")
    cautious, first = resolve_players(
        [f"{mine}:Cautious(num_worlds=3)", f"{mine}:AlwaysFirst"], game
    )
    assert cautious.settings()["num_worlds"] == 3
    assert infoset.play_matches(game, cautious, first, num_deals=4).num_deals == 4


def test_an_unknown_object_of_a_file_lists_those_it_has(mine):
    with pytest.raises(UnknownNameError, match="slow_plus"):
        infoset.solve("kuhn_poker", f"{mine}:slow_minus", iterations=10)


def test_registered_methods_learners_and_searchers_go_by_name(monkeypatch):
    undo_registrations(monkeypatch)
    scheme = replace(SCHEMES["cfr+"], name="registered-cfr+")
    register_method(scheme, "rcfr")
    assert infoset.solve("kuhn_poker", "RCFR", iterations=3).method == "registered-cfr+"
    register_learner(replace(infoset.LEARNERS["ixomd"], name="registered-ixomd"))
    assert infoset.learn("kuhn_poker", "registered-ixomd", episodes=10).episodes == 10
    register_searcher("registered-pimc", infoset.PIMC)
    searcher = infoset.make_searcher("registered-pimc(num_worlds=5)", infoset.load("kuhn_poker"))
    assert searcher.settings()["num_worlds"] == 5


def test_a_name_of_the_library_is_not_given_away():
    with pytest.raises(ParameterError, match="cfr"):
        register_method(replace(SCHEMES["cfr+"], average_delay=2))


def test_the_only_game_of_a_file_needs_no_name(file):
    file.write_text(
        f"{PENNIES}\nfrom infoset.games import KuhnPoker\n\nclass _Half(Pennies): pass\n"
        "class Unfinished(Game): pass\n"
    )
    games = [infoset.load(spec) for spec in ("pennies.py", "pennies.py:", f"{file}(stake=3)")]
    assert [*map(str, games)] == ["Pennies", "Pennies", "Pennies(stake=3)"]
    assert infoset.load("pennies.py", stake=2).stake == 2


def test_the_only_method_learner_or_player_of_a_file_needs_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, source in ONE_EACH.items():
        (tmp_path / name).write_text(source)
    assert infoset.solve("kuhn_poker", "scheme.py", iterations=2).method == "slow-plus"
    (own,) = infoset.compare("kuhn_poker", ["scheme.py"], iterations=2)
    assert own.method == "slow-plus"
    assert infoset.learn("kuhn_poker", "learner.py", episodes=9).method == "my-ixomd"
    players = ["searcher.py(num_worlds=3)", "policy.py", "search.py"]
    cautious, *others = resolve_players(players, infoset.load("kuhn_poker"))
    assert cautious.settings()["num_worlds"] == 3
    assert [type(other).__name__ for other in others] == ["AlwaysFirst", "PlainSearch"]


def test_a_file_with_several_players_needs_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    both = ONE_EACH["searcher.py"] + ONE_EACH["policy.py"]
    (tmp_path / "both.py").write_text(both)
    with pytest.raises(ParameterError, match=r"both\.py:Cautious or both\.py:AlwaysFirst"):
        resolve_players(["both.py"], infoset.load("kuhn_poker"))


def test_a_python_file_is_not_read_as_the_file_of_a_policy(tmp_path):
    (tmp_path / "policy.py").write_text(ONE_EACH["policy.py"])
    with pytest.raises(PolicyFileError, match="is a Python file, not a policy file"):
        infoset.load_policy(tmp_path / "policy.py", "kuhn_poker")


def test_a_file_without_a_name_lists_its_games(file, tmp_path):
    file.write_text(f"{PENNIES}\nlarge = Pennies(stake=9)\n")
    with pytest.raises(ParameterError, match=r"in it: pennies\.py:Pennies or pennies\.py:large$"):
        infoset.load("pennies.py")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(ParameterError, match=r"empty\.py defines no game"):
        infoset.load("empty.py")


def test_parameters_of_a_class_are_keywords_or_text(file):
    assert infoset.load("pennies.py:Pennies", stake=3).stake == 3
    assert infoset.load("pennies.py:Pennies(stake=2)", stake=3).stake == 3


def test_a_file_imports_its_neighbors(file, tmp_path, monkeypatch):
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "pennies_rules.py").write_text(PENNIES)
    (folder / "mine.py").write_text("from pennies_rules import Pennies\nown = Pennies(stake=5)\n")
    before = [*sys.path]
    assert infoset.load("games/mine.py:own").stake == 5
    assert sys.path == before
    monkeypatch.delitem(sys.modules, "pennies_rules")
