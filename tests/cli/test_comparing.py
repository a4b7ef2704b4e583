"""`infoset compare`."""

import csv
import json
import os

import pytest

from infoset.cli.progress import Progress
from infoset.experiments import COMPARISON_FILES

FILES = sorted(COMPARISON_FILES.values())


def test_methods_are_compared_on_one_game(command, charts, tmp_path):
    ran = command("compare", "kuhn_poker", "--methods", "CFR, cfr+,lp", "--iterations", "100")
    assert ran.code == 0
    assert ran.err == ""
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[0] == ["kuhn_poker"]
    assert [row[0] for row in rows[3:6]] == ["cfr", "cfr+", "lp"]
    assert [row[1] for row in rows[3:5]] == ["100", "100"]
    assert "which may be rounding" in ran.out
    folder = tmp_path / "runs" / "kuhn_poker-comparison"
    assert sorted(os.listdir(folder)) == FILES
    assert (folder / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "comparison.png").stat().st_size > 5000


def test_the_files_of_a_comparison(command, tmp_path):
    ran = command(
        "compare", "kuhn_poker(players=3)", "--methods", "cfr,cfr+", "--out", "both", "--json"
    )
    found = ran.json
    assert found["folder"] == "both"
    assert [one["method"] for one in found["results"]] == ["cfr", "cfr+"]
    assert [one["iterations"] for one in found["results"]] == [1000, 1000]
    written = json.loads((tmp_path / "both" / "results.json").read_text())
    assert written["results"] == found["results"]
    with (tmp_path / "both" / "traces.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    last = [row for row in rows if row["iteration"] == "1000"]
    assert [row["method"] for row in last] == ["cfr", "cfr+"]
    assert [float(row["nash_conv"]) for row in last] == [
        one["nash_conv"] for one in found["results"]
    ]
    assert {row["exploitability"] for row in rows} == {""}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn_poker", "--methods", "cfr,crf"], "did you mean cfr"),
        (["kuhn_poker", "--methods", ","], "at least one"),
        (["kuhn_poker", "--target", "-1"], "target"),
        (["kuhn_poker(players=3)", "--methods", "lp"], "two-player"),
    ],
)
def test_mistakes_are_reported_and_nothing_is_written(command, tmp_path, arguments, message):
    assert message in command("compare", *arguments).complaint
    assert os.listdir(tmp_path) == []


def test_empty_names_between_commas_are_none(command):
    ran = command("compare", "kuhn_poker", "--methods", "cfr,,lp,", "--iterations", "5", "--json")
    assert [one["method"] for one in ran.json["results"]] == ["cfr", "lp"]


def test_a_failure_saves_what_is_done(command, tmp_path, monkeypatch):
    def fail(self, point):
        if self.method == "cfr+":
            raise ZeroDivisionError("of my own")

    monkeypatch.setattr(Progress, "measured", fail)
    ran = command("compare", "kuhn_poker", "--methods", "cfr,cfr+", "--out", "run", "--json")
    assert ran.code == 2
    assert "cfr+ failed: of my own" in ran.err
    assert [one["method"] for one in ran.json["results"]] == ["cfr"]
    assert sorted(os.listdir(tmp_path / "run")) == FILES


def test_ctrl_c_saves_what_is_done(command, tmp_path, monkeypatch):
    def interrupt(self, point):
        if self.method == "cfr+":
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "measured", interrupt)
    methods = ["--methods", "cfr,cfr+,dcfr"]
    ran = command("compare", "kuhn_poker", *methods, "--out", "run", "--json")
    assert ran.code == 130
    outcomes = [(one["method"], one["outcome"]) for one in ran.json["results"]]
    assert outcomes == [("cfr", "iterations"), ("cfr+", "interrupted")]
    assert sorted(os.listdir(tmp_path / "run")) == FILES
