"""The one way in which the library compiles a numeric kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile `function` with Numba, cached on disk.

    Kernels live in files named `_kernels.py`, take arrays and numbers, and keep strict IEEE
    arithmetic (no `fastmath`): the same input gives the same bits.
    """
    return cast(Function, numba.njit(cache=True, error_model="numpy")(function))
