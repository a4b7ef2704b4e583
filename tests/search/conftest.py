"""A clock that only the test moves, for searches with a time limit."""

import pytest

MODULES = (
    "runs.searcher",
    "search.ismcts",
    "search.perfect_information",
    "search.pimc",
    "resolving.part_limits",
    "resolving.public_state_resolver",
    "resolving.continual_resolving",
    "resolving.rules_resolver",
    "utils.clocks",
)


class Clock:
    """Replacement of `working_seconds` that returns the seconds set by a test."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in MODULES:
        monkeypatch.setattr(f"infoset.{module}.working_seconds", clock)
    return clock
