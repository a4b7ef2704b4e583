"""Progress and limits of building a game."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from infoset.errors import ExplorationLimitError, LimitReached
from infoset.game import Game
from infoset.tree.counting import SEARCH_INSTEAD
from infoset.tree.estimates import HistoryEstimate, estimate_histories
from infoset.tree.limits import (
    MIN_WATCHED_MEMORY,
    allowed_memory,
    build_limits,
    current_limits,
)
from infoset.tree.world_graph import WorldGraph
from infoset.utils.arguments import check_callable
from infoset.utils.text import format_bytes
from infoset.utils.watchdog import Watchdog

Built = TypeVar("Built")

GRAPH_MEMORY_FRACTION: Final = 0.75
"""Fraction of the memory allowed at which exploration stops; its arrays need the rest."""
SIZE_LIMITS: Final = ("worlds", "transitions")
"""Limits after which the number of histories is estimated."""
ESTIMATE_SECONDS: Final = 1.0
"""Limit on the time of this estimate: some rules take a millisecond for a transition."""

BuildStage: TypeAlias = Literal[
    "world graph", "histories", "payoffs", "public tree", "cfr+", "security levels"
]
"""The rules are called for each world state; histories get their infostates; payoffs are summed.
Public rules are called for each public state. `solve_team` adds two stages: agents learn
independently, and security levels are computed."""


class BuildPoint(NamedTuple):
    """The progress of a stage of building a game."""

    stage: BuildStage
    """`world graph`, `histories`, `payoffs` or `public tree`; of `solve_team` also `cfr+` or
    `security levels`."""
    done: int
    """World states found, histories numbered, terminal histories whose payoffs are summed, public
    states visited, or security levels computed."""
    total: int | None
    """The final number; None if it is unknown, as for world states."""
    seconds: float
    """Time since the stage began."""


BuildProgress: TypeAlias = Callable[[BuildPoint], None]
"""A callback that is called several times while a game is built."""

BuildReport: TypeAlias = Callable[[BuildStage, int, int], None]
"""A function that a stage calls between array operations: its name, the count done, the total."""


def ignore_report(stage: BuildStage, done: int, total: int) -> None:
    """Do nothing with a report."""


class BuildWatch(Watchdog):
    """The limits of building one game, its progress callback, and the limit that stopped it.

    The stages share the limits: the time and memory that the world graph takes are no longer
    available for the tree or the sequence form.

    Parameters
    ----------
    max_worlds, max_seconds, memory : optional
        Limits; by default those of `build_limits`.
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
        self.limits = current_limits().updated(max_worlds, max_seconds, memory)
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

    def estimate(self, game: Game) -> HistoryEstimate:
        """Estimate the number of histories quickly, within the remaining time and memory."""
        seconds = self.limits.max_seconds
        left = inf if seconds is None else max(0.0, seconds - self.elapsed)
        with build_limits(max_seconds=min(left, ESTIMATE_SECONDS), memory=self.memory_left()):
            return estimate_histories(game)

    def rest(self) -> Watchdog:
        """Return a watchdog for what is left of the time."""
        seconds = self.limits.max_seconds
        return Watchdog(None if seconds is None else max(0.0, seconds - self.elapsed))

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
        limits, name = self.limits, str(game)
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
        reason = f"{name} has at least {num_worlds:,} world states; exploring them stopped {where}."
        if self.stop == "worlds" and num_worlds <= limits.max_worlds:
            reason = (
                f"random plays show that {name} has more than {limits.max_worlds:,} world states."
            )
        if self.stop in SIZE_LIMITS:
            reason += f" It has {self.estimate(game)}."
        return ExplorationLimitError(
            f"{reason} Use smaller parameters, raise {fix} {SEARCH_INSTEAD}",
            {"world_states": num_worlds, "transitions": num_transitions},
        )
