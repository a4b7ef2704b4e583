"""Ranges of hold'em hands as text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.games import HOLE_CARDS, parse_range, range_text


def hands_of(text):
    return {
        hand: weight for hand, weight in zip(HOLE_CARDS, parse_range(text), strict=True) if weight
    }


def test_there_are_1326_hands():
    assert len(set(HOLE_CARDS)) == 1326
    assert HOLE_CARDS[0] == "AsAh"
    assert HOLE_CARDS[-1] == "2d2c"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("AA", 6),
        ("KQs", 4),
        ("KQo", 12),
        ("KQ", 16),
        ("QK", 16),
        ("AhKd", 1),
        ("TT+", 5 * 6),
        ("99-66", 4 * 6),
        ("66-99", 4 * 6),
        ("A5s-A2s", 4 * 4),
        ("A9s+", 5 * 4),
        ("KTo+", 3 * 12),
        ("JTs-76s", 5 * 4),
        ("any", 1326),
        ("any, 72o:0", 1326 - 12),
        ("AA,AhAd", 6),
    ],
)
def test_the_number_of_hands(text, number):
    assert len(hands_of(text)) == number
    assert set(hands_of(text).values()) == {1.0}


def test_hands_are_those_named():
    assert set(hands_of("KdKh")) == {"KhKd"}
    assert set(hands_of("A3s-A2s")) == {f"A{s}{rank}{s}" for s in "shdc" for rank in "32"}
    assert set(hands_of("QTs-J9s")) == {f"{a}{s}{b}{s}" for s in "shdc" for a, b in ("QT", "J9")}
    assert set(hands_of("KQo")) == {f"K{a}Q{b}" for a in "shdc" for b in "shdc" if a != b}


def test_the_last_weight_counts():
    assert hands_of("AA:0.5,AsAh:0.25,AdAc : 0") == {
        "AsAh": 0.25,
        **dict.fromkeys(["AsAd", "AsAc", "AhAd", "AhAc"], 0.5),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA,KQx", "at character 4, 'KQx' names no hands"),
        ("AA,,KK", "at character 4, '' names no hand"),
        ("AA,", "at character 4, '' names no hand"),
        ("", "at character 1, '' names no hand"),
        ("AA:-1", "weight '-1', which is not a number of at least 0"),
        ("AA:nan", "weight 'nan'"),
        ("AA:", "weight ''"),
        ("AAs", "is a pair, which is neither suited nor offsuit"),
        ("A5s-K2s", "is not between two pairs"),
        ("A5s-A2o", "is not between two pairs"),
        ("TT-98s", "is not between two pairs"),
        ("AhAh", "has the same card twice"),
        ("AA:0", "has no hand with a weight above 0"),
        ("T10s", "'T10s' names no hands"),
    ],
)
def test_mistakes_are_named_with_their_place(text, message):
    with pytest.raises(ParameterError) as caught:
        parse_range(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.5, 1.0]))
def test_text_is_read_back(seed, density):
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.1, 0.25, 1.0, rng.random()], 1326) * (rng.random(1326) < density)
    weights[rng.integers(1326)] = 1.0
    assert parse_range(range_text(weights)) == tuple(weights)


def test_equal_weights_are_written_together():
    assert range_text(np.ones(1326)) == "any"
    assert range_text(parse_range("AQs,AKs,AKo:0.5,22")) == "AKs,AKo:0.5,AQs,22"


@pytest.mark.parametrize("weights", [[1.0] * 169, [-1.0] * 1326, ["x"] * 1326, 3])
def test_wrong_numbers(weights):
    with pytest.raises(ParameterError, match="1,326 numbers of at least 0"):
        range_text(weights)


def test_a_range_of_zeros():
    with pytest.raises(ParameterError, match="no hand with a weight above 0"):
        range_text([0.0] * 1326)
