"""Kernels of regret minimisation on a part of a treeplex."""

from __future__ import annotations

from infoset.kernels import kernel
from infoset.regret._kernels import realize_group, update_group
from infoset.typing import FloatArray, IndexArray


@kernel
def update_runs(
    runs: IndexArray,
    parent: IndexArray,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Do what `update_regrets` does for the infostates of some runs.

    runs [R, 5]: base, count and number of actions as of groups, first infostate, and how many of
    the group's follow on it, itself included; base is the first infostate's. Deeper runs last,
    and later infostates of a group before earlier ones.
    """
    for run in range(len(runs) - 1, -1, -1):
        base, stride, actions, infostate, size = runs[run]
        update_group(
            base,
            stride,
            actions,
            infostate,
            size,
            parent,
            row,
            limit,
            gradient,
            regret,
            policy,
            previous,
            changes,
        )


@kernel
def realize_runs(
    row: FloatArray,
    averages_next: bool,
    runs: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Do what `realize_and_average` does for the infostates of runs, below what it was done for."""
    for run in range(len(runs)):
        base, stride, actions, infostate, size = runs[run]
        realize_group(
            row,
            averages_next,
            base,
            stride,
            actions,
            infostate,
            size,
            parent,
            policy,
            plan,
            average,
        )
