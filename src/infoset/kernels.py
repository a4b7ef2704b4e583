"""How the library compiles numeric kernels: one way, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import IndexDataCacheFile

__all__ = ["bare_kernel", "inner_kernel", "kernel"]

Function = TypeVar("Function", bound=Callable[..., object])

SOURCES = ("**/*_kernels.py", "**/arrays.py", "lanes/*.py", "kernels.py", "streams.py")
"""The files whose code may be inside any compiled kernel."""


def kernel(function: Function) -> Function:
    """Compile `function` with Numba, cached on disk.

    Kernels live in files whose names end in `_kernels.py`, take arrays and numbers, and keep
    strict IEEE arithmetic (no `fastmath`): the same input gives the same bits. Other threads go on
    meanwhile.

    What Numba keeps on disk it takes for valid as long as the file of the function itself is the
    same. A kernel also has the code of those it calls in it, which may come from other files:
    here it is valid as long as all of them are the same.
    """
    return _compiled(function)


def bare_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, without counting the users of arrays.

    For loops around `inner_kernel` functions, which take twice as long where users are counted. It
    must make no arrays, nor copy slices.
    """
    return _compiled(function, _nrt=False)


def inner_kernel(function: Function) -> Function:
    """Compile `function` as `bare_kernel` does, into the code of each kernel that calls it.

    For what is called in the innermost loops with many arrays: a call passes every one of them.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Function, **options: Any) -> Function:
    compiled = numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function)
    kept = getattr(compiled, "_cache", None)
    if kept is not None:  # with NUMBA_DISABLE_JIT, nothing is compiled
        kept._cache_file = _CacheFile(  # type: ignore[no-untyped-call]
            kept._cache_path,
            kept._impl.filename_base,
            (kept._impl.locator.get_source_stamp(), _stamp()),
        )
    return cast(Function, compiled)


class _CacheFile(IndexDataCacheFile):
    """What is on disk of one function, which counts for nothing where it cannot be read.

    That is so where another version of the library left names that are there no more. Nor does it
    count where it is of other types or other sources: Numba numbers its files, and two processes
    that compile at once take the same number, so that each is told with what it was made for.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._source_stamp, key, data))  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        try:
            *made_for, data = super().load(key)  # type: ignore[no-untyped-call]
        except Exception:
            return None
        return data if made_for == [self._source_stamp, key] else None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:
            return {}


@cache
def _stamp() -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of every file that kernels are made of."""
    root = Path(__file__).parent
    files = sorted(path for pattern in SOURCES for path in root.glob(pattern))
    return tuple(
        (path.relative_to(root).as_posix(), path.stat().st_mtime_ns, path.stat().st_size)
        for path in files
    )
