"""Limits on the part of a search by rules: fixed numbers, or sizes that fit its time limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from infoset.resolving.resolution import ITERATIONS, ResolvingSettings
from infoset.utils.clocks import working_seconds

MAX_ENDS: Final = 5_000
MAX_HISTORIES: Final = 20_000
NUM_SAMPLES: Final = 300
"""Default limits of a search without a time limit."""

LARGEST: Final = 1_000_000
"""Ends and histories that even a long time limit does not exceed, for the sake of memory."""

MIN_ENDS: Final = 100
"""Ends that a search has in spite of its time limit."""

MIN_SAMPLES: Final = 10
"""Histories that a sample has in spite of the time limit of its search."""

MIN_SECONDS: Final = 1e-3
"""Smallest limit on the time that the rules may take for a larger part."""

DRAWING: Final = 1 / 4
"""Share of the time limit that two samples of histories are planned to take."""

LAST_DRAW: Final = 1 / 2
"""Share of the time limit after which drawing histories ends."""

BUILDING: Final = 2 / 3
"""Share of the remaining time in which a part is built and its leaves are valued. Building costs
several times as much as `ITERATIONS` iterations, but its speed varies more."""

GROWTH: Final = 10
"""Factor by which a sample grows if none of it agrees with the observations. It is also the number
of histories that are listed in place of one that is sampled."""

ENDS_PER_SECOND: Final = 10_000.0
"""Ends that are built and evaluated in a second, before it is measured."""

HISTORIES_PER_SECOND: Final = 1_000.0
"""Histories that are drawn or listed in a second, before it is measured."""

UPDATES_PER_SECOND: Final = 1e7
"""Iterations times ends that are solved in a second, before it is measured."""


class DrawingLimits(NamedTuple):
    """Limits on the histories of a public state."""

    max_histories: int
    """Maximum number of histories that are listed."""
    num_samples: int
    """Number of histories that are sampled if there are more."""
    deadline: float
    """Value of `working_seconds()` at which drawing ends; infinity for none."""


@dataclass
class PartLimits:
    """The limits of one player's searches, with the speeds that earlier searches had."""

    settings: ResolvingSettings
    ends_per_second: float = ENDS_PER_SECOND
    histories_per_second: float = HISTORIES_PER_SECOND
    updates_per_second: float = UPDATES_PER_SECOND
    """The last measured speeds; see the constants of these names."""

    def drawing(self, start: float) -> Iterator[DrawingLimits]:
        """Yield limits for histories, until some are found or the time for it is over.

        start : `working_seconds()` at the start of the search.
        """
        settings, seconds = self.settings, self.settings.budget.seconds
        if seconds is None:
            yield DrawingLimits(
                settings.max_histories or MAX_HISTORIES, settings.num_samples or NUM_SAMPLES, inf
            )
            return
        most = settings.num_samples or LARGEST
        number = max(MIN_SAMPLES, int(self.histories_per_second * seconds * DRAWING / 2))
        deadline = start + LAST_DRAW * seconds
        while True:
            number = min(number, most)
            listed = min(GROWTH * number, settings.max_histories or LARGEST)
            yield DrawingLimits(listed, number, deadline)
            if number == most or working_seconds() >= deadline:
                return
            number *= GROWTH

    def max_ends(self, start: float) -> int:
        """Return the maximum number of ends that can be built, valued and solved in time."""
        left = self.seconds_left(start)
        if left == inf:
            return self.settings.max_ends or MAX_ENDS
        iterations = self.settings.budget.number or ITERATIONS
        solved = (1 - BUILDING) * left * self.updates_per_second / iterations
        fitting = min(BUILDING * left * self.ends_per_second, solved)
        return min(self.settings.max_ends or LARGEST, max(MIN_ENDS, int(fitting)))

    def building_seconds(self, start: float, max_ends: int) -> float:
        """Return the time that the rules may take for a part; infinity for the smallest ones."""
        left = self.seconds_left(start)
        return inf if max_ends <= MIN_ENDS else max(MIN_SECONDS, BUILDING * left)

    def seconds_left(self, start: float) -> float:
        """Return the rest of the time limit; infinity without one."""
        seconds = self.settings.budget.seconds
        return inf if seconds is None else start + seconds - working_seconds()

    def forget_slow_building(self) -> None:
        """Reset the speed of building: that of a busy moment must not decide forever."""
        self.ends_per_second = max(self.ends_per_second, ENDS_PER_SECOND)
