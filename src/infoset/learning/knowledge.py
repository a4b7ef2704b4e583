"""What a learner may know of the game before it plays."""

from __future__ import annotations

from enum import Enum

__all__ = ["Knowledge"]


class Knowledge(Enum):
    """What a learner is given: its type of feedback.

    Examples
    --------
    >>> Knowledge.OWN_TREE.value
    'its own infostate tree'
    """

    NOTHING = "nothing"
    """Infostates are learnt as they appear."""

    OWN_TREE = "its own infostate tree"
    """Which infostates and actions of its own there are, but no payoffs and no probabilities."""

    SIMULATOR = "a simulator that can be reset"
    """From any history, the game can be gone on with as often as it likes."""
