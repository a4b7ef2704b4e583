"""Boards of a street, up to symmetric suits, and their probabilities given the ranges."""

from itertools import combinations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.games import HOLE_CARDS, NoLimitEndgame, boards_over, parse_range, with_board
from infoset.games.holdem_hands import DECK, parse_cards


def probability_of(game, boards):
    """Return the probability of each board, by listing all pairs of hands."""
    first, second = (
        {hand: own for hand, own in zip(HOLE_CARDS, parse_range(text), strict=True) if own}
        for text in game.ranges
    )
    found = {}
    for board in boards:
        found[board] = sum(
            own * other
            for hand, own in first.items()
            for held, other in second.items()
            if len({hand[:2], hand[2:], held[:2], held[2:], *parse_cards(board)})
            == 4 + len(board) // 2
        )
    total = sum(found.values())
    return {board: weight / total for board, weight in found.items()}


@pytest.mark.parametrize(
    ("board", "over", "ranges"),
    [
        ("Ks9d8h", "turns", ["AA,KQs:0.5", "99+,AhKh"]),
        ("Ks9s8s4d", "turns", ["AA,KK", "QQ,JTs"]),
        ("Ks9s8s4d", "rivers", ["AA:0.3,KK", "QQ,JTs"]),
        ("Ks9s8s4d2c", "rivers", ["AA,KK", "QQ:0.2,JTs"]),
    ],
)
def test_probabilities_are_those_of_all_pairs_and_boards(board, over, ranges):
    game = NoLimitEndgame(board, ranges=ranges)
    known = parse_cards(board)[: 3 if over == "turns" else 4]
    every = ["".join([*known, card]) for card in DECK if card not in known]
    expected = probability_of(game, every)
    found = boards_over(game, over)
    assert sum(one.probability for one in found) == pytest.approx(1)
    assert [*(one.board for one in found)] == [one for one in every if one in dict(found)]
    # What a class stands for has the same probability, board by board.
    groups = {}
    for one in every:
        groups.setdefault(round(expected[one], 12), []).append(one)
    for probability, own in groups.items():
        total = sum(one.probability for one in found if one.board in own)
        assert total == pytest.approx(probability * len(own))


@pytest.mark.broad
def test_the_number_of_boards():
    """There are 1,755 flops up to suits; ranges that prefer a suit leave fewer symmetries."""
    assert len(boards_over(NoLimitEndgame("Ks9d8h"), "flops")) == 1755
    spades = NoLimitEndgame("Ks9d8h", ranges=["AsKs,QQ", "JJ"])
    assert len(boards_over(spades, "flops")) > 5000
    other = NoLimitEndgame("Ks9d8h", ranges=["QQ", "AsKs,JJ"])
    assert len(boards_over(other, "flops")) == len(boards_over(spades, "flops"))
    assert len(boards_over(NoLimitEndgame("Ks9s8s"), "turns")) == 10 + 13
    rivers = boards_over(NoLimitEndgame("Ks9d8h"), "rivers")
    assert len(rivers) == 49 * 48 // 2
    assert {len(one.board) for one in rivers} == {10}


def test_given_boards_have_probabilities_too():
    game = NoLimitEndgame("Ks9d8h", ranges=["AA,KQs:0.5", "99+,AhKh"])
    given = ["8h9dKs Ah", "ks9d8h2c"]
    found = boards_over(game, "turns", given)
    assert [one.board for one in found] == ["Ks9d8hAh", "Ks9d8h2c"]
    assert dict(found) == pytest.approx(probability_of(game, ["Ks9d8hAh", "Ks9d8h2c"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["Ks9d8h"], "must have 4 cards, including Ks 9d 8h"),
        (["Ks9d7h2c"], "must have 4 cards, including Ks 9d 8h"),
        (["Ks9d8hKs"], "has the card Ks twice"),
        (["Ks9d8hAs"], "all turns block every pair of hands in the ranges"),
    ],
)
def test_other_boards_are_refused(given, message):
    game = NoLimitEndgame("Ks9d8h", ranges=["AsAh", "AcAd"])
    with pytest.raises(ParameterError, match=message):
        boards_over(game, "turns", given)


def test_a_game_with_another_board_has_the_limits_of_its_streets():
    game = NoLimitEndgame("Ks9d8h", bets="50%", max_raises=[3, 2, 1], min_bet=[1, 2, 4])
    river = with_board(game, "Ks9d8h4s2c")
    assert (river.board, river.max_raises, river.min_bet) == ("Ks9d8h4s2c", (1,), (4,))
    assert with_board(game, "As9d8h").max_raises == (3, 2, 1)
    with pytest.raises(ParameterError, match="one for each street"):
        with_board(NoLimitEndgame("Ks9d8h4s", max_raises=[2, 1]), "Ks9d8h")
    assert len([*combinations(DECK, 2)]) == np.array(HOLE_CARDS).size
