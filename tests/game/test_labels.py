"""Labels as text: the same values of the same types come back, and others are refused."""

from __future__ import annotations

import json
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.game.labels import UnwritableLabelError, label_from_json, label_to_json
from infoset.game.observation import SharedView

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters()),
    st.binary(),
    st.fractions(),
)
LABELS = st.recursive(
    ATOMS, lambda part: st.one_of(st.lists(part).map(tuple), st.frozensets(part)), max_leaves=8
)


def kinds(value: object) -> object:
    """Return a value with the types of all its parts."""
    if isinstance(value, tuple):
        return type(value), [kinds(part) for part in value]
    if isinstance(value, frozenset):
        return type(value), sorted(repr(kinds(part)) for part in value)
    return type(value), value


@settings(max_examples=60)
@given(LABELS)
def test_a_label_comes_back_with_its_types(label):
    back = label_from_json(json.loads(json.dumps(label_to_json(label))))
    assert back == label
    assert kinds(back) == kinds(label)


def test_one_true_and_one_point_zero_have_different_texts():
    texts = {json.dumps(label_to_json(label)) for label in (1, True, 1.0, Fraction(1), "1")}
    assert len(texts) == 5


def test_a_negative_zero_keeps_its_sign():
    assert str(label_from_json(label_to_json((-0.0,)))) == "(-0.0,)"


def test_a_shared_view_comes_back_as_one():
    view = SharedView("K", (((0, 1), "red 3"),))
    back = label_from_json(label_to_json(view))
    assert back == view
    assert type(back) is SharedView


class Color(Enum):
    RED = 1


@pytest.mark.parametrize("label", [np.int64(1), Color.RED, (1, Color.RED), range(3), 1j])
def test_other_types_are_refused(label):
    with pytest.raises(UnwritableLabelError, match="has the type"):
        label_to_json(label)


@pytest.mark.parametrize(
    "text", [[], ["list", 1], {"a": 1}, ["float", "x"], ["Fraction", 1, 0], 1.5, ["tuple", {}]]
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"is not a label|hexadecimal"):
        label_from_json(text)
