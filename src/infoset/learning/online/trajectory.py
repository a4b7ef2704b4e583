"""The trajectory of one player in an episode."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from infoset.errors import TrajectoryError
from infoset.learning._simulator_kernels import Paths
from infoset.typing import Action


class Trajectory(NamedTuple):
    """A player's own part of an episode: bandit feedback and nothing else."""

    steps: Sequence[tuple[Hashable, Action]]
    """The player's infostates and the actions taken there, in order."""
    utility: float
    """Sum of the player's rewards, in the game's units."""


class Episode:
    """A player's decisions so far in the current episode.

    Attributes
    ----------
    steps : list of pairs
        The player's infostates and the actions taken there, in order.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[Hashable, Action]] = []
        self._infostates: list[int] = []
        self._sequences: list[int] = []

    @property
    def last_sequence(self) -> int:
        """The player's last sequence; 0 is the empty sequence."""
        return self._sequences[-1] if self._sequences else 0

    @property
    def paths(self) -> Paths:
        """The decisions in the form that kernels read."""
        return Paths(
            np.array([len(self._sequences)], np.int32),
            np.array([self._infostates], np.int32),
            np.array([self._sequences], np.int32),
            np.zeros((1, len(self._sequences) + 1)),
        )

    def add(self, infostate: Hashable, action: Action, number: int, sequence: int) -> None:
        """Append a decision."""
        self.steps.append((infostate, action))
        self._infostates.append(number)
        self._sequences.append(sequence)

    def check(self, steps: Sequence[tuple[Hashable, Action]]) -> None:
        """Raise `TrajectoryError` unless `steps` are those of this episode, in order."""
        given = list(steps)
        if given == self.steps:
            return
        shared = min(len(given), len(self.steps))
        at = next((k for k in range(shared) if given[k] != self.steps[k]), shared)
        expected = _step(self.steps, at) or "no further action"
        raise TrajectoryError(
            f"step {at + 1} of the trajectory is {_step(given, at) or 'missing'}, but act() took "
            f"{expected}: pass all the actions that act() returned, in order"
        )


def _step(steps: Sequence[object], at: int) -> str:
    """Describe a step; return an empty text if there is none."""
    if at >= len(steps):
        return ""
    match steps[at]:
        case (infostate, action):
            return f"{action!r} at the infostate {infostate}"
        case other:
            return f"{other!r}, which is not a pair of infostate and action"
