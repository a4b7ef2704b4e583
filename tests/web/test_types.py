"""The types of the page's sources are those of the library's answers."""

from __future__ import annotations

import runpy
from dataclasses import dataclass

import pytest

from tests.docs.snippets import ROOT

SCRIPT = runpy.run_path(str(ROOT / "web" / "write_types.py"))


def test_the_committed_types_are_those_of_the_dataclasses():
    assert SCRIPT["types_text"]() == SCRIPT["TARGET"].read_text("utf-8")


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (tuple[float | None, ...] | None, "(number | null)[] | null"),
        (tuple[tuple[float, ...], tuple[float, ...]], "[number[], number[]]"),
        (dict[str, tuple[int, ...]], "Record<string, number[]>"),
    ],
)
def test_types_are_written_as_json_has_their_values(hint, text):
    assert SCRIPT["type_text"](hint) == text


def test_a_type_that_json_does_not_have_is_refused():
    @dataclass
    class Wrong:
        members: set[int]

    with pytest.raises(TypeError, match="which JSON does not have"):
        SCRIPT["type_text"](set[int])
