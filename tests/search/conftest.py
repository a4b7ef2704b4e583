"""A clock that only the test moves, for searches with a time limit."""

import pytest

MODULES = ("budget", "depth_limits", "determinization", "ismcts", "perfect_information")


class Clock:
    """Replacement of `working_seconds` that returns the seconds set by a test."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in MODULES:
        monkeypatch.setattr(f"infoset.search.{module}.working_seconds", clock)
    return clock
