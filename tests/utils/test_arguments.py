"""Checks of what users give."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_kind, check_number


@pytest.mark.parametrize("value", [0, 1.5, np.float32(2), np.int64(3), Fraction(1, 3)])
def test_finite_numbers_of_any_type_are_numbers(value):
    check_number("seconds", value)


@pytest.mark.parametrize("value", [-1, -1e-300, np.inf, np.nan, "1", None, True, [1.0], 1j])
def test_everything_else_is_refused(value):
    with pytest.raises(ParameterError, match=r"seconds=.* must be a finite number, at least 0"):
        check_number("seconds", value)


def test_a_number_of_any_size_is_finite_all_the_same():
    check_number("exponent", -1e300, least=-np.inf)
    for value in (-np.inf, np.inf, np.nan, "1"):
        with pytest.raises(ParameterError, match=r"exponent=.* must be a finite number$"):
            check_number("exponent", value, least=-np.inf)


def test_whole_numbers_are_counts():
    check_count("iterations", 1, least=1)
    check_count("iterations", np.int32(10**9), least=1)
    for value in (0, 2.5, 100.0, "10", True, None, np.float64(3)):
        with pytest.raises(ParameterError, match=r"iterations=.* a whole number, at least 1"):
            check_count("iterations", value, least=1)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (5, "game=5 is of type int; give a name"),
        ([1, 2], "game is of type list; give a name"),
        (None, "game=None is of type NoneType; give a name"),
        (int, "game is the class int; give a name"),
        (b"x", "game is of type bytes; give a name"),
    ],
)
def test_a_value_of_another_kind_is_named_with_what_to_give(value, said):
    check_kind("game", "kuhn_poker", (str, tuple), "a name")
    with pytest.raises(ParameterError) as caught:
        check_kind("game", value, str, "a name")
    assert str(caught.value) == said
