"""A digest of the rules of a game: its source code, the parameters, and the versions it runs on."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Collection, Iterator
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from infoset._version import __version__
from infoset.errors import show
from infoset.game.labels import UnwritableLabelError, label_to_json
from infoset.game.protocol import Game

PACKAGE: Final = __name__.partition(".")[0]
PACKAGE_FOLDER: Final = Path(__file__).parents[1]
OWN_ROOMS: Final = ("forms", "game", "games", "tree", "utils")
"""Packages of the library on which world graphs and world forms depend."""

INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages."""

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

    These are the module of its class and of its base classes, your own modules that they import,
    directly or indirectly, the constants in these modules and classes, and the versions of
    Python, NumPy, other packages and this library. Modules that are imported only inside functions
    are included without their constants. Files that the rules read are not included, unless their
    content becomes a parameter or a constant.

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
    loaded: list[str] = []
    inside_functions: list[str] = []
    for kind in type(game).__mro__[:-1]:
        if "<locals>" in kind.__qualname__:
            raise UnknownRulesError(
                f"the class {kind.__name__} is defined in a function; define it in a module"
            )
        # A method may have been replaced by a function of another module.
        loaded += [kind.__module__, *{function.__module__ for function in _functions(kind)}]
        found[f"class {kind.__module__}.{kind.__qualname__}"] = _constants(vars(kind))
    # The packages of these classes are the user's, also if they are installed.
    own = {name.partition(".")[0] for name in loaded}
    while loaded or inside_functions:
        is_loaded = bool(loaded)
        name = loaded.pop() if is_loaded else inside_functions.pop()
        if name not in found:
            part = _SourceModule(name)
            found[name] = part.identity(own, is_loaded)
            at_top, inside = part.imports(own)
            if is_loaded:
                loaded += [*at_top, *part.origins(own)]
                inside_functions += inside
            else:
                inside_functions += [*at_top, *inside]
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _own_source() -> str:
    """Return a digest of the source code in this library that saved graphs depend on."""
    digest = hashlib.sha256()
    for room in OWN_ROOMS:
        for path in sorted((PACKAGE_FOLDER / room).glob("*.py")):
            digest.update(f"{room}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


class _SourceModule:
    """A module that may be loaded or not, and its source file.

    Parameters
    ----------
    name
        Its name, or that of a function or class in it, as in a statement `from module import name`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = sys.modules.get(name)
        file = getattr(self.module, "__file__", None)
        if self.module is None:
            spec = _find_spec(name)
            file = None if spec is None or not spec.has_location else spec.origin
        self.path = Path(file) if file is not None and Path(file).is_file() else None

    def is_of_others(self, own: Collection[str]) -> bool:
        """Return whether the module belongs to Python, this library or an installed package."""
        top = self.name.partition(".")[0]
        if top == PACKAGE or (top in sys.stdlib_module_names and top != "__main__"):
            return True
        is_installed = self.path is not None and not INSTALLED.isdisjoint(self.path.parts)
        return is_installed and top not in own and self.version() != ""

    def version(self) -> str:
        """Return the version of the package; empty if it is unknown."""
        top = sys.modules.get(self.name.partition(".")[0])
        return str(getattr(top, "__version__", ""))

    def identity(self, own: Collection[str], is_loaded: bool) -> str:
        """Return a text that changes with the source or, if it is loaded, with the constants.

        Raises
        ------
        UnknownRulesError
            If there is no source file, or it has changed since it was loaded.
        """
        is_own_library = self.name.partition(".")[0] == PACKAGE and self.path is not None
        if self.is_of_others(own) and not is_own_library:
            return self.version()
        if self.path is None:
            # A name that is not a module, one that is not installed, or a folder of modules.
            if self.module is None or hasattr(self.module, "__path__"):
                return "no source"
            raise UnknownRulesError(f"the source of the module {self.name} is not in a file")
        source = self.path.read_bytes()
        text = hashlib.sha256(source).hexdigest()
        if self.module is None or is_own_library or self.path.suffix != ".py":
            return text
        _check_loaded(self.module, source, self.path)
        return f"{text} {_constants(vars(self.module))}" if is_loaded else text

    def imports(self, own: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the names that its source imports when it is loaded, and inside functions."""
        at_top: list[str] = []
        inside: list[str] = []
        if self.path is None or self.path.suffix != ".py" or self.is_of_others(own):
            return at_top, inside
        tree = ast.parse(self.path.read_bytes())
        in_functions = {
            node
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
        }
        for node in ast.walk(tree):
            (inside if node in in_functions else at_top).extend(self._imported_by(node))
        return at_top, inside

    def origins(self, own: Collection[str]) -> set[str]:
        """Return the modules of its functions, one of which may have been replaced by another."""
        if self.module is None or self.is_of_others(own):
            return set()
        return {function.__module__ for function in _functions(self.module) if function.__module__}

    def _imported_by(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[: end + 1]) for end in range(len(parts)))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                is_package = self.path is not None and self.path.stem == "__init__"
                package = self.name if is_package else self.name.rpartition(".")[0]
                base = resolve_name("." * node.level + base, package) if package else base
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _find_spec(name: str) -> ModuleSpec | None:
    """Return where a module is that is not loaded, without loading the packages it is in."""
    parent = name.rpartition(".")[0]
    if not parent:
        return PathFinder.find_spec(name)
    package: Any = sys.modules.get(parent)
    folders = getattr(package, "__path__", None)
    if package is None:
        spec = _find_spec(parent)
        folders = None if spec is None else spec.submodule_search_locations
    return None if folders is None else PathFinder.find_spec(name, list(folders))


def _check_loaded(module: ModuleType, source: bytes, path: Path) -> None:
    """Raise if functions of a module are not those of its source, which was edited since."""
    try:
        written = {*_codes(compile(source, str(path), "exec", dont_inherit=True))}
    except SyntaxError:
        written = set()
    # Code objects compare by content, lines included: an edited function has another one.
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
