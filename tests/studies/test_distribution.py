"""The studies are a separate distribution, which the library finds when it is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import infoset
from infoset.errors import UnknownNameError
from infoset.experiments import get_study, installed_studies, studies
from infoset.utils.registry import Registry

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "studies" / "pyproject.toml").read_text("utf-8"))["project"]


def test_it_belongs_to_this_version_of_the_library():
    assert PROJECT["version"] == infoset.__version__
    assert PROJECT["dependencies"] == [f"infoset=={infoset.__version__}"]


def test_its_studies_are_found():
    assert set(PROJECT["entry-points"]["infoset.studies"]) <= set(installed_studies())
    assert get_study("balanced").experiments[0].name == "kuhn-theory"


def test_without_it_the_error_says_how_to_install_it(monkeypatch):
    empty = Registry("study", [], entry_type=studies.Study)
    monkeypatch.setattr(studies, "installed_studies", lambda: empty)
    with pytest.raises(UnknownNameError, match=r"pip install \. \./studies"):
        get_study("balanced")
