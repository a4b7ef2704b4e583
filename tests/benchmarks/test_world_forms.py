"""The benchmark of world forms."""

from __future__ import annotations

import pytest
import world_forms


@pytest.mark.benchmarks
def test_a_row():
    row = world_forms.row_of("kuhn_poker", lists=True)
    assert row[:4] == ["kuhn_poker", "55", "26", "0.9166666667"]
    assert len(row) == 12
