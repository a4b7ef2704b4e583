"""Grids of cells: results by point, spreads over seeds, and slopes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from infoset.experiments import log_log_slope, run_grid, run_points, spreads


def run(cells):
    return [{"value": cell.value} for cell in cells]


def cell(value):
    return SimpleNamespace(value=value)


def test_results_are_grouped_by_point():
    found = run_grid(
        run, [(2, "a"), (1, "b")], lambda point: [cell(10 * point[0] + s) for s in (0, 2)]
    )
    assert list(found) == [(2, "a"), (1, "b")]
    assert found[1, "b"] == [{"value": 10}, {"value": 12}]
    assert spreads(found, "value")[2, "a"] == (21.0, pytest.approx(2**0.5), 2)


def test_repeated_and_empty_groups():
    assert run_points(run, [[cell(1)], [], [cell(1)]]) == [[{"value": 1}], [], [{"value": 1}]]


def test_slope_of_a_power_law():
    assert log_log_slope({x: 3.0 * x**-0.5 for x in (10, 100, 1_000)}) == pytest.approx(-0.5)
    assert log_log_slope({10: 1.0}) is None
