"""No title of a file is loaded as a game, by any writer or reader."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import infoset
from infoset.cli.app import app
from infoset.efg import build_extensive_form, format_efg, load_efg, save_efg
from infoset.errors import InfosetError
from infoset.experiments import (
    save_comparison,
    save_learning,
    save_run,
    save_team,
)
from infoset.games import load_game
from infoset.plotting import draw
from infoset.policy import load_policy, read_metadata, save_policy, save_policy_csv

pytestmark = pytest.mark.usefixtures("empty_charts")

EVIL = """
from pathlib import Path
from infoset.games import MatrixGame

Path(__file__).with_name("executed").touch()


class Evil(MatrixGame):
    pass
"""
TITLES = ("evil.py:Evil", "{folder}/evil.py:Evil()", "openspiel:kuhn_poker", "other.efg")
FIRST_TITLE = pytest.mark.parametrize("planted", TITLES[:1], indirect=True)


@pytest.fixture(params=TITLES)
def planted(request, tmp_path, monkeypatch):
    """Return the path of a Gambit file whose title is the name of a game that runs code."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL)
    title = request.param.format(folder=tmp_path)
    form = build_extensive_form(load_game("matrix_mp"))
    text = format_efg(form)
    path = tmp_path / "planted.efg"
    path.write_text(text.replace('"matrix_mp"', json.dumps(title), 1))
    (tmp_path / "other.efg").write_text(text)
    loaded = []
    for module in ("infoset.interop.load_openspiel", "infoset.front.game_sources.load_game"):
        monkeypatch.setattr(module, lambda spec: loaded.append(spec), raising=True)
    assert load_efg(path).name == title
    yield path
    assert not (tmp_path / "executed").exists()
    assert loaded == []


def test_the_marker_is_left_by_a_game_that_the_user_names(tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    with pytest.raises(InfosetError):
        infoset.load(f"{tmp_path / 'evil.py'}:Evil")
    assert (tmp_path / "executed").exists()


def test_folders_of_results(planted):
    form = load_efg(planted)
    solved = infoset.solve(form, "cfr+", iterations=2)
    for folder in (save_run(solved), save_run(solved, game=form)):
        record = json.loads((folder / "result.json").read_text())
        assert record["parameters"] is None
        assert record["source"] == {"kind": "extensive form", "rules": None}


@FIRST_TITLE
def test_folders_of_learners_comparisons_and_teams(planted):
    form = load_efg(planted)
    save_learning(infoset.learn(form, "ixomd", episodes=10, seeds=2))
    save_comparison([infoset.solve(form, "cfr+", iterations=2)])
    players = [(0,), (1,)]
    save_team(infoset.solve_team(form, teams=players, relax="closure", restarts=1, iterations=1))


def test_policies_and_games(planted, tmp_path):
    form = load_efg(planted)
    policy = infoset.solve(form, "cfr+", iterations=2).policy
    save_policy(policy, tmp_path / "policy.parquet")
    save_policy_csv(policy, tmp_path / "policy.csv")
    assert read_metadata(tmp_path / "policy.parquet")["game"] == form.name
    load_policy(tmp_path / "policy.parquet", form.sequence_form)
    save_efg(form, tmp_path / "again.efg")
    assert draw(form).pictures
    infoset.evaluate(form, tmp_path / "policy.csv")


def test_runs_and_matches_that_are_resumed(planted, tmp_path):
    form = load_efg(planted)
    for iterations in (2, 4):
        infoset.solve(form, "cfr+", iterations=iterations, checkpoint=tmp_path / "run")
        infoset.play_matches(
            infoset.build_tree(infoset.efg.as_game(form)),
            None,
            None,
            num_deals=10 * iterations,
            checkpoint=tmp_path / "match",
        )


@FIRST_TITLE
@pytest.mark.parametrize(
    "arguments",
    [
        ["info"],
        ["solve", "--iterations", "2", "--out", "run"],
        ["compare", "--methods", "cfr,cfr+", "--iterations", "2", "--out", "run"],
        ["learn", "--episodes", "10", "--out", "run"],
        ["prove"],
        ["evaluate", "uniform"],
        ["show", "uniform"],
        ["draw", "--out", "tree.svg"],
        ["export", "--out", "again.efg"],
        ["match", "uniform", "uniform", "--deals", "10"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands(planted, arguments):
    command, *options = arguments
    done = CliRunner().invoke(app, [command, str(planted), *options])
    assert done.exit_code == 0, done.output


def test_a_result_records_the_rules_it_came_from(tmp_path):
    solved = infoset.solve("kuhn_poker(players=2)", "cfr+", iterations=1)
    record = json.loads((save_run(solved, tmp_path / "run") / "result.json").read_text())
    assert record["source"] == {"kind": "rules", "rules": "infoset.games.kuhn_poker.KuhnPoker"}
    assert record["parameters"] == {"players": 2, "num_cards": -1}
