"""The limit of the system on the address space of this process (`ulimit -v`)."""

from __future__ import annotations

from math import inf
from typing import Final

from infoset.errors import ParameterError

MIN_ADDRESS_SPACE: Final = 10**9
"""Bytes within which kernels are compiled: with less, compiled code may abort the process."""


def address_space_limit() -> float:
    """Return the limit in bytes; infinity if there is none."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limit
        return inf
    limit = getrlimit(RLIMIT_AS)[0]
    return inf if limit == RLIM_INFINITY else limit


def check_address_space() -> None:
    """Raise unless kernels can be compiled.

    Raises
    ------
    ParameterError
        If the limit is too small.
    """
    limit = address_space_limit()
    if limit < MIN_ADDRESS_SPACE:
        raise ParameterError(
            f"the address space of this process is limited to {limit / 1e6:.0f} MB (ulimit -v), "
            f"too little to compile kernels: allow more (ulimit -v {MIN_ADDRESS_SPACE // 1000}) "
            "and limit the memory of a game by --memory"
        )
