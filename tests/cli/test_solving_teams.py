"""The command `solve` with methods for teams: its output, its files and its exit codes."""

from __future__ import annotations

import csv
import os

import pytest

from infoset.cli.progress import Progress
from infoset.cli.teams import OUTCOMES, parse_teams
from infoset.experiments import RUN_FILES
from infoset.teams import RELAXATIONS, TeamPoint
from infoset.teams.solving import TeamOptions

TRADE = "trade_comm(num_items=2)"
HIDING = ["--method", "progressive-hiding"]


def test_a_team_is_solved_saved_measured_and_shown(command, tmp_path):
    ran = command("solve", TRADE, *HIDING, "--relax", "recall", "--out", "run")
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == [f"{TRADE},", "progressive-hiding"]
    for row in (["outcome", "optimal"], ["payoff", "1"], ["relaxed", "payoff", "1"]):
        assert row in lines
    assert ["upper", "bound", "1"] in lines
    assert sorted(os.listdir(tmp_path / "run")) == sorted(RUN_FILES.values())
    measured = command("evaluate", TRADE, "run/policy.parquet", "--json").json
    assert measured["values"] == pytest.approx([1, 1], abs=1e-8)
    assert "by progressive-hiding" in command("show", TRADE, "run/policy.parquet").out


def test_the_numbers_as_json_and_the_trace(command, tmp_path):
    options = ["--relax", "none", "--iterations", 5, "--restarts", 2, "--seed", 3, "--penalty", 0.2]
    found = command("solve", "trade_comm(num_items=3)", *HIDING, *options, "--json").json
    assert (found["runs"], found["iterations"]) == (2, 5)
    assert found["penalty_coefficients"] == [0.2]
    assert found["outcome"] == "iterations"
    assert found["payoffs"][0] <= found["upper_bound"] == 1
    with (tmp_path / found["folder"] / found["files"]["trace"]).open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["iteration"]) for row in rows] == [
        (str(run), str(t)) for run in range(2) for t in range(1, 6)
    ]
    assert all(row["payoff_0"] == row["relaxed_payoff_0"] for row in rows)
    assert {row["squared_distance_0"] for row in rows} == {"0.0"}


def test_opposing_players_are_distinguished(command):
    ran = command("solve", "kuhn_poker", *HIDING, "--teams", "0/1", "--iterations", 10)
    assert ran.code == 0
    assert "payoff of player 0 " in ran.out
    assert "squared distance of player 1 " in ran.out
    assert "at most" not in ran.out


def test_the_relaxations_are_listed(command):
    rows = [line.split() for line in command("solve", "--relax", "list").out.splitlines()]
    assert [row[0] for row in rows if row and row[0] in RELAXATIONS] == [*RELAXATIONS]
    listed = command("solve", TRADE, "--relax", "LIST", "--json").json["relaxations"]
    assert [row["name"] for row in listed] == [*RELAXATIONS]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--relax", "recal"], "did you mean recall"),
        (
            ["--method", "progresive-hiding"],
            "did you mean progressive-hiding or progressive-hedging?",
        ),
        (["--iterations", 0], "iterations=0 must be"),
        (["--penalty", -1], "penalty=-1.0"),
        (["--teams", "x"], "write them as 0,2/1,3"),
        (["--teams", "0"], "agent 1"),
        (["--target", 0.1], "--target does not apply: progressive-hiding is a team method"),
        (["--threads", 1], "--threads does not apply"),
        (["--checkpoint-seconds", 1], "needs --checkpoint FILE"),
        (["--method", "exact", "--checkpoint", "x"], "exact does not accept checkpoint"),
        (["--method", "exact", "--relax", "recall"], "exact does not accept relax"),
        (["--method", "cfr+", "--relax", "recall"], "cfr+ is not a team method"),
        (["--method", "cfr+", "--seed", 1], "--seed: cfr+ draws no random numbers"),
    ],
)
def test_mistakes_are_reported_in_one_line(command, tmp_path, options, words):
    assert words in command("solve", TRADE, *HIDING, *options).complaint
    assert os.listdir(tmp_path) == []


def test_a_team_may_want_the_sum(command):
    options = ["--teams", "0,2/1", "--iterations", 3]
    game = "kuhn_poker(players=3)"
    assert "rule='sum'" in command("solve", game, *HIDING, *options).complaint
    found = command("solve", game, *HIDING, *options, "--rule", "sum", "--json").json
    assert sum(found["payoffs"]) == pytest.approx(0)
    assert found["teams"] == [[0, 2], [1]]
    assert "common, sum" in command("solve", TRADE, *HIDING, "--rule", "most").complaint


def test_the_compared_policies_are_reported(command):
    options = ["--teams", "0,2/1", "--rule", "sum", "--iterations", 20]
    ran = command("solve", "kuhn_poker(players=3)", *options)
    assert "policies compared by security level" in ran.out
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[0] for row in rows if row and row[0] in ("cfr+", "last", "mean")] == [
        "cfr+",
        "last",
        "mean",
    ]
    assert "policy of players 0, 2" in ran.out
    assert "depends on clock" not in ran.out
    found = command("solve", "kuhn_poker(players=3)", *options, "--json").json
    assert [each["name"] for each in found["candidates"]] == ["cfr+", "last", "mean"]
    assert len(found["chosen"]) == 2
    assert found["depends_on_clock"] is False


def test_levels_that_did_not_fit_into_the_limit_are_not_computed(command):
    options = ["--teams", "0,2/1", "--rule", "sum", "--seconds", 0]
    ran = command("solve", "kuhn_poker(players=3)", *options)
    assert ran.code == 0
    assert "security level of players 0, 2     not computed" in ran.out
    assert "depends on clock" in ran.out
    found = command("solve", "kuhn_poker(players=3)", *options, "--json").json
    assert (found["security_levels"], found["depends_on_clock"]) == (None, True)


def test_a_game_of_opponents_asks_for_teams(command):
    assert "--teams 0/1" in command("solve", "kuhn_poker", *HIDING).complaint


def test_ctrl_c_saves_what_is_done(command, tmp_path, monkeypatch):
    def interrupt(self, point):
        if point.iteration == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "measured_teams", interrupt)
    ran = command("solve", TRADE, *HIDING, "--out", "run")
    assert ran.code == 130
    assert OUTCOMES["interrupted"] in ran.out
    assert sorted(os.listdir(tmp_path / "run")) == sorted(RUN_FILES.values())


def test_a_saved_run_is_resumed(command, tmp_path, monkeypatch):
    game, limits = "trade_comm(num_items=3,num_messages=2)", ["--iterations", 30, "--restarts", 1]
    asked = ["solve", game, *HIDING, *limits, "--json"]
    whole = command(*asked).json

    def interrupt(self, point):
        if point.iteration == 9:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "measured_teams", interrupt)
        assert command(*asked, "--checkpoint", "kept").code == 130
    assert (tmp_path / "kept").exists()
    again = command(*asked, "--checkpoint", "kept").json
    same = "payoffs", "last_payoffs", "squared_distances", "iterations", "outcome"
    assert [again[name] for name in same] == [whole[name] for name in same]


@pytest.mark.broad
def test_the_exact_search_stops_in_time_and_reports_the_bound(command):
    game = "tiny_bridge_2p(abstracted=true)"
    ran = command("solve", game, "--method", "exact", "--seconds", 0.001)
    assert OUTCOMES["seconds"] in ran.out
    assert "(may not be attainable)" in ran.out


def test_the_numbers_that_are_shown_while_teams_learn():
    progress = Progress("game")
    progress.solving_teams("progressive-hiding", TeamOptions(iterations=10, restarts=4))
    assert progress.fraction_done is None
    assert progress.numbers()["iteration"] == "-"
    progress.measured_teams(TeamPoint(1, 5, 2.0, (0.5, -0.5), (0.75, 1), (0.1, 0), (3, 3)))
    assert progress.fraction_done == pytest.approx(1.5 / 4)
    shown = progress.numbers()
    assert shown["run"] == "2 of 4"
    assert shown["payoff"] == "0.5, -0.5"
    assert shown["relaxed payoff"] == "0.75, 1"
    assert shown["squared distance"] == "0.1, 0"
    hurried = Progress("game")
    hurried.solving_teams("x", TeamOptions(iterations=10, restarts=4, seconds=2.5))
    hurried.measured_teams(TeamPoint(0, 5, 2.0, (0,), (0,), (0,), (0,)))
    assert hurried.fraction_done == pytest.approx(0.8)


def test_teams_are_read_from_text():
    assert parse_teams("0,2/1,3") == [(0, 2), (1, 3)]
    assert parse_teams("0") == [(0,)]


def test_a_compact_form_is_reported_and_not_saved(command, tmp_path, monkeypatch):
    monkeypatch.setattr("infoset.teams.product_form.compact_forms.MAX_HISTORIES", 1)
    arguments = ("solve", "trade_comm(num_items=2)", "--method", "portfolio")
    ran = command(*arguments)
    assert "optimal" in ran.out
    assert "note: trade_comm(num_items=2) has too many histories" in ran.err
    assert command(*arguments, "--json").json["folder"] is None
    assert not (tmp_path / "runs").exists()


def test_a_method_for_one_team_says_so(command):
    complaint = command("solve", "kuhn_poker", "--method", "exact", "--teams", "0/1").complaint
    assert "exact supports one team, but there are 2" in complaint
    assert "restarts" not in complaint


def test_team_options_choose_a_team_method(command):
    sides = ("--teams", "0,1/2", "--rule", "sum", "--iterations", "5")
    found = command("solve", "kuhn_poker(players=3)", *sides, "--json").json
    assert found["method"] == "progressive-hiding"
    assert found["teams"] == [[0, 1], [2]]
    one = command("solve", "cooperative_matching_pennies", "--rule", "common", "--json").json
    assert one["method"] == "portfolio"
    assert "auto is not a team method" in command("solve", "kuhn_poker", "--restarts", "1").err
