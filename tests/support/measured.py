"""Comparison of evaluations of policies."""

from __future__ import annotations

import pytest


def assert_same_values(ours, theirs, tolerance=1e-12):
    """Check that two evaluations have the same values and gains."""
    assert ours.values == pytest.approx(theirs.values, abs=tolerance)
    assert ours.gains == pytest.approx(theirs.gains, abs=tolerance)
