"""Conversion of values that JSON does not support."""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from infoset.experiments import json_text, json_value, portable_integers


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        ("K", "K"),
        (10**30, 10**30),
        (0.1, 0.1),
        (nan, None),
        (-inf, None),
        (Fraction(1, 4), 0.25),
        (np.float64("nan"), None),
        (np.int32(3), 3),
        (np.bool_(True), True),
        (np.array([[1.5, inf]]), [[1.5, None]]),
        ((1, ("a", None)), [1, ["a", None]]),
        ({1: {"x": nan}, "y": ()}, {"1": {"x": None}, "y": []}),
        (range, "<class 'range'>"),
    ],
)
def test_values(value, expected):
    found = json_value(value)
    assert found == expected
    assert type(found) is type(expected)
    assert json.loads(json_text(value)) == expected


def test_text_is_one_line_of_ascii():
    assert json_text({"name": "≥ \n"}) == '{"name": "\\u2265 \\n"}'


def test_integers_that_other_programs_would_round_are_text():
    limit = 2**53
    exact = {"a": [limit, -limit, True, 0.1, None], "b": {"c": "x"}}
    assert portable_integers(exact) == exact
    assert portable_integers({"a": [limit + 1, {"b": -limit - 1}], "c": 10**1000}) == {
        "a": ["9007199254740993", {"b": "-9007199254740993"}],
        "c": "1" + "0" * 1000,
    }
