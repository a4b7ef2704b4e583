"""Dotted names in docstrings, messages and pages can be imported."""

from __future__ import annotations

import ast
import re
from importlib import import_module

import pytest

from tests.docs.snippets import PAGES, ROOT

FILES = {"css", "js", "svg", "studies"}
"""Last parts of names of files, and of the group of entry points."""

NAME = re.compile(r"(?<![\w/.])infoset(?:\.[A-Za-z_]\w*)+")


def texts_of_modules():
    """Yield the strings of all modules, with their places."""
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "studies").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def texts_of_pages():
    """Yield the pages and the notes of the repository."""
    notes = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for path in [*PAGES, *notes]:
        yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def exists(dotted):
    """Return whether a dotted name is a module, or an attribute or field of something in one."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if part in getattr(value, "__annotations__", {}):
                return True
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.parametrize(
    "texts", [pytest.param(texts_of_modules, marks=pytest.mark.broad), texts_of_pages]
)
def test_dotted_names_exist(texts):
    named = {name: place for place, text in texts() for name in NAME.findall(text)}
    missing = {
        name: place
        for name, place in named.items()
        if name.rpartition(".")[2] not in FILES and not exists(name)
    }
    assert not missing
