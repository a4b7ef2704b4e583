"""Limits of commands end them as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
import time
from types import SimpleNamespace

import pytest

from infoset.cli.command_watch import CommandWatch
from infoset.errors import LimitError
from infoset.utils.interrupts import interrupts_held
from infoset.utils.watchdog import ignore_limits

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="only signals end a sleep"
)


def watch(seconds=0.02):
    return CommandWatch("the work", seconds, options="--seconds")


def test_sleeping_is_interrupted():
    with pytest.raises(LimitError, match=r"the work stopped at the time limit of 0.02 s"):
        watch().end(lambda: time.sleep(600))


def test_it_is_interrupted_where_ctrl_c_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(LimitError):
            watch().end(lambda: time.sleep(600))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


class Slow:
    """An object that is being deleted when the limit is reached."""

    def __del__(self):
        time.sleep(0.1)


def test_an_interrupt_that_is_lost_in_a_callback_is_repeated(recwarn):
    def work():
        Slow()
        time.sleep(600)

    with pytest.raises(LimitError):
        watch().end(work)
    assert not recwarn.list


def test_an_interrupt_that_comes_in_a_hook_is_repeated(capsys):
    lost = SimpleNamespace(exc_type=ValueError)

    def work():
        ignore_limits(lambda _: time.sleep(0.1), lost)
        calls.append("after the hook")
        time.sleep(600)

    calls = []
    with pytest.raises(LimitError):
        watch().end(work)
    assert calls == ["after the hook"]
    assert capsys.readouterr().err == ""


def test_results_that_are_being_saved_are_complete():
    saved = []

    def work():
        with interrupts_held():
            while not watched.reached:
                time.sleep(0.001)
            saved.append("all")
        time.sleep(600)

    watched = watch()
    with pytest.raises(LimitError):
        watched.end(work)
    assert saved == ["all"]


def test_a_result_in_time_is_returned_and_ctrl_c_passes():
    assert watch(600).end(lambda: 3) == 3
    with pytest.raises(KeyboardInterrupt):
        watch(600).end(lambda: signal.raise_signal(signal.SIGINT))


def test_an_interrupt_while_a_kernel_is_called_is_one(command, monkeypatch):
    def interrupted(*_, **__):
        raise SystemError("a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("infoset.front.info", interrupted)
    assert command("info", "kuhn_poker").code == 130
    watched = watch()
    watched.reached = "seconds"
    with pytest.raises(LimitError):
        watched.end(interrupted)


def test_work_may_return_what_it_has_when_it_is_interrupted():
    def work():
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            return "so far"

    watched = watch()
    assert watched.end(work) == "so far"
    assert watched.reached == "seconds"


def test_in_other_threads_nothing_is_watched():
    results = []
    thread = threading.Thread(target=lambda: results.append(watch(0.0).end(lambda: 3)))
    thread.start()
    thread.join()
    assert results == [3]


@pytest.mark.parametrize(
    "arguments",
    [["prove"], ["evaluate", "uniform"], ["show", "uniform"], ["export", "--out", "game.efg"]],
    ids=lambda arguments: arguments[0],
)
def test_commands_stop_at_their_time_limit_after_building_too(command, arguments, monkeypatch):
    monkeypatch.setattr("infoset.cli.build_options.GRACE_SECONDS", 0.0)
    for place in (
        "solvers.solve_exactly",
        "front.evaluate",
        "efg.save_efg",
        "front.resolve_policy",
        "front.resolve_public_policy",
    ):
        monkeypatch.setattr(f"infoset.{place}", lambda *_, **__: time.sleep(600), raising=False)
    verb, *rest = arguments
    ran = command(verb, "leduc_poker", *rest, "--seconds", "0.01")
    assert ran.code == 2
    assert "stopped at the time limit of 0.01 s" in ran.err
