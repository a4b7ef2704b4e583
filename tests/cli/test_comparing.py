"""`infoset compare`."""

import csv
import json
import os

import pytest

from infoset.cli.progress import Progress
from infoset.experiments import check_results, comparison_files

FILES = sorted(comparison_files().values())


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


@pytest.mark.parametrize(
    ("ending", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_the_picture_has_the_format_that_is_asked_for(command, tmp_path, ending, start):
    arguments = ["compare", "matrix_mp", "--methods", "cfr", "--iterations", "2", "--out", "run"]
    found = command(*arguments, "--format", ending, "--json").json
    picture = tmp_path / "run" / found["files"]["picture"]
    assert picture.name == f"comparison.{ending}"
    assert picture.read_bytes().startswith(start)
    check_results(tmp_path / "run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--out", "c.pdf"], "give c; compare has --format pdf for its picture"),
        (["compare", "--format", "jpg"], "unknown format 'jpg'"),
        (["solve", "--out", "p.parquet"], "results are saved as a folder: give p"),
        (["learn", "--out", "a/b.CSV"], "results are saved as a folder: give a/b"),
    ],
)
def test_a_folder_of_results_is_not_called_like_a_file(command, tmp_path, arguments, message):
    name, *options = arguments
    assert message in command(name, "kuhn_poker", *options).complaint
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


OWN = '''
"""Methods of a user."""

from dataclasses import dataclass, replace

import numpy as np
from infoset.policy import random_policy, uniform_policy
from infoset.regret import SCHEMES
from infoset.solvers import RegretMethod

row = replace(SCHEMES["dcfr"], name="my-row")


@dataclass(frozen=True)
class Spec:
    exponent: float = 1.0
    floor: float = 0.0
    name: str = "my-spec"
    description: str = "a class"

    def run(self, form, budget):
        scheme = replace(SCHEMES["cfr+"], name=self.name, average_exponent=self.exponent)
        return RegretMethod(scheme).run(form, budget)


def play_evenly(form, budget):
    """Play every action with the same probability."""
    return uniform_policy(form)


def draw_policy(form, budget, seed=7):
    return random_policy(form, np.random.default_rng(seed))


def fail(form, budget):
    return 0.5
'''


def test_methods_of_a_file(command, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    given = "own.py:row,own.py:Spec(exponent=2,floor=0),own.py:play_evenly,own.py:draw_policy"
    ran = command(
        "compare", "kuhn_poker", "--methods", given, "--iterations", "5", "--seeds", "2", "--json"
    )
    found = [(one["method"], one["seed"]) for one in ran.json["results"]]
    assert found == [
        ("my-row", None),
        ("my-spec", None),
        ("play-evenly", None),
        ("draw-policy", 0),
        ("draw-policy", 1),
    ]
    errors = [one["exploitability"] for one in ran.json["results"]]
    assert errors[2] == pytest.approx(11 / 24)
    assert errors[3] != errors[4]
    with (tmp_path / "runs" / "kuhn_poker-comparison" / "traces.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["seed"]) for row in rows[-2:]] == [
        ("draw-policy", "0"),
        ("draw-policy", "1"),
    ]


def test_each_seed_of_a_learner_is_a_row(command):
    ran = command(
        "compare",
        "kuhn_poker",
        *["--methods", "cfr+,es-mccfr", "--iterations", "50", "--seeds", "2"],
    )
    rows = [line.split()[:3] for line in ran.out.splitlines()]
    assert rows[3:6] == [["cfr+", "-", "50"], ["es-mccfr", "0", "50"], ["es-mccfr", "1", "50"]]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ("own.py:Row", "did you mean row"),
        ("own.py:fail", "fail returned a float"),
        ("other.py:row", "there is no file other.py"),
        ("es-mcfr", "did you mean es-mccfr"),
        ("cfr,lp --seeds", "no method uses a seed (cfr, lp)"),
    ],
)
def test_mistakes_with_own_methods(command, tmp_path, methods, message):
    (tmp_path / "own.py").write_text(OWN)
    names, seeds, _ = methods.partition(" --seeds")
    more = ["--seeds", "3"] if seeds else []
    assert message in command("compare", "kuhn_poker", "--methods", names, *more).complaint


def test_the_list_has_the_methods_that_apply(command, tmp_path):
    def listed(game):
        found = command("compare", game, "--methods", "list", "--json").json
        assert found["game"] == game
        return {row["name"] for row in found["methods"]}

    two, three = listed("kuhn_poker"), listed("kuhn_poker(players=3)")
    assert {"cfr+", "lp", "es-mccfr"} <= two
    assert {"cfr+", "es-mccfr"} <= three
    assert "lp" not in three
    assert not os.listdir(tmp_path)
    out = command("compare", "matrix_mp", "--methods", "list").out
    assert out.startswith("methods that apply to matrix_mp\n")
