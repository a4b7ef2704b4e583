"""The rows of the table of time limits."""

import pytest
import search_limits

from infoset.game import initial_history
from infoset.games import load_game
from infoset.search import search_model

pytestmark = pytest.mark.benchmarks


@pytest.fixture(autouse=True)
def every_decision(monkeypatch):
    """Search at the first two decisions, since these games are short."""
    monkeypatch.setattr(search_limits, "DECISIONS", (0, 1))


def test_rows_report_what_searches_did():
    game = load_game("kuhn_poker")
    infostates = search_limits.decisions(initial_history(game))
    assert all(len(search_model(game).legal_actions(known)) == 2 for known in infostates)
    rows = list(search_limits.rows(search_model(game), infostates))
    assert [row[1] for row in rows] == ["pimc"] * 2 + ["ismcts"] * 2
    assert {row[5] for row in rows} == {"1,000 worlds", "1,000 simulations"}
    assert {row[6] for row in rows} == {"2 of 2"}
    assert {len(row) for row in rows} == {len(search_limits.COLUMNS)}


def test_a_refused_game_has_one_row_for_the_searcher():
    game = load_game("goofspiel(num_cards=3)")
    infostates = search_limits.decisions(initial_history(game))
    refused, *others = search_limits.rows(search_model(game), infostates)
    assert refused[5] == "players of goofspiel(num_cards=3) choose simultaneously"
    assert [row[1] for row in others] == ["ismcts"] * 2
