"""Limits on time and memory hold for every game, however large or wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.front.hostile_games import SPECS, custom

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("hostile_games.py")
ANSWERS = {"answered", "ExplorationLimitError", "GameTooLargeError", "CyclicGameError"}
SIZES = ("more than 1,000,000", "at most 100,000 bytes")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems ignore ulimit -v")


@pytest.mark.broad
def test_forty_games_end_at_their_limits_with_an_answer_within_the_memory():
    """A game that goes beyond a limit would never end, or end in a `MemoryError`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.front.limits_program"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    endings = found["endings"]
    assert len(endings) >= 40
    for name, by_verb in endings.items():
        is_refused = set(by_verb.values()) == {"ParameterError"}
        # A quick machine finds before the time limit that a list or a text is too long.
        endings_by_time = {
            end for end in by_verb.values() if not any(rule in end for rule in SIZES)
        }
        assert is_refused or endings_by_time <= ANSWERS, (name, by_verb)
        assert is_refused or by_verb["check"] != "ExplorationLimitError"
    assert endings["leduc_poker(num_ranks=3333333333)"]["info"] == "ParameterError"
    # A busy machine reaches the time limit first.
    assert endings["a trillion histories"]["solve"] in (
        "GameTooLargeError",
        "ExplorationLimitError",
    )
    # The limit is 60 MB; garbage of several games and one step of the watch come on top.
    assert found["grown"] < 400_000_000


COMMANDS = {
    "info": [],
    "solve": ["--iterations", "2"],
    "compare": ["--iterations", "2"],
    "learn": ["--episodes", "10"],
    "evaluate": ["uniform"],
    "show": ["uniform"],
    "prove": [],
    "play": ["--seconds", "1"],
    "export": ["--out", "game.efg"],
    "draw": ["--out", "game.svg"],
    "match": ["uniform", "uniform", "--seconds", "1"],
    "match ": ["uniform", "uniform", "--exact"],
    "match  ": ["ismcts", "pimc", "--seconds", "1"],
}
"""Options by command; spaces at the end distinguish several calls of one command."""


HOSTILE = [*SPECS, *(f"{FILE}:Hostile(number={number})" for number in range(len(custom())))]


@pytest.mark.long
@pytest.mark.parametrize(("command", "game"), [*product(COMMANDS, HOSTILE)])
def test_every_command_ends_within_its_limits(command, game, tmp_path):
    """A command that does not end is stopped by the timeout, which is far above the limit."""
    space = 8 << 30
    limits = ["--build-seconds", "1", "--memory", "300MB"]
    arguments = [command.strip(), game, *COMMANDS[command], *limits]
    # The child sets the limit itself: a function between fork and exec is unsafe beside threads.
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({space}, {space}))\n"
        f"import sys; sys.argv[1:] = {arguments!r}\n"
        "import runpy; runpy.run_module('infoset', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
