"""Times of progressive hiding: the timed work, and completeness of the page."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")

import teams_speed
from report import DOCS

from infoset.teams import HidingScheme

pytestmark = pytest.mark.benchmarks


def test_trade_is_as_the_paper_has_it():
    forms = {name: teams_speed.trade(2, name) for name in ("none", "private_revealed", "recall")}
    labels = {name: form.relaxed.num_cells for name, form in forms.items()}
    assert labels == {
        "none": 2 + 4 + 4 + 4,
        "private_revealed": 4 + 8 + 8 + 8,
        "recall": 4 + 8 + 16 + 64,
    }


def test_a_row_has_the_time_and_the_floor_of_an_iteration():
    case = teams_speed.Case("small", teams_speed.trade(2, "recall"), HidingScheme(), 10)
    name, nodes, entries, *times = teams_speed.measure(case)
    assert (name, nodes, entries) == ("small", "92", "344")
    assert all(time.split()[1] in ("s", "ms", "µs") for time in times)
    assert 0 < teams_speed.floor(case) < 1e-2


def test_the_page_has_every_case():
    page = (DOCS / "teams" / "hiding.md").read_text(encoding="utf-8")
    for relaxation in ("none", "private_revealed", "recall"):
        assert f"| trade comm, 5 items, `{relaxation}` |" in page
    assert "| tiny bridge, `recall` |" in page
