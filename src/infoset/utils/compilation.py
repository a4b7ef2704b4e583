"""Uniform compilation of kernels with Numba, with a disk cache that is keyed by content.

Numba reuses a cached function as long as the file of that function is unchanged, even if functions
compiled into it have changed. Here the key of a kernel is a digest of its bytecode and of
everything that it refers to: other kernels, overloads, intrinsics and constants. Comments,
docstrings, line numbers and file times are not part of the digest, so one cache serves every
installation of the same code. Set the environment variable `NUMBA_CACHE_DIR` to share one
directory.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.types import BaseNamedTuple
from numba.core.typing.templates import builtin_registry

from infoset.utils.clocks import compiling
from infoset.utils.interpretation import LinearKernel

Function = TypeVar("Function", bound=Callable[..., object])

PACKAGE = __name__.partition(".")[0]
OUTSIDE = ("numpy", "numba", "llvmlite")
"""Packages whose functions are identified by name only; Numba's cache checks Numba's version."""

PYTHON = f"py{sys.version_info.major}{sys.version_info.minor}"


def kernel(function: Function) -> Function:
    """Compile `function` with Numba, cached on disk.

    Kernels are in files whose names end in `_kernels.py`. They take arrays and numbers, and use
    strict IEEE arithmetic (no `fastmath`), so the same input gives the same bits. They release the
    global interpreter lock.
    """
    return _compile(function)


def linear_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, but only when its arguments become large.

    Until then it runs uncompiled, so that small games need no compilation. Use it for functions
    whose time is linear in the number of elements of their array arguments, and whose results are
    the same bits without compilation.
    """
    compiled: Any = _compile(function)
    if compiled is not function:  # with NUMBA_DISABLE_JIT=1, nothing is compiled
        compiled._compile_for_args = LinearKernel(compiled, compiled._compile_for_args)
    return cast(Function, compiled)


def passed_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, so that it can be passed to kernels as an argument."""
    return _compile(function, no_cfunc_wrapper=False)


def bare_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, without reference counting of arrays.

    Use it for loops around `inner_kernel` functions, which take twice as long with reference
    counting. The function must not allocate arrays or copy slices.
    """
    return _compile(function, _nrt=False)


def inner_kernel(function: Function) -> Function:
    """Compile `function` as `bare_kernel` does, inlined into every kernel that calls it.

    Use it for functions with many array arguments that are called in innermost loops, where passing
    the arrays is expensive. It compiles in half the time, because it has no wrapper for calls from
    Python. Where Python code calls it, as kernels do that run uncompiled, it is compiled a second
    time, with the wrapper.
    """
    return _called_by_kernels(function, forceinline=True)


def nested_kernel(function: Function) -> Function:
    """Compile `function` as `bare_kernel` does, for calls from other kernels.

    Use it for the stages of a long kernel. Like `inner_kernel`, it compiles in half the time, but
    the compiler decides whether to inline it.
    """
    return _called_by_kernels(function)


def _called_by_kernels(function: Function, **options: bool) -> Function:
    compiled = _compile(function, no_cpython_wrapper=True, _nrt=False, **options)
    with_wrapper: list[Function] = []

    def for_python(*arguments: Any) -> Function:
        if not with_wrapper:
            with_wrapper.append(_compile(function, _nrt=False, **options))
        return with_wrapper[0]

    dispatcher: Any = compiled
    if dispatcher is not function:  # with NUMBA_DISABLE_JIT=1, nothing is compiled
        # The dispatcher would jump to a wrapper that is not there. With no overload inserted, it
        # asks this method at every call for a function to call instead.
        dispatcher._insert = lambda *overload: None
        dispatcher._compile_for_args = for_python
    return compiled


def _compile(function: Function, **options: Any) -> Function:
    # Functions that are not passed to kernels as arguments need no wrapper for such calls.
    options = {"no_cfunc_wrapper": True, **options}
    compiled = numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function)
    on_disk = getattr(compiled, "_cache", None)
    if on_disk is not None:  # with NUMBA_DISABLE_JIT=1, nothing is compiled
        on_disk._cache_file = _CacheFile(compiled, on_disk._cache_path)
        compiled._compile_for_args = _timed(compiled._compile_for_args)
    return cast(Function, compiled)


def _timed(compile_for_args: Function) -> Function:
    """Return the method that Numba calls to compile or load a kernel, with its time counted."""

    def compile_and_time(*arguments: Any) -> object:
        with compiling():
            return compile_for_args(*arguments)

    return cast(Function, compile_and_time)


class _CacheFile(IndexDataCacheFile):
    """The files of one kernel in the disk cache; unusable files are ignored.

    Files that are unreadable, or were compiled for something else, are not used, and files that
    cannot be written are not missed.

    Numba numbers the data files of a kernel, and two processes that compile it at the same time for
    different argument types may take the same number. Each data file therefore records what it was
    compiled for. The record includes the fields of named tuples among the arguments, because Numba
    identifies such a type only by its name.
    """

    def __init__(self, dispatcher: Any, directory: str) -> None:
        shared = numba.config.CACHE_DIR  # type: ignore[attr-defined]
        self._dispatcher = dispatcher
        self._cache_path = str(Path(shared) / PACKAGE) if shared else directory
        self._version = numba.__version__
        self._name = ""

    def save(self, key: Any, data: Any) -> None:
        self._find_files()
        # Without a cache the kernel is compiled again by the next process, as on a read-only disk.
        with suppress(OSError):  # such as a full disk
            Path(self._cache_path).mkdir(parents=True, exist_ok=True)
            super().save(key, (key, _named_fields(_arguments(key)), data))  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        self._find_files()
        try:
            *compiled_for, data = super().load(key)  # type: ignore[no-untyped-call]
        except Exception:
            return None
        return data if compiled_for == [key, _named_fields(_arguments(key))] else None

    def has(self, key: Any) -> bool:
        """Return whether the index has a key; the data may still be unusable."""
        self._find_files()
        return key in self._load_index()

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:
            return {}

    def _find_files(self) -> None:
        """Name the files after the digest; at this point all dependencies are defined."""
        if self._name:
            return
        function = self._dispatcher.py_func
        self._source_stamp = content_digest(self._dispatcher)
        self._name = f"{function.__module__}.{function.__qualname__}-{self._source_stamp}.{PYTHON}"
        self._index_path = str(Path(self._cache_path) / f"{self._name}.nbi")
        self._data_name_pattern = f"{self._name}.{{number:d}}.nbc"


def _arguments(key: Any) -> Iterable[Any]:
    """Return the argument types of a cache key, whose first part is a signature or types."""
    return cast(Iterable[Any], getattr(key[0], "args", key[0]))


def _named_fields(types: Iterable[Any]) -> list[tuple[str, ...]]:
    """Return the field names of all named tuples among argument types, including nested ones."""
    found: list[tuple[str, ...]] = []
    for kind in types:
        if isinstance(kind, BaseNamedTuple):
            named: Any = kind
            found += [named.instance_class._fields, *_named_fields(named.types)]
    return found


def content_digest(dispatcher: Any) -> str:
    """Return 16 hexadecimal digits that identify a kernel and everything compiled into it."""
    content = hashlib.sha256()
    for part in _content(dispatcher, set()):
        content.update(f"{part}\n".encode())
    return content.hexdigest()[:16]


def _content(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield texts that identify a value on which a kernel depends."""
    if isinstance(value, Dispatcher):
        yield repr(sorted(value.targetoptions.items(), key=str))
        yield from _content(value.py_func, seen)
    elif isinstance(value, FunctionType):
        yield f"function {value.__module__}.{value.__qualname__}"
        if id(value) not in seen and value.__module__.partition(".")[0] not in OUTSIDE:
            seen.add(id(value))
            yield from _code_content(value.__code__, value.__globals__, value.__doc__, seen)
            for cell in value.__closure__ or ():
                yield from _content(cell.cell_contents, seen)
            for overload in _overloads(value):
                yield from _content(overload, seen)
    elif isinstance(value, _Intrinsic):
        # Kernels use the operators that an intrinsic's module defines without naming them, so the
        # whole module is part of the digest.
        module = sys.modules[value._defn.__module__]
        yield f"intrinsic {value._name} {_source_digest(str(module.__file__))}"
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, tuple):
        yield f"tuple {len(value)}"
        for item in value:
            yield from _content(item, seen)
    elif isinstance(value, frozenset):
        yield f"frozenset {sorted(map(repr, value))}"
    elif isinstance(value, (bool, int, float, complex, str, bytes, np.generic, type(None))):
        yield f"{type(value).__name__} {value!r}"
    else:
        name = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
        yield f"{type(value).__name__} {name} {getattr(value, '_fields', ())}"


def _overloads(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the functions that choose what Numba compiles in place of a Python function."""
    for name, kind in builtin_registry.globals:
        if name is function:
            yield from (template._overload_func for template in kind.templates)


def _code_content(
    code: CodeType, scope: dict[str, Any], docstring: str | None, seen: set[int]
) -> Iterator[str]:
    """Yield bytecode, constants, and the content of every global name that the code refers to."""
    yield code.co_code.hex()
    yield repr((code.co_varnames, code.co_freevars, code.co_names))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_content(constant, scope, None, seen)
        elif constant is not docstring:
            yield from _content(constant, seen)
    for name in code.co_names:
        value = scope.get(name)
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == PACKAGE:
            for attribute in code.co_names:
                yield from _content(getattr(value, attribute, None), seen)
        elif name in scope:
            yield from _content(value, seen)


@cache
def _source_digest(path: str) -> str:
    """Return a digest of a source file without its comments and docstrings."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                statement
                for statement in body
                if not (
                    isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                )
            ]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]
