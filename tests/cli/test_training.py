"""The command `train`: its output, its files, resuming, and messages for bad input."""

import csv
import json
import os
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.broad

if find_spec("jax") is None or find_spec("equinox") is None:
    pytest.skip("the extra deep is not installed", allow_module_level=True)

TRAIN = ("train", "kuhn_poker", "--steps", "60")


def test_a_network_and_the_files_of_solve_are_saved_and_can_be_used(command, tmp_path):
    ran = command(*TRAIN)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("kuhn_poker, rnad\n")
    assert "NashConv" in ran.out
    folder = tmp_path / "runs" / "kuhn_poker-rnad"
    assert sorted(os.listdir(folder)) == [
        "convergence.png", "network.npz", "policy.parquet", "result.json", "trace.csv"
    ]  # fmt: skip
    network = folder / "network.npz"
    table = command("evaluate", "kuhn_poker", folder / "policy.parquet", "--json").json
    found = command("evaluate", "kuhn_poker", network, "--json").json
    assert found["nash_conv"] == pytest.approx(table["nash_conv"], abs=1e-6)
    assert "pass 0." in command("show", "kuhn_poker", network).out
    match = command("match", "kuhn_poker", network, "uniform", "--deals", "3", "--json").json
    assert match["num_deals"] == 3
    drawn = command("draw", "kuhn_poker", "--policy", network, "--out", "tree.svg")
    assert drawn.code == 0, drawn.err
    again = command(*TRAIN, "--json").json
    assert again["folder"] == "runs/kuhn_poker-rnad-2"
    assert again["nash_conv"] == json.loads((folder / "result.json").read_text())["nash_conv"]


@pytest.mark.broad
def test_without_a_tree_matches_and_a_bound_are_reported(command, tmp_path, monkeypatch):
    from infoset.deep import ResponseBound
    from infoset.deep.device_matches import Estimate

    # Learning a response takes most of its time for compilation; its own tests do it.
    bound = ResponseBound(Estimate(0.5, 0.1), 0.1, 7, 7, "iterations", 1.0)
    monkeypatch.setattr("infoset.deep.training_run.response_bound", lambda *_, **__: bound)
    options = ("--no-build", "--steps", "70", "--checkpoint", "run.npz", "--out", "here")
    found = command("train", "kuhn_poker", *options, "--json").json
    assert set(found) >= {"score_against_uniform", "standard_error", "exploitability_lower_bound"}
    assert found["exploitability_lower_bound"] == 0.1
    assert found["files"] == {
        "network": "network.npz", "trace": "trace.csv", "result": "result.json"
    }  # fmt: skip
    with (tmp_path / "here" / "trace.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["iteration"] for row in rows] == ["64", "70"]
    ran = command("play", "kuhn_poker", "--against", "here/network.npz", stdin="bet\n" * 3)
    assert ran.code == 0, ran.err


def test_presets_are_listed(command):
    listed = command("train", "kuhn_poker", "--method", "list").out
    assert "rnad-openspiel" in listed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("kuhn_poker", "--method", "rnadd"), "did you mean rnad"),
        (("kuhn_poker(players=3)",), "two-player"),
        (("kuhn_poker", "--steps", "0"), "steps=0 must be a whole number, at least 1"),
        (("kuhn_poker", "--seed", "-1"), "seed=-1"),
        (("kuhn_poker", "--checkpoint-seconds", "3"), "--checkpoint FILE"),
    ],
)
def test_bad_input_is_explained_in_a_line(command, arguments, says):
    assert says in command("train", *arguments).complaint


def test_a_file_that_is_not_a_network_is_refused(command, tmp_path):
    (tmp_path / "broken.npz").write_bytes(b"nothing")
    assert (
        "cannot be read as a network" in command("evaluate", "kuhn_poker", "broken.npz").complaint
    )


def test_several_seeds_are_saved_in_their_own_folders(command, tmp_path):
    run = ("train", "kuhn_poker", "--steps", "10", "--seeds", "2", "--on", "threads:1")
    ran = command(*run, "--out", "here", "--json")
    assert [run["seed"] for run in ran.json["runs"]] == [0, 1]
    assert ran.err.count("exploitability") == 2
    for seed, found in enumerate(ran.json["runs"]):
        assert found["folder"] == f"here-seed-{seed}"
        assert (tmp_path / found["folder"] / "network.npz").is_file()
    refused = command(*run, "--checkpoint", "file").complaint
    assert "--checkpoint supports only a single run in this process: omit --seeds" in refused


@pytest.mark.parametrize(
    ("gains", "steps", "outcome", "says"),
    [
        (True, 500, "iterations", "0.1"),
        (True, 20, "seconds", "0.1 (20 of 500 steps of a response)"),
        (False, 0, "seconds", "not computed (0 of 500 steps of a response: no time was left)"),
        (False, 9, "interrupted", "not computed (9 of 500 steps of a response: interrupted)"),
    ],
)
def test_a_bound_says_how_far_its_response_was_learned(gains, steps, outcome, says):
    from infoset.cli.commands.train import _bound_text
    from infoset.deep import ResponseBound
    from infoset.deep.device_matches import Estimate

    estimate = Estimate(0.5, 0.1) if gains else None
    bound = ResponseBound(estimate, 0.1 * gains, steps, 500, outcome, 1.0)
    assert _bound_text(bound) == says


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ({1: 0.1, 2: 0.05}, ["depth=2)'", "at depth 1, 0.05 at depth 2"]),
        ({1: 0.1, 2: 0.5}, ["depth=1)'", "do not use this critic at depth 2"]),
        ({1: 0.62, 2: 0.3}, ["do not use this critic, which makes play worse"]),
        (None, ["values=c.npz)'", "the critic was not measured"]),
    ],
)
def test_the_last_line_says_what_a_critic_is_worth(capsys, found, lines):
    from pathlib import Path

    from infoset.cli.commands.train import say_critic
    from infoset.deep import CriticReport

    report = None if found is None else CriticReport(0.2, found)
    say_critic(report, "kuhn_poker", Path("n.npz"), Path("c.npz"))
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(lines)
    for line, part in zip(said, lines, strict=True):
        assert part in line


def test_a_critic_is_trained_for_a_policy_and_can_be_searched_with(command, tmp_path):
    options = ("--steps", "100", "--out", "here", "--transformations", "constants")
    ran = command("critic", "kuhn_poker", "uniform", *options)
    assert ran.code == 0, ran.err
    last = ran.out.splitlines()[-1]
    assert last.startswith("NashConv 0.917 without search, with this critic ")
    folder = tmp_path / "here"
    assert sorted(os.listdir(folder)) == ["critic.npz", "result.json", "trace.csv"]
    record = json.loads((folder / "result.json").read_text())
    assert record["critic"]["verdict"] == last
    assert record["transformations"] == ["identity", "always pass", "always bet"]
    with (folder / "trace.csv").open() as file:
        assert [row["step"] for row in csv.DictReader(file)] == ["50", "100"]
    searcher = "sepot(blueprint=uniform,values=here/critic.npz)"
    match = command("match", "kuhn_poker", searcher, "uniform", "--deals", "3", "--json").json
    assert match["num_deals"] == 3
    assert (
        "constants" in command("critic", "kuhn_poker", "uniform", "--transformations", "list").out
    )
    wrong = command("critic", "kuhn_poker", "uniform", "--transformations", "constant")
    assert "did you mean constants" in wrong.complaint
