"""Loading games from files by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.efg import ExtensiveForm, load_efg
from infoset.errors import GameFileError

HORSE = Path(__file__).parents[1] / "efg" / "files" / "games" / "horse.efg"


def test_a_file_of_gambit_is_an_extensive_form(tmp_path):
    copy = tmp_path / "HORSE.EFG"
    copy.write_bytes(HORSE.read_bytes())
    form = infoset.load(f" {copy} ")
    assert isinstance(form, ExtensiveForm)
    assert form.outcomes == load_efg(HORSE).outcomes


def test_a_file_that_is_not_there():
    with pytest.raises(GameFileError, match=r"the file nowhere/game\.efg does not exist"):
        infoset.load("nowhere/game.efg")
