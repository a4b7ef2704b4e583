"""The command `solve`: its output, its files and its exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from rich.console import Console

import infoset
import infoset.front
from infoset.cli.commands import solve as solve_command
from infoset.cli.commands.solve import ENDINGS
from infoset.cli.progress import THREAD_NAME, Progress, live
from infoset.experiments import RUN_FILES
from infoset.games import KuhnPoker
from infoset.runs import Budget, TracePoint, budget
from infoset.tree import BuildPoint
from infoset.utils.clocks import compiling
from tests.support.reference_perfect_information import TRUST

FILES = sorted(RUN_FILES.values())
MEASURED_ONCE = sorted({*FILES} - {RUN_FILES["picture"]} | {"policy.png"})
KEYS = {
    "game",
    "method",
    "seed",
    "reason",
    "form",
    "form_reason",
    "iterations",
    "seconds",
    "build_seconds",
    "compile_seconds",
    "values",
    "nash_conv",
    "exploitability",
    "security_levels",
    "rounding",
    "payoff_width",
    "initial_pot",
    "gaps",
    "target",
    "start",
    "outcome",
}


def test_the_default_solves_kuhn_poker(command, tmp_path):
    ran = command("solve", "kuhn_poker")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith("kuhn_poker, lp\n")
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[1].split() == ["outcome", "optimal"]
    assert lines[2].endswith("lp is exact and fast at this size: 82 coefficients, limit 65,000")
    assert "security level of player 0   -0.0555556" in lines
    assert any("exploitability" in line and "which may be rounding" in line for line in lines)
    assert "infoset show runs/kuhn_poker-lp" in ran.out
    assert sorted(os.listdir(tmp_path / "runs" / "kuhn_poker-lp")) == MEASURED_ONCE


def test_errors_are_shown_where_they_are_more_than_rounding(command, charts, tmp_path):
    limits = ("--method", "cfr+", "--target", "0.5%", "--out", "run")
    shown = command("solve", "kuhn_poker", *limits).out
    assert "converged: target reached" in shown
    assert "rounding" not in shown
    assert (tmp_path / "run" / "convergence.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("stack", "target", "named"),
    [(150, 0.3, "0.3% of the pot"), (5, 0.11, "0.1% of the payoff range")],
)
def test_the_default_target_is_named(command, stack, target, named, monkeypatch):
    river = f"nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack={stack},ranges=[QQ+;AK])"
    limits = ("--form", "public", "--method", "cfr+")
    assert f"converged: default target reached, {named}" in command("solve", river, *limits).out
    found = command("solve", river, *limits, "--json").json
    assert found["outcome"] == "converged"
    assert found["exploitability"] <= found["target"] == pytest.approx(target)
    monkeypatch.setattr(budget, "DEFAULT_ITERATIONS", 3)
    ran = command("solve", river, *limits)
    percent = named.partition("%")[0]
    expected = f"default iteration limit reached; --target {percent}%"
    assert expected in ran.out
    assert (
        "outcome                      iteration limit reached"
        in command("solve", river, *limits, "--iterations", 3).out
    )
    # This method converges to a quantal response equilibrium, and has no default target.
    ran = command("solve", "matrix_rps", "--method", "mmd")
    assert re.search(r"outcome +converged$", ran.out, re.M)


def test_the_methods_are_listed(command):
    from infoset.solvers import METHODS
    from infoset.teams import TEAM_METHODS

    ran = command("solve", "--method", "LIST")
    assert ran.code == 0
    rows = [line.split(maxsplit=1) for line in ran.out.splitlines() if line.strip()]
    names = [*METHODS, *TEAM_METHODS]
    assert [row[0] for row in rows if row[0] in names] == names
    assert ran.out == command("solve", "kuhn_poker", "--method", "list").out


@pytest.mark.parametrize(
    "arguments", [["--method", "list", "--json"], ["--json", "--method", "list"]]
)
def test_the_methods_are_listed_as_json(command, arguments):
    from infoset.solvers import METHODS
    from infoset.teams import TEAM_METHODS

    listed = [{"name": row.name, "description": row.description} for row in METHODS.values()]
    listed += [
        {"name": row.name, "description": f"team games: {row.description}"}
        for row in TEAM_METHODS.values()
    ]
    assert command("solve", *arguments).json == {"methods": listed}
    assert command("solve", "kuhn_poker", *arguments).json == {"methods": listed}


@pytest.mark.parametrize(("method", "name"), [("egt", "excessive"), ("mmd", "quantal")])
def test_other_measurements_of_a_method_are_reported(command, method, name):
    limits = ("--method", method, "--iterations", "5", "--out", "run")
    rows = dict(
        re.findall(r"^  (\S.*?)  +(\S.*)$", command("solve", "kuhn_poker", *limits).out, re.M)
    )
    found = command("solve", "kuhn_poker", *limits, "--json").json["gaps"]
    assert set(found) == {name}
    assert float(rows[f"{name} gap"]) == pytest.approx(found[name], rel=1e-2)


def test_json_has_the_numbers_of_the_library(command, tmp_path):
    ran = command("solve", "leduc_poker", "--iterations", "25", "--method", "CFR", "--json")
    found = ran.json
    result = infoset.solve("leduc_poker", "cfr", iterations=25)
    assert set(found) == {*KEYS, "infostates", "folder", "files"}
    assert sum(found["infostates"].values()) == 936
    for key, value in result.summary().items():
        assert found[key] == value or key.endswith("seconds")
    assert found["folder"] == os.path.join("runs", "leduc_poker-cfr")
    written = json.loads((tmp_path / found["folder"] / found["files"]["result"]).read_text())
    assert {key: written[key] for key in KEYS} == {key: found[key] for key in KEYS}


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (["kuhn_poker", "--target", "10%", "--method", "cfr+"], "converged"),
        (["kuhn_poker", "--iterations", "3"], "iterations"),
        (["kuhn_poker", "--seconds", "0", "--method", "cfr+"], "seconds"),
        (["kuhn_poker", "--method", "lp"], "optimal"),
        (["matrix_bos", "--iterations", "3"], "iterations"),
        (["matrix_pd", "--iterations", "3"], "optimal"),
        (["kuhn_poker(players=3)", "--seconds", "0.05"], "seconds"),
        (["kuhn_poker(players=3)", "--target", "1%"], "converged"),
        (["kuhn_poker", "--method", "mmd", "--target", "0.01"], "stalled"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_every_outcome_exits_with_0(command, arguments, outcome):
    ran = command("solve", *arguments, "--json")
    assert ran.code == 0
    assert ran.json["outcome"] == outcome
    shown = command("solve", *arguments)
    assert shown.code == 0
    assert ENDINGS[outcome] in shown.out


def test_the_status_of_infostates_is_reported(command, tmp_path, monkeypatch):
    (tmp_path / "trust.efg").write_text(TRUST, encoding="utf-8")
    ran = command("solve", "trust.efg", "--out", "run")
    assert re.search(r"^  infostates +1 reached, 1 refined$", ran.out, re.M)
    shown = command("show", "trust.efg", "run").out.splitlines()
    assert "    1.000  reached  pays ahead?  walk away 1.000" in shown
    assert "    1.000  refined  paid       keep 1.000" in shown
    counts = command("solve", "trust.efg", "--method", "cfr+", "--json").json["infostates"]
    assert counts == {"reached": 1, "refined": 0, "arbitrary": 1}
    found = command("show", "trust.efg", "run", "--json").json["infostates"]
    assert [row["status"] for row in found] == ["reached", "refined"]
    monkeypatch.setattr(solve_command, "LARGEST_WITH_STATUS", 0)
    assert command("solve", "trust.efg", "--json").json["infostates"] == {}
    assert "  infostates" not in command("solve", "trust.efg").out


def test_every_outcome_has_words():
    from typing import get_args

    from infoset.runs import Outcome

    assert set(get_args(Outcome)) == set(ENDINGS)


def test_what_a_game_lacks_is_null_or_a_dash(command):
    arguments = ["solve", "kuhn_poker(players=3)", "--iterations", "2"]
    found = command(*arguments, "--json").json
    assert found["exploitability"] is None
    assert len(found["values"]) == 3
    lines = command(*arguments).out.splitlines()
    assert not any("exploitability" in line for line in lines)
    gain = next(line.split()[-1] for line in lines if "largest gain" in line)
    assert f"a Nash equilibrium up to {gain}: no player gains more by deviating alone" in lines
    assert any("value of player 2" in line for line in lines)


@pytest.mark.parametrize("arguments", [["solve"], ["evaluate"]])
def test_messages_of_the_loader_go_to_standard_error(command, monkeypatch, arguments):
    monkeypatch.setattr(KuhnPoker, "notes", ("no public observations",), raising=False)
    more = ["uniform"] if arguments == ["evaluate"] else []
    ran = command(*arguments, "kuhn_poker", *more, "--json")
    assert ran.json["game"] == "kuhn_poker"
    assert ran.err == "note: no public observations\n"


def test_what_others_print_while_solving_is_not_data(command, monkeypatch):
    quiet = infoset.front.solve

    def loud(*arguments, **options):
        sys.stdout.write("Ctrl-C pressed 1 times\n")
        return quiet(*arguments, **options)

    monkeypatch.setattr(infoset.front, "solve", loud)
    ran = command("solve", "matrix_mp", "--json")
    assert ran.json["outcome"] == "optimal"
    assert ran.err == "Ctrl-C pressed 1 times\n"


def test_a_folder_is_not_overwritten(command, tmp_path):
    for name in ("run", "run-2", "run-3"):
        found = command("solve", "matrix_mp", "--out", "run", "--json").json
        assert found["folder"] == name
        assert sorted(os.listdir(tmp_path / name)) == MEASURED_ONCE


def test_the_command_that_it_suggests_is_quoted(command):
    shown = command("solve", "leduc_poker(num_ranks=3)", "--iterations", "1", "--out", "my run")
    assert shown.out.endswith("infoset show 'my run'\n")


def test_results_that_cannot_be_reported_are_found(command, tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("infoset.cli.commands.solve._report", fail)
    ran = command("solve", "kuhn_poker", "--out", "kuhn")
    assert ran.code == 2
    assert ran.err.splitlines()[-2:] == [
        "results are saved in kuhn, but could not be printed",
        "error: out of memory; use smaller parameters, or a lower limit with --memory",
    ]
    assert (tmp_path / "kuhn" / "policy.parquet").exists()


def test_where_nothing_can_be_written_nothing_is_solved(command, tmp_path, monkeypatch):
    monkeypatch.setattr("infoset.front.solve", lambda *_, **__: pytest.fail("solved in vain"))
    (tmp_path / "file").write_text("")
    assert "file" in command("solve", "kuhn_poker", "--out", "file/run").complaint


def test_ctrl_c_while_solving_saves_what_is_done(command, tmp_path, monkeypatch):
    seen = []

    def interrupt(self, point):
        seen.append(point)
        if len(seen) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "measured", interrupt)
    limits = ["--method", "cfr+", "--seconds", "600"]
    ran = command("solve", "leduc_poker", *limits, "--out", "run", "--json")
    assert ran.code == 130
    assert ran.json["outcome"] == "interrupted"
    assert ran.json["iterations"] == seen[-1].iteration
    assert sorted(os.listdir(tmp_path / "run")) == FILES
    assert command("evaluate", "leduc_poker", "run/policy.parquet").code == 0


def test_ctrl_c_while_exploring_leaves_nothing(command, tmp_path, monkeypatch):
    def interrupt(self, point):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "building", interrupt)
    ran = command("solve", "leduc_poker")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "interrupted before there were results to save\n"
    assert os.listdir(tmp_path) == []


def test_ctrl_c_while_saving_changes_nothing(command, tmp_path, monkeypatch):
    from infoset.experiments import run_folder

    write = run_folder.write_trace

    def interrupted(result, path):
        signal.raise_signal(signal.SIGINT)
        write(result, path)

    monkeypatch.setattr(run_folder, "write_trace", interrupted)
    ran = command("solve", "matrix_mp", "--out", "run")
    assert ran.code == 0
    assert sorted(os.listdir(tmp_path / "run")) == MEASURED_ONCE
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.broad
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_real_ctrl_c_on_a_real_terminal(tmp_path):
    """Ctrl-C is sent once the live display shows numbers."""
    ours, theirs = os.openpty()
    options = ["--method=cfr+", "--target=1e-12", "--seconds=600", "--out=run", "--json"]
    program = subprocess.Popen(
        [sys.executable, "-m", "infoset", "solve", "leduc_poker", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 300
    while not re.search(rb"\d +1e-12", shown) and time.monotonic() < deadline:
        shown += os.read(ours, 4096)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=50)
    os.close(ours)
    for word in (b"iteration", b"exploitability", b"iterations/s", b"elapsed", b"to target"):
        assert word in shown
    assert program.returncode == 130
    assert json.loads(out)["outcome"] == "interrupted"
    assert sorted(os.listdir(tmp_path / "run")) == FILES


def measured(iteration, exploitability, seconds=1.0):
    return TracePoint(iteration, seconds, (0.0, 0.0), 2 * exploitability, exploitability)


@pytest.mark.parametrize(
    ("point", "text"),
    [
        (None, "preparing, "),
        (
            BuildPoint("world graph", 50_000, None, 0.5),
            "building the world graph: 50,000 world states, 100,000/s, ",
        ),
        (
            BuildPoint("histories", 3_000, 9_451, 0.25),
            "numbering histories: 3,000 of 9,451, 12,000/s, ",
        ),
        (
            BuildPoint("public tree", 2_048, 505_860, 0.5),
            "building the public tree: 2,048 of 505,860, 4,096/s, ",
        ),
        (BuildPoint("payoffs", 0, 5_520, 0.0), "summing the payoffs of 5,520 terminal histories, "),
    ],
)
def test_the_display_says_what_is_being_built(point, text):
    progress = Progress("leduc_poker")
    if point is not None:
        progress.building(point)
    assert progress.building_text().startswith(text)
    shown = io.StringIO()
    Console(file=shown, width=120).print(progress)
    assert text in shown.getvalue()


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(monkeypatch, capsys):
    lines, is_written = [], threading.Event()

    def write(line):
        lines.append(line)
        is_written.set()

    monkeypatch.setattr("infoset.cli.progress.MIN_PAUSE", 0.001)
    monkeypatch.setattr("infoset.cli.progress.MAX_PAUSE", 0.001)
    monkeypatch.setattr("infoset.cli.progress.tell", write)
    with live("leduc_poker") as progress:
        assert is_written.wait(60)
        assert re.fullmatch(r"leduc_poker: (preparing|building the world graph), \S+ s", lines[0])
        progress.building(BuildPoint("world graph", 12_345, None, 2.0))
        progress.solving("cfr+", Budget(target=0.01))
        progress.measured(measured(7, 0.5))
        for _ in range(2):  # the first of these lines may have been begun before
            is_written.clear()
            assert is_written.wait(60)
        assert lines[-1].startswith("leduc_poker, cfr+: iteration 7, exploitability 0.5, target")
    names = [thread.name for thread in threading.enumerate() if thread.is_alive()]
    assert names.count(THREAD_NAME) == 0
    assert capsys.readouterr().out == ""


def test_the_display_says_that_kernels_are_compiled(monkeypatch):
    monkeypatch.setattr("infoset.cli.progress.MIN_COMPILING", 0.0)
    progress = Progress("leduc_poker")
    progress.solving("cfr+", Budget(iterations=10))

    def shown():
        screen = io.StringIO()
        Console(file=screen, width=120).print(progress)
        return screen.getvalue()

    with compiling():
        before = progress.elapsed
        time.sleep(0.02)
        assert "compiling kernels, once per installation: 0.0" in shown()
        assert progress.elapsed == pytest.approx(before, abs=0.01), "the clock stands still"
    assert "compiling" not in shown()


def test_the_numbers_that_are_shown_while_solving():
    progress = Progress("leduc_poker")
    progress.solving("cfr+", Budget(target=0.01))
    early = progress.numbers()
    assert early["iteration"] == early["exploitability"] == early["iterations/s"] == "-"
    assert early["to target"] == "-"
    for t in range(1, 101):
        progress.measured(measured(t, 1 / t, seconds=t / 50))
    late = progress.numbers()
    assert late["iteration"] == "100"
    assert late["exploitability"] == "0.01"
    assert late["target"] == "0.01"
    assert late["iterations/s"] == "50"
    assert late["to target"] == "0.00 s"
    assert late["elapsed"].endswith(" s")


def test_nash_conv_is_shown_where_there_is_no_exploitability():
    progress = Progress("matrix_pd")
    progress.solving("cfr+", Budget(seconds=60.0))
    progress.measured(TracePoint(1, 0.1, (0.0, 0.0), 0.75, None))
    numbers = progress.numbers()
    assert numbers["NashConv"] == "0.75"
    progress.measured(TracePoint(2, 0.2, (0.0, 0.0), 0.75, None, cce_gap=0.5))
    assert progress.numbers()["CCE gap"] == "0.5"
    progress.measured(TracePoint(3, 0.3, (0.0, 0.0), 0.75, 0.375, cce_gap=0.5, efce_gap=0.25))
    assert progress.numbers()["EFCE gap"] == "0.25"
    assert not {"NashConv", "CCE gap", "exploitability"} & set(progress.numbers())
    assert "exploitability" not in numbers
    assert "target" not in numbers
    assert numbers["to target"] == "-"


def test_the_fraction_done_is_that_of_the_nearest_limit():
    progress = Progress("leduc_poker")
    assert progress.fraction_done is None
    progress.solving("cfr+", Budget(target=0.01, iterations=1000, seconds=3600.0))
    assert progress.fraction_done is None
    progress.measured(measured(1, 1.0))
    assert progress.fraction_done == pytest.approx(0.001, abs=1e-4)
    progress.measured(measured(10, 0.1))
    assert progress.fraction_done == pytest.approx(0.5)
    progress.measured(measured(900, 0.09))
    assert progress.fraction_done == pytest.approx(0.9)
    progress.measured(measured(999, 1e-5))
    assert progress.fraction_done == 1.0


def test_every_view_can_be_drawn():
    from rich.console import Console

    console = Console(width=90, file=open(os.devnull, "w"), record=True)  # noqa: SIM115
    progress = Progress("leduc_poker")
    console.print(progress)
    progress.building(BuildPoint("world graph", 12_345, None, 1.0))
    console.print(progress)
    progress.solving("cfr+", Budget(target=0.01))
    console.print(progress)
    progress.measured(measured(7, 0.5))
    console.print(progress)
    console.file.close()
    text = console.export_text()
    assert "building the world graph: 12,345 world states" in text
    assert "leduc_poker, cfr+" in text
    assert max(map(len, text.splitlines())) <= 90


def test_single_precision_is_named_and_measured_in_double(command):
    arguments = ["solve", "kuhn_poker", "--method", "CFR+", "--iterations", "20", "--json"]
    single = command(*arguments, "--precision", "float32").json
    double = command(*arguments).json
    assert single["method"] == "cfr+ (float32)"
    assert single["exploitability"] == pytest.approx(double["exploitability"], rel=1e-3)
    assert single["exploitability"] != double["exploitability"]
    assert single["folder"] == os.path.join("runs", "kuhn_poker-cfr-plus-float32")
    short = command(*arguments, "--precision", "int16").json
    assert (short["method"], short["form"]) == ("cfr+ (int16)", "public")
    assert short["exploitability"] == pytest.approx(double["exploitability"], rel=1e-2)


def test_threads_change_no_digit(command):
    arguments = ["solve", "leduc_poker", "--method", "cfr+", "--iterations", "20", "--json"]
    together, alone = (command(*arguments, "--threads", number).json for number in "21")
    for name in ("method", "exploitability", "values"):
        assert together[name] == alone[name]


def test_a_run_starts_from_a_policy(command, tmp_path):
    """The folder of a run is a start on the same board, on another, and with locks."""
    river = "nolimit_endgame(board=Ks9d8h4s{},pot=100,stack=100,ranges='AA,QQ,JTs,54s')"
    arguments = ["--method", "cfr+", "--target", "0.3%pot", "--json"]
    cold = command("solve", river.format("2c"), *arguments, "--out", "cold").json
    assert cold["start"] is None
    again = command("solve", river.format("2c"), *arguments, "--start", "cold").json
    assert again["iterations"] == 1 < cold["iterations"]
    assert again["start"]["source"] == "cold"
    assert again["start"]["share"] == 1
    folder = tmp_path / again["folder"]
    recorded = json.loads((folder / "result.json").read_text())["start"]
    assert (
        recorded
        == again["start"]
        == infoset.policy.read_metadata(folder / "policy.parquet")["start"]
    )
    shown = command("solve", river.format("3c"), *arguments[:-1], "--start", "cold").out
    assert re.search(r"start +cold \(\d+% of infostates\)", shown)
    lock = ["--lock", "check: bet 50 40%", "--base", "cold"]
    locked = command("solve", river.format("2c"), *arguments, *lock).json
    warm = command("solve", river.format("2c"), *arguments, *lock, "--start", "cold").json
    assert warm["iterations"] < locked["iterations"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--start", "no_such"], "there is no file or folder no_such"),
        (["--start", "uniform", "--method", "lp"], "lp does not support warm starts: omit start"),
        (
            ["--start", "uniform", "--method", "portfolio"],
            "--start does not apply: portfolio is a team method",
        ),
        (["--start", "zoo:leduc_poker", "--form", "sequence"], "has no infostate with the same"),
    ],
)
def test_starts_that_are_refused(command, arguments, message):
    ran = command("solve", "kuhn_poker", *arguments)
    assert ran.code != 0
    assert message in " ".join(ran.err.split())


def test_values_are_proved_in_fractions(command):
    shown = command("prove", "kuhn_poker").out.splitlines()
    assert shown == ["kuhn_poker", "value of player 0: -1/18, about -0.0555556"]
    found = command("prove", "kuhn_poker", "--json").json
    assert found["value"] == found["lower"] == {"fraction": "-1/18", "number": -1 / 18}


def test_certificates_are_saved_and_verified(command, tmp_path):
    path = tmp_path / "kuhn.json"
    assert "certificate saved" in command("prove", "kuhn_poker", "--out", str(path)).out
    shown = command("verify", str(path)).out
    assert "value of player 0: -1/18" in shown
    assert "55 histories" in shown
    saved = command("prove", "kuhn_poker", "--out", str(path), "--json").json
    assert saved["certificate"] == str(path)
    found = command("verify", str(path), "--json").json
    assert (found["value"], found["infostates"]) == ("-1/18", [6, 6])
    assert "--max-histories" in command("verify", str(path), "--max-histories", "9").complaint
    path.write_text(path.read_text().replace('"1/3"', '"1/2"', 1))
    assert "sum to 7/6, not 1" in command("verify", str(path)).complaint
    assert "cannot be read" in command("verify", str(tmp_path / "absent.json")).complaint


def test_a_certificate_that_cannot_be_saved_leaves_nothing(command, tmp_path):
    path = tmp_path / "absent" / "kuhn.json"
    assert "cannot be written" in command("prove", "kuhn_poker", "--out", str(path)).complaint
    command("export", "kuhn_poker", "--out", str(tmp_path / "kuhn.efg"))
    path = tmp_path / "kuhn.json"
    found = command("prove", str(tmp_path / "kuhn.efg"), "--out", str(path)).complaint
    assert "the name of a registered game with other rules; give it another name" in found
    assert not path.exists()


OWN_GAME = """
from pathlib import Path
from infoset.games.kuhn_poker import KuhnPoker

Path("executed").touch()

class Mine(KuhnPoker):
    def __str__(self):
        return f"Mine({self.num_cards})"

class Other(Mine):
    pass
"""


def test_a_certificate_of_an_own_game_needs_its_code(command, tmp_path):
    (tmp_path / "own.py").write_text(OWN_GAME)
    ran = command("prove", "own.py:Mine(num_cards=4)", "--out", "own.json")
    assert ran.out.splitlines()[-1].endswith(
        "infoset verify own.json --game 'own.py:Mine(num_cards=4)' checks it"
    )
    (tmp_path / "executed").unlink()
    assert "infoset verify FILE --game path/to/file.py:Class" in command("verify", "own.json").err
    assert not (tmp_path / "executed").exists()
    shown = command("verify", "own.json", "--game", "own.py:Mine(num_cards=4)").out
    assert shown.splitlines()[0] == "Mine(4)"
    assert "verified by the rules" in shown
    for wrong in ("own.py:Mine(num_cards=5)", "kuhn_poker"):
        assert "but the given game is" in command("verify", "own.json", "--game", wrong).complaint
    file = tmp_path / "own.json"
    file.write_text(re.sub('"lower": "[^"]*"', '"lower": "0"', file.read_text()))
    ran = command("verify", "own.json", "--game", "own.py:Other(num_cards=4)")
    assert "lower of the certificate is 0, but" in ran.complaint


def test_a_certificate_of_a_game_in_a_file(command, tmp_path):
    command("export", "kuhn_poker", "--out", "kuhn.efg")
    file = tmp_path / "kuhn.efg"
    file.write_text(file.read_text().replace('"kuhn_poker"', '"three cards"', 1))
    command("prove", "kuhn.efg", "--out", "kuhn.json")
    assert "-1/18" in command("verify", "kuhn.json", "--game", "kuhn.efg").out
