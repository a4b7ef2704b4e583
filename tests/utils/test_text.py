"""Numbers as text."""

from __future__ import annotations

import pytest

from infoset.utils.text import format_bytes


@pytest.mark.parametrize(
    ("num_bytes", "text"),
    [(874, "874 bytes"), (5_700, "5.7 kB"), (12_300_000_000, "12.3 GB"), (10**14, "100 TB")],
)
def test_sizes_are_written_with_their_unit(num_bytes, text):
    assert format_bytes(num_bytes) == text
