"""The episode under way, as one player sees it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from infoset.errors import TrajectoryError
from infoset.learning._simulator_kernels import Paths
from infoset.typing import Action

__all__ = ["Episode", "Trajectory"]


class Trajectory(NamedTuple):
    """A player's own part of an episode: bandit feedback, and nothing besides.

    Attributes
    ----------
    steps : Sequence of pairs
        Its infostates and the actions that it took there, in order.
    utility : float
        What it got, all rewards added up, in the game's units.
    """

    steps: Sequence[tuple[Hashable, Action]]
    utility: float


class Episode:
    """What a player has done so far in an episode.

    Attributes
    ----------
    steps : list of pairs
        Its infostates and the actions that it took there, in order.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[Hashable, Action]] = []
        self._infostates: list[int] = []
        self._sequences: list[int] = []

    @property
    def last_sequence(self) -> int:
        """Slot of the last own sequence; 0 for the empty one."""
        return self._sequences[-1] if self._sequences else 0

    @property
    def paths(self) -> Paths:
        """The steps as kernels read them."""
        return Paths(
            np.array([len(self._sequences)], np.int32),
            np.array([self._infostates], np.int32),
            np.array([self._sequences], np.int32),
            np.zeros((1, len(self._sequences) + 1)),
        )

    def add(self, infostate: Hashable, action: Action, number: int, sequence: int) -> None:
        """Add a step."""
        self.steps.append((infostate, action))
        self._infostates.append(number)
        self._sequences.append(sequence)

    def check(self, steps: Sequence[tuple[Hashable, Action]]) -> None:
        """Raise unless steps are those of this episode, in order.

        Raises
        ------
        TrajectoryError
            If they are not.
        """
        told = list(steps)
        if told == self.steps:
            return
        both = min(len(told), len(self.steps))
        at = next((k for k in range(both) if told[k] != self.steps[k]), both)
        raise TrajectoryError(
            f"step {at + 1} of the trajectory is {_step(told, at)}, and act took "
            f"{_step(self.steps, at)}: a learner learns from the actions that it has drawn itself, "
            "all of them, in the order in which act was asked for them"
        )


def _step(steps: Sequence[object], at: int) -> str:
    """Say what a step is."""
    if at >= len(steps):
        return "none"
    match steps[at]:
        case (infostate, action):
            return f"{action!r} at the infostate {infostate}"
        case other:
            return f"{other!r}, no pair of infostate and action"
