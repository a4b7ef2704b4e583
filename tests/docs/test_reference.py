"""The reference has every public name, also those that a module of the same name would hide."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from snippets import ROOT

import infoset

PRIVATE = {"cli", "utils"}
"""The command line has a page of its own; the others are for the library itself."""

ROOMS = sorted(
    found.name
    for found in iter_modules(infoset.__path__)
    if not found.name.startswith("_") and found.name not in PRIVATE
)
LISTED = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "reference.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_listed_with_its_hidden_names(room):
    package = import_module(f"infoset.{room}")
    modules = {found.name for found in iter_modules(getattr(package, "__path__", []))}
    hidden = {f"infoset.{room}.{name}.{name}" for name in set(package.__all__) & modules}
    inside = {name for name in LISTED if name.startswith(f"infoset.{room}.")}
    assert f"infoset.{room}" in LISTED
    assert hidden == inside
    for name in hidden:
        module, _, attribute = name.rpartition(".")
        assert callable(getattr(import_module(module), attribute))


def test_every_public_name_has_a_docstring():
    for room in ROOMS:
        package = import_module(f"infoset.{room}")
        for name in package.__all__:
            thing = getattr(package, name)
            if callable(thing) and getattr(thing, "__module__", "").startswith("infoset"):
                assert thing.__doc__, f"infoset.{room}.{name}"
