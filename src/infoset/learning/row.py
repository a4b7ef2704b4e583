"""What every learner is to the rest of the library: a row of data that can be put in the seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

from infoset.learning.knowledge import Knowledge
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator

__all__ = ["LearnerSpec", "Presets"]

Presets: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By name, what of a row's fields is set otherwise."""


@runtime_checkable
class LearnerSpec(Protocol):
    """A learner as data: its name, what it may know, and how it learns."""

    @property
    def name(self) -> str:
        """What results call it."""

    @property
    def description(self) -> str:
        """One line, with the source."""

    @property
    def knowledge(self) -> Knowledge:
        """What it is given of the game."""

    @property
    def presets(self) -> Presets:
        """Settings of it that have a name; as it stands, it is as published."""

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> SelfPlay:
        """Return learners of this kind in all seats; `horizon` is the number of episodes meant."""
