"""Settings of all tests, and the kernels that collecting them ran.

Property tests draw the same examples each time and have no deadline. SIGINT is enabled also for
tests that run in the background, where shells disable it.
"""

import gc
import os
import re
import signal
import sys
from itertools import chain, combinations
from pathlib import Path

import pytest
from hypothesis import settings

CACHE = ".pytest_cache/jax"
"""Folder of what JAX compiled for tests, in the folder that pytest keeps anyway."""

settings.register_profile("infoset", deadline=None, derandomize=True, max_examples=12)
settings.load_profile("infoset")
signal.signal(signal.SIGINT, signal.default_int_handler)
# Compilers and trees make many objects that stay. Looking for garbage after every 700 new ones,
# Python's default, takes up to a fifth of the processor time of the tests.
gc.set_threshold(50_000)
# Output that is not a terminal has any width, but several workers of pytest would be told one.
os.environ.pop("COLUMNS", None)
# Tests with JAX spend most of their time on compilation, which is faster without optimization.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# What one process has compiled, the other workers and the programs that tests start only load.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

GROUPS = ("long", "broad", "networks", "browser", "benchmarks")


def pytest_ignore_collect(collection_path, config):
    """Leave out files of which `-m` selects no test: reading all takes a quarter of a minute."""
    if not config.option.markexpr or not re.fullmatch(r"test_\w+\.py", collection_path.name):
        return None
    text = collection_path.read_text("utf-8")
    marks = {mark for mark in re.findall(r"pytest\.mark\.(\w+)", text) if mark in GROUPS}
    of_all = set(re.findall(r"^pytestmark = pytest\.mark\.(\w+)", text, flags=re.MULTILINE))
    of_some = sorted(marks - of_all)
    for chosen in chain.from_iterable(combinations(of_some, n) for n in range(len(of_some) + 1)):
        names = {group: group in of_all or group in chosen for group in GROUPS}
        try:
            if eval(config.option.markexpr, {"__builtins__": {}}, names):
                return None
        except (NameError, SyntaxError):  # other marks, or a mistake that pytest explains
            return None
    return True


RAN = pytest.StashKey[list[str]]()


def pytest_collection_finish(session):
    """Save the names of the kernels that have been compiled, or loaded from the cache, so far.

    Afterwards the tests themselves, some hundred thousand objects, are no garbage: not looking at
    them saves half a second in each collection of garbage.
    """
    modules = [module for name, module in sys.modules.items() if name.endswith("_kernels")]
    session.config.stash[RAN] = sorted(
        f"{module.__name__}.{name}"
        for module in modules
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and getattr(value, "overloads", ())
    )
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    """Name the groups of tests that were left out, with the options that run them."""
    left_out = re.findall(r"not (\w+)", config.option.markexpr)
    groups = [line for line in config.getini("markers") if line.split(":")[0] in left_out]
    if len(groups) > 1:  # the default, and not a choice of the caller
        terminalreporter.section("groups of tests that were left out")
        terminalreporter.write_line("\n".join(groups))


@pytest.fixture
def empty_charts(request, monkeypatch):
    """Save charts in folders of results without drawing them, if the test has no `charts`."""
    from tests.support.empty_charts import empty_chart

    if "charts" not in request.fixturenames:
        monkeypatch.setattr("infoset.experiments.folders.figure_bytes", empty_chart)


@pytest.fixture
def charts():
    """Draw the charts of results also where `empty_charts` holds for all tests of a file."""


@pytest.fixture
def kernels_of_collection(pytestconfig):
    """Return the names of the kernels that ran while the tests were collected."""
    return pytestconfig.stash[RAN]
