"""Digests depend on bits only, every registered name has one, and ids match the table.

No digest is computed here: `python benchmarks/digests.py` does that.
"""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import digests
import numpy as np
import pytest
from digest_packages.hashing import digest


def test_digests_depend_on_bits_dtypes_and_shapes():
    ones = np.ones(4)
    others = [
        ones.astype(np.float32),
        ones.reshape(2, 2),
        np.nextafter(ones, 2),
        ones.tolist(),
        (ones, ones),
        1.0,
        1,
        True,
        None,
        Fraction(1),
        0.0,
        -0.0,
    ]
    found = [digest(value) for value in (ones, *others)]
    assert len(set(found)) == len(found)
    assert digest(ones) == digest(np.ones(8)[::2])
    assert digest((1, (2.0,))) == digest([np.int32(1), [np.float64(2)]])


@pytest.mark.parametrize("value", ["text", {"by": "name"}, np.array(["text"]), object()])
def test_text_and_other_objects_are_rejected(value):
    with pytest.raises(TypeError, match="cannot be in a digest"):
        digest((1, value))


@pytest.mark.parametrize("package", digests.PACKAGES)
def test_ids_are_those_of_the_table(package):
    """Registered names without a digest are not a failure; `digests.py` prints them."""
    module = import_module(f"digest_packages.{package}")
    names = [f"{package}/{name}" for name, _ in module.cells()]
    assert len(set(names)) == len(names)
    _, known = digests.read()
    assert sorted(names) == sorted(name for name in known if digests.package_of(name) == package)


def test_another_table_is_written_and_compared(tmp_path, capsys):
    path = tmp_path / "table.csv"
    assert not digests.check({"games/one": "1"}, ["games"], "", path)
    assert "write it first" in capsys.readouterr().out
    digests.write({"games/one": "1"}, ["games"], path)
    digests.write({"efg/one": "2"}, ["efg"], path)
    assert digests.read(path) == (digests.machine(), {"efg/one": "2", "games/one": "1"})
    assert digests.check({"games/one": "1"}, ["games"], "", path)
    assert not digests.check({"games/one": "3"}, ["games"], "", path)
    assert "differs: games/one" in capsys.readouterr().out


def test_an_error_is_recorded_in_place_of_its_digest(monkeypatch):
    def cells():
        yield "good", lambda: 1
        yield "bad", lambda: 1 / 0

    monkeypatch.setattr(digests, "cells_of", lambda package: cells())
    found = digests.compute("games", "", show=False).digests
    assert found["games/good"] == digest(1)
    assert found["games/bad"] == "error: ZeroDivisionError: division by zero"
