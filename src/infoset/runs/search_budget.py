"""Limits on the cost of a search, and records of its actual cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from infoset.errors import ParameterError
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number
from infoset.utils.clocks import OutOfTimeError, working_seconds

__all__ = ["OutOfTimeError", "Overruns", "SearchBudget", "SearchRecord"]


CLOCK_FRACTION = 0.05
"""Target duration of a batch, as a fraction of the time limit. The clock is read between
batches."""

MAX_GROWTH = 4
"""Largest ratio of the sizes of successive batches."""


@dataclass(frozen=True)
class SearchBudget:
    """Limits of a search: a number of worlds or simulations, a time limit, or both.

    Attributes
    ----------
    unit : str
        Name of the parameter that sets the number, such as `num_worlds`.
    number : int or None
        Maximum number of worlds or simulations; None for no limit on the number.
    milliseconds : float or None
        Time limit; None for no limit. With a limit, answers depend on the speed of the machine.

    Raises
    ------
    ParameterError
        If a limit is not positive.
    """

    unit: str
    number: int | None
    milliseconds: float | None

    def __post_init__(self) -> None:
        if self.number is not None:
            check_count(self.unit, self.number, minimum=1)
        if self.milliseconds is not None:
            check_number("milliseconds", self.milliseconds)
            if self.milliseconds == 0:
                raise ParameterError(
                    "milliseconds=0 leaves no time to search; give a positive number, or None for "
                    "no time limit"
                )

    @property
    def seconds(self) -> float | None:
        """The time limit in seconds."""
        return None if self.milliseconds is None else self.milliseconds / 1000

    def settings(self) -> dict[str, float | None]:
        """Return both limits by name."""
        return {self.unit: self.number, "milliseconds": self.milliseconds}

    def batches(self, start: float) -> Iterator[int]:
        """Yield the sizes of batches until the budget is used up.

        Without a time limit there is one batch. With a time limit, batches grow until each takes
        about 5% of it.

        Parameters
        ----------
        start : float
            `working_seconds()` at the start of the search.
        """
        total = inf if self.number is None else self.number
        if self.seconds is None:
            yield int(total)
            return
        longest = CLOCK_FRACTION * self.seconds
        done, batch = 0, 1
        while batch > 0:
            before = working_seconds()
            yield batch
            now = working_seconds()
            done += batch
            each = max(now - before, 1e-9) / batch
            fitting = min(start + self.seconds - now, max(longest, each)) / each
            batch = int(min(fitting, MAX_GROWTH * batch, total - done))


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchRecord:
    """Result and cost of a search.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal actions.
    values : FloatArray
        [A] mean value of each action, in the game's units; NaN where unknown.
    num_nodes : int
        Positions or infostates visited.
    seconds : float
        Duration, without compilation.
    time_limit : float or None
        Time limit in seconds.
    compile_seconds : float
        Time to compile kernels, or to load them from disk, which does not count toward the limit.
    belief_seconds : float
        Part of `seconds` in which the worlds of the belief were found.
    preparation_seconds : float
        Time to evaluate one world before the first search of a searcher, so that its kernels are
        compiled; it does not count toward the limit either.
    model_noise : float
        Weight of uniform play in the assumed policies of the belief, as in `Belief`; 0 if they were
        used as they are, or nothing was assumed.
    """

    actions: tuple[Action, ...]
    values: FloatArray
    num_nodes: int
    seconds: float
    time_limit: float | None
    compile_seconds: float = 0.0
    belief_seconds: float = 0.0
    preparation_seconds: float = 0.0
    model_noise: float = 0.0

    @property
    def is_short(self) -> bool:
        """Whether the time limit ended the search after too few samples for a useful answer."""
        return False

    @property
    def overrun(self) -> float:
        """Time beyond the limit, as a fraction of the limit; 0 if within it."""
        return max(0.0, self.seconds / self.time_limit - 1.0) if self.time_limit else 0.0


LATE = 0.2
"""Largest overrun, as a fraction of the limit, at which a search still counts as on time."""


@dataclass
class Overruns:
    """Count of the searches with a time limit, and of those more than 20% over it.

    Attributes
    ----------
    num_searches : int
        Searches with a time limit.
    num_late : int
        Searches that took more than 20% longer than their limit.
    worst : float
        Largest overrun, as a fraction of the limit.
    """

    num_searches: int = 0
    num_late: int = 0
    worst: float = 0.0

    def add(self, record: SearchRecord) -> None:
        """Count a search."""
        if record.time_limit is not None:
            self.num_searches += 1
            self.num_late += record.overrun > LATE
            self.worst = max(self.worst, record.overrun)

    def __str__(self) -> str:
        if not self.num_late:
            return (
                f"no search out of {self.num_searches:,} exceeded its time limit by more than "
                f"{LATE:.0%}"
            )
        return (
            f"{self.num_late:,} of {self.num_searches:,} searches exceeded their time limit by "
            f"more than {LATE:.0%}; the longest took {1 + self.worst:.2g} times its limit"
        )
