"""Loading of objects from a Python file, as `path/to/file.py:NAME` or `file.py:Class(x=1)`.

Games are also loaded from modules that can be imported, as `package.module:Class(x=1)`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from infoset.errors import (
    InfosetError,
    ParameterError,
    UnknownNameError,
    as_error,
    describe_exception,
    pass_stops,
)
from infoset.games import parse_spec
from infoset.runs.task_messages import FILE_MODULE
from infoset.utils.arguments import check_path

SEPARATOR = ".py:"
PYTHON = ".py"
MODULE_OBJECT = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*):([A-Za-z_]\w*(?:\(.*\))?)", re.DOTALL)


def is_python_file(spec: object) -> bool:
    """Return whether a value is text that names an object in a Python file."""
    return isinstance(spec, str) and SEPARATOR in spec


def is_module_object(spec: str) -> bool:
    """Return whether a text names an object of a module, as `package.module:Class(x=1)`.

    Examples
    --------
    >>> (
    ...     is_module_object("games.mine:Cuckoo(num_cards=5)"),
    ...     is_module_object("kuhn_poker"),
    ... )
    (True, False)
    """
    return MODULE_OBJECT.fullmatch(spec) is not None


def load_from_module(
    spec: str, kinds: tuple[type, ...], noun: str, parameters: Mapping[str, Any] | None = None
) -> Any:
    """Load an object from a module that can be imported, here and by workers.

    Parameters
    ----------
    spec
        The name of the module, a colon, and what `load_from_python_file` expects there.
    kinds, noun, parameters
        As in `load_from_python_file`.

    Raises
    ------
    ParameterError
        If the module cannot be imported, or the class does not accept the parameters.
    """
    name, _, rest = spec.partition(":")
    try:
        module = import_module(name)
    except ImportError as error:
        raise ParameterError(
            f"the module {name} cannot be imported ({error}); install it, or set PYTHONPATH to its "
            "folder"
        ) from error
    except BaseException as error:
        pass_stops(error)
        raise ParameterError(
            f"importing {name} raised {describe_exception(error)}; run python -m {name} for the "
            "full traceback"
        ) from error
    return _object(module, name, rest, kinds, noun, (), parameters)


def load_from_python_file(
    spec: str,
    kinds: tuple[type, ...],
    noun: str,
    arguments: Sequence[object] = (),
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Load an object from a Python file, which is executed as by `import`.

    While it is executed, its folder is the first place where modules are found, as for
    `python path/to/file.py`.

    Parameters
    ----------
    spec
        The path of the file, a colon, and the name of an object or class in it. A class is called
        with the parameters in parentheses, as in `cuckoo.py:Cuckoo(num_cards=5)`.
    kinds : tuple of types
        Classes or runtime-checkable protocols; the object must be an instance of one of them.
    noun
        Kind of object, such as "game" or "method", for error messages.
    arguments : Sequence
        Arguments that are passed to a class before the parameters.
    parameters
        Parameters that replace those in parentheses.

    Raises
    ------
    ParameterError
        If the file does not exist, executing it raises an error, or the class does not accept the
        parameters.
    UnknownNameError
        If the file defines no such object; the message lists those that it defines.
    """
    stem, _, rest = spec.partition(SEPARATOR)
    path = Path(f"{stem}.py")
    check_path("file", path)
    parse_spec(rest)  # before the file is executed
    return _object(_execute(path), str(path), rest, kinds, noun, arguments, parameters)


def _object(
    module: ModuleType,
    place: str,
    rest: str,
    kinds: tuple[type, ...],
    noun: str,
    arguments: Sequence[object],
    parameters: Mapping[str, Any] | None,
) -> Any:
    """Return an object of a module, or what a class of it makes with the parameters."""
    name, given = parse_spec(rest)
    given |= parameters or {}
    found = _objects(module, kinds)
    if name not in found:
        raise UnknownNameError.of(f"{noun} of {place}", name, found)
    value = found[name]
    if not isinstance(value, type):
        if given:
            raise ParameterError(
                f"{name} of {place} is not a class and takes no parameters; write {place}:{name}"
            )
        return value
    _check_parameters(value, given, place)
    try:
        return value(*arguments, **given)
    except InfosetError:
        raise
    except BaseException as error:
        given_text = f" with the parameters {given}" if given else ""
        raise ParameterError(
            f"{name} of {place} cannot be created{given_text}: {as_error(error)}"
        ) from error


def read_python_object(spec: str) -> tuple[Any, dict[str, Any]]:
    """Return any object or class of a Python file, and the parameters in parentheses.

    Parameters
    ----------
    spec
        As in `load_from_python_file`. A class is not called. Without a name, the error lists the
        objects of the file.

    Raises
    ------
    ParameterError
        If the file does not exist, or executing it raises an error.
    UnknownNameError
        If the file defines no such object; the message lists those that it defines.
    """
    stem, _, rest = spec.partition(SEPARATOR)
    path = Path(f"{stem}.py")
    check_path("file", path)
    name, given = parse_spec(rest) if rest else ("", {})
    found = {
        key: value
        for key, value in _objects(_execute(path), (object,)).items()
        if not key.startswith("_") and not isinstance(value, ModuleType)
    }
    if not name:
        names = " or ".join(f"{path}:{name}" for name in found)
        raise ParameterError(f"{path} is a Python file; add the name of an object in it: {names}")
    if name not in found:
        raise UnknownNameError.of(f"object of {path}", name, found)
    return found[name], dict(given)


def _check_parameters(made: type, given: Mapping[str, Any], place: str) -> None:
    """Raise if a class lacks a parameter; one that takes any parameters lacks none.

    Raises
    ------
    UnknownNameError
        The message suggests similar names.
    """
    try:
        known = signature(made).parameters
    except (TypeError, ValueError):  # classes without a signature in Python
        return
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name in given:
        if name not in known:
            raise UnknownNameError.of(f"parameter of {made.__name__} of {place}", name, known)


def check_has_name(spec: object, kinds: tuple[type, ...], noun: str) -> None:
    """Raise if a value is the path of a Python file, without the name of an object in it.

    Raises
    ------
    ParameterError
        The message lists the objects of the file, which is executed, or says that it does not
        exist.
    """
    if not isinstance(spec, str) or not spec.lower().endswith(PYTHON):
        return
    check_path("file", spec)
    found = [*_objects(_execute(Path(spec)), kinds)]
    if not found:
        raise ParameterError(
            f"{spec} defines no {noun}; define one, and add its name, as in {spec}:NAME"
        )
    names = " or ".join(f"{spec}:{name}" for name in found)
    raise ParameterError(f"{spec} is a Python file; add the name of the {noun} in it: {names}")


@contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    """Find modules in a folder first."""
    entry = str(folder.resolve())
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


def _execute(path: Path) -> ModuleType:
    found = spec_from_file_location(f"{FILE_MODULE}{path.stem}", path)
    if not path.is_file() or found is None or found.loader is None:
        raise ParameterError(f"there is no file {path}; give the path of an existing Python file")
    module = module_from_spec(found)
    sys.modules[found.name] = module  # needed by dataclasses, which resolve annotations there
    try:
        with _first_on_path(path.parent):
            found.loader.exec_module(module)
    except BaseException as error:
        pass_stops(error)
        raise ParameterError(
            f"executing {path} raised {describe_exception(error)}; run python {path} for the "
            "full traceback"
        ) from error
    return module


def _objects(module: ModuleType, kinds: tuple[type, ...]) -> dict[str, Any]:
    """Return, by name, the objects of some kinds in a module, and its classes of such objects.

    Classes and functions that the module imports are not its own.
    """
    return {
        name: value
        for name, value in vars(module).items()
        if not isinstance(value, type | FunctionType) or value.__module__ == module.__name__
        if (
            any(_makes(value, kind) for kind in kinds)
            if isinstance(value, type)
            else isinstance(value, kinds)
        )
    }


def _makes(candidate: type, kind: type) -> bool:
    """Return whether instances of a class are of the given kind.

    The attributes of a protocol may be methods, properties or annotated fields of the class.
    """
    if not getattr(kind, "_is_protocol", False):
        return issubclass(candidate, kind)
    wanted = {name for name in dir(kind) if not name.startswith("_")}
    return wanted <= {*dir(candidate), *getattr(candidate, "__annotations__", {})}
