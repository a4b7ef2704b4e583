"""Kernels in plain Python: they run uncompiled as long as compiling them would take longer.

A small game passes through some twenty kernels that build, check and measure it. Compiling one
takes a tenth of a second to a second, and loading one from disk some milliseconds; running it in
plain Python on some hundred numbers takes less than either. The results are the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FunctionType
from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from infoset.utils import _interpreted_simd

CALL_WORK: Final = 20
"""The work of a call, in addition to that of the elements of its arguments."""

UNLOADED_WORK: Final = 10_000
"""A kernel is not looked for on disk before its calls add up to this work."""

UNCOMPILED_WORK: Final = 300_000
"""A kernel that is not on disk is not compiled before its calls add up to this work."""


_compile_always: ContextVar[bool] = ContextVar("compile_always", default=False)


@contextmanager
def always_compiled() -> Iterator[None]:
    """Compile all kernels that are called in a block, however small their arguments are."""
    token = _compile_always.set(True)
    try:
        yield
    finally:
        _compile_always.reset(token)


class LinearKernel:
    """Selects the function that runs a call of a kernel whose time is linear in its arguments.

    Numba calls an instance at every call of a kernel until there is a compiled kernel for the types
    of the arguments. The work of a call is its number of array elements, plus `CALL_WORK`. As long
    as the work of all calls is below a limit, the call runs in plain Python; then the kernel is
    compiled. Thus at most as much time is lost as compiling takes, however large the arguments are.
    The choice depends on the sizes of arguments and on the disk cache, never on a clock.

    Parameters
    ----------
    dispatcher : Dispatcher
    compile_for_args
        Returns the compiled kernel for the types of given arguments.
    """

    def __init__(self, dispatcher: Any, compile_for_args: Callable[..., object]) -> None:
        self.dispatcher = dispatcher
        self.compile_for_args = compile_for_args
        self.work = 0
        self.missing: set[tuple[Any, ...]] = set()

    def __call__(self, *arguments: Any) -> object:
        """Return the function that runs a call with these arguments."""
        if _compile_always.get():
            return self.compile_for_args(*arguments)
        self.work += CALL_WORK + num_elements(arguments)
        if self.work <= UNLOADED_WORK:
            return self.run_uncompiled
        if self.work <= UNCOMPILED_WORK and not self._is_on_disk(arguments):
            return self.run_uncompiled
        return self.compile_for_args(*arguments)

    def run_uncompiled(self, *arguments: Any) -> object:
        """Run the kernel in plain Python; return what the compiled kernel would return."""
        # Compiled kernels follow IEEE arithmetic without warnings.
        with np.errstate(all="ignore"):
            return python_numbers(interpreted(self.dispatcher)(*arguments))

    def _is_on_disk(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether the disk cache had the kernel when these types were first asked for."""
        types = tuple(map(self.dispatcher.typeof_pyval, arguments))
        if types in self.missing:
            return False
        on_disk = self.dispatcher._cache
        key = on_disk._index_key(types, self.dispatcher.targetctx.codegen())
        if on_disk._cache_file.has(key):
            return True
        self.missing.add(types)
        return False


@cache
def interpreted(dispatcher: Any) -> Callable[..., object]:
    """Return a kernel in plain Python, which calls other kernels in plain Python, too."""
    function = dispatcher.py_func
    scope = {
        name: _in_plain_python(value)
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names or name == "__builtins__"
    }
    return FunctionType(function.__code__, scope, function.__name__, function.__defaults__)


def _in_plain_python(value: Any) -> Any:
    if isinstance(value, Dispatcher):
        return interpreted(value)
    if isinstance(value, _Intrinsic):  # a function of `simd`, whose name has a leading underscore
        return getattr(_interpreted_simd, value._name[1:])
    return value


def num_elements(values: tuple[Any, ...]) -> int:
    """Return the number of elements of all arrays in a tuple, including nested tuples."""
    total = 0
    for value in values:
        if isinstance(value, np.ndarray):
            total += value.size
        elif isinstance(value, tuple):
            total += num_elements(value)
    return total


def python_numbers(result: Any) -> Any:
    """Return a result with Python numbers in the place of NumPy's, as compiled kernels return."""
    if isinstance(result, tuple):
        return tuple(map(python_numbers, result))
    return result.item() if isinstance(result, np.generic) else result
