"""JSON of files: typed fields, keys that differ, and limits."""

from __future__ import annotations

import os
from typing import Any, Literal

import pytest

from infoset.utils.json_fields import parse_json, read_json, typed_fields


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        ("K", str, "K"),
        (3, int, 3),
        (-(2**63) + 1, int, -(2**63) + 1),
        (3, float, 3),
        (0.5, float, 0.5),
        (float("-inf"), float, float("-inf")),
        (None, float | None, None),
        (0.5, float | None, 0.5),
        ([0.5, 1], tuple[float, ...] | None, (0.5, 1)),
        ([["a"], []], tuple[tuple[str, ...], tuple[str, ...]], (("a",), ())),
        ({"x": 1}, dict, {"x": 1}),
        ("b", Literal["a", "b"], "b"),
        ([None, {}], Any, [None, {}]),
    ],
)
def test_values_of_the_right_type(value, hint, expected):
    assert typed_fields({"field": value, "more": None}, {"field": hint}) == {"field": expected}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (3, str),
        ("3", int),
        (True, int),
        (3.0, int),
        (10**19, int),
        (-(10**400), int),
        (True, float),
        (float("nan"), float),
        (10**400, float),
        (None, float),
        ("x", float | None),
        ([0.5, "x"], tuple[float, ...]),
        ([["a"]], tuple[tuple[str, ...], tuple[str, ...]]),
        ("ab", tuple[str, ...]),
        ([], dict),
        (1, Literal["a", True]),
    ],
)
def test_values_of_other_types_are_refused(value, hint):
    with pytest.raises(ValueError, match=r"^field is .*, not "):
        typed_fields({"field": value}, {"field": hint})


@pytest.mark.parametrize("content", [None, [], "field", 3])
def test_what_is_not_an_object_is_refused(content):
    with pytest.raises(ValueError, match="not an object with names"):
        typed_fields(content, {"field": str})
    with pytest.raises(ValueError, match="field is missing"):
        typed_fields({}, {"field": str})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' is given twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'"\xff"', "not text in UTF-8"),
        (b"9" * 5000, "4300 digits"),
        (b"", "Expecting value"),
    ],
)
def test_texts_that_readers_would_not_agree_on_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text)


def test_a_file_is_not_read_beyond_its_limit(tmp_path):
    path = tmp_path / "claim.json"
    path.write_text("[1, 2]")
    assert read_json(path, 6) == [1, 2]
    with pytest.raises(ValueError, match="more than 5 bytes"):
        read_json(path, 5)
    endless = tmp_path / "endless"
    endless.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="more than 5 bytes"):
        read_json(endless, 5)


def test_a_pipe_that_nobody_writes_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="Expecting value"):
        read_json(tmp_path / "pipe")


def test_a_pipe_is_read_to_its_end():
    reading, writing = os.pipe()
    os.write(writing, b"[1, ")
    os.write(writing, b"2]")
    os.close(writing)
    assert read_json(f"/dev/fd/{reading}") == [1, 2]
    os.close(reading)
