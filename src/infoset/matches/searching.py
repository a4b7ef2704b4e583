"""Searchers, as those who measure them see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from infoset.game import Infostate
from infoset.typing import Action, FloatArray

__all__ = ["SearchPolicy", "SupportsBatchSearch", "SupportsSearch"]


@runtime_checkable
class SupportsSearch(Protocol):
    """A player that thinks where it is asked, and may answer otherwise the next time."""

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order."""
        ...


@runtime_checkable
class SupportsBatchSearch(SupportsSearch, Protocol):
    """A searcher with a faster way to search often at one infostate."""

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the answers of as many searches."""
        ...


@dataclass(frozen=True)
class SearchPolicy:
    """The policy that searches anew whenever it is asked, by one generator.

    Attributes
    ----------
    searcher : SupportsSearch
    rng : numpy.random.Generator
    """

    searcher: SupportsSearch
    rng: np.random.Generator

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return what a search finds."""
        return self.searcher.search(infostate, self.rng)
