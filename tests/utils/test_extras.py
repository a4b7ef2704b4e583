import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from infoset.errors import MissingExtraError
from infoset.utils import extras
from infoset.utils.extras import EXTRAS, has_extra, import_extra

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
DECLARED = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]


@pytest.fixture
def gambit(monkeypatch):
    """Let pygambit be installed in a version, with a module or without one."""

    def install(version, module=None):
        monkeypatch.setattr(extras, "_installed_version", lambda package: version)
        monkeypatch.setitem(sys.modules, "pygambit", module)
        return module

    return install


def test_every_package_of_an_extra_has_an_upper_bound():
    open_ended = [
        text
        for texts in DECLARED.values()
        for text in texts
        if not (own := Requirement(text)).name.startswith("infoset")
        and not {"<"} <= {one.operator for one in own.specifier}
    ]
    assert open_ended == []


def test_the_ranges_are_those_that_pip_installs():
    declared = {
        name: {(own := Requirement(text)).name: own.specifier for text in texts}
        for name, texts in DECLARED.items()
        if name in EXTRAS
    }
    assert declared == {
        name: {one.package: SpecifierSet(one.supported) for one in needed}
        for name, needed in EXTRAS.items()
    }


@pytest.mark.parametrize("version", ["16.7", "16.7.0", "16.10.3.post1", "16.8rc1", None])
def test_supported_and_unknown_versions_are_imported(gambit, version):
    module = gambit(version, SimpleNamespace())
    assert import_extra("gambit", "solving") is module


@pytest.mark.parametrize("version", ["17.0.0b2", "17", "18.1", "16.6.9", "16", "1.2"])
def test_other_versions_are_refused_with_their_number(gambit, version):
    gambit(version, SimpleNamespace())
    with pytest.raises(MissingExtraError) as refused:
        import_extra("gambit", "solving")
    assert str(refused.value) == (
        f"solving needs pygambit >=16.7,<17, but {version} is installed: pip install "
        "'infoset[gambit]'; in a clone of the repository, pip install '.[gambit]'"
    )
    assert not has_extra("gambit")


def test_a_package_that_cannot_be_imported_says_why(gambit):
    gambit("16.7.0")
    words = "but importing 16.7.0 raised ModuleNotFoundError: import of pygambit halted"
    with pytest.raises(MissingExtraError, match=words):
        import_extra("gambit", "solving")
    gambit(None)
    with pytest.raises(MissingExtraError, match="but it is not installed: pip install") as refused:
        import_extra("gambit", "solving")
    assert refused.value.extra == "gambit"


def test_an_extra_is_there_if_all_its_packages_are(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda module: module != "equinox")
    monkeypatch.setattr(extras, "_installed_version", lambda package: None)
    assert not has_extra("deep")
    monkeypatch.setattr(extras, "find_spec", lambda module: module)
    assert has_extra("deep")
