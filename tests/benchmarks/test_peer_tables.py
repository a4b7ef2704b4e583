"""Alternating runs, medians, times to a target, and their tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import peers
import pytest
import report
from comparison import figures, iterations, ours, targets
from comparison.environment import PeerEnvironment, failure

pytestmark = pytest.mark.benchmarks

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 µs"),
        (9.264e-6, "9.26 µs"),
        (2.5e-4, "250 µs"),
        (0.99996e-3, "1 ms"),
        (0.0436, "43.6 ms"),
        (1.5, "1.5 s"),
        (1234.5, "1234 s"),
    ],
)
def test_times_are_shown_in_three_digits(seconds, text):
    assert report.shown(seconds) == text


def test_a_command_replaces_its_own_part_of_a_page():
    page = "a\n<!-- made by benchmarks/x.py -->\nold\n<!-- end -->\nb\n<!-- end -->"
    replaced = report.replace_part(page, "x.py", r"new \1")
    assert replaced.startswith("a\n<!-- made by benchmarks/x.py -->\n\nnew \\1\n\n<!-- end -->\nb")
    assert report.replace_part(replaced, "x.py", r"new \1") == replaced
    with pytest.raises(ValueError, match=r"no place for y\.py"):
        report.replace_part(page, "y.py", "")


def test_sides_take_turns():
    order = []

    def side(name, each):
        def run(count):
            order.append((name, count))
            return each * count

        return run

    times = iterations.take_turns({"a": (side("a", 2.0), 3), "b": (side("b", 0.5), 1)}, 2)
    assert order == [("a", 3), ("b", 1)] * 2
    assert times == {"a": [2.0, 2.0], "b": [0.5, 0.5]}


@pytest.mark.parametrize(("each", "done", "turn"), [(1e-3, 300, 300), (3.0, 4, 1)])
def test_sides_run_in_for_some_iterations_or_seconds(each, done, turn):
    counts = []

    def run(count):
        counts.append(count)
        return each * count

    assert iterations.warm(run) == (run, turn)
    assert sum(counts) == done


def test_a_ratio_is_that_of_the_times_in_one_turn():
    found = iterations.comparison([10.0, 40.0, 30.0], [1.0, 2.0, 1.0])
    assert found == {"seconds": 30.0, "ratio": [20.0, 10.0, 30.0]}


def test_the_first_time_at_a_target_counts():
    points = [(1.0, 1e-3), (2.0, 1e-5), (3.0, 1e-3), (4.0, 1e-6)]
    assert ours.first_times(points) == {"0.0001": 2.0, "1e-06": 4.0, "1e-08": None}


def result(spent, seconds):
    known = {"0.0001": seconds, "1e-06": seconds, "1e-08": None}
    return {"build": 1.0, "spent": spent, "seconds": known, "gap": 2e-7, "note": ""}


def test_quick_runs_are_repeated_in_turns_and_slow_ones_are_not():
    order, lasting = [], iter([0.5, 0.3, 0.1])

    def quick():
        order.append("quick")
        spent = next(lasting)
        return result(spent, spent / 2)

    def slow():
        order.append("slow")
        return result(60.0, None)

    found = targets.in_turns({"quick": quick, "slow": slow, "none": lambda: {"failure": "no"}})
    assert order == ["quick", "slow", "quick", "quick"]
    assert found["quick"]["seconds"] == {"0.0001": 0.15, "1e-06": 0.15, "1e-08": None}
    assert found["none"] == {"failure": "no"}


def test_a_run_that_once_missed_a_target_has_not_reached_it():
    found = targets.typical([result(0.5, 0.1), result(0.5, None), result(0.5, 0.1)])
    assert found["seconds"]["0.0001"] is None


def test_cells_say_the_time_with_building_or_that_it_was_not_enough():
    assert targets.cell(result(0.5, 0.25), "1e-06") == "1.25 s"
    assert targets.cell(result(0.5, 0.25), "1e-08") == ">1.5 s (2e-07)"
    assert targets.cell({"failure": "3 players"}, "1e-08") == "3 players"


def test_the_line_of_pip_that_tells_why_is_kept():
    assert failure("x\nERROR: No matching distribution\nnotice: y\n") == (
        "ERROR: No matching distribution"
    )
    assert failure("") == "pip failed"


def test_what_cannot_be_installed_is_noted(tmp_path, monkeypatch):
    environment = PeerEnvironment(tmp_path)
    script = "#!/bin/sh\nif [ $1 = -c ]; then echo []; else echo ERROR: none >&2; exit 1; fi\n"
    environment.python.parent.mkdir()
    environment.python.write_text(script)
    environment.python.chmod(0o755)
    environment.install("no_such_peer==1.0")
    assert environment.missing == {"no_such_peer==1.0": "not installed: ERROR: none"}


def measured(**results):
    targets = [{"game": name, "build": value} for name, value in results.items()]
    known = {"environment": {"python": "3.11"}, "peers": {}, "seconds": 10.0}
    return known | {"iterations": targets[:1], "targets": targets}


def test_games_measured_again_replace_their_results_and_no_others():
    found = peers.joined(measured(kuhn=1, leduc=2, dice_1x4=3), measured(leduc_5=5, leduc=4))
    assert [(one["game"], one["build"]) for one in found["targets"]] == [
        ("kuhn", 1),
        ("leduc", 4),
        ("leduc_5", 5),
        ("dice_1x4", 3),
    ]
    with pytest.raises(SystemExit, match="other seconds than in the saved results"):
        peers.joined(measured(kuhn=1), measured(kuhn=1) | {"seconds": 60.0})


@pytest.fixture(scope="module")
def kept():
    return peers.load_results()


def test_our_times_stand_before_the_peers():
    found = peers.with_ours([{"game": "leduc", "solvers": {"OpenSpiel": {"failure": "none"}}}])
    times = json.loads((peers.RESULTS / "method_times.json").read_text("utf-8"))
    (row,) = (
        row for row in times["rows"] if row["game"] == "leduc" and row["method"] == "sapdcfr+"
    )
    assert list(found[0]["solvers"]) == [*peers.OURS, "OpenSpiel"]
    assert found[0]["solvers"]["sapdcfr+"]["seconds"]["1e-06"] == row["1e-06"]
    assert found[0]["solvers"]["lp"]["build"] == found[0]["build"] > 0
    assert peers.as_solver({"failure": "2 players only"}, 1.0)["failure"] == "2 players only"


def test_results_are_in_the_order_of_the_games(kept):
    for part in ("iterations", "targets"):
        assert peers.by_game(kept[part]) == kept[part]


def test_figures_mark_every_time(kept):
    found = peers.with_ours(kept["targets"])
    drawn = figures.draw_targets(found, peers.TITLES, peers.DRAWN)
    times = [
        solver
        for game in found
        for name, solver in game["solvers"].items()
        if name in figures.COLORS and "seconds" in solver
    ]
    marks = [line for line in drawn.axes[0].lines if len(line.get_xdata())]
    assert len(marks) == len(times)
    assert all(re.fullmatch(r"[a-z0-9_]+", game["game"]) for game in kept["targets"])
