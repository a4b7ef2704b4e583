"""Limits on building a game: world states, transitions, memory and, optionally, time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from typing import Final

import psutil

from infoset.utils.address_space import address_space_limit
from infoset.utils.arguments import check_count, check_number

TRANSITIONS_PER_WORLD: Final = 10
MIN_MAX_TRANSITIONS: Final = 1_000_000
FREE_MEMORY_FRACTION: Final = 0.7
MIN_WATCHED_MEMORY: Final = 50_000_000
"""Growth of the process in bytes below which nothing is stopped; less is not measurable."""


@dataclass(frozen=True)
class BuildLimits:
    """Limits on building a game."""

    max_worlds: int = 2_000_000
    """Maximum number of world states. The limit on transitions is ten times this number, but at
    least a million."""
    max_seconds: float | None = None
    """Maximum time for building: exploring the world states, counting the histories, and the game
    tree or the sequence form. Compilation is not counted. None for no limit."""
    memory: int | None = None
    """Maximum memory for building, in bytes; None for 70% of what is free when it begins."""

    def __post_init__(self) -> None:
        check_count("max_worlds", self.max_worlds, minimum=1)
        if self.max_seconds is not None and self.max_seconds != inf:
            check_number("max_seconds", self.max_seconds)
        if self.memory is not None:
            check_number("memory", self.memory, minimum=1)

    @property
    def max_transitions(self) -> int:
        """Maximum number of transitions."""
        return max(MIN_MAX_TRANSITIONS, TRANSITIONS_PER_WORLD * self.max_worlds)

    def updated(
        self,
        max_worlds: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
    ) -> BuildLimits:
        """Return these limits with the given values replaced."""
        return BuildLimits(
            self.max_worlds if max_worlds is None else max_worlds,
            self.max_seconds if max_seconds is None else max_seconds,
            self.memory if memory is None else memory,
        )


DEFAULT_LIMITS: Final = BuildLimits()
_CURRENT: ContextVar[BuildLimits] = ContextVar("build_limits", default=DEFAULT_LIMITS)


@contextmanager
def build_limits(
    *,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    memory: int | None = None,
) -> Iterator[BuildLimits]:
    """Set the limits on building games for all calls inside the `with` block.

    Functions such as `solve` and `evaluate` build the game that they are given. By default they
    stop at two million world states or when the memory limit is reached, and have no time limit.

    Parameters
    ----------
    max_worlds
        Maximum number of world states. The limit on transitions is ten times this number, but at
        least a million.
    max_seconds
        Maximum time for building a game: exploring the world states, counting the
        histories, and the game tree or the sequence form. Compilation is not counted.
    memory
        Maximum memory for building a game, in bytes.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> with build_limits(max_worlds=5_000_000, max_seconds=600):
    ...     tree = build_tree(load_game("kuhn_poker"))
    """
    token = _CURRENT.set(_CURRENT.get().updated(max_worlds, max_seconds, memory))
    try:
        yield _CURRENT.get()
    finally:
        _CURRENT.reset(token)


def current_limits() -> BuildLimits:
    """Return the limits of the innermost `build_limits` block, or the default ones."""
    return _CURRENT.get()


def allowed_memory(memory: int | None) -> int:
    """Return `memory` in bytes, by default that of `build_limits`.

    Without either it is 70% of the memory that is currently free; a limit on the process's address
    space (`ulimit -v`) also applies.
    """
    if memory is None:
        memory = current_limits().memory
    if memory is None:
        return int(available_memory() * FREE_MEMORY_FRACTION)
    check_number("memory", memory, minimum=1)
    return memory


def available_memory() -> int:
    """Return the bytes that this process can still allocate.

    This is the smaller of the free memory of the machine and the unused part of the process's limit
    on address space (`ulimit -v`).
    """
    free = int(psutil.virtual_memory().available)
    limit = address_space_limit()
    if limit == inf:
        return free
    return max(1, min(free, int(limit) - psutil.Process().memory_info().vms))
