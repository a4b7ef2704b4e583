"""A learner as data: its name, its parameters, and what it may know of the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Protocol, TypeAlias, runtime_checkable

from infoset.learning.self_play import SelfPlay
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import TreeSize
from infoset.learning.update_rule import UpdateRule
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray, IntArray

__all__ = ["Knowledge", "LearnerSpec", "OnlineLearnerSpec", "Presets", "TreeFunction"]

Presets: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Named sets of parameters: by preset, the fields of a spec that it changes."""

TreeFunction: TypeAlias = Callable[[Infostates, IntArray], FloatArray]
"""Computes an array from a tree: from its infostates and their depths [I]."""


class Knowledge(Enum):
    """What a learner may know of the game before it plays.

    Examples
    --------
    >>> Knowledge.OWN_TREE.value
    'its own infostate tree'
    """

    NOTHING = "nothing"
    """Infostates are discovered in play."""

    OWN_TREE = "its own infostate tree"
    """The player's infostates and actions, but no payoffs and no probabilities."""

    SIMULATOR = "a simulator that can be reset"
    """Play can continue from any history, as often as the learner likes."""


@runtime_checkable
class LearnerSpec(Protocol):
    """A learner as data: its name, what it may know, and how it learns."""

    @property
    def name(self) -> str:
        """Name in tables, results and checkpoints."""

    @property
    def description(self) -> str:
        """One line, with the source."""

    @property
    def knowledge(self) -> Knowledge:
        """What it may know of the game."""

    @property
    def presets(self) -> Presets:
        """Named sets of parameters; without a preset, a learner is as published."""

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> SelfPlay:
        """Return self-play of this learner for all players, planned for `horizon` episodes."""


@runtime_checkable
class OnlineLearnerSpec(Protocol):
    """A learner that a user's own loop can drive, as data."""

    @property
    def name(self) -> str:
        """Name in tables, results and checkpoints."""

    @property
    def knowledge(self) -> Knowledge:
        """What it may know of the game."""

    def update_rule(self, size: TreeSize | None, horizon: int) -> UpdateRule[Any]:
        """Return the update of one player; `size` is that of its tree, where it is known."""
