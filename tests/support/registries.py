"""Registrations that are undone after a test."""

from __future__ import annotations

from infoset.games import GAMES
from infoset.learning import LEARNERS
from infoset.search import SEARCHERS
from infoset.solvers import METHODS

__all__ = ["undo_registrations"]


def undo_registrations(monkeypatch) -> None:
    """Restore the tables of names after the test of a `monkeypatch` fixture."""
    for registry in (GAMES, LEARNERS, METHODS, SEARCHERS):
        for table in ("_entries", "_names"):
            monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
