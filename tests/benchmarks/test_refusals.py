"""The script that measures how long games that are too large take to be refused."""

import csv

import pytest
import refusals

pytestmark = pytest.mark.benchmarks


def test_outcomes():
    assert refusals.measure("kuhn_poker")[:3] == ("kuhn_poker", "fits", 55)
    refused = refusals.measure_apart("goofspiel(num_cards=13)")
    assert refused[:3] == ("goofspiel(num_cards=13)", "random plays", 40_001)
    assert 0 < refused.plays < refused.seconds


def test_the_stored_table_has_all_games():
    with refusals.RESULTS.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == refusals.Refusal._fields
    assert [row[0] for row in rows] == [*refusals.GAMES]
    assert all(row[1] in ("random plays", "limit", "fits") for row in rows)
