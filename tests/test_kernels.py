"""Compiled kernels on disk: taken where they are valid, and made again where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from infoset import kernels

SOURCE = """
from infoset.kernels import kernel

@kernel
def twice(numbers):
    return 2 * numbers
"""


@pytest.fixture
def compile_again(tmp_path):
    """Import a file with a kernel as a new process would; run it, and return its dispatcher."""
    path = tmp_path / "_kernels.py"
    path.write_text(SOURCE)

    def compile_again():
        spec = spec_from_file_location("kernels_of_the_test", path)
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        assert module.twice(np.arange(3.0)).tolist() == [0, 2, 4]
        return module.twice

    yield compile_again
    sys.modules.pop("kernels_of_the_test")


def hits(dispatcher):
    return sum(dispatcher.stats.cache_hits.values())


def test_a_kernel_is_compiled_once(compile_again):
    assert [hits(compile_again()) for _ in range(3)] == [0, 1, 1]


def test_a_change_in_any_file_of_kernels_compiles_it_again(compile_again, monkeypatch):
    compile_again()
    assert "regret/_kernels.py" in [name for name, _, _ in kernels._stamp()]
    monkeypatch.setattr(kernels, "_stamp", lambda: (("regret/_kernels.py", 0, 0),))
    assert [hits(compile_again()) for _ in range(2)] == [0, 1]


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05cno_such_module\nname\n.", b"nonsense"])
def test_what_cannot_be_read_is_compiled_again(compile_again, tmp_path, ending, content):
    compile_again()
    (kept,) = tmp_path.rglob(f"*{ending}")
    whole = kept.read_bytes()
    kept.write_bytes(whole[: whole.index(b".") + 1] + content if ending == ".nbi" else content)
    assert [hits(compile_again()) for _ in range(2)] == [0, 1]


def test_what_another_process_kept_for_other_types_is_compiled_again(compile_again, tmp_path):
    """Two that compile at once, each for its types, may both take the same name for the file."""
    compile_again()(np.arange(3, dtype=np.float32))
    wide, narrow = sorted(tmp_path.rglob("*.nbc"))
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
