"""The watchdog stops code that looks at no clock, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading

import pytest

from infoset.errors import LimitReached
from infoset.game import check_game
from infoset.tree import build_world_graph
from infoset.tree.limits import available_memory
from infoset.utils.watchdog import Watchdog
from tests.support.function_game import FunctionGame


def busy_loop():
    while True:
        pass


def test_a_loop_is_stopped():
    watch = Watchdog(seconds=0.01)
    with pytest.raises(LimitReached):
        watch.run(busy_loop)
    assert watch.reached == "seconds"


def test_a_loop_in_another_thread_is_stopped():
    reached = []

    def work():
        watch = Watchdog(seconds=0.01)
        try:
            watch.run(busy_loop)
        except LimitReached:
            reached.append(watch.reached)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert reached == ["seconds"]


class Slow:
    """An object that is being deleted when the limit is reached."""

    def __del__(self):
        busy_loop()


def test_an_exception_that_is_lost_in_a_finalizer_is_raised_again(recwarn):
    def work():
        Slow()
        busy_loop()

    watch = Watchdog(seconds=0.01)
    watch.repeat_seconds = 600.0
    with pytest.raises(LimitReached):
        watch.run(work)
    assert not recwarn.list


def test_no_exception_and_no_thread_remain_afterwards(monkeypatch):
    monkeypatch.setattr("infoset.utils.watchdog.LOOK_SECONDS", 0.0002)
    before = threading.active_count()
    for _ in range(200):
        with contextlib.suppress(LimitReached):
            Watchdog(seconds=0.0).run(lambda: [None for _ in range(20_000)])
    assert threading.active_count() == before
    assert sum(range(1_000_000)) == 499_999_500_000


def test_it_ends_under_a_profiler():
    code = (
        "import sys; from infoset.utils.watchdog import Watchdog; "
        "sys.setprofile(lambda *event: None); print(Watchdog(seconds=60.0).run(lambda: 3))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert ended.stdout.split() == [b"3"]


def test_where_threads_cannot_start_only_checks_stop_the_code(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    watch = Watchdog(seconds=0.0)
    assert watch.run(lambda: 3) == 3
    with pytest.raises(LimitReached):
        watch.run(watch.check)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems ignore the limit")
def test_a_limit_on_address_space_counts_as_available_memory():
    free = available_memory()
    limit = 4 << 30
    # The child sets the limit itself: a function between fork and exec is unsafe beside threads.
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        "from infoset.tree.limits import available_memory as a; print(a())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < min(limit, free)


@pytest.mark.parametrize(
    "limited",
    [
        lambda game: build_world_graph(game, max_seconds=60.0, partial=True),
        lambda game: check_game(game, max_seconds=60.0),
        lambda game: check_game(game),
    ],
    ids=["exploring", "checking within a limit", "checking"],
)
def test_the_limit_of_an_outer_watchdog_passes_through_inner_ones(limited):
    """If an inner one took it for its own, a part of the game would count as the whole game."""
    game = FunctionGame(transitions=lambda world, joint: busy_loop())
    watch = Watchdog(seconds=0.02)
    with pytest.raises(LimitReached):
        watch.run(lambda: limited(game))
    assert watch.reached == "seconds"
