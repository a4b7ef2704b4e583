"""Registrations that are undone after a test."""

from __future__ import annotations

from infoset.games import GAMES
from infoset.learning import LEARNERS
from infoset.search import SEARCHERS
from infoset.solvers import METHODS

__all__ = ["undo_registrations"]


def undo_registrations(monkeypatch, *others) -> None:
    """Restore the tables of names, and other registries, after the test of a `monkeypatch`."""
    for registry in (GAMES, LEARNERS, METHODS, SEARCHERS, *others):
        for table in ("_entries", "_names", "_spellings"):
            monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
