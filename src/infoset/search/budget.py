"""How long a search may take, whatever it does meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from time import perf_counter

from infoset.errors import ParameterError
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["Overruns", "SearchRecord", "TimeBudget"]

SHARE_BETWEEN_LOOKS = 0.05
"""How much of the time allowed may pass between looks at the clock."""

MOST_GROWTH = 4
"""By what factor a batch may be larger than the last."""


@dataclass(frozen=True)
class TimeBudget:
    """How many of something a search makes, and how long that may take; both, if both are given.

    Attributes
    ----------
    counted : str
        What the number is called, such as `num_worlds`.
    number : int or None
        None for as many as there is time for.
    milliseconds : float or None
        None for no limit. With one, what is found depends on the speed of the machine.

    Raises
    ------
    ParameterError
        If one of them is not a positive number.
    """

    counted: str
    number: int | None
    milliseconds: float | None

    def __post_init__(self) -> None:
        if self.number is not None:
            check_count(self.counted, self.number, minimum=1)
        if self.milliseconds is not None:
            check_number("milliseconds", self.milliseconds)
            if self.milliseconds == 0:
                raise ParameterError(
                    "milliseconds=0 leaves no time; give more, or None for no limit"
                )

    @property
    def seconds(self) -> float | None:
        """The time allowed."""
        return None if self.milliseconds is None else self.milliseconds / 1000

    def settings(self) -> dict[str, float | None]:
        """Return both by name."""
        return {self.counted: self.number, "milliseconds": self.milliseconds}

    def batches(self, start: float) -> Iterator[int]:
        """Yield how many to make next, as long as there is time for more.

        They are one batch where no time is set. Otherwise batches grow until one takes a small
        share of the time.

        Parameters
        ----------
        start : float
            What `time.perf_counter` was when the search began.
        """
        most = inf if self.number is None else self.number
        if self.seconds is None:
            yield int(most)
            return
        longest = SHARE_BETWEEN_LOOKS * self.seconds
        done, batch = 0, 1
        while batch > 0:
            before = perf_counter()
            yield batch
            now = perf_counter()
            done += batch
            each = max(now - before, 1e-9) / batch
            fitting = min(start + self.seconds - now, max(longest, each)) / each
            batch = int(min(fitting, MOST_GROWTH * batch, most - done))


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchRecord:
    """What a search found, and what it took.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal ones.
    values : FloatArray
        [A] what each is worth on average, in the game's units; nan where nothing was found out.
    num_nodes : int
        Positions or infostates that were visited or looked up.
    seconds : float
        Of the search.
    allowed : float or None
        Seconds that it was to take at most.
    """

    actions: tuple[Action, ...]
    values: FloatArray
    num_nodes: int
    seconds: float
    allowed: float | None

    @property
    def overrun(self) -> float:
        """By what share of the time allowed it took longer; 0 if it did not."""
        return max(0.0, self.seconds / self.allowed - 1.0) if self.allowed else 0.0


LATE = 0.2
"""By what share of the time allowed a search may take longer, and still be in time."""


@dataclass
class Overruns:
    """How many searches had a limit of time, and how many of them took more than 20 % longer.

    Attributes
    ----------
    num_searches : int
        With a limit.
    num_late : int
    worst : float
        The longest, as a share of the time allowed that it took beyond it.
    """

    num_searches: int = 0
    num_late: int = 0
    worst: float = 0.0

    def add(self, record: SearchRecord) -> None:
        """Count a search."""
        if record.allowed is not None:
            self.num_searches += 1
            self.num_late += record.overrun > LATE
            self.worst = max(self.worst, record.overrun)

    def __str__(self) -> str:
        if not self.num_late:
            return f"none of {self.num_searches:,} searches took more than {LATE:.0%} too long"
        return (
            f"{self.num_late:,} of {self.num_searches:,} searches took more than {LATE:.0%} too "
            f"long, the longest {1 + self.worst:.2g} times what it was allowed"
        )
