"""Loading of objects from a Python file, as `path/to/file.py:NAME` or `file.py:Class(x=1)`.

The name may be left out, as in `file.py` or `file.py(x=1)`, if the file defines one object only of
the kind that is needed. Games are also loaded from modules that can be imported, as
`package.module:Class(x=1)`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isabstract, signature
from numbers import Number
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

FILE_OBJECT = re.compile(r"(.+?\.py)(:.*|\(.*\)|)", re.DOTALL | re.IGNORECASE)
PLAIN = (Mapping, Sequence, Number, type(None))
"""Values that a file without a name never refers to."""
MODULE_OBJECT = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*):([A-Za-z_]\w*(?:\(.*\))?)", re.DOTALL)


def is_python_file(spec: object) -> bool:
    """Return whether a value is text that names a Python file, or an object in one.

    Examples
    --------
    >>> [is_python_file(spec) for spec in ("a.py:B(x=1)", "a.py", "a.py(x=1)", "a.csv")]
    [True, True, True, False]
    """
    return isinstance(spec, str) and FILE_OBJECT.fullmatch(spec) is not None


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
    key, given = parse_spec(rest)
    return _object(module, name, key, kinds, noun, (), given | dict(parameters or {}))


def load_from_python_file(
    spec: str,
    kinds: tuple[type, ...],
    noun: str,
    arguments: Sequence[object] = (),
    parameters: Mapping[str, Any] | None = None,
    among: tuple[type, ...] | None = None,
) -> Any:
    """Load an object from a Python file, which is executed as by `import`.

    While it is executed, its folder is the first place where modules are found, as for
    `python path/to/file.py`.

    Parameters
    ----------
    spec
        The path of the file, a colon, and the name of an object or class in it. A class is called
        with the parameters in parentheses, as in `cuckoo.py:Cuckoo(num_cards=5)`. Without a name,
        the only object of `among` is loaded.
    kinds : tuple of types
        Classes or runtime-checkable protocols; the object must be an instance of one of them.
    noun
        Kind of object, such as "game" or "method", for error messages.
    arguments : Sequence
        Arguments that are passed to a class before the parameters.
    parameters
        Parameters that replace those in parentheses.
    among : tuple of types, optional
        Kinds of the object that a file without a name must define exactly once; by default `kinds`.

    Raises
    ------
    ParameterError
        If the file does not exist, executing it raises an error, or the class does not accept the
        parameters; or if there is no name, and the file does not define exactly one object.
    UnknownNameError
        If the file defines no such object; the message lists those that it defines.
    """
    path, name, given, _ = _parts(spec)
    module = _execute(path)
    name = name or _only_name(_objects(module, among or kinds), str(path), noun)
    given |= parameters or {}
    return _object(module, str(path), name, kinds, noun, arguments, given)


def _parts(spec: str) -> tuple[Path, str, dict[str, Any], str]:
    """Return the path, the name of the object, the parameters, and the text of both.

    The name is empty if none is given. The file is not executed.
    """
    match = FILE_OBJECT.fullmatch(spec)
    assert match is not None
    path, text = Path(match[1]), match[2].removeprefix(":")
    check_path("file", path)
    if not text:
        return path, "", {}, ""
    is_named = not text.startswith("(")
    name, given = parse_spec(text if is_named else f"NAME{text}")
    return path, name if is_named else "", given, text


def _only_name(found: Mapping[str, Any], place: str, noun: str) -> str:
    """Return the name of the only object; abstract classes and private names do not count.

    Raises
    ------
    ParameterError
        If there are none, or several; the message lists them.
    """
    names = [
        name for name, value in found.items() if not (name.startswith("_") or isabstract(value))
    ]
    if not names:
        raise ParameterError(f"{place} defines no {noun}; define one in the file")
    if len(names) > 1:
        listed = " or ".join(f"{place}:{name}" for name in names)
        raise ParameterError(
            f"{place} is a Python file; add the name of the {noun} in it: {listed}"
        )
    return names[0]


def _object(
    module: ModuleType,
    place: str,
    name: str,
    kinds: tuple[type, ...],
    noun: str,
    arguments: Sequence[object],
    given: Mapping[str, Any],
) -> Any:
    """Return an object of a module, or an instance of a class with the given parameters."""
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


def read_python_object(spec: str) -> tuple[str, Any, dict[str, Any]]:
    """Return the text that names any object or class of a Python file, it, and the parameters.

    The text is the name, with the parameters in parentheses.

    Parameters
    ----------
    spec
        As in `load_from_python_file`. A class is not called.

    Raises
    ------
    ParameterError
        If the file does not exist, or executing it raises an error; or if there is no name, and the
        file does not define exactly one object.
    UnknownNameError
        If the file defines no such object; the message lists those that it defines.
    """
    path, named, given, text = _parts(spec)
    found = {
        key: value
        for key, value in _objects(_execute(path), (object,)).items()
        if not key.startswith("_") and not isinstance(value, ModuleType)
    }
    made = {key: value for key, value in found.items() if not isinstance(value, PLAIN)}
    name = named or _only_name(made, str(path), "object")
    if name not in found:
        raise UnknownNameError.of(f"object of {path}", name, found)
    return text if named else name + text, found[name], given


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
