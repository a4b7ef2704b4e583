"""The benchmark of public forms: the table of the choice of forms."""

from __future__ import annotations

import public_form
import pytest

pytestmark = pytest.mark.benchmarks


def test_a_row_of_the_choice(monkeypatch):
    monkeypatch.setattr(public_form, "SAMPLES", 1)
    monkeypatch.setattr(public_form, "SAMPLE_SECONDS", 0.0)
    row = public_form.choice_row("kuhn_poker")
    assert len(row) == len(public_form.CHOICE_HEADER)
    # 4 public nodes and 5 ends of 10 µs; 55 world states of 10 µs and 55 histories of 0.2 µs.
    assert (row[1], row[4], row[8], row[-1]) == ("55", "90 µs", "561 µs", "sequence")
