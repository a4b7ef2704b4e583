"""A digest of the rules of a game: its source code, the parameters, and the versions it runs on."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from infoset._version import __version__
from infoset.errors import show
from infoset.game.labels import UnwritableLabelError, label_to_json
from infoset.game.protocol import Game

__all__ = ["UnknownRulesError", "parameters_digest", "rules_digest"]

PACKAGE: Final = __name__.partition(".")[0]
PACKAGE_FOLDER: Final = Path(__file__).parents[1]
OWN_ROOMS: Final = ("game", "games", "tree", "utils")
"""Packages of the library on which a world graph depends."""

WRAPPED: Final = ("__wrapped__", "__func__", "fget", "func")
"""Attributes of decorated functions that hold the function itself."""


class UnknownRulesError(ValueError):
    """A game whose rules cannot be identified, such as one that is defined in a function."""


def parameters_digest(game: Game) -> str:
    """Return a SHA-256 of the class of a game and of all values that the instance holds.

    Raises
    ------
    UnknownRulesError
        If a value is of a type that has no text: it could change without being noticed.
    """
    kind = type(game)
    held = {
        name: value
        for name, value in vars(game).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }
    parts = {"class": f"{kind.__module__}.{kind.__qualname__}"}
    for name, value in sorted(held.items()):
        try:
            parts[name] = _text_of(value)
        except UnwritableLabelError as error:
            raise UnknownRulesError(
                f"its attribute {name} cannot be identified: {error}, which has no text"
            ) from error
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def rules_digest(game: Game) -> str:
    """Return a SHA-256 of all source code and constants that define a game's rules.

    These are the module of its class and of its base classes, the modules of the user that they
    import, directly or indirectly, the constants in these modules and classes, and the versions of
    Python, NumPy, other packages and this library. Files that the rules read are not included,
    unless their content becomes a parameter or a constant.

    Raises
    ------
    UnknownRulesError
        If the source is not in a file, as in an interactive session, or the class is defined in a
        function, whose variables it may use.
    """
    found: dict[str, str] = {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": np.__version__,
        PACKAGE: f"{__version__} {_own_source()}",
    }
    waiting = []
    for kind in type(game).__mro__[:-1]:
        if "<locals>" in kind.__qualname__:
            raise UnknownRulesError(
                f"the class {kind.__name__} is defined in a function; define it in a module"
            )
        # A method may have been replaced by a function of another module.
        waiting += [kind.__module__, *{function.__module__ for function in _functions(kind)}]
        found[f"class {kind.__module__}.{kind.__qualname__}"] = _constants(vars(kind))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name], imported = _module(name)
            waiting += imported
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _own_source() -> str:
    """Return a digest of the source code in this library that a world graph depends on."""
    digest = hashlib.sha256()
    for room in OWN_ROOMS:
        for path in sorted((PACKAGE_FOLDER / room).glob("*.py")):
            digest.update(f"{room}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _module(name: str) -> tuple[str, list[str]]:
    """Return a text that identifies a module, and the modules that its source imports."""
    module = sys.modules.get(name)
    if name.partition(".")[0] == PACKAGE:
        path = _source_path(module)
        # Modules in `OWN_ROOMS` are included already, and others import only those or rules
        # that hold them as parameters.
        return (hashlib.sha256(path.read_bytes()).hexdigest() if path else ""), []
    if module is None:  # never imported, such as a missing optional package
        return "not imported", []
    if _is_installed(module):
        return str(getattr(module, "__version__", "")), []
    path = _source_path(module)
    if path is None:
        if hasattr(module, "__path__"):  # a folder of modules without code of its own
            return "folder", []
        raise UnknownRulesError(f"the source of the module {name} is not in a file")
    source = path.read_bytes()
    _check_loaded(module, source, path)
    text = f"{hashlib.sha256(source).hexdigest()} {_constants(vars(module))}"
    return text, list(_imports(source, module))


def _check_loaded(module: ModuleType, source: bytes, path: Path) -> None:
    """Raise if functions of a module are not those of its source, which was edited since."""
    try:
        written = {*_codes(compile(source, str(path), "exec", dont_inherit=True))}
    except SyntaxError:
        written = set()
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    for holder in (module, *classes):
        if getattr(holder, "__module__", module.__name__) != module.__name__:
            continue
        for function in _functions(holder):
            code = function.__code__
            if Path(code.co_filename) == path and code not in written:
                raise UnknownRulesError(
                    f"{path} has changed since it was loaded; start Python again"
                )


def _functions(holder: object) -> Iterator[FunctionType]:
    """Yield the functions in a module or class, also those inside properties and caches."""
    for value in vars(holder).values():
        for inner in (value, *(getattr(value, name, None) for name in WRAPPED)):
            if isinstance(inner, FunctionType):
                yield inner


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _source_path(module: ModuleType | None) -> Path | None:
    path = getattr(module, "__file__", None)
    return Path(path) if path is not None and Path(path).is_file() else None


def _is_installed(module: ModuleType) -> bool:
    """Return whether a module is of Python itself or of an installed package."""
    top = module.__name__.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    path = getattr(module, "__file__", None)
    return path is not None and "site-packages" in Path(path).parts


def _imports(source: bytes, module: ModuleType) -> Iterator[str]:
    """Yield the names of all modules that a source imports, also inside functions."""
    package = getattr(module, "__package__", None) or ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = resolve_name("." * node.level + base, package) if package else base
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _constants(values: Any) -> str:
    """Return a digest of the values that have a text, among the attributes of a class or module."""
    digest = hashlib.sha256()
    for name, value in sorted(values.items()):
        if name.startswith("__"):
            continue
        try:
            digest.update(f"{name}={_text_of(value)}\n".encode())
        except UnwritableLabelError:
            continue
    return digest.hexdigest()


def _text_of(value: Any) -> str:
    """Return a text that differs if the value does, for labels, arrays, lists and dictionaries."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array {value.dtype} {value.shape} {content}"
    if type(value) is dict:
        pairs = ", ".join(f"{_text_of(name)}: {_text_of(entry)}" for name, entry in value.items())
        return f"{{{pairs}}}"
    if type(value) is list:
        return f"[{', '.join(map(_text_of, value))}]"
    if type(value) is range:
        return show(value)
    return json.dumps(label_to_json(value))
