"""Comparison of methods: its computation, and agreement of the pages with the files."""

from __future__ import annotations

import pytest
import which_solver
from curves import GAMES, Measurement, iterative_methods
from which_solver import Arrival, arrival, geometric_mean, ratios

pytestmark = pytest.mark.benchmarks


def curve(points):
    return {iteration: Measurement(value, None) for iteration, value in points.items()}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (2.0, Arrival(1, True)),
        (1.0, Arrival(1, True)),
        (10**-0.5, Arrival(10**0.5, True)),
        (0.1, Arrival(10, True)),
        (10**-2.5, Arrival(10 * 2**0.5, True)),
        (1e-9, Arrival(1000, False)),
    ],
)
def test_a_target_is_reached_on_the_line_between_two_measurements(level, expected):
    """If a curve rises again, the first arrival counts."""
    found = arrival(curve({1: 1.0, 10: 0.1, 20: 1e-4, 1000: 1e-3}), level)
    assert found.is_reached == expected.is_reached
    assert found.iterations == pytest.approx(expected.iterations)


def test_arrivals_are_shown_in_two_digits():
    assert str(Arrival(1234.5, True)) == "1,200"
    assert str(Arrival(1234.5, False)) == "> 1,200"


def test_ratios_are_to_the_best_of_the_cfr_family_on_each_game():
    arrivals = {
        "one": {"cfr": Arrival(80, True), "dcfr": Arrival(10, True), "egt": Arrival(5, True)},
        "two": {"cfr": Arrival(10, True), "dcfr": Arrival(20, True), "egt": Arrival(5, False)},
        "unsolved": {"cfr": Arrival(9, False), "dcfr": Arrival(8, False), "egt": Arrival(5, True)},
    }
    assert ratios(arrivals, "cfr") == {"one": 8, "two": 1}
    assert ratios(arrivals, "egt") == {"one": 0.5, "two": 1}
    assert geometric_mean(ratios(arrivals, "cfr").values()) == pytest.approx(8**0.5)


def test_the_rows_drawn_are_in_the_table_of_methods():
    assert set(which_solver.LINES) <= set(iterative_methods())
    assert len({tuple(line) for line in which_solver.LINES.values()}) == len(which_solver.LINES)


def test_every_game_is_drawn_with_its_title():
    for family in {row.family for row in GAMES.values()}:
        titles = [axes.get_title() for axes in which_solver.draw_family(family).axes]
        assert titles == [row.title for row in GAMES.values() if row.family == family]
