"""The option `--on`: where commands run, and mistakes in it."""

from __future__ import annotations

import socket
import sys

import pytest

from infoset.runs import executor_kinds

pytestmark = pytest.mark.broad


def without_times(found):
    return {
        name: value
        for name, value in found.items()
        if not name.endswith("seconds") and name not in ("folder", "files", "episodes_per_second")
    }


LEARN = ("learn", "kuhn_poker", "--method", "ixomd", "--episodes", "2000", "--seeds", "2", "--json")


def test_learning_prints_the_same_numbers_everywhere(command):
    here = without_times(command(*LEARN).json)
    for on in ("threads:2", "processes:2"):
        assert without_times(command(*LEARN, "--on", on).json) == here


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "kuhn_poker", "pimc", "uniform", "--deals", "20", "--json"),
        ("evaluate", "kuhn_poker", "uniform", "--lower-bound", "--deals", "30", "--json"),
    ],
)
def test_matches_print_the_same_numbers_everywhere(command, arguments):
    assert command(*arguments, "--on", "threads:2").json == command(*arguments).json


def test_comparisons_on_threads(command):
    arguments = ("compare", "kuhn_poker", "--methods", "cfr,cfr+", "--iterations", "20", "--json")
    here, there = command(*arguments).json, command(*arguments, "--on", "threads:2").json
    for one, other in zip(here["results"], there["results"], strict=True):
        assert one["nash_conv"] == other["nash_conv"]


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("dusk:127.0.0.1:1", "unknown executor 'dusk:127.0.0.1:1'; give threads, threads:4, proc"),
        ("threads:none", "threads:none is not a number of workers; give threads:4, or threads"),
        ("processes:0", "processes:0 is not a number of workers"),
        ("dask:", "dask: has no host and port; give dask:tcp://10.0.0.1:8786, which `dask sched"),
        ("dask:host", "dask:host has no host and port"),
        ("dask:127.0.0.1:1", "nothing answers at 127.0.0.1:1 within 10 s"),
        ("ray:127.0.0.1:99999", "nothing answers at 127.0.0.1:99999 within 10 s"),
        ("slurm:cores", "slurm:cores: 'cores' is not of the form NAME=VALUE"),
        (
            "slurm:cores=1,slurm_cmd_args=['--mem=1G','-q']",
            "the command srun was not found; run this inside an allocation",
        ),
    ],
)
def test_mistakes(command, monkeypatch, on, words):
    for module in ("distributed", "executorlib", "ray"):
        monkeypatch.setitem(sys.modules, module, object())
    assert words in command(*LEARN, "--on", on).complaint


def test_a_silent_port_is_given_up_after_some_seconds(command, monkeypatch):
    monkeypatch.setattr(executor_kinds, "SECONDS_TO_ANSWER", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        ran = command(*LEARN, "--on", f"dask:127.0.0.1:{port}")
    assert "does not answer at 127.0.0.1" in ran.complaint
    assert "start it with `dask scheduler`" in ran.complaint


@pytest.mark.parametrize("kind", ["dask", "ray", "slurm"])
def test_a_missing_package_names_its_extra(command, monkeypatch, kind):
    for module in ("distributed", "executorlib", "ray"):
        monkeypatch.setitem(sys.modules, module, None)
    with socket.create_server(("127.0.0.1", 0)) as server:
        ran = command(*LEARN, "--on", f"{kind}:127.0.0.1:{server.getsockname()[1]}")
    assert f"pip install 'infoset[{kind}]'" in ran.complaint


def test_workers_and_on_exclude_each_other(command):
    ran = command(*LEARN, "--on", "threads", "--workers", "2")
    assert "--on and --workers cannot be combined" in ran.complaint
    ran = command("evaluate", "kuhn_poker", "uniform", "--on", "threads")
    assert "--on needs --lower-bound" in ran.complaint


def test_games_of_modules_are_sent_and_those_of_files_are_not(command, tmp_path, monkeypatch):
    text = "from infoset.games import KuhnPoker\nclass Mine(KuhnPoker):\n    pass\n"
    (tmp_path / "my_own_games.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    rest = ("--method", "ixomd", "--episodes", "100", "--on", "processes:1", "--json")
    assert command("learn", "my_own_games:Mine(players=3)", *rest).json["episodes"] == 100
    refused = command("learn", "my_own_games.py:Mine", *rest).complaint
    assert "Mine comes from the file my_own_games.py, which workers cannot import" in refused
    assert "cannot be imported" in command("info", "no_such_module:Mine").complaint
    assert "did you mean Mine?" in command("info", "my_own_games:Min").complaint
