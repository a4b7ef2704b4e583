"""The machine on which a result was computed."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numba
import numpy as np


@dataclass(frozen=True)
class Machine:
    """The properties of a machine on which the bits of a result may depend."""

    host: str
    """Name of the computer."""
    cpu: str
    """Name of the processor, for which kernels are compiled."""
    python: str
    numba: str
    numpy: str
    """Versions."""


@cache
def this_machine() -> Machine:
    """Return the machine of this process."""
    from llvmlite.binding import get_host_cpu_name

    return Machine(
        host=platform.node(),
        cpu=get_host_cpu_name(),
        python=platform.python_version(),
        numba=numba.__version__,
        numpy=np.__version__,
    )


def differing_machines(machines: Iterable[Machine]) -> tuple[str, ...]:
    """Return a line for each property, except the host, in which machines differ.

    Examples
    --------
    >>> from dataclasses import replace
    >>> here = this_machine()
    >>> differing_machines([here, replace(here, host="other", cpu="z80")])[0][:4]
    'cpu:'
    >>> differing_machines([here, here])
    ()
    """
    found = set(machines)
    lines = []
    for name in ("cpu", "python", "numba", "numpy"):
        values = sorted({getattr(machine, name) for machine in found})
        if len(values) > 1:
            lines.append(f"{name}: {', '.join(values)}")
    return tuple(lines)
