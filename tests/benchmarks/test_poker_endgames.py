"""The benchmark of poker endgames: boards, public nodes, and the files of the ranges."""

from __future__ import annotations

import poker_endgames
import pytest

from infoset.games import HOLE_CARDS
from infoset.tree import count_public_form

pytestmark = pytest.mark.benchmarks

PAGE = poker_endgames.PAGE.read_text("utf-8")


@pytest.mark.parametrize(("name", "tree"), [*poker_endgames.RIVERS, *poker_endgames.TURNS])
def test_the_page_has_the_games(name, tree):
    game = poker_endgames.game_of(name, tree)
    counts = count_public_form(game.public_rules())
    hands = f"{counts.hands[0]:,} × {counts.hands[1]:,}"
    assert f"| {name} | {tree} | {counts.nodes + counts.ends:,} | {hands} |" in PAGE


@pytest.mark.parametrize("name", poker_endgames.ENDGAMES)
def test_the_page_has_the_facts_of_each_endgame(name):
    game = poker_endgames.game_of(name, "small")
    street = {8: "turn", 10: "river"}[len(game.board)]
    assert f"| {name} | {street} | `{game.board}` | {game.pot:,} | {game.stack:,} |" in PAGE


def test_ranges_are_read_in_the_order_of_their_files(tmp_path):
    """The description of the files: 2s2h, 2s2d, 2s2c, 2s3s, ..., 2sAc, 2h2d, ..., AdAc."""
    numbers = [0.0] * (2 * 1326)
    places = {0: "2s2h", 1: "2s2d", 3: "3s2s", 50: "Ac2s", 51: "2h2d", 1325: "AdAc"}
    for place in places:
        numbers[place], numbers[1326 + place] = place + 1.0, place + 5000.0
    file = tmp_path / "subgame3.txt"
    file.write_text(
        f"-round 4\n-board 4s8hTc9h2s\n-pot 500\n-reach {' '.join(map(str, numbers))}\n"
    )
    first, second = (
        dict(zip(HOLE_CARDS, own, strict=True)) for own in poker_endgames.ranges_of(file)
    )
    for place, hand in places.items():
        hand = hand if hand in first else hand[2:] + hand[:2]
        assert (first.pop(hand), second.pop(hand)) == (place + 1.0, place + 5000.0)
    assert not any(first.values())
    assert not any(second.values())
    game = poker_endgames.game_of("endgame 3", "small", tmp_path)
    assert [len(game.rules.hands(player)) for player in range(2)] == [2, 2]
