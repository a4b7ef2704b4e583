"""Alternate runs in one process: each run has a thread, and one of them works at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from infoset.evaluation import Evaluation
from infoset.policy import TabularPolicy
from infoset.runs import Budget, JointGaps, Outcome
from infoset.runs.result import UNMEASURED

SLICES: Final = 20
"""Number of turns in which a run uses up its seconds, if every turn can end in time."""

MIN_SLICE: Final = 0.02
"""Minimum seconds of processor time of a turn."""


def _processor_seconds() -> float:
    """Return the processor time of this process.

    Kernels are compiled before the first turn; the library measures compilation by another clock,
    which cannot be subtracted.
    """
    return time.process_time()


class Baton:
    """Passes the right to work between runs, in a fixed order.

    Parameters
    ----------
    announce : callable
        Called with the number of a run when its turn begins.
    """

    def __init__(self, num_runs: int, announce: Callable[[int], object]) -> None:
        self._waiting = list(range(num_runs))
        self._changed = threading.Condition()
        self._announce = announce

    def take(self, number: int) -> None:
        """Wait until it is the turn of a run."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting[0] == number)
            self._announce(number)

    def hand_on(self, number: int, *, is_last: bool = False) -> None:
        """End the turn of a run; after its last turn it is left out."""
        with self._changed:
            self._waiting.remove(number)
            if not is_last:
                self._waiting.append(number)
            self._changed.notify_all()


@dataclass
class Turn:
    """The right of one run to work, and the processor time that it has used."""

    baton: Baton
    number: int
    """Number of the run."""
    slice_seconds: float
    """Processor time of one turn."""
    used: float = 0.0
    """Processor time of earlier turns, in seconds."""
    _began: float = 0.0

    def begin(self) -> None:
        """Wait for the first turn."""
        self.baton.take(self.number)
        self._began = _processor_seconds()

    @property
    def seconds(self) -> float:
        """Processor time of the run so far; only valid in its own turn."""
        return self.used + _processor_seconds() - self._began

    def offer(self) -> None:
        """Let others work, if this turn has taken long enough."""
        taken = _processor_seconds() - self._began
        if taken < self.slice_seconds:
            return
        self.used += taken
        self.baton.hand_on(self.number)
        self.begin()  # returns when all others have had a turn

    def end(self) -> None:
        """End the last turn."""
        self.used = self.seconds
        self.baton.hand_on(self.number, is_last=True)


@dataclass
class TurnBudget(Budget):
    """A budget whose clock is the processor time of one run, and that lets other runs work."""

    turn: Turn | None = None
    """The turns of the run; None for a budget outside of a race."""
    hand_over: Callable[[int, TabularPolicy], object] | None = None
    """Called with the iteration and the policy of measurements, each time the iterations have grown
    by a tenth. Those of which only numbers are recorded are left out."""
    _policy: TabularPolicy | None = None
    _next: int = 0

    def __post_init__(self) -> None:
        """Keep the policies of methods of the library, which pass them before they record."""
        super().__post_init__()
        self.policy_callback = self._keep

    def _keep(self, policy: object) -> None:
        self._policy = policy if isinstance(policy, TabularPolicy) else None

    @property
    def elapsed(self) -> float:
        """Seconds of processor time of this run."""
        return super().elapsed if self.turn is None else self.turn.seconds

    @property
    def is_over(self) -> bool:
        """Whether the run has used up its seconds; other runs may work before the answer."""
        if self.turn is not None:
            self.turn.offer()
        return super().is_over

    def record(
        self,
        iteration: int,
        measured: Evaluation | TabularPolicy,
        joint: JointGaps = UNMEASURED,
        goal: Callable[[], float] | None = None,
    ) -> Outcome | None:
        """Add a measurement to the trace, hand its policy over, and return the reason to stop."""
        policy, self._policy = self._policy, None
        if isinstance(measured, TabularPolicy):
            policy = measured
        outcome = super().record(iteration, measured, joint, goal)
        if policy is not None and self.hand_over is not None and iteration >= self._next:
            self.hand_over(iteration, policy)
            self._next = iteration + max(1, iteration // 10)
        return outcome


def alternate(
    works: Sequence[Callable[[Turn], None]],
    slice_seconds: float,
    announce: Callable[[int], object],
) -> None:
    """Run functions alternately, each in its own thread; they must not raise.

    Parameters
    ----------
    works
        Functions of their turn, which call `Turn.offer` where others may work.
    slice_seconds
        Seconds of processor time of one turn.
    announce : callable
        Called with the number of the function when a turn begins.
    """
    baton = Baton(len(works), announce)

    def work(number: int, function: Callable[[Turn], None]) -> None:
        turn = Turn(baton, number, max(MIN_SLICE, slice_seconds))
        turn.begin()
        try:
            function(turn)
        finally:
            turn.end()

    threads = [
        threading.Thread(target=work, args=(number, function), daemon=True)
        for number, function in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
