"""A few thousand damaged texts per parser; run `fuzz.py` as a program for millions."""

from __future__ import annotations

import pytest

from tests.efg.files.fuzz import PARSERS, fuzz

INPUTS = {"efg": 600, "efg-file": 150, "nfg": 1500, "spec": 2500, "csv": 75}


@pytest.mark.parametrize("name", PARSERS)
def test_damaged_texts_are_read_or_refused(name):
    ends = fuzz(name, INPUTS[name], seed=0)
    assert ends.total() == INPUTS[name]
    assert 0 < ends["read"] < ends["refused"]
