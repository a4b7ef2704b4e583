"""Races: a subject and reference methods on one game, run alternately in a child process."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, Final

from infoset.benchmark.child_process import ChildEnd, ChildLimits, run_in_child

__all__ = ["FAILURES", "Entrant", "Race", "RaceRun", "run_race"]

FAILURES: Final = ("failed", "late")
"""Outcomes that fail a gate."""

EXTRA_SECONDS: Final = 10.0
"""Seconds of processor time beyond its own after which a run is stopped that does not end."""


@dataclass(frozen=True)
class Entrant:
    """A method that takes part in a race, with one seed.

    Attributes
    ----------
    name : str
        Name on the score card.
    text : str
        How it is named, as in `find_subject`.
    seed : int or None
        None if it draws no random numbers.
    """

    name: str
    text: str
    seed: int | None = None


@dataclass(frozen=True)
class Race:
    """A race on one game. It is plain data, so an executor could send it to another machine.

    Attributes
    ----------
    game : str
        A registered game.
    entrants : tuple[Entrant, ...]
    seconds : float
        Seconds of processor time of each entrant.
    episodes : int
        Horizon of learners, and their maximum number of episodes.
    repeats : tuple[int, ...]
        Numbers of entrants that are also run twice for some iterations, to compare the bits. Their
        policies are kept.
    needs_tree : bool
        Whether the tree of histories is built, which learners and networks need.
    """

    game: str
    entrants: tuple[Entrant, ...]
    seconds: float
    episodes: int
    repeats: tuple[int, ...] = ()
    needs_tree: bool = False


@dataclass
class RaceRun:
    """What an entrant has done in a race.

    Attributes
    ----------
    entrant : Entrant
    points : list[tuple[int, float, float]]
        Iterations (episodes of learners), seconds of processor time, and exact exploitability in
        the game's units, of each measurement.
    outcome : str
        Why it ended, as `SolveResult.outcome`; or `not applicable`, `failed`, or `late` if it did
        not end in time.
    message : str
        Why it failed.
    is_repeatable : bool or None
        Whether two runs with the same seed gave the same bits; None if that was not tested.
    policy : bytes
        The file of the policy at the end, in Parquet; empty if it was not kept.
    """

    entrant: Entrant
    points: list[tuple[int, float, float]] = field(default_factory=list)
    outcome: str = ""
    message: str = ""
    is_repeatable: bool | None = None
    policy: bytes = b""

    @property
    def exploitability(self) -> float:
        """Exploitability at the end; infinite if nothing was measured."""
        return self.points[-1][2] if self.points else inf

    def first(self, target: float, column: int) -> float:
        """Return the iterations (column 0) or seconds (1) to reach a target; infinite if never."""
        return min((point[column] for point in self.points if point[2] <= target), default=inf)


def run_race(race: Race, limits: ChildLimits | None = None) -> tuple[RaceRun, ...]:
    """Run a race; an entrant that hangs or ends the process is left out, and the others run again.

    Parameters
    ----------
    race : Race
    limits : ChildLimits, optional
        By default, a turn may take ten seconds of processor time more than the whole run should.
    """
    limits = limits or ChildLimits(race.seconds + EXTRA_SECONDS)
    runs = [RaceRun(entrant) for entrant in race.entrants]
    while waiting := [number for number, run in enumerate(runs) if not run.outcome]:
        for number in waiting:
            runs[number] = RaceRun(race.entrants[number])
        end = run_in_child(_job(race, waiting), limits, lambda message: _note(runs, message))
        if end.reason:
            _blame(runs, waiting, end)
    return tuple(runs)


def _job(race: Race, waiting: list[int]) -> dict[str, Any]:
    rows = [
        {"number": n, "text": race.entrants[n].text, "seed": race.entrants[n].seed} for n in waiting
    ]
    numbers = {
        "seconds": race.seconds,
        "episodes": race.episodes,
        "needs_tree": race.needs_tree,
    }
    repeats = [number for number in race.repeats if number in waiting]
    chosen = {"rows": rows, "repeats": repeats, "kept": repeats}
    return {"task": "races", "game": race.game, **chosen, **numbers}


def _note(runs: list[RaceRun], message: Mapping[str, Any]) -> None:
    """Add what a message says to its run."""
    run = runs[message["run"]]
    if message["kind"] == "point":
        iteration, seconds, exploitability = message["point"]
        if exploitability is not None and isfinite(exploitability):
            run.points.append((iteration, seconds, exploitability))
    elif message["kind"] == "repeated":
        run.is_repeatable = message["is_same"]
    elif message["kind"] == "policy":
        run.policy = b64decode(message["data"])
    elif message["kind"] == "done" and not run.outcome:
        run.outcome, run.message = message["outcome"], message["message"]


def _blame(runs: list[RaceRun], waiting: list[int], end: ChildEnd) -> None:
    """Note why the process ended at the run whose turn it was, or at all if it was no turn."""
    for number in waiting if end.run is None else [end.run]:
        if not runs[number].outcome:
            runs[number].outcome = "late" if end.is_late else "failed"
            runs[number].message = end.reason
