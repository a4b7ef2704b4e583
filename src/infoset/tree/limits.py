"""Limits on building a game: world states, transitions, memory and, optionally, time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from typing import Final, TypeVar

from infoset.errors import ExplorationLimitError, LimitReached
from infoset.game import Game
from infoset.tree.build_progress import (
    BuildPoint,
    BuildProgress,
    BuildReport,
    BuildStage,
)
from infoset.tree.counting import SEARCH_INSTEAD, allowed_memory
from infoset.tree.estimates import estimate_histories
from infoset.tree.world_graph import WorldGraph
from infoset.utils.arguments import check_callable, check_count, check_number
from infoset.utils.text import format_bytes
from infoset.utils.watchdog import Watchdog

__all__ = ["SIZE_LIMITS", "BuildLimits", "BuildWatch", "build_limits"]

Built = TypeVar("Built")

TRANSITIONS_PER_WORLD: Final = 10
MIN_MAX_TRANSITIONS: Final = 1_000_000
GRAPH_MEMORY_FRACTION: Final = 0.75
"""Fraction of the memory allowed at which exploration stops; its arrays need the rest."""
MIN_WATCHED_MEMORY: Final = 50_000_000
"""Growth of the process in bytes below which exploration never stops; less is not measurable."""
SIZE_LIMITS: Final = ("worlds", "transitions")
"""Limits after which the number of histories is estimated."""


@dataclass(frozen=True)
class BuildLimits:
    """Limits on building a game.

    Attributes
    ----------
    max_worlds : int
        Maximum number of world states. The limit on transitions is ten times this number, but at
        least a million.
    max_seconds : float or None
        Maximum time for building: exploring the world states, counting the histories, and the game
        tree or the sequence form. Compilation is not counted. None for no limit.
    """

    max_worlds: int = 1_000_000
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        check_count("max_worlds", self.max_worlds, minimum=1)
        if self.max_seconds is not None and self.max_seconds != inf:
            check_number("max_seconds", self.max_seconds)

    @property
    def max_transitions(self) -> int:
        """Maximum number of transitions."""
        return max(MIN_MAX_TRANSITIONS, TRANSITIONS_PER_WORLD * self.max_worlds)

    def updated(self, max_worlds: int | None, max_seconds: float | None) -> BuildLimits:
        """Return these limits with the given values replaced."""
        return BuildLimits(
            self.max_worlds if max_worlds is None else max_worlds,
            self.max_seconds if max_seconds is None else max_seconds,
        )


DEFAULT_LIMITS: Final = BuildLimits()
_CURRENT: ContextVar[BuildLimits] = ContextVar("build_limits", default=DEFAULT_LIMITS)


@contextmanager
def build_limits(
    *, max_worlds: int | None = None, max_seconds: float | None = None
) -> Iterator[BuildLimits]:
    """Set the limits on building games for all calls inside the `with` block.

    Functions such as `solve` and `evaluate` build the game that they are given. By default they
    stop at a million world states or when the memory limit is reached, and have no time limit.

    Parameters
    ----------
    max_worlds : int, optional
        Maximum number of world states. The limit on transitions is ten times this number, but at
        least a million.
    max_seconds : float, optional
        Maximum time for building a game: exploring the world states, counting the
        histories, and the game tree or the sequence form. Compilation is not counted.

    Raises
    ------
    ParameterError
        If `max_worlds` is less than 1 or `max_seconds` is negative.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> with build_limits(max_worlds=5_000_000, max_seconds=600):
    ...     tree = build_tree(load_game("kuhn_poker"))
    """
    token = _CURRENT.set(_CURRENT.get().updated(max_worlds, max_seconds))
    try:
        yield _CURRENT.get()
    finally:
        _CURRENT.reset(token)


class BuildWatch(Watchdog):
    """The limits of building one game, its progress callback, and the limit that stopped it.

    The stages share the limits: the time and memory that the world graph takes are no longer
    available for the tree or the sequence form.

    Parameters
    ----------
    max_worlds, max_seconds : optional
        Limits; by default those of `build_limits`.
    memory : int, optional
        Limit in bytes; by default 70% of the free memory.
    progress : callable, optional
    """

    def __init__(
        self,
        max_worlds: int | None = None,
        max_seconds: float | None = None,
        memory: int | None = None,
        progress: BuildProgress | None = None,
    ) -> None:
        if progress is not None:
            check_callable("progress", progress, "a function of a BuildPoint")
        self.limits = _CURRENT.get().updated(max_worlds, max_seconds)
        self.allowed = allowed_memory(memory)
        self.progress = progress
        self.stage: BuildStage = "world graph"
        self.stage_began = 0.0
        self.stop: str | None = None
        watched = max(MIN_WATCHED_MEMORY, int(self.allowed * GRAPH_MEMORY_FRACTION))
        super().__init__(self.limits.max_seconds, watched)

    def allows(self, num_worlds: int, num_transitions: int) -> bool:
        """Return whether a graph of these sizes is within the limits on its size."""
        limits = self.limits
        return num_worlds <= limits.max_worlds and num_transitions <= limits.max_transitions

    def report(self, stage: BuildStage, done: int, total: int | None = None) -> None:
        """Report progress; raise `LimitReached` if the time or the memory is used up."""
        if self.progress is not None:
            if stage != self.stage:
                self.stage, self.stage_began = stage, self.elapsed
            self.progress(BuildPoint(stage, done, total, self.elapsed - self.stage_began))
        self.check()

    def stop_at(self, limit: str) -> None:
        """Stop the exploration at a limit that was reached.

        Raises
        ------
        LimitReached
            Always.
        """
        self.stop = limit
        raise LimitReached

    def memory_left(self) -> int:
        """Return the bytes left for the tree or the sequence form after the world graph."""
        grown = self.memory_growth
        return self.allowed if grown < MIN_WATCHED_MEMORY else max(1, self.allowed - grown)

    def finish(
        self, build: Callable[[WorldGraph, int, BuildReport], Built], graph: WorldGraph
    ) -> Built:
        """Return the result of `build` for a world graph, within the remaining memory and time.

        `build` receives the graph, the memory left, and a function to call between operations on
        arrays, which reports progress. Kernels are not interrupted, because compiled code cannot
        handle the exception.

        Raises
        ------
        ExplorationLimitError
            If the time is used up.
        """
        memory = self.memory_left()
        self.memory = None  # from here on, memory is forecast before it is allocated
        try:
            return build(graph, memory, self.report)
        except LimitReached:
            raise self.time_error(graph) from None

    def time_error(self, graph: WorldGraph) -> ExplorationLimitError:
        """Return the error for a game whose histories take longer than the time limit."""
        return ExplorationLimitError(
            f"{graph.game} has {graph.num_worlds:,} world states; building its histories stopped "
            f"at the time limit of {self.limits.max_seconds} s. Use smaller parameters, raise "
            f"max_seconds (--build-seconds) {SEARCH_INSTEAD}",
            {"world_states": graph.num_worlds, "transitions": graph.num_edges},
        )

    def error(self, game: Game, num_worlds: int, num_transitions: int) -> ExplorationLimitError:
        """Return the error for a game whose exploration was stopped.

        If the limit concerns the number of world states, the message estimates the number of
        histories. After the other limits, there is no time or memory left for an estimate.
        """
        limits = self.limits
        where, fix = {
            "worlds": (f"at the limit of {limits.max_worlds:,}", "max_worlds (--max-worlds)"),
            "transitions": (
                f"at the limit of {limits.max_transitions:,} transitions",
                "max_worlds (--max-worlds)",
            ),
            "memory": (f"at the memory limit of {format_bytes(self.allowed)}", "memory (--memory)"),
            "seconds": (
                f"at the time limit of {limits.max_seconds} s",
                "max_seconds (--build-seconds)",
            ),
        }[self.stop or "memory"]
        size = f"It has {estimate_histories(game)}. " if self.stop in SIZE_LIMITS else ""
        return ExplorationLimitError(
            f"{game} has at least {num_worlds:,} world states; exploring them stopped {where}. "
            f"{size}Use smaller parameters, raise {fix} {SEARCH_INSTEAD}",
            {"world_states": num_worlds, "transitions": num_transitions},
        )
