"""The program as a whole: help, errors, exit codes, start-up, pipes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from io import BytesIO, TextIOWrapper

import pytest
import typer
from typer.testing import CliRunner

import infoset
from infoset.cli.app import app, main
from infoset.cli.examples import EXAMPLES
from infoset.cli.options import parse_memory

pytestmark = pytest.mark.broad

COMMANDS = [
    "games",
    "check",
    "info",
    "solve",
    "compare",
    "prove",
    "verify",
    "evaluate",
    "respond",
    "show",
    "play",
    "match",
    "export",
]
HUGE = "liars_dice(numdice=20,dice_sides=1)"
"""2.2 · 10¹² histories, of only 83 world states."""


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_help_names_every_command(command):
    shown = command("--help")
    assert shown.code == 0
    assert all(name in shown.out for name in COMMANDS)
    assert command("-h") == shown
    assert command().out.split() == shown.out.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_and_json(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert shown.exit_code == 0
    assert "--json" in shown.output


def test_the_options_of_solve(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    shown = command("solve", "--help").out
    for option in ("method", "target", "iterations", "seconds", "out", "json", "memory"):
        assert f"--{option} " in shown
    assert "[default: auto]" in shown


def test_the_default_method_is_the_library_s():
    from infoset.cli.commands.solve import DEFAULT_METHOD
    from infoset.solvers import DEFAULT_METHOD as LIBRARY_S

    assert DEFAULT_METHOD == LIBRARY_S


def test_version(command):
    assert command("--version").out == f"infoset {infoset.__version__}\n"


def test_python_m_infoset():
    done = python("-m", "infoset", "--version")
    assert (done.returncode, done.stdout) == (0, f"infoset {infoset.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sovle", "kuhn_poker"], "'solve'"),
        (["solve"], "GAME"),
        (["solve", "kuhn_poker", "--methd", "cfr"], "--method"),
        (["solve", "kuhn_poker", "--iterations", "many"], "--iterations"),
        (["solve", "kuhn_poker", "leduc_poker"], "leduc_poker"),
        (["solve", "kuhn_poker", "--memory", "4XB"], "4GB"),
        (["solve", "kuhn_poker", "--memory", "0"], "4GB"),
        (["show", "kuhn_poker", "uniform", "--csv", "--json"], "--csv"),
        (["play", "kuhn_poker", "--seed", "-1"], "--seed"),
        (["match", "kuhn_poker", "uniform"], "SECOND"),
        (["match", "kuhn_poker", "uniform", "uniform", "--deals", "1"], "--deals"),
        (["match", "kuhn_poker", "uniform", "uniform", "--workers", "0"], "--workers"),
        (["match", "kuhn_poker", "uniform", "uniform", "--exact", "--deals", "9"], "--deals"),
        (["match", "kuhn_poker", "pimc", "pimc", "--exact", "--half-width", "1"], "--half-width"),
        (["match", "kuhn_poker", "pimc", "pimc", "--exact", "--checkpoint", "a"], "--checkpoint"),
    ],
)
def test_a_command_line_that_cannot_be_read(command, arguments, says):
    complaint = command(*arguments).complaint
    assert says in complaint
    assert "--help" in complaint.splitlines()[-1]


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["info", "kuhn_pokr"], "kuhn_poker"),
        (["info", "kuhn_poker(player=2)"], "players"),
        (["info", "kuhn_poker(players=1)"], "from 2 to 10"),
        (["info", "liars_dice(numdice=0)"], "numdice=1"),
        (["info", "kuhn_poker("], "cannot read"),
        (["info", ""], "cannot read"),
        (["solve", "liars_dice(numdice=0)"], "numdice=1"),
        (["solve", "kuhn_poker", "--method", "cfr++"], "cfr+"),
        (["solve", "kuhn_poker", "--target", "-1"], "target"),
        (["solve", "kuhn_poker", "--target", "nan"], "target"),
        (["solve", "kuhn_poker", "--seconds", "inf"], "seconds"),
        (["solve", "kuhn_poker", "--iterations", "0"], "iterations"),
        (
            ["solve", "kuhn_poker", "--method", "lp", "--precision", "float32"],
            "does not include lp",
        ),
        (["solve", "kuhn_poker", "--method", "cfr", "--precision", "float16"], "float32"),
        (
            ["solve", "goofspiel(num_cards=3)", "--method", "cfr", "--precision", "int16"],
            "has no public form",
        ),
        (
            ["solve", "kuhn_poker", "--method", "cfr", "--precision", "int16", "--form=sequence"],
            "a sequence form: use its public form, or",
        ),
        (["solve", "kuhn_poker", "--method", "lp", "--threads", "2"], "leave threads out"),
        (["solve", "kuhn_poker", "--method", "cfr", "--threads", "0"], "threads=0"),
        (["prove", "matrix_pd"], "two-player constant-sum"),
        (["solve", "kuhn_poker(players=3)", "--method", "lp"], "two-player"),
        (["solve", "kuhn_poker", "--memory", "1kB"], "memory"),
        (["solve", HUGE], "2,199,023,255,552 histories"),
        (["evaluate", HUGE, "uniform"], "2,199,023,255,552 histories"),
        (["evaluate", "kuhn_poker", "nowhere.parquet"], "nowhere.parquet"),
        (["show", "kuhn_poker", "nowhere.parquet"], "nowhere.parquet"),
        (["play", "kuhn_poker", "--player", "2"], "0 to 1"),
        (["play", "kuhn_poker", "--against", "nowhere.parquet"], "nowhere.parquet"),
        (["play", "kuhn_poker", "--against", "pmic"], "did you mean pimc"),
        (["play", "kuhn_poker", "--against", "pimc(num_world=1)"], "num_worlds"),
        (["match", "matrix_rps", "uniform", "pimc"], "ISMCTS"),
        (["match", "kuhn_poker", "unifrom", "uniform"], "did you mean uniform"),
        (["match", "kuhn_poker", "uniform", "pimc("], "cannot read the player 'pimc('"),
        (["match", "kuhn_poker", "uniform", "pimc(public_weight=2)"], "public_weight is 2"),
        (["match", "kuhn_poker", "uniform", "ismcts(num_simulations=0)"], "num_simulations"),
        (["match", "kuhn_poker", "uniform", "nowhere.parquet"], "nowhere.parquet"),
        (["match", "kuhn_poker", "uniform", "uniform", "--half-width", "0"], "cannot be reached"),
        (["match", "kuhn_poker", "uniform", "uniform", "--half-width", "nan"], "half_width"),
        (["match", HUGE, "uniform", "uniform", "--exact"], "1,099,511,627,776 public nodes"),
        (["match", "kuhn_poker", "uniform", "uniform", "--checkpoint", "no/a"], "no/a"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_of_the_user(command, tmp_path, arguments, says, as_json):
    assert says in command(*arguments, *as_json).complaint
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "kuhn_poker", "x" * 20_000],
        ["match", "kuhn_poker", "x" * 20_000, "uniform"],
        ["match", "kuhn_poker", "x" * 20_000 + ".py:Own", "uniform"],
        ["show", "kuhn_poker", "uniform", "x" * 20_000],
        ["solve", "kuhn_poker", "--iterations", "x" * 20_000],
        ["draw", "kuhn_poker", "--out", "a\udc80.svg"],
        ["export", "kuhn_poker", "--out", "a\udc80.efg"],
    ],
)
def test_errors_quote_only_the_beginning_of_a_long_text(command, tmp_path, arguments):
    complaint = command(*arguments).complaint
    assert "Error" not in complaint
    assert len(complaint) < 900
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "folder", "other parquet"])
@pytest.mark.parametrize("name", ["evaluate", "show"])
def test_a_damaged_policy_file(command, tmp_path, name, damage):
    command("solve", "matrix_mp", "--iterations", "1", "--out", "run")
    policy = tmp_path / "run" / "policy.parquet"
    whole = policy.read_bytes()
    if damage == "folder":
        policy.unlink()
        policy = tmp_path / "run"
    elif damage == "other parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"probability": [1.0]}), policy)
    else:
        policy.write_bytes({"truncated": whole[:-100], "empty": b"", "text": b"hello"}[damage])
    assert str(policy) in command(name, "matrix_mp", policy).complaint


@pytest.mark.parametrize(
    ("name", "option"), [("evaluate", []), ("show", []), ("play", ["--against"])]
)
def test_a_policy_for_other_parameters(command, name, option):
    command("solve", "kuhn_poker(players=3)", "--iterations", "1", "--out", "three")
    complaint = command(name, "kuhn_poker", *option, "three/policy.parquet").complaint
    assert "kuhn_poker(players=3)" in complaint


@pytest.mark.parametrize("name", ["info", "solve", "play"])
def test_a_missing_extra_comes_with_the_command_that_installs_it(command, monkeypatch, name):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert "pip install 'infoset[openspiel]'" in command(name, "openspiel:catch").complaint


def test_memory_that_runs_out_is_no_traceback(command, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    choice = import_module("infoset.front.form_choice")
    monkeypatch.setattr(choice, "build_sequence_or_world_form", fail)
    assert "--memory" in command("solve", "matrix_mp").complaint


@pytest.mark.parametrize(
    ("text", "num_bytes"),
    [
        ("4000", 4000),
        ("4kB", 4000),
        ("500MB", 500_000_000),
        ("4GB", 4 * 10**9),
        ("4 gb", 4 * 10**9),
        ("1.5GiB", 3 * 2**29),
        ("1TiB", 2**40),
        ("12B", 12),
    ],
)
def test_amounts_of_memory(text, num_bytes):
    assert parse_memory(text) == num_bytes


@pytest.mark.parametrize(
    "example", [example for examples in EXAMPLES.values() for example in examples]
)
def test_examples_are_in_the_help_of_their_command_and_can_be_parsed(example):
    program, name, *arguments = shlex.split(example)
    assert program == "infoset"
    assert example in EXAMPLES[name]
    command = typer.main.get_command(app).commands[name]
    with suppress(typer.Exit):  # of `list`
        assert command.make_context(name, arguments).params
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert f" {example} " in shown.output


def test_names_are_completed_in_a_shell(command, monkeypatch):
    def completed(words):
        monkeypatch.setenv("_INFOSET_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        return command().out.split()

    assert completed("infoset so") == ["solve"]
    assert completed("infoset solve kuhn") == ["kuhn_poker", "kuhn_poker_long"]
    assert completed("infoset solve --tar") == ["--target"]


def test_help_and_version_load_nothing_heavy():
    heavy = ["numpy", "numba", "scipy", "pyarrow", "matplotlib", "highspy", "psutil"]
    done = python(
        "-c",
        "import sys\n"
        "from infoset.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n"
        f"    print(sorted(set({heavy}) & set(sys.modules)), file=sys.stderr)",
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.skipif(os.name == "nt", reason="no SIGPIPE on Windows")
def test_a_reader_that_goes_away_ends_it_without_a_word():
    program = subprocess.Popen(
        [sys.executable, "-m", "infoset", "show", "leduc_poker", "uniform", "--csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert len(program.stdout.read(20)) == 20
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait(timeout=60) == -signal.SIGPIPE


def test_a_terminal_that_cannot_show_a_sign_gets_it_escaped(monkeypatch):
    monkeypatch.setattr(infoset.front, "info", partial(infoset.front.info, max_worlds=300))
    terminal = TextIOWrapper(BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    with pytest.raises(SystemExit) as ending:
        main(["info", "leduc_poker(players=3)"])
    assert ending.value.code == 0
    assert b"\\u2265 " in terminal.buffer.getvalue()
