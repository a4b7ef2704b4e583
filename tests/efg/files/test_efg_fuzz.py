"""A few thousand damaged texts per parser; `fuzz.py` throws as many as one likes."""

from __future__ import annotations

import pytest

from tests.efg.files.fuzz import PARSERS, fuzz

INPUTS = {"efg": 2500, "efg-file": 500, "spec": 5000, "csv": 250}


@pytest.mark.parametrize("name", PARSERS)
def test_damaged_texts_are_read_or_refused(name):
    ends = fuzz(name, INPUTS[name], seed=0)
    assert ends.total() == INPUTS[name]
    assert 0 < ends["read"] < ends["refused"]
