"""The structure of the packages: no import cycles, and no private names across packages.

The layer contract in `pyproject.toml`, checked by `lint-imports`, restricts the imports between
packages. Imports under `TYPE_CHECKING` and inside functions count too.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.broad

ROOT = Path(__file__).parents[1]
PACKAGES = {"infoset": ROOT / "src", "infoset_studies": ROOT / "studies"}


@cache
def modules() -> dict[str, ast.Module]:
    """Return the modules of both packages by their dotted names."""
    found = {}
    for package, source in PACKAGES.items():
        for path in (source / package).rglob("*.py"):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


@cache
def imported(tree: ast.Module) -> list[tuple[str, str]]:
    """Return the modules and names that a module imports from our packages."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module.partition(".")[0] in PACKAGES:
                found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(a.name, "") for a in node.names if a.name.partition(".")[0] in PACKAGES]
    return found


def package(module: str) -> str:
    """Return the package of a module below `infoset`, or the package of studies."""
    return ".".join(module.split(".")[: 2 if module.startswith("infoset.") else 1])


def test_no_module_imports_itself_in_a_circle():
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for name, tree in modules().items():
        for module, attribute in imported(tree):
            target = f"{module}.{attribute}"
            graph[name].add(target if target in graph else module)
        graph[name].discard(name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"import cycle: {' -> '.join(error.args[1])}") from error


def test_nothing_private_is_used_by_another_package():
    broken = [
        f"{name} imports {module}.{attribute}"
        for name, tree in modules().items()
        for module, attribute in imported(tree)
        if package(module) != package(name)
        and any(part.startswith("_") for part in (*module.split("."), attribute))
        and module != "infoset._version"
    ]
    assert not broken, "\n".join(broken)


def test_no_module_is_hidden_by_a_function_of_its_name():
    broken = [
        name
        for name, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == name.rpartition(".")[2]
    ]
    assert not broken, "\n".join(broken)


def test_every_package_holds_at_least_four_modules():
    parents = [name.rpartition(".")[0] for name in modules()]
    small = {name for name in parents if name.count(".") >= 2 and parents.count(name) < 4}
    assert not small


def test_only_messages_between_processes_are_pickled():
    users = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if "pickle" in (alias.name, getattr(node, "module", None))
    }
    assert users == {"infoset.runs.task_messages"}


def test_only_policy_networks_import_jax():
    users = {
        package(name)
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] in ("jax", "jaxlib")
    }
    assert users == {"infoset.deep"}


KINDS_OF_FORMS = {
    *("Form", "SequenceForm", "PublicForm", "WorldForm"),
    *("LockedForm", "CutForm", "GadgetForm"),
}

ASKS_WHICH_FORM = {
    "infoset.cli.locks": "which forms have public nodes, whose frequencies are printed",
    "infoset.evaluation.locks": "which forms have lines and hands, which locks name",
    "infoset.plotting.drawing": "which forms have hands, which are drawn as squares",
    "infoset.plotting.policy_bars": "which forms have hands, which are drawn as squares",
    "infoset.solvers.auto": "which method is fast on a form, as measured",
}
"""The modules outside `forms` that may ask which kind of form they have, and why."""


def asks_for_a_kind(node: ast.AST) -> bool:
    """Return whether a piece of code depends on the class or the kind of a form."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("isinstance", "issubclass") and len(node.args) == 2:
            named = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
            return bool(named & (KINDS_OF_FORMS - {"Form"}))
        if node.func.id in ("hasattr", "getattr"):
            return "form" in ast.unparse(node.args[0]).rpartition(".")[2].lower()
    if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
        return node.cls.id in KINDS_OF_FORMS
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        texts = {one.value for one in sides if isinstance(one, ast.Constant)}
        members = {one.attr for one in sides if isinstance(one, ast.Attribute)}
        return bool(texts & {"public", "sequence", "world"} and "kind" in members) or (
            "num_hands" in members and None in texts
        )
    return False


def test_nobody_outside_forms_asks_which_form_it_has():
    found = {
        name: [ast.unparse(node) for node in ast.walk(tree) if asks_for_a_kind(node)]
        for name, tree in modules().items()
        if not name.startswith("infoset.forms")
    }
    found = {name: lines for name, lines in found.items() if lines}
    assert set(found) == set(ASKS_WHICH_FORM), found


def test_no_group_of_a_regular_expression_is_possessive():
    """Python before 3.11.5 matches such groups wrongly if they can backtrack."""
    possessive = re.compile(r"\)[*+?]\+|\(\?>")
    files = (ROOT / "src").rglob("*.py")
    assert [path.name for path in files if possessive.search(path.read_text("utf-8"))] == []
