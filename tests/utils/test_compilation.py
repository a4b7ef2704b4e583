"""Compiled kernels on disk: used if they are valid, and compiled again otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from importlib.util import module_from_spec, spec_from_file_location

import numba
import numpy as np
import pytest

from infoset.utils import compilation

SOURCE = """
from numba.extending import overload

from infoset.utils.compilation import inner_kernel, kernel

FACTOR = 2

def half(number):
    return number / 2

@overload(half)
def compiled_half(number):
    return lambda number: 0.5 * number

@inner_kernel
def inner(number):
    return FACTOR * number

@kernel
def outer(numbers):
    return half(2.0) * inner(1.0) * numbers

@kernel
def twice(numbers):
    return outer(numbers)
"""


class Recompiler:
    """Imports a file with kernels as a new process does, runs one, and returns its dispatcher."""

    def __init__(self, path):
        self.path = path

    def __call__(self):
        spec = spec_from_file_location("kernels_of_the_test", self.path)
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        assert module.twice(np.arange(3.0)).tolist() == [0, 2, 4]
        return module.twice


@pytest.fixture
def compile_again(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    # Bytecode files do not notice a change within the same second that keeps the size.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "_kernels.py"
    path.write_text(SOURCE)
    yield Recompiler(path)
    sys.modules.pop("kernels_of_the_test")


def hits(dispatcher):
    return sum(dispatcher.stats.cache_hits.values())


def test_a_kernel_is_compiled_once(compile_again):
    assert [hits(compile_again()) for _ in range(3)] == [0, 1, 1]


CHANGES = {
    "code": ("FACTOR * number", "number * FACTOR"),
    "constant": ("FACTOR = 2", "FACTOR = 2.0"),
    "called kernel": ("inner(1.0) * numbers", "numbers * inner(1.0)"),
    "overload": ("0.5 * number", "number * 0.5"),
}
SPARED = {
    "comment": ("return outer(numbers)", "return outer(numbers)  # a comment"),
    "docstring": (
        "def twice(numbers):",
        'def twice(numbers):\n    """Return twice the numbers."""',
    ),
    "lines": ("@kernel\ndef twice", "\n\n\n@kernel\ndef twice"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_dependency_compiles_the_kernel_again(compile_again, change):
    compile_again()
    compile_again.path.write_text(SOURCE.replace(*change))
    assert [hits(compile_again()) for _ in range(2)] == [0, 1]


@pytest.mark.parametrize("change", SPARED.values(), ids=SPARED)
def test_comments_docstrings_and_lines_do_not_matter(compile_again, change):
    compile_again()
    assert change[0] in SOURCE
    compile_again.path.write_text(SOURCE.replace(*change))
    assert hits(compile_again()) == 1


def test_an_installation_elsewhere_shares_the_cache(compile_again, tmp_path):
    compile_again()
    compile_again.path = tmp_path / "elsewhere" / "_kernels.py"
    compile_again.path.parent.mkdir()
    compile_again.path.write_text(SOURCE)
    assert hits(compile_again()) == 1


def test_other_fields_of_a_named_tuple_compile_its_kernels_again():
    """Numba knows the type of a named tuple by its name; the order of its fields matters too."""
    before, after = (namedtuple("Pair", fields) for fields in ("low high", "high low"))
    kinds = [numba.typeof(pair(1, 2)) for pair in (before, after)]
    assert [compilation._named_fields([kind]) for kind in kinds] == [
        [("low", "high")],
        [("high", "low")],
    ]


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05cno_such_module\nname\n.", b"nonsense"])
def test_an_unreadable_cache_file_is_compiled_again(compile_again, tmp_path, ending, content):
    compile_again()
    (kept,) = tmp_path.rglob(f"*.twice-*{ending}")
    whole = kept.read_bytes()
    kept.write_bytes(whole[: whole.index(b".") + 1] + content if ending == ".nbi" else content)
    assert [hits(compile_again()) for _ in range(2)] == [0, 1]


def test_a_cache_file_for_other_types_is_compiled_again(compile_again, tmp_path):
    """Two processes that compile for different types may choose the same file name."""
    compile_again()(np.arange(3, dtype=np.float32))
    wide, narrow = sorted(tmp_path.rglob("*.twice-*.nbc"))
    wide.write_bytes(narrow.read_bytes())
    assert [hits(compile_again()) for _ in range(2)] == [0, 1]


def test_kernels_run_without_numba_compiling_them():
    code = "import infoset; print(round(infoset.evaluate('kuhn_poker', 'uniform').nash_conv, 6))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert (ran.stdout.strip(), ran.returncode) == ("0.916667", 0)


def test_a_full_cache_disk_does_not_stop_a_kernel(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compilation.IndexDataCacheFile, "save", full)

    def double(number):
        return 2 * number

    assert compilation.kernel(double)(4) == 8
