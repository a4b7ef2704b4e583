"""Compilation is counted apart: the clock of time limits stands still meanwhile."""

from __future__ import annotations

from types import SimpleNamespace

import numba
import pytest

from infoset.utils import clocks
from infoset.utils.compilation import kernel


@pytest.fixture
def now(monkeypatch):
    """A clock that only the test moves."""
    now = [100.0]
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_the_clock_stands_still_during_compilation(now):
    work, compiled = clocks.working_seconds(), clocks.compiling_seconds()
    now[0] += 2
    with clocks.compiling():
        now[0] += 30
        assert clocks.working_seconds() - work == pytest.approx(2)
        with clocks.compiling():
            now[0] += 10
        assert clocks.compiling_seconds() - compiled == pytest.approx(40)
    now[0] += 1
    assert clocks.working_seconds() - work == pytest.approx(3)
    assert clocks.compiling_seconds() - compiled == pytest.approx(40)


def test_a_compilation_that_fails_ends_the_count(now):
    work = clocks.working_seconds()

    def compile_nothing():
        with clocks.compiling():
            now[0] += 5
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        compile_nothing()
    now[0] += 1
    assert clocks.working_seconds() - work == pytest.approx(1)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_the_first_call_of_a_kernel_counts_as_compilation_and_its_run_does_not(now, monkeypatch):
    @kernel
    def double(number):
        return 2 * number

    compile_it = double.compile

    def slowly(signature):
        now[0] += 7
        return compile_it(signature)

    monkeypatch.setattr(double, "compile", slowly)
    before = clocks.compiling_seconds()
    assert [double(1.5), double(2.5)] == [3.0, 5.0]
    assert clocks.compiling_seconds() - before == pytest.approx(7)
    assert double(3) == 6  # another type
    assert clocks.compiling_seconds() - before == pytest.approx(14)
