"""Knowing a function again in another process, by what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from inspect import getclosurevars
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

import numpy as np

__all__ = ["identity_of"]

Look: TypeAlias = Callable[[object], object]

PLAIN = (int, float, complex, str, bytes, np.generic, type(None), type(...))


def identity_of(function: Callable[..., Any]) -> str:
    """Return the name of a function with a digest of what it does, to know it again.

    The digest is of its instructions, and of the values and functions that they reach: defaults,
    what it closes over, globals, and so on from there; never of an address.

    Examples
    --------
    >>> one, two = (lambda x, step=step: x + step for step in (1, 2))
    >>> identity_of(one) == identity_of(two)
    False
    """
    plain = getattr(function, "py_func", function)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    return f"{name} ({sha256(repr(_essence(function)).encode()).hexdigest()[:12]})"


def _essence(thing: object, above: tuple[int, ...] = ()) -> object:
    """Return what a value is made of, as what has the same `repr` in every process."""
    thing = getattr(thing, "py_func", thing)
    if id(thing) in above:
        return "one of those above"
    look = partial(_essence, above=(*above, id(thing)))
    if isinstance(thing, PLAIN):
        return repr(thing)
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, sha256(thing.tobytes()).hexdigest()
    if isinstance(thing, (tuple, list)):
        return [look(part) for part in thing]
    if isinstance(thing, (set, frozenset)):
        return sorted(repr(look(part)) for part in thing)
    if isinstance(thing, Mapping):
        return [(look(key), look(value)) for key, value in thing.items()]
    if isinstance(thing, (CodeType, FunctionType, MethodType, partial)):
        return _essence_of_code(thing, look)
    if isinstance(thing, (type, ModuleType)) or not hasattr(thing, "__dict__"):
        return getattr(thing, "__name__", type(thing).__qualname__)
    return _essence_of_object(thing, look)


def _essence_of_code(
    thing: CodeType | FunctionType | MethodType | partial[Any], look: Look
) -> object:
    if isinstance(thing, CodeType):
        return thing.co_code, thing.co_names, [look(constant) for constant in thing.co_consts]
    if isinstance(thing, FunctionType):
        reached = getclosurevars(thing)
        defaults = thing.__defaults__, thing.__kwdefaults__
        return [look(p) for p in (thing.__code__, *defaults, reached.nonlocals, reached.globals)]
    if isinstance(thing, MethodType):
        return look(thing.__func__), look(thing.__self__)
    return [look(part) for part in (thing.func, thing.args, thing.keywords)]


def _essence_of_object(thing: object, look: Look) -> object:
    """Return the class of an object, its fields, and what it does when it is called."""
    names = [field.name for field in fields(thing)] if is_dataclass(thing) else sorted(vars(thing))
    call = thing.__call__ if callable(thing) else None
    return (
        type(thing).__qualname__,
        [(name, look(getattr(thing, name))) for name in names],
        look(call),
    )
