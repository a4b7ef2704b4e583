"""The clock that only the test moves."""

from tests.search.conftest import clock

__all__ = ["clock"]
