"""Races: a subject and reference methods on one game, run alternately in child processes.

The children send policies. This process, which never executes a subject, checks and measures them,
and reads the time from outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, Final, get_args

from infoset.benchmark.child_process import (
    ChildEnd,
    ChildJob,
    ChildLimits,
    run_children,
)
from infoset.benchmark.handed_policies import (
    KeptPolicy,
    keep_policy,
    message_bytes,
    unpack_policy,
)
from infoset.benchmark.method_runs import FAILED, NOT_APPLICABLE, RaceGame
from infoset.benchmark.turns import MIN_SLICE, SLICES
from infoset.errors import ParameterError, show
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm
from infoset.front.python_files import is_python_file
from infoset.policy import TabularPolicy
from infoset.runs import Outcome
from infoset.utils.text import shortened

TARGETS: Final = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""Exploitability at which times are taken, as parts of the payoff range."""

FAILURES: Final = (FAILED, "late")
"""Outcomes that fail a gate."""

OUTCOMES: Final = (*get_args(Outcome), FAILED, NOT_APPLICABLE)
"""Outcomes that a child may report."""

MAX_TEXT: Final = 500
"""Maximum number of characters of a message of a subject."""

EXTRA_SECONDS: Final = 10.0
"""Seconds of processor time beyond its own after which a run is stopped that does not end."""


@dataclass(frozen=True)
class Entrant:
    """A method that takes part in a race, with one seed."""

    name: str
    """Name on the score card."""
    text: str
    """How it is named, as in `find_subject`."""
    seed: int | None = None
    """None if it draws no random numbers."""


@dataclass(frozen=True)
class Race:
    """A race on one game. It is plain data, so an executor could send it to another machine."""

    game: str
    """A registered game."""
    entrants: tuple[Entrant, ...]
    seconds: float
    """Seconds of processor time of each entrant."""
    episodes: int
    """Horizon of learners, and their maximum number of episodes."""
    repeats: tuple[int, ...] = ()
    """Numbers of entrants that are also run twice for some iterations, to compare the bits."""
    needs_tree: bool = False
    """Whether the tree of histories is built, which learners and networks need."""


@dataclass
class RaceRun:
    """The results of an entrant in a race."""

    entrant: Entrant
    points: list[tuple[int, float, float]] = field(default_factory=list)
    """For each policy that was sent: the iterations (episodes of learners) as stated, the seconds
    of processor time until then, and its exact exploitability in the game's units."""
    outcome: str = ""
    """Why it ended, as `SolveResult.outcome`; or `not applicable`, `failed`, or `late` if it did
    not end in time."""
    message: str = ""
    """Why it failed."""
    is_repeatable: bool | None = None
    """Whether two runs with the same seed gave the same bits; None if that was not tested."""
    seconds_before: float = 0.0
    """Processor time of its process before its first turn, in which kernels are compiled."""
    policies: dict[int, KeptPolicy] = field(default_factory=dict)
    """By number of its point, the first policy that reached each target, and the last policy."""

    @property
    def exploitability(self) -> float:
        """Exploitability at the end; infinite if nothing was measured."""
        return self.points[-1][2] if self.points else inf

    @property
    def policy(self) -> bytes:
        """The file of the policy at the end, in Parquet; empty if there is none."""
        last = self.policies.get(len(self.points) - 1)
        return b"" if last is None else last.file

    def first(self, target: float, column: int) -> float:
        """Return the iterations (column 0) or seconds (1) to reach a target; infinite if never."""
        return next((point[column] for point in self.points if point[2] <= target), inf)


def first_passages(points: Sequence[tuple[int, float, float]], payoff_width: float) -> list[int]:
    """Return the numbers of the points that first reach a target, and of the last point."""
    found = {len(points) - 1}
    for target in TARGETS:
        reached = (
            number for number, point in enumerate(points) if point[2] <= target * payoff_width
        )
        found.add(next(reached, len(points) - 1))
    return sorted(found) if points else []


def run_race(race: Race, limits: ChildLimits | None = None) -> tuple[RaceRun, ...]:
    """Run a race; an entrant that hangs or ends its process is left out, and others run again.

    Every entrant of a Python file has its own process. Those of the library share one.

    Parameters
    ----------
    limits
        By default, a turn may take ten seconds of processor time more than the whole run should.
    """
    limits = limits or ChildLimits(race.seconds + EXTRA_SECONDS)
    form = RaceGame(race.game, race.needs_tree).form
    slice_seconds = max(MIN_SLICE, race.seconds / SLICES)
    runs = [RaceRun(entrant) for entrant in race.entrants]
    while waiting := [number for number, run in enumerate(runs) if not run.outcome]:
        for number in waiting:
            runs[number] = RaceRun(race.entrants[number])
        groups = _groups(race, waiting)
        receivers = [
            _Receiver({number: runs[number] for number in group}, form) for group in groups
        ]
        jobs = [_job(race, *pair, form) for pair in zip(groups, receivers, strict=True)]
        ends = run_children(jobs, limits, slice_seconds)
        for receiver, end in zip(receivers, ends, strict=True):
            receiver.blame(end)
    return tuple(runs)


def _groups(race: Race, waiting: Sequence[int]) -> list[list[int]]:
    """Return the numbers of the entrants of each process."""
    own = [[number] for number in waiting if is_python_file(race.entrants[number].text)]
    others = [number for number in waiting if [number] not in own]
    return [*own, *([others] if others else [])]


def _job(race: Race, group: list[int], receiver: _Receiver, form: SequenceForm) -> ChildJob:
    rows = [
        {"number": n, "text": race.entrants[n].text, "seed": race.entrants[n].seed} for n in group
    ]
    job = {
        "task": "races",
        "game": race.game,
        "rows": rows,
        "repeats": [number for number in race.repeats if number in group],
        "seconds": race.seconds,
        "episodes": race.episodes,
        "needs_tree": race.needs_tree,
    }
    return ChildJob(
        job,
        receiver,
        message_bytes(form),
        is_trusted=not any(is_python_file(race.entrants[number].text) for number in group),
    )


class _Receiver:
    """Adds what a child reports to its runs. Nothing but policies is believed.

    Parameters
    ----------
    runs
        By number.
    """

    def __init__(self, runs: dict[int, RaceRun], form: SequenceForm) -> None:
        self._runs = runs
        self._form = form
        self._last: dict[int, TabularPolicy] = {}

    def __call__(self, message: Mapping[str, Any], seconds: float) -> None:
        kind, number = message["kind"], message.get("run")
        if not isinstance(number, int) or number not in self._runs:
            raise ParameterError(f"its process sent a message about the unknown run {show(number)}")
        run = self._runs[number]
        if run.outcome:
            return
        if kind == "begins":
            run.seconds_before = seconds
        elif kind == "policy":
            self._measure(number, run, message, seconds)
        elif kind == "repeated":
            first, second = self._policies(message.get("policies"))
            run.is_repeatable = first.digest == second.digest
        elif kind == "done":
            self._end(number, run, message)
        else:
            raise ParameterError(f"its process sent an unknown message: {show(kind)}")

    def _measure(
        self, number: int, run: RaceRun, message: Mapping[str, Any], seconds: float
    ) -> None:
        """Measure a policy, and keep it if it is the first to reach a target."""
        iteration = message.get("iteration")
        if isinstance(iteration, bool) or not isinstance(iteration, int) or iteration < 0:
            raise ParameterError(f"it sent a policy of iteration {show(iteration)}")
        policy = unpack_policy(message.get("data"), self._form)
        found = evaluate_policy(policy).exploitability
        if found is None or not isfinite(found):
            return
        before = run.points[-1] if run.points else (0, 0.0, inf)
        # Iterations are stated by the subject: a curve that goes back is not believed.
        run.points.append((max(before[0], iteration), max(before[1], seconds), found))
        self._last[number] = policy
        place = len(run.points) - 1
        # The last point always counts as a passage, so a further one is added behind this one.
        if place in first_passages([*run.points, (0, 0.0, inf)], self._form.payoff_width):
            self._keep(run, place, policy)

    def _keep(self, run: RaceRun, place: int, policy: TabularPolicy) -> None:
        about = {
            "method": run.entrant.text,
            "iterations": run.points[place][0],
            "seed": run.entrant.seed,
        }
        run.policies[place] = keep_policy(policy, about)

    def _policies(self, data: object) -> list[TabularPolicy]:
        if not isinstance(data, list) or len(data) != 2:
            raise ParameterError("its process did not send two policies to compare")
        return [unpack_policy(one, self._form) for one in data]

    def _end(self, number: int, run: RaceRun, message: Mapping[str, Any]) -> None:
        """Note why a run ended, and keep its last policy."""
        outcome = message.get("outcome")
        if not isinstance(outcome, str) or outcome not in OUTCOMES:
            raise ParameterError(f"its process reported the unknown outcome {show(outcome)}")
        self._finish(number, outcome, shortened(str(message.get("message")), MAX_TEXT))
        if not run.points and outcome not in (FAILED, NOT_APPLICABLE):
            run.outcome, run.message = FAILED, "it sent no policy"

    def _finish(self, number: int, outcome: str, message: str) -> None:
        run = self._runs[number]
        run.outcome, run.message = outcome, message
        if run.points:
            self._keep(run, len(run.points) - 1, self._last[number])

    def blame(self, end: ChildEnd) -> None:
        """Note why the process ended at the run whose turn it was, or at all if it was no turn."""
        left = [number for number, run in self._runs.items() if not run.outcome]
        for number in [number for number in left if number == end.run and end.reason] or left:
            reason = end.reason or "its process ended without a result"
            self._finish(number, "late" if end.is_late else FAILED, reason)
