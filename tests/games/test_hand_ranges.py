"""Ranges of hold'em hands as text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.games import HOLE_CARDS, parse_range, range_text
from infoset.games.cards import RANKS
from infoset.games.holdem_hands import BEST_FIRST, normal_cards, parse_cards
from infoset.games.holdem_ranges import normal_range


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
        ("random", 1326),
        ("100%", 1326),
        ("AA KK\nQQ", 18),
        ("AA , KK", 12),
        ("1010+", 5 * 6),
        ("109s-76s", 4 * 4),
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
    assert set(hands_of("kcKD 10H9h A♠2♦ 2♣️3c")) == {"KdKc", "Th9h", "As2d", "3c2c"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("AKs@50", "AKs:0.5"),
        ("AA:50%", "AA:0.5"),
        ("AA : 50 %", "AA:0.5"),
        ("AA:33.3%", "AA:0.333"),
        ("AA@1,KK@0.5%", "AA:0.01,KK:0.005"),
        ("[50]AA,KQs[/50]", "AA:0.5,KQs:0.5"),
        ("[ 25% ] AA KK [/25.0] QQ, [75]A5s-A2s[/75]", "AA:0.25,KK:0.25,QQ,A5s-A2s:0.75"),
        ("a5s, AKO, kqS-jTs", "A5s,AKo,KQs-JTs"),
        ("aa Random@5", "AA,any:0.05"),
        ("10hkd:.5", "KdTh:0.5"),
        ("K10s+ : 0.5", "KTs+:0.5"),
        ("TOP 10% 5%@50", "top10%,top5%:0.5"),
    ],
)
def test_other_notations_have_one_normal_form(text, plain):
    assert normal_range(text) == plain
    assert normal_range(plain) == plain
    assert parse_range(text) == parse_range(plain)


def test_weights_are_those_written():
    assert hands_of("[20]AsAh,KsKh[/20],QsQh@5,JsJh:0.1%") == {
        "AsAh": 0.2,
        "KsKh": 0.2,
        "QsQh": 0.05,
        "JsJh": 0.001,
    }


def test_the_last_weight_counts():
    assert hands_of("AA:0.5,AsAh:0.25,AdAc : 0") == {
        "AsAh": 0.25,
        **dict.fromkeys(["AsAd", "AsAc", "AhAd", "AhAc"], 0.5),
    }


def test_tiny_weights_are_divided_by_the_largest():
    assert hands_of("AsAh:1e-320,KsKh:5e-321") == pytest.approx({"AsAh": 1, "KsKh": 0.5}, rel=1e-3)
    assert hands_of("AsAh,KsKh:1e-320") == {"AsAh": 1, "KsKh": 1e-320}


# --- the best hands ----------------------------------------------------------------------------


def test_the_best_hands_are_whole_classes_and_a_part_of_one():
    # 1 % are 13.26 hands: the 12 pairs of aces and kings, and 1.26 of the 6 pairs of queens.
    found = hands_of("top1%")
    assert {hand[0] + hand[2] for hand in found} == {"AA", "KK", "QQ"}
    assert [found[hand] for hand in ("AsAh", "KsKh", "QsQh")] == [1, 1, 0.21]
    assert sum(parse_range("top10%")) == pytest.approx(132.6)
    assert parse_range("12.5%") == parse_range("Top12.5%") != parse_range("12%")
    assert parse_range("top100%") == parse_range("any")
    assert hands_of("top0.5%@10")["AsAh"] == pytest.approx(0.1)


def test_the_order_of_the_best_hands():
    """Known facts; `tests/benchmarks/test_hand_equities.py` computes it."""
    place = {name: at for at, name in enumerate(BEST_FIRST)}
    pairs = [rank + rank for rank in reversed(RANKS)]
    kinds = {rank + other for rank in RANKS for other in RANKS[: RANKS.index(rank)]}
    assert {*place} == {*pairs, *(kind + suits for kind in kinds for suits in "so")}
    assert (BEST_FIRST[:8], BEST_FIRST[-1]) == ((*pairs[:7], "AKs"), "32o")
    assert sorted(pairs, key=place.get) == pairs
    assert all(place[kind + "s"] < place[kind + "o"] for kind in kinds)
    # Straights make a five a better kicker than a six.
    for suits in "so":
        aces = [f"A{rank}{suits}" for rank in "KQJT98756432"]
        assert sorted(aces, key=place.get) == aces


def test_a_range_may_end_with_a_comma():
    assert parse_range("AA,KK, ") == parse_range("AA,KK")
    assert normal_range("AA,[50]KK[/50],") == "AA,KK:0.5"


# --- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA,KQx", "at character 4, 'KQx' does not name a hand; write hands as in"),
        ("AA  KQx", "at character 5, 'KQx' does not name a hand"),
        ("AA,,KK", "at character 4, '' does not name a hand"),
        ("AA,,", "at character 4, '' does not name a hand"),
        (",", "at character 1, '' does not name a hand"),
        ("AA,[50]", "at character 8, '' does not name a hand"),
        ("[50]AA,[/50]", "at character 8, '' does not name a hand"),
        ("", "at character 1, '' does not name a hand"),
        ("AA,:0.5", "at character 4, ':0.5' does not name a hand"),
        (
            "AA:-1",
            "weight '-1', which is not a number of at least 0; write a weight as in",
        ),
        ("AA:nan", "weight 'nan'"),
        ("AA:inf", "weight 'inf'"),
        ("AA:1e999999999999999999", "weight '1e999999999999999999'"),
        ("AA:", "weight ''"),
        ("AA@", "weight ''"),
        (
            "KK,AA:50",
            "at character 4, 'AA:50' has the weight 50, which is above 1; write 50% for",
        ),
        ("AA:1000", "which is above 1; divide all weights of the range by the largest"),
        ("AA@150", "has the weight 150, which is above 100%; divide all weights"),
        ("AA@0.5", "probably meant as a fraction; write 50 for 50%, or 0.5%"),
        ("[0.5]AA[/0.5]", "probably meant as a fraction; write 50 for 50%, or 0.5%"),
        ("[x]AA[/x]", "at character 1, '[x]' has the weight 'x'"),
        ("KK,[50]AA", "at character 4, '[50]' begins a group that does not end; add [/50] after"),
        ("AA[/50]", "at character 3, '[/50]' does not end a group"),
        ("[50]AA[/40]", "at character 7, '[/40]' does not end a group; write a group as in"),
        ("[50][/50]", "at character 5, '' does not name a hand"),
        ("[50]AA,[20]KK", "at character 8, '[20]' is inside the group [50]; end one group before"),
        ("[50]AA:0.5[/50]", "at character 5, 'AA:0.5' has a weight inside the group [50]"),
        ("AA]", "at character 3, ']' is an unmatched bracket"),
        ("AAs", "is a pair, which is neither suited nor offsuit"),
        ("T10s", "is a pair, which is neither suited nor offsuit"),
        ("A5s-K2s", "must lie between two pairs"),
        ("A5s-A2o", "must lie between two pairs"),
        ("TT-98s", "must lie between two pairs"),
        ("AhAh", "has the same card twice"),
        ("AA:0", "has no hand with a weight above 0"),
        ("top0%", "is not a percentage above 0 and at most 100; write 'top10%' for a tenth"),
        ("101%", "is not a percentage above 0"),
        ("0.5 " * 1325 + "2", "at character 5301, '2' has the weight 2, which is above 1"),
    ],
)
def test_mistakes_are_named_with_their_place(text, message):
    for read in (parse_range, normal_range):
        with pytest.raises(ParameterError) as caught:
            read(text)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


# --- from weights to text, and back ------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.5, 1.0]))
def test_text_is_read_back(seed, density):
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.1, 0.25, 1.0, rng.random()], 1326) * (rng.random(1326) < density)
    weights[rng.integers(1326)] = 1.0
    assert parse_range(range_text(weights)) == tuple(weights)


CARDS = st.builds("{}{}".format, st.sampled_from([*RANKS, "10"]), st.sampled_from([*"shdcSH♠♥♦♣"]))
PAIRS = st.sampled_from([*RANKS, "10"]).map(lambda rank: rank + rank)
CLASSES = PAIRS | st.sampled_from(BEST_FIRST).map(str.swapcase) | st.sampled_from(["AK", "jt"])
HANDS = (
    st.tuples(CARDS, CARDS).map("".join).filter(lambda text: len({*parse_cards_of(text)}) == 2)
    | CLASSES
    | CLASSES.map(lambda name: f"{name}+")
    | st.builds("{}-{}".format, PAIRS, PAIRS)
    | st.sampled_from(["A5s-A2s", "jts - 76S", "any", "RANDOM", "100%", "top 7.5%", "33%"])
)
SHARES = st.floats(0, 1) | st.sampled_from([1e-320, 0.5])
WEIGHTS = (
    st.just("")
    | SHARES.map(lambda share: f":{share!r}")
    | st.floats(0, 100).map(lambda percent: f" : {percent!r} %")
    | st.integers(0, 100).map(lambda percent: f"@{percent}")
)
ITEMS = st.builds("{}{}".format, HANDS, WEIGHTS) | st.builds(
    "[{0}]{1}[/{0}]".format,
    st.integers(0, 100),
    st.lists(HANDS, min_size=1, max_size=3).map(", ".join),
)


def parse_cards_of(text):
    """Return the cards of a hand, also if they are the same."""
    return [normal_cards(card) for card in (text[:-2], text[-2:])] if len(text) == 4 else [text, ""]


@settings(max_examples=60, deadline=None)
@given(st.lists(ITEMS, min_size=1, max_size=6), st.sampled_from([",", " ", " , ", "\n"]))
def test_every_notation_is_read_back(items, separator):
    text = separator.join([*items, "AsAh"])  # a range has a hand of positive weight
    weights = parse_range(text)
    assert max(weights) <= 1
    assert parse_range(range_text(weights)) == weights
    assert parse_range(normal_range(text)) == weights
    assert normal_range(normal_range(text)) == normal_range(text)


def test_weights_above_1_are_divided_by_the_largest():
    weights = np.zeros(1326)
    weights[[0, 1]] = 4, 1e308
    assert hands_of(range_text(weights)) == {"AsAh": 4e-308, "AsAd": 1}
    weights[1] = 1
    assert range_text(weights) == "AsAh,AsAd:0.25"


def test_1326_weights_are_in_the_order_of_piosolver():
    """The hand of cards a > b has the place a (a - 1) / 2 + b; cards are 2c, 2d, 2h, 2s, 3c, ..."""
    cards = [rank + suit for rank in RANKS for suit in "cdhs"]
    hands = [cards[a] + cards[b] for a in range(52) for b in range(a)]
    assert hands[:7] == ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h", "3c2c"]
    rng = np.random.default_rng(0)
    weights = rng.random(1326).tolist()
    text = " ".join(map(repr, weights))
    assert hands_of(text) == dict(zip(hands, weights, strict=True))
    assert parse_range(normal_range(text)) == parse_range(text)
    assert normal_range("1 " * 1326) == "any"


def test_equal_weights_are_written_together():
    assert range_text(np.ones(1326)) == "any"
    assert range_text(np.full(1326, 0.5)) == "any:0.5"
    assert range_text(parse_range("AQs,AKs,AKo:0.5,22")) == "AKs,AKo:0.5,AQs,22"


@pytest.mark.parametrize("weights", [[1.0] * 169, [-1.0] * 1326, ["x"] * 1326, 3])
def test_wrong_numbers(weights):
    with pytest.raises(ParameterError, match="1,326 numbers of at least 0"):
        range_text(weights)


def test_a_range_of_zeros():
    with pytest.raises(ParameterError, match="no hand with a weight above 0"):
        range_text([0.0] * 1326)


# --- cards -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["9s,3s,2d,6c,10c", "9S3S2D6CTC", "9s3s2d6c10c", " 9s 3s\xa02d, 6c tc ", "9♠3♠2♦6♣️T♣"],
)
def test_cards_are_read_as_others_write_them(text):
    assert parse_cards(text) == ("9s", "3s", "2d", "6c", "Tc")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9s3s1d", "has '1d' as card 3; a card is a rank of 23456789TJQKA and a suit of cdhs"),
        ("9s 10", "has '10' as card 2"),
        ("9s 9S", "has the card 9s twice, as cards 1 and 2; give each card once"),
        ("9s-3s", "has '-3' as card 2"),
        ("9ſ", "has '9ſ' as card 1"),
    ],
)
def test_wrong_cards_are_named_with_their_place(text, message):
    with pytest.raises(ParameterError) as caught:
        parse_cards(text)
    assert message in str(caught.value)


def test_only_cards_are_rewritten_in_a_text():
    assert normal_cards("[2cAD] / bet 10 / 7H") == "[Ad2c] / bet 10 / 7h"
    assert normal_cards("[A♠ K♦]") == normal_cards("[kd,as]") == "[AsKd]"
    for text in ("(start)", "check / all-in", "[AcAc]", "[Past] / xKs / Ks1", "bet 10 / raise 250"):
        assert normal_cards(text) == text
