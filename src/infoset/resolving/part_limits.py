"""Limits on the part of a search by rules: fixed numbers, or sizes that fit its time limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Final

import numpy as np

from infoset.beliefs import HistorySet, LocalPart, local_part
from infoset.beliefs.history_sets import PublicHistories, histories_around
from infoset.beliefs.history_sources import SamplingLimits, UnlistedHistoriesError
from infoset.errors import UnsupportedGameError
from infoset.game import Game, Infostate
from infoset.policy import Policy
from infoset.resolving.resolution import ITERATIONS, ResolvingSettings
from infoset.utils.clocks import OutOfTimeError, deadline, working_seconds

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

NUM_PROBES: Final = 4
"""Histories whose parts are built to see how many fit."""

MAX_ERROR: Final = 2
"""Factor by which that number may be too small."""

GROWTH: Final = 10
"""Factor by which a sample grows if none of it agrees with the observations, and by which the
planned speed shrinks after a search that ran out of time. It is also the number of histories that
are listed in place of one that is sampled."""

ENDS_PER_SECOND: Final = 10_000.0
"""Ends that are built and evaluated in a second, before it is measured."""

HISTORIES_PER_SECOND: Final = 1_000.0
"""Histories that are drawn or listed in a second, before it is measured."""

UPDATES_PER_SECOND: Final = 1e7
"""Iterations times ends that are solved in a second, before it is measured."""


@dataclass
class PartLimits:
    """The limits of one player's searches, with the speeds that earlier searches had."""

    settings: ResolvingSettings
    ends_per_second: float = ENDS_PER_SECOND
    histories_per_second: float = HISTORIES_PER_SECOND
    updates_per_second: float = UPDATES_PER_SECOND
    """The last measured speeds; see the constants of these names."""

    def drawing(self, start: float) -> Iterator[tuple[int, int, float]]:
        """Yield limits for histories, until some are found or the time for it is over.

        They are the maximum number of histories that are listed, the number that is sampled if
        there are more (0 for none), and the value of `working_seconds()` at which drawing ends.

        start : `working_seconds()` at the start of the search.
        """
        settings, seconds = self.settings, self.settings.budget.seconds
        if seconds is None:
            number = NUM_SAMPLES if settings.num_samples is None else settings.num_samples
            yield settings.max_histories or MAX_HISTORIES, number, inf
            return
        limit = settings.max_histories or LARGEST
        # Without samples, histories are listed again only if there can be more of them.
        most = settings.num_samples or (LARGEST if settings.has_samples else ceil(limit / GROWTH))
        number = max(MIN_SAMPLES, int(self.histories_per_second * seconds * DRAWING / 2))
        latest = start + LAST_DRAW * seconds
        while True:
            number = min(number, most)
            listed = min(GROWTH * number, limit)
            yield listed, number if settings.has_samples else 0, latest
            if number == most or working_seconds() >= latest:
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
        return self.end(start) - working_seconds()

    def end(self, start: float) -> float:
        """Return the value of `working_seconds()` at which a search ends; infinity if unlimited."""
        seconds = self.settings.budget.seconds
        return inf if seconds is None else start + seconds

    def draw(
        self,
        game: Game,
        infostate: Infostate,
        policies: Sequence[Policy],
        rng: np.random.Generator,
        start: float,
    ) -> PublicHistories | None:
        """Return the histories of a public state, or a sample; None if none is found in time.

        The parameters are those of `histories_around`, and `start` as in `drawing`.
        """
        for max_histories, num_samples, latest in self.drawing(start):
            began, found = working_seconds(), None
            limits = SamplingLimits(None, max_histories)
            if num_samples:
                limits = SamplingLimits(rng, max_histories, num_samples)
            try:
                with deadline(latest):
                    found = histories_around(game, infostate, policies, limits)
            except (UnsupportedGameError, UnlistedHistoriesError):
                # No sampled history agrees with the observations, or there are too many to list.
                continue
            except OutOfTimeError:
                pass
            number = num_samples if found is None else len(found)
            self.histories_per_second = number / max(working_seconds() - began, 1e-6)
            return found
        return None

    def build(
        self,
        game: Game,
        infostate: Infostate,
        histories: PublicHistories,
        rng: np.random.Generator,
        start: float,
    ) -> LocalPart | None:
        """Return the part below the histories, or below a sample of them that is small enough.

        None if even a few histories are too many, or, without sampling, all of them; or if the part
        takes too much of the time left.
        """
        max_ends, depth = self.max_ends(start), self.settings.depth

        def below(some: HistorySet) -> LocalPart | None:
            seconds = self.building_seconds(start, max_ends)
            found = local_part(game, some, depth=depth, max_ends=max_ends, max_seconds=seconds)
            if found is None:
                # The speed of a busy moment must not decide forever.
                self.ends_per_second = max(self.ends_per_second, ENDS_PER_SECOND)
            return found

        if len(histories) <= NUM_PROBES:
            return below(histories.whole())
        probe = below(histories.sample(NUM_PROBES, histories.chance_reach, infostate, rng))
        if probe is None:
            return None
        # The number of histories that fit, if all have as many ends as these.
        number = max_ends * len(probe.roots) // probe.num_ends
        if len(histories) <= MAX_ERROR * number:
            whole = below(histories.whole())
            if whole is not None:
                return whole
        weight = histories.reach
        if not self.settings.has_samples or not weight[histories.has(infostate)].any():
            return None
        while number >= NUM_PROBES:
            number = number * 9 // 10  # other histories may have more ends
            found = below(histories.sample(number, weight, infostate, rng))
            if found is not None:
                return found
        return probe

    def shrink(self, num_ends: int, begin: float) -> None:
        """Plan at a fraction of the speed after a part could not be built and valued in time."""
        self.ends_per_second = num_ends / max(working_seconds() - begin, 1e-6) / GROWTH

    def measure(self, num_ends: int, num_iterations: int, begin: float, built: float) -> None:
        """Measure the speeds of a search that began to build at one time and to solve at another.

        num_ends, num_iterations : of the part, which is solved now.
        """
        self.ends_per_second = num_ends / max(built - begin, 1e-6)
        updates = num_ends * num_iterations
        self.updates_per_second = updates / max(working_seconds() - built, 1e-6)
