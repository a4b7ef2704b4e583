"""Times of searches: the timed work, and completeness of the page."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")

import search_speed
from report import DOCS

from infoset.game import initial_history
from infoset.games import load_game

pytestmark = pytest.mark.benchmarks


def test_hands_are_spread_over_the_deals():
    hands = search_speed.first_hands(initial_history(load_game("leduc_poker")))
    assert len(hands) == 10 <= search_speed.NUM_HANDS
    assert {hand.steps[0].private for hand in hands} == {"Js", "Jh", "Qs", "Qh", "Ks", "Kh"}
    assert {hand.player for hand in hands} == {0}


def test_the_bot_of_openspiel_searches_positions_where_somebody_decides():
    game = search_speed.pyspiel.load_game("kuhn_poker")
    deals = search_speed.openspiel_deals(game.new_initial_state())
    assert len({deal.history_str() for deal in deals}) == 6
    policy = search_speed.openspiel_side("kuhn_poker")()
    assert sum(probability for _, probability in policy) == pytest.approx(1)


def test_turns_keep_the_least():
    asked = []
    found = search_speed.in_turns({"quick": lambda: None, "slow": lambda: asked.append(1)})
    assert set(found) == {"quick", "slow"}
    assert 0 <= found["quick"] < 1e-4
    assert len(asked) > search_speed.TURNS * search_speed.NUM_HANDS


def test_the_table_has_times_and_the_ratio():
    times = search_speed.Times(2e-4, 3e-4, 1e-4, 0.1, 2e-3)
    text = search_speed.times_table(
        {"leduc_poker": times, "liars_dice": times._replace(openspiel=None)}
    )
    *_, leduc, dice = text.splitlines()
    assert leduc == (
        "| Leduc poker | 200 µs | 300 µs | 100 µs | 100 ms | 2 ms: ours 10 times as fast |"
    )
    assert dice.endswith("| 100 ms | - |")


def test_the_page_has_every_game():
    page = (DOCS / "search" / "ismcts.md").read_text(encoding="utf-8")
    assert all(f"| {title} |" in page for title in search_speed.GAMES.values())
