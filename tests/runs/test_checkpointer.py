"""Interrupted runs resume with the same bits, and checkpoints of other runs are refused."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    ParameterError,
    SpentTimeWarning,
    UnsavedWarning,
)
from infoset.regret import SCHEMES, RegretScheme
from infoset.runs import (
    Budget,
    Checkpointing,
    checkpointer,
    loop,
    read_checkpoint,
    run_measured,
    settings_of,
    write_checkpoint,
)
from infoset.solvers import METHODS, FictitiousPlaySolver, RTCFRPlus, get_method
from infoset.solvers.regret_family import RegretSolver
from infoset.utils.state import name_by_player
from tests.support.cached_games import cached_tree


def kuhn():
    return cached_tree("kuhn_poker").sequence_form


def kuhn_for_three():
    return cached_tree("kuhn_poker(players=3)").sequence_form


def leduc():
    return cached_tree("leduc_poker").sequence_form


UNKEPT = ("lp", "lp-ipm", "lp-refined")
RUNS = [
    *((kuhn, name) for name in METHODS if name not in UNKEPT),
    *((kuhn_for_three, name) for name in ("cfr", "cfr+-simultaneous", "apcfr+", "hs-dcfr", "xfp")),
    *((leduc, name) for name in ("cfr+", "dcfr", "pdcfr+", "apcfr+", "hs-pcfr+", "rtcfr+")),
]


class Killed(BaseException):
    """Raised in place of the end of the process."""


@dataclass
class CellInterrupted(Budget):
    """A budget that interrupts the run after a given number of clock readings."""

    looks: int = 0
    by: type[BaseException] = KeyboardInterrupt

    @property
    def is_over(self):
        self.looks -= 1
        if self.looks == -1:
            raise self.by
        return False


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ckpt"


@pytest.fixture
def every_iteration(monkeypatch):
    """Read the clock after every iteration, without syncing files to the disk."""
    monkeypatch.setattr(loop, "COST_BETWEEN_CLOCK_CHECKS", 1)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def run(form, method, **limits):
    return get_method(method).run(form, Budget(**limits))


def run_broken_off(form, method, path, looks, by, **limits):
    budget = CellInterrupted(**limits, checkpoint=Checkpointing(path, 0), looks=looks, by=by)
    try:
        return get_method(method).run(form, budget)
    except Killed:
        return None


def bits(policy):
    return [array.tobytes() for array in policy.probabilities]


def assert_same_run(found, wanted):
    assert (found.iterations, found.outcome) == (wanted.iterations, wanted.outcome)
    assert bits(found.policy) == bits(wanted.policy)
    assert bits(found.current_policy) == bits(wanted.current_policy)
    assert [(p.iteration, p.nash_conv, p.values) for p in found.trace] == [
        (p.iteration, p.nash_conv, p.values) for p in wanted.trace
    ]


@pytest.mark.usefixtures("every_iteration")
@pytest.mark.parametrize(("make_form", "method"), RUNS)
def test_an_interrupted_run_resumes_with_the_same_bits(make_form, method, path):
    form = make_form()
    whole = run(form, method, iterations=60)
    rng = np.random.default_rng([*f"{form.name} {method}".encode()])
    for looks in rng.integers(0, 40, 3).tolist():
        by = (KeyboardInterrupt, Killed)[looks % 2]
        run_broken_off(form, method, path, looks, by, iterations=60)
    kept = read_checkpoint(path) if path.exists() else None
    again = run(form, method, iterations=60, checkpoint=Checkpointing(path))
    assert kept is None or 0 < kept.iteration <= 60
    assert_same_run(again, whole)
    assert_same_run(run(form, method, iterations=60, checkpoint=Checkpointing(path)), whole)
    assert " at 0x" not in str(read_checkpoint(path).settings)


@pytest.mark.usefixtures("every_iteration")
@pytest.mark.parametrize("looks", range(12))
def test_the_same_measurements_follow(path, looks):
    """Interruptions between, at and during measurements do not change later measurements."""
    run_broken_off(kuhn(), "cfr+", path, 60 + looks, KeyboardInterrupt)
    again = run(kuhn(), "cfr+", iterations=100, checkpoint=Checkpointing(path))
    assert_same_run(again, run(kuhn(), "cfr+", iterations=100))


def test_a_finished_run_ends_immediately_when_repeated(path):
    first = run(leduc(), "cfr+", target=0.05, checkpoint=Checkpointing(path))
    kept = path.read_bytes()
    second = run(leduc(), "cfr+", target=0.05, checkpoint=Checkpointing(path))
    assert first.outcome == "converged"
    assert_same_run(second, first)
    assert second.seconds >= read_checkpoint(path).seconds
    assert path.read_bytes() == kept


def test_a_resumed_run_may_have_more_iterations(path):
    for iterations in (7, 61, 100):
        run(leduc(), "pcfr+", iterations=iterations, checkpoint=Checkpointing(path))
    again = run(leduc(), "pcfr+", iterations=200, checkpoint=Checkpointing(path))
    assert_same_run(again, run(leduc(), "pcfr+", iterations=200))


def test_fewer_iterations_are_refused(path):
    run(kuhn(), "cfr+", iterations=20, checkpoint=Checkpointing(path))
    with pytest.raises(CheckpointMismatchError, match="20 iterations, more than iterations=10"):
        run(kuhn(), "cfr+", iterations=10, checkpoint=Checkpointing(path))


def test_time_is_summed_over_all_sessions(path):
    run(kuhn(), "cfr+", seconds=0.05, checkpoint=Checkpointing(path))
    kept = read_checkpoint(path)
    assert kept.seconds > 0
    write_checkpoint(replace(kept, seconds=1000.0), path)
    limits = {"seconds": 1100.0, "iterations": kept.iteration + 5}
    again = run(kuhn(), "cfr+", **limits, checkpoint=Checkpointing(path))
    assert again.trace[-1].seconds > 1000
    assert again.seconds > 1000
    saved = read_checkpoint(path)
    with pytest.warns(SpentTimeWarning, match=r"has run for 100\d seconds, and seconds=900\.0"):
        over = run(kuhn(), "cfr+", seconds=900.0, checkpoint=Checkpointing(path))
    assert (over.outcome, over.iterations) == ("seconds", saved.iteration)
    assert np.array_equal(over.policy.probabilities[0], again.policy.probabilities[0])


CHILD = """
import sys
from pathlib import Path
from infoset.games import load_game
from infoset.runs import Budget, Checkpointing
from infoset.solvers import get_method
from infoset.tree import build_tree

form = build_tree(load_game("leduc_poker")).sequence_form
kept = Checkpointing(Path(sys.argv[1]), 0.01)
get_method("hs-pcfr+").run(form, Budget(iterations=20_000, checkpoint=kept))
"""


@pytest.mark.broad
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_process_resumes_with_the_same_bits(path):
    """The process is killed by SIGKILL; the file on the disk is complete at all times."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)])
    until = time.monotonic() + 60
    seen = [0]
    while len(set(seen)) < 4:
        assert child.poll() is None
        assert time.monotonic() < until
        if path.exists():
            seen.append(read_checkpoint(path).iteration)
        time.sleep(0.002)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert seen == sorted(seen)
    assert 0 < read_checkpoint(path).iteration < 20_000
    again = run(leduc(), "hs-pcfr+", iterations=20_000, checkpoint=Checkpointing(path))
    assert_same_run(again, run(leduc(), "hs-pcfr+", iterations=20_000))


@pytest.mark.parametrize("cost", [0, 2, 30])
def test_a_killed_run_loses_at_most_the_checkpoint_seconds(path, monkeypatch, cost):
    """A simulated clock adds a second per iteration and several seconds per save.

    The run is saved when the given seconds since the previous save have passed, unless saving would
    take more than half of the time.
    """
    now, saved = [0.0], []
    monkeypatch.setattr(checkpointer, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slow(checkpoint, to):
        saved.append(now[0])
        now[0] += cost

    monkeypatch.setattr(checkpointer, "write_checkpoint", slow)
    solver = RegretSolver(kuhn(), SCHEMES["cfr"])
    keeper = checkpointer.open_checkpointer(solver, "cfr", Budget(), Checkpointing(path, 10))
    for _ in range(200):
        solver.run(1)
        now[0] += 1
        keeper.save_if_due()
    gaps = np.diff([0.0, *saved])
    assert saved[0] == 10
    assert set(gaps[1:]) == {max(10 - cost, 2 * cost)}


def other(make_form=kuhn, method="hs-pcfr+", **limits):
    return lambda path: run(make_form(), method, **{"iterations": 30, **limits}, checkpoint=path)


def renamed():
    return replace(kuhn_for_three(), name="kuhn_poker")


@dataclass(frozen=True)
class Restarting(RegretScheme):
    """A custom scheme whose fields do not describe its code."""


OTHERS = {
    "game": (other(leduc), "game kuhn_poker there and leduc_poker here"),
    "rules": (other(renamed), "fingerprint of kuhn_poker [0-9a-f]{12} there and "),
    "method": (other(method="cfr+"), r"method hs-pcfr\+ there and cfr\+ here"),
    "horizon": (
        other(iterations=31),
        r"horizon \(the number of iterations\) 30 there and 31 here\. Give this run another file",
    ),
    "scheme": (
        other(method=replace(SCHEMES["hs-pcfr+"], regret_floor=-1.0)),
        r"regret_floor 0\.0 there and -1\.0 here",
    ),
    "class": (
        other(method=Restarting(**vars(SCHEMES["hs-pcfr+"]))),
        "spec RegretScheme there and Restarting here",
    ),
    "several": (
        other(method=replace(SCHEMES["hs-pcfr+"], average_delay=2, prediction=0.5)),
        r"prediction 1\.0 there and 0\.5 here; average_delay 0 there and 2 here",
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_checkpoint_of_another_run_is_refused(path, what):
    other()(Checkpointing(path))
    before = path.read_bytes()
    run_other, message = OTHERS[what]
    with pytest.raises(CheckpointMismatchError, match=rf"belongs to another run: {message}"):
        run_other(Checkpointing(path))
    assert path.read_bytes() == before


def test_settings_of_other_methods_are_compared_too(path):
    run(kuhn(), RTCFRPlus(), iterations=5, checkpoint=Checkpointing(path))
    with pytest.raises(CheckpointMismatchError, match="period 100 there and 50 here"):
        run(kuhn(), RTCFRPlus(period=50), iterations=5, checkpoint=Checkpointing(path))


def test_arrays_of_another_precision_are_refused(path):
    run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))
    kept = read_checkpoint(path)
    state = {**kept.state, "plans.1": kept.state["plans.1"].astype(np.float32)}
    write_checkpoint(replace(kept, state=state), path)
    with pytest.raises(
        CheckpointMismatchError, match=r"plans\.1 float32 \[13\] there and float64 \[13\] here"
    ):
        run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))


def test_runs_in_single_precision_resume_in_single_precision(path):
    def run_single(iterations, checkpoint=None):
        solver = RegretSolver(leduc(), SCHEMES["apcfr+"], "float32")
        return run_measured(solver, "apcfr+", Budget(iterations=iterations, checkpoint=checkpoint))

    run_single(33, Checkpointing(path))
    with pytest.raises(CheckpointMismatchError, match=r"float32 .*there and float64 .*here"):
        run(leduc(), "apcfr+", iterations=60, checkpoint=Checkpointing(path))
    again = run_single(60, Checkpointing(path))
    assert_same_run(again, run_single(60))


def test_a_checkpoint_of_another_version_is_refused(path):
    run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))
    write_checkpoint(replace(read_checkpoint(path), version="0.0.7"), path)
    with pytest.raises(CheckpointMismatchError, match=r"written by infoset 0\.0\.7, and this is"):
        run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))


def test_a_damaged_checkpoint_is_refused_and_left_unchanged(path):
    run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))
    path.write_bytes(path.read_bytes()[:-100])
    before = path.read_bytes()
    with pytest.raises(CheckpointFileError, match="damaged"):
        run(kuhn(), "cfr+", iterations=5, checkpoint=Checkpointing(path))
    assert path.read_bytes() == before


class Unkept(FictitiousPlaySolver):
    """A method without a state to save."""

    state = None


def test_methods_without_a_state_refuse_checkpoints(path):
    for name in UNKEPT:
        with pytest.raises(
            ParameterError, match=rf"not supported by {name}, whose .* leave checkpoint out"
        ):
            run(kuhn(), name, checkpoint=Checkpointing(path))
    with pytest.raises(ParameterError, match=r"not supported by unkept, whose"):
        run_measured(Unkept(kuhn()), "unkept", Budget(iterations=1, checkpoint=Checkpointing(path)))
    assert not path.exists()


def test_auto_takes_a_method_that_can_be_saved(path):
    result = run(kuhn(), "auto", target=0.01, checkpoint=Checkpointing(path))
    assert result.outcome == "converged"
    assert result.reason.startswith("lp cannot save checkpoints")
    assert read_checkpoint(path).method == result.method != "lp"


@dataclass(frozen=True)
class Torn:
    """A custom method that is slow in the middle of an iteration."""

    name: str = "torn"
    description: str = "interrupted in the middle"

    def run(self, form, budget):
        return run_measured(TornSolver(form), self.name, budget)


class TornSolver(FictitiousPlaySolver):
    """Half of an iteration is done at Ctrl-C; the other half must follow."""

    def __init__(self, form):
        super().__init__(form)
        self.halves = np.zeros(2, np.int64)

    def run(self, iterations):
        for _ in range(iterations):
            self.halves[0] += 1
            if self.halves[0] == 3:
                signal.raise_signal(signal.SIGINT)
            self.halves[1] += 1
            super().run(1)

    def state(self):
        return {**super().state(), "halves": self.halves}


@dataclass(frozen=True)
class Weighted:
    """A scheme with a function among its fields."""

    weights: object = np.cumsum


def test_a_function_in_the_settings_is_identified_by_its_name(path):
    class Solver(FictitiousPlaySolver):
        def settings(self):
            return settings_of(Weighted())

    run_measured(Solver(kuhn()), "mine", Budget(iterations=2, checkpoint=Checkpointing(path)))
    assert read_checkpoint(path).settings == {"spec": "Weighted", "weights": "cumsum"}


def test_ctrl_c_waits_for_the_end_of_an_iteration(path):
    result = run(kuhn(), Torn(), iterations=10, checkpoint=Checkpointing(path))
    assert (result.outcome, result.iterations) == ("interrupted", 3)
    assert read_checkpoint(path).state["halves"].tolist() == [3, 3]
    torn = TornSolver(kuhn())
    assert run_measured(torn, "torn", Budget(iterations=10)).outcome == "interrupted"
    assert torn.halves.tolist() == [3, 2]


def test_other_signal_handlers_get_their_interrupts(path):
    came = []
    before = signal.signal(signal.SIGINT, lambda *about: came.append(about))
    try:
        result = run(kuhn(), Torn(), iterations=10, checkpoint=Checkpointing(path))
        assert signal.getsignal(signal.SIGINT) is not before
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.outcome, len(came)) == ("iterations", 1)


def test_a_run_can_be_saved_in_any_thread(path):
    worker = threading.Thread(
        target=run,
        args=(kuhn(), "cfr+"),
        kwargs={"iterations": 5, "checkpoint": Checkpointing(path)},
    )
    worker.start()
    worker.join()
    assert read_checkpoint(path).iteration == 5


def test_every_state_is_named_by_kind_and_player():
    solver = RegretSolver(kuhn_for_three(), SCHEMES["cfr"])
    kinds = {name.split(".")[0] for name in solver.state()} - {"done"}
    named = name_by_player(**{kind: range(3) for kind in kinds})
    assert solver.state().keys() == {*named, "done"}


@pytest.mark.usefixtures("every_iteration")
def test_the_result_is_returned_where_the_folder_vanishes(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()

    def vanish(point):
        shutil.rmtree(folder, ignore_errors=True)

    limits = {"iterations": 20, "callback": vanish}
    kept = Checkpointing(folder / "run.ckpt", 0)
    with pytest.warns(UnsavedWarning, match=r"cannot write the checkpoint .*run\.ckpt") as caught:
        found = run(kuhn(), "cfr+", **limits, checkpoint=kept)
    assert len(caught) == 1
    assert_same_run(found, run(kuhn(), "cfr+", iterations=20))


@pytest.mark.usefixtures("every_iteration")
def test_saving_resumes_when_the_disk_has_space_again(path, monkeypatch):
    calls = []

    def full_for_a_while(checkpoint, to):
        calls.append(checkpoint.iteration)
        if len(calls) < 5:
            raise CheckpointFileError("No space left on device")
        write_checkpoint(checkpoint, to)

    monkeypatch.setattr(checkpointer, "write_checkpoint", full_for_a_while)
    with pytest.warns(UnsavedWarning, match="No space left on device; the run continues"):
        run(kuhn(), "cfr+", iterations=20, checkpoint=Checkpointing(path, 0))
    assert calls[:5] == [1, 2, 3, 4, 5]
    assert read_checkpoint(path).iteration == 20
