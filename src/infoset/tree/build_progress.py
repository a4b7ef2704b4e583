"""How far building a game has come, for callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["BuildPoint", "BuildProgress", "BuildReport", "BuildStage", "ignore_report"]

BuildStage: TypeAlias = Literal["world graph", "histories", "payoffs", "cfr+", "security levels"]
"""The rules are called for each world state; histories get their infostates; payoffs are summed.
`solve_team` adds two stages: agents learn for themselves; and security levels are computed."""


class BuildPoint(NamedTuple):
    """How far a stage of building a game has come.

    Attributes
    ----------
    stage : str
        `world graph`, `histories` or `payoffs`; of `solve_team` also `cfr+` or `security levels`.
    done : int
        World states found, histories numbered, terminal histories whose payoffs are summed, or
        security levels computed.
    total : int or None
        The number at the end; None if it is unknown, as that of world states.
    seconds : float
        Time since the stage began.
    """

    stage: BuildStage
    done: int
    total: int | None
    seconds: float


BuildProgress: TypeAlias = Callable[[BuildPoint], None]
"""A callback that is called several times while a game is built."""

BuildReport: TypeAlias = Callable[[BuildStage, int, int], None]
"""What a stage calls between operations on arrays: its name, what is done, and the total."""


def ignore_report(stage: BuildStage, done: int, total: int) -> None:
    """Do nothing with a report."""
