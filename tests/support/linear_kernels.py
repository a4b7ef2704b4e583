"""Runs linear kernels compiled and in plain Python, and compares arguments and results by bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np
from numba.core.dispatcher import Dispatcher

import infoset
from infoset.utils.interpretation import LinearKernel


def linear_kernels():
    """Return the linear kernels of the library by name."""
    root = Path(infoset.__file__).parent
    files = [path for path in root.rglob("*.py") if "linear_kernel" in path.read_text("utf-8")]
    names = [".".join(path.relative_to(root.parent).with_suffix("").parts) for path in files]
    return {
        f"{value.py_func.__module__}.{name}": value
        for module in map(import_module, names)
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher)
        and value.py_func.__module__ == module.__name__
        and isinstance(value._compile_for_args, LinearKernel)
    }


def bits(value):
    """Return a value as nested tuples that are equal for the same types and bits."""
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, np.ascontiguousarray(value).tobytes())
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return (type(value), np.array(value).tobytes())


def copies(value):
    """Return a copy of an argument in which arrays can be modified."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        made = [copies(item) for item in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return value


class _BothWays:
    """Stands for a linear kernel: runs every call both ways."""

    def __init__(self, name, linear, called):
        self.name, self.linear, self.called = name, linear, called

    def __call__(self, *arguments):
        compiled = self.linear.compile_for_args(*arguments)

        def run(*arguments):
            for_python = copies(arguments)
            expected = compiled(*arguments)
            found = self.linear.run_uncompiled(*for_python)
            assert bits(found) == bits(expected), self.name
            assert bits(for_python) == bits(arguments), self.name
            self.called.add(self.name)
            return expected

        return run


@contextmanager
def compared() -> Iterator[set[str]]:
    """Compare all calls of linear kernels in a block; yield the set of the kernels called."""
    called: set[str] = set()
    kernels = linear_kernels()
    hooks = {name: kernel._compile_for_args for name, kernel in kernels.items()}
    for name, kernel in kernels.items():
        kernel._clear()  # Numba now asks for a function to call at every call
        kernel._insert = lambda *_: None
        kernel._compile_for_args = _BothWays(name, hooks[name], called)
    try:
        yield called
    finally:
        for name, kernel in kernels.items():
            del kernel._insert
            kernel._compile_for_args = hooks[name]
            for overload in [*kernel.overloads.values()]:
                kernel.add_overload(overload)
