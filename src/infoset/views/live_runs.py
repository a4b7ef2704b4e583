"""Runs that a page watches: the latest measurement, and the policy at a chosen public state."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from infoset.errors import InfosetError, describe_exception
from infoset.front import ComparedMethod, prepare_comparison
from infoset.front.seed_runs import DEFAULT_EPISODES, LearnerMethod
from infoset.policy import TabularPolicy
from infoset.runs import Budget, SolveResult, TracePoint
from infoset.solvers import MethodSpec, run_method
from infoset.views.hand_grids import HandGridView, view_acting_hands
from infoset.views.places import Places
from infoset.views.state_views import view_probabilities

SECONDS_BETWEEN_POINTS: Final = 0.1
"""Minimum time between two measurements: a run that is watched waits, so that all of them show."""
MAX_SECONDS: Final = 3600.0


@dataclass(frozen=True)
class LivePoint:
    """A measurement of a run, and its policy at the public state that is watched."""

    method: str
    iteration: int
    seconds: float
    """Time since the run began, including waiting."""
    nash_conv: float
    probabilities: dict[str, tuple[float, ...]]
    """[A] action probabilities at the acting infostates of the public state, by `player.infostate`;
    at most 60 of each player. Players with hands of two cards are omitted."""
    hands: tuple[HandGridView, ...]
    """The hands of the players who act at the public state, if they hold two cards."""
    outcome: str
    """Why the run has ended; empty while it runs."""


class LiveRun:
    """A run of a method in its own thread. It measures at most ten times a second.

    Only the newest measurement and policy are stored, so the memory of a run is bounded even if it
    is read slowly.

    Parameters
    ----------
    places
        A game tree or public form with any policy. The method runs on its game.
    method
        A method or learner, as `infoset.compare` accepts it.
    state
        The public state that is watched; `state` can be changed at any time.
    seconds
        Time limit; by default one hour.

    Raises
    ------
    InfosetError
        As raised by `prepare_comparison`.

    Examples
    --------
    >>> import infoset
    >>> from infoset.policy import uniform_policy
    >>> from infoset.views import PublicPlaces
    >>> form = infoset.build_public_form("leduc_poker")
    >>> run = LiveRun(PublicPlaces(form, uniform_policy(form)), "cfr+", seconds=0.2)
    >>> run.start()
    >>> run.wait()
    >>> run.newest().nash_conv < 4
    True
    """

    def __init__(
        self,
        places: Places,
        method: ComparedMethod,
        state: int = 0,
        *,
        seconds: float | None = None,
    ) -> None:
        (self._form, _), (entry,) = prepare_comparison(places.game, [method])
        assert not isinstance(entry, SolveResult)
        self._entry: MethodSpec = entry
        self._places = places
        self.num_states = places.num_places
        self.state = state
        self.name = entry.name
        self.policy: TabularPolicy | None = None
        self.outcome = ""
        self.error = ""
        self._point: TracePoint | None = None
        self._last = -SECONDS_BETWEEN_POINTS
        self._interrupt = threading.Event()
        self._budget = Budget(
            # The step sizes of learners are planned for a number of episodes.
            iterations=DEFAULT_EPISODES if isinstance(entry, LearnerMethod) else None,
            seconds=MAX_SECONDS if seconds is None else seconds,
            callback=self._record,
            policy_callback=self._keep,
            interrupt=self._interrupt,
        )
        self._thread = threading.Thread(target=self._run, name=f"run of {entry.name}", daemon=True)

    def start(self) -> None:
        """Begin the run."""
        self._thread.start()

    def stop(self) -> None:
        """End the run at the next opportunity, without waiting for it."""
        self._interrupt.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the run has ended, or for a time in seconds."""
        self._thread.join(seconds)

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return bool(self.outcome)

    def newest(self) -> LivePoint | None:
        """Return the newest measurement; None before the first."""
        # The outcome is read first: if it is known, point and policy are the last ones.
        outcome, point, policy = self.outcome, self._point, self.policy
        if point is None or policy is None:
            return None
        places = self._places.with_policy(policy)
        hands = view_acting_hands(places, self.state)
        return LivePoint(
            method=self.name,
            iteration=point.iteration,
            seconds=point.seconds,
            nash_conv=max(0.0, point.nash_conv),
            probabilities={} if hands else view_probabilities(places, self.state),
            hands=hands,
            outcome=outcome,
        )

    def _keep(self, policy: TabularPolicy) -> None:
        self.policy = policy

    def _record(self, point: TracePoint) -> None:
        """Keep a measurement, and wait until the next one is due."""
        self._point = point
        del self._budget.trace[:-1]  # a run without end must not fill the memory
        left = self._last + SECONDS_BETWEEN_POINTS - time.monotonic()
        if left > 0:
            self._interrupt.wait(left)
        self._last = time.monotonic()

    def _run(self) -> None:
        try:
            result = run_method(self._entry, self._form, self._budget)
            # Exact methods measure nothing before their end.
            self.policy, self._point = result.policy, result.trace[-1]
            self.outcome = result.outcome
        except InfosetError as error:
            self.error, self.outcome = str(error), "failed"
        except Exception as error:  # the page reports it; the thread has nobody else to tell
            self.error, self.outcome = describe_exception(error), "failed"
