"""Too little address space is refused before compiled code ends the process."""

from __future__ import annotations

import subprocess
import sys
from math import inf

import pytest

from infoset.errors import ParameterError
from infoset.utils.address_space import address_space_limit, check_address_space

resource = pytest.importorskip("resource")


@pytest.mark.parametrize(
    ("limit", "expected"), [(resource.RLIM_INFINITY, inf), (2 * 10**9, 2 * 10**9)]
)
def test_enough_address_space(monkeypatch, limit, expected):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, resource.RLIM_INFINITY))
    assert address_space_limit() == expected
    check_address_space()


def test_too_little_address_space(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (5 * 10**8, 10**9))
    with pytest.raises(ParameterError, match=r"500 MB.*ulimit -v 1000000.*--memory"):
        check_address_space()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems ignore the limit")
@pytest.mark.parametrize("space", [200_000_000, 450_000_000])
def test_a_command_ends_with_the_reason(space):
    # The child sets the limit itself: a function between fork and exec is unsafe beside threads.
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({space}, {space}))\n"
        "from infoset.cli.app import main; main(['info', 'kuhn_poker'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: the address space of this process is limited to")
    assert done.stderr.count("\n") == 1
