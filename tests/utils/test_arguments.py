"""Checks of arguments."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from infoset.efg import load_efg
from infoset.errors import ParameterError, UnknownNameError
from infoset.games import load_game
from infoset.policy import (
    load_policy,
    load_policy_csv,
    read_metadata,
    save_policy,
    save_policy_csv,
    uniform_policy,
)
from infoset.tree import build_tree
from infoset.utils.arguments import check_choice, check_count, check_number, check_path, check_type


@pytest.mark.parametrize("value", [0, 1.5, np.float32(2), np.int64(3), Fraction(1, 3)])
def test_finite_numbers_of_any_type_are_numbers(value):
    check_number("seconds", value)


@pytest.mark.parametrize("value", [-1, -1e-300, np.inf, np.nan, "1", None, True, [1.0], 1j])
def test_everything_else_is_refused(value):
    with pytest.raises(ParameterError, match=r"seconds=.* must be a finite number, at least 0"):
        check_number("seconds", value)


def test_numbers_without_a_minimum_must_be_finite():
    check_number("exponent", -1e300, minimum=-np.inf)
    for value in (-np.inf, np.inf, np.nan, "1"):
        with pytest.raises(ParameterError, match=r"exponent=.* must be a finite number$"):
            check_number("exponent", value, minimum=-np.inf)


def test_numbers_above_the_maximum_are_refused():
    check_number("exploration", 1, maximum=1)
    with pytest.raises(ParameterError, match=r"exploration=1.5 must be .* from 0 to 1"):
        check_number("exploration", 1.5, maximum=1)


def test_choices_are_suggested():
    check_choice("precision", "float32", ("float32", "float64"))
    for value in ("float23", 32, None):
        with pytest.raises(UnknownNameError, match=f"unknown precision {value!r};.*float32"):
            check_choice("precision", value, ("float32", "float64"))


def test_whole_numbers_are_counts():
    check_count("iterations", 1, minimum=1)
    check_count("iterations", np.int32(10**9), minimum=1)
    for value in (0, 2.5, 100.0, "10", True, None, np.float64(3)):
        with pytest.raises(ParameterError, match=r"iterations=.* a whole number, at least 1"):
            check_count("iterations", value, minimum=1)


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
def test_a_value_of_the_wrong_type_is_shown_with_the_remedy(value, said):
    check_type("game", "kuhn_poker", (str, tuple), "a name")
    with pytest.raises(ParameterError) as caught:
        check_type("game", value, str, "a name")
    assert str(caught.value) == said


@pytest.mark.parametrize("check", [check_number, check_count])
@pytest.mark.parametrize(
    "value",
    [-(10**5000), Fraction(-(10**5000), 3), list(range(100_000))],
    ids=["integer", "fraction", "list"],
)
def test_numbers_of_any_length_have_short_messages(check, value):
    with pytest.raises(ParameterError, match=r"seconds=.* must be a") as caught:
        check("seconds", value)
    assert len(str(caught.value)) < 300


def test_numbers_beyond_the_largest_float_are_not_finite():
    for value in (10**400, Fraction(10**400)):
        with pytest.raises(ParameterError, match="must be a finite number"):
            check_number("seconds", value)


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "\ud800", "a\udc80b", "y/" * 5000])
def test_paths_that_no_system_accepts(path):
    with pytest.raises(ParameterError, match=r"folder=.* is not a path that this system accepts"):
        check_path("folder", path)


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "\ud800"])
def test_readers_and_writers_check_paths(path):
    form = build_tree(load_game("kuhn_poker")).sequence_form
    policy = uniform_policy(form)
    for use in (
        load_efg,
        read_metadata,
        lambda file: load_policy(file, form),
        lambda file: load_policy_csv(file, form),
        lambda file: save_policy(policy, file),
        lambda file: save_policy_csv(policy, file),
    ):
        with pytest.raises(ParameterError, match="is not a path that this system accepts"):
            use(path)
