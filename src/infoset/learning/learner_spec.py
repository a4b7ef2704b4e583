"""Learner specs: the name, parameters and required knowledge of a learner, as data."""

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

Presets: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Maps the name of a preset to the spec fields that it changes."""

TreeFunction: TypeAlias = Callable[[Infostates, IntArray], FloatArray]
"""Computes an array over a tree from its infostates and their depths [I]."""


class Knowledge(Enum):
    """What a learner may know about the game before it plays.

    Examples
    --------
    >>> Knowledge.OWN_TREE.value
    'its own infostate tree'
    """

    NOTHING = "nothing"
    """Infostates are discovered in play."""

    OWN_TREE = "its own infostate tree"
    """The player's infostates and actions are known, but not payoffs or probabilities."""

    HISTORIES = "the history of each episode"
    """Chance outcomes and the actions of all players are observed at the end of an episode."""

    TREE = "the tree of histories"
    """All histories are known, but not chance probabilities or payoffs; that of an episode is
    observed at its end."""

    SIMULATOR = "a simulator that can be reset"
    """Play can continue from any history, as often as the learner likes."""


@runtime_checkable
class LearnerSpec(Protocol):
    """A learner as data, which can learn in self-play."""

    @property
    def name(self) -> str:
        """Name in tables, results and checkpoints."""

    @property
    def description(self) -> str:
        """One line, with the source."""

    @property
    def knowledge(self) -> Knowledge:
        """What the learner may know about the game."""

    @property
    def presets(self) -> Presets:
        """Named sets of parameters; without a preset, the published parameters are used."""

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> SelfPlay:
        """Return self-play of this learner in all positions, planned for `horizon` episodes."""


@runtime_checkable
class OnlineLearnerSpec(Protocol):
    """A learner as data, which can learn in a user's own loop."""

    @property
    def name(self) -> str:
        """Name in tables, results and checkpoints."""

    @property
    def knowledge(self) -> Knowledge:
        """What the learner may know about the game."""

    def update_rule(self, size: TreeSize | None, horizon: int) -> UpdateRule[Any]:
        """Return the update rule of one player; `size` is the size of its tree, if known."""
