"""The command `learn`: its output, its files and its exit codes."""

from __future__ import annotations

import csv
import json
import os
import signal
import time
from threading import Thread

import pytest

import infoset
from infoset.cli.commands import learn as command_module
from infoset.front.seed_runs import DEFAULT_EPISODES
from infoset.learning import DEFAULT_LEARNER, LEARNERS

KEYS = {
    "game",
    "method",
    "reason",
    "episodes",
    "seconds",
    "build_seconds",
    "compile_seconds",
    "episodes_per_second",
    "seeds",
    "nash_conv",
    "exploitability",
    "cce_gap",
    "efce_gap",
    "last_nash_conv",
    "values",
    "payoff_width",
    "outcomes",
}
LEARN = ("learn", "kuhn_poker", "--method", "ixomd", "--episodes", "2000")


def test_one_seed_leaves_the_files_of_solve(command, charts, tmp_path):
    ran = command(*LEARN)
    assert ran.code == 0
    assert ran.out.startswith("kuhn_poker, ixomd\n")
    folder = tmp_path / "runs" / "kuhn_poker-ixomd"
    files = ["convergence.png", "policy.parquet", "result.json", "trace.csv"]
    assert sorted(os.listdir(folder)) == files
    assert (folder / "convergence.png").stat().st_size > 5000
    assert command("evaluate", "kuhn_poker", folder / "policy.parquet").code == 0
    about = infoset.policy.read_metadata(folder / "policy.parquet")
    assert (about["method"], about["seed"]) == ("ixomd", 0)


def test_the_defaults_are_the_library_s():
    assert command_module.DEFAULT_METHOD == DEFAULT_LEARNER
    assert command_module.DEFAULT_EPISODES == DEFAULT_EPISODES


def test_json_is_one_object_with_numbers_by_seed(command, tmp_path):
    found = command(*LEARN, "--seeds", "2", "--json", "--out", "here").json
    assert set(found) == KEYS | {"folder", "files"}
    assert found["seeds"] == [0, 1]
    assert found["episodes"] == 2000
    saved = json.loads((tmp_path / "here" / "result.json").read_text())
    assert {name: saved[name] for name in KEYS} == {name: found[name] for name in KEYS}
    form = infoset.build_tree(infoset.load("kuhn_poker")).sequence_form
    for seed, error in enumerate(found["nash_conv"]):
        policy = infoset.load_policy(tmp_path / "here" / f"policy-{seed}.parquet", form)
        assert infoset.nash_conv(policy) == pytest.approx(error, abs=1e-12)
    with (tmp_path / "here" / "trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["seed"] for row in rows} == {"0", "1"}
    assert [row["episode"] for row in rows if row["seed"] == "1"][-1] == "2000"


def test_joint_play_is_reported_and_saved_by_its_learners(command, tmp_path):
    three = ("learn", "kuhn_poker(players=3)", "--method", "ixomd", "--episodes", "600")
    told = command(*three, "--out", "one")
    assert "CCE gap of joint play" in told.out
    assert "exploitability" not in told.out
    found = command(*three, "--seeds", "2", "--json", "--out", "two").json
    assert found["exploitability"] is None
    form = infoset.build_tree(infoset.load("kuhn_poker(players=3)")).sequence_form
    for seed, gap in enumerate(found["cce_gap"]):
        path = tmp_path / "two" / f"correlated_policy-{seed}.parquet"
        kept = infoset.evaluation.load_correlated_policy(path, form)
        assert kept.evaluate().cce_gap == pytest.approx(gap, abs=1e-12)
    assert (tmp_path / "one" / "correlated_policy.parquet").exists()
    assert not list(tmp_path.glob("*/policy*"))


def test_the_gap_of_a_method_is_reported_traced_and_saved(command, tmp_path):
    learn = ("learn", "kuhn_poker", "--method", "balanced-efce-omd", "--episodes", "600")
    told = command(*learn, "--out", "one")
    assert "EFCE gap of recommended play" in told.out
    found = command(*learn, "--seeds", "2", "--json", "--out", "two").json
    form = infoset.build_tree(infoset.load("kuhn_poker")).sequence_form
    with (tmp_path / "two" / "trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    for seed, gap in enumerate(found["efce_gap"]):
        path = tmp_path / "two" / f"correlated_policy-{seed}.parquet"
        kept = infoset.evaluation.load_correlated_policy(path, form)
        again = infoset.evaluation.evaluate_efce(kept.policies, kept.weights)
        assert again.efce_gap == pytest.approx(gap, abs=1e-12)
        last = [row for row in rows if row["seed"] == str(seed)][-1]
        assert float(last["efce_gap"]) == gap
        assert float(last["cce_gap"]) == found["cce_gap"][seed]
    assert [error is None for error in found["exploitability"]] == [False, False]


def test_the_learners_are_listed(command):
    listed = command("learn", "kuhn_poker", "--method", "list", "--json").json
    assert [row["name"] for row in listed["learners"]] == list(LEARNERS)
    assert {row["knows"] for row in listed["learners"]} <= {
        "nothing",
        "its own infostate tree",
        "the history of each episode",
        "the tree of histories",
        "a simulator that can be reset",
    }
    assert "balanced-omd" in command("learn", "kuhn_poker", "--method", "list").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--episodes", "0"), "episodes=0"),
        (("--seeds", "0"), "seeds=0"),
        (("--method", "ixo"), "did you mean ixomd?"),
        (("--preset", "best"), "preset"),
    ],
)
def test_mistakes_are_reported_in_one_line(command, options, words):
    assert words in command("learn", "kuhn_poker", "--method", "ixomd", *options).complaint


def test_ctrl_c_saves_what_is_done(command, tmp_path):
    """Ctrl-C is sent to this process, while a thread waits for the checkpoints of both seeds."""

    def interrupt():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if all((tmp_path / f"kept.{seed}").exists() for seed in (0, 1)):
                break
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    arguments = "--episodes 1000000000000 --seeds 2 --json --checkpoint kept --checkpoint-seconds 0"
    thread = Thread(target=interrupt)
    thread.start()
    ran = command(*LEARN[:4], *arguments.split())
    thread.join()
    assert ran.code == 130
    found = ran.json
    assert found["outcomes"] == ["interrupted", "interrupted"]
    assert sorted(path.name for path in tmp_path.glob("kept*")) == ["kept.0", "kept.1"]
    assert len(list((tmp_path / "runs" / "kuhn_poker-ixomd").iterdir())) == 5
