"""The reference has a page for every package, and every public name has a docstring."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pkgutil import iter_modules

import pytest

import infoset
from tests.docs.snippets import ROOT

INTERNAL = ("cli", "utils")
"""`reference/cli.md` lists commands, not names; `utils` is for the library itself."""

PACKAGES = sorted(
    module.name
    for module in iter_modules(infoset.__path__)
    if not module.name.startswith("_") and module.name not in INTERNAL
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_a_page_that_is_linked(package):
    reference = ROOT / "docs" / "reference"
    assert f"::: infoset.{package}\n" in (reference / f"{package}.md").read_text()
    for page in reference.glob(f"{package}-*.md"):
        assert f"({page.name})" in (reference / f"{package}.md").read_text()
        assert f"reference/{page.name}" in (ROOT / "mkdocs.yml").read_text()
    assert f"({package}.md)" in (reference / "index.md").read_text()
    assert f"reference/{package}.md" in (ROOT / "mkdocs.yml").read_text()


@pytest.mark.parametrize("package", PACKAGES)
def test_pages_of_a_package_share_its_names(package):
    reference = ROOT / "docs" / "reference"
    pages = [reference / f"{package}.md", *reference.glob(f"{package}-*.md")]
    parts = [part for page in pages for part in page.read_text().split("::: ")[1:]]
    names = [
        name
        for part in parts
        if part.startswith(f"infoset.{package}\n")
        for name in re.findall(r"^ {8}- (\w+)$", part, flags=re.MULTILINE)
    ]
    assert sorted(names) == (sorted(import_module(f"infoset.{package}").__all__) if names else [])


def contract_layers():
    """Return the packages of each layer of the contract, lowest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [
        {name.strip().removeprefix("infoset.") for name in layer.split("|")}
        for layer in reversed(layers)
    ]


def test_the_layers_of_the_architecture_are_those_of_the_contract():
    page = (ROOT / "docs/extend/architecture.md").read_text("utf-8")
    rows = [line.split("|") for line in page.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [set(re.findall(r"`(\w+)`", row[2])) for row in rows] == contract_layers()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package):
    package = import_module(f"infoset.{package}")
    for name in package.__all__:
        thing = getattr(package, name)
        if callable(thing) and getattr(thing, "__module__", "").startswith("infoset"):
            assert thing.__doc__, f"infoset.{package}.{name}"
