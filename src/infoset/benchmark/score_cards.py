"""Score cards: a subject on the games of a pack, compared with reference methods or anchors."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from math import exp, inf, isinf, log
from statistics import median
from typing import Any, Final, NamedTuple, TypeAlias

from infoset._version import __version__
from infoset.benchmark.child_process import ChildLimits
from infoset.benchmark.described_subjects import describe_subject
from infoset.benchmark.races import (
    FAILURES,
    TARGETS,
    Entrant,
    Race,
    RaceRun,
    first_passages,
    run_race,
)
from infoset.benchmark.subjects import Subject, find_subject
from infoset.benchmark.trials import Trial, TrialResult, run_trial
from infoset.errors import ParameterError
from infoset.games import PackEntry, load_pack
from infoset.runs.tasks import ordered_results
from infoset.runs.workers import worker_pool
from infoset.utils.arguments import check_count, check_number, check_type

REFERENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "method": ("cfr+", "dcfr", "pcfr+"),
    "network": ("cfr+",),
    "learner": ("es-mccfr", "vr-mccfr-balanced", "balanced-omd"),
}
"""The reference methods of each kind of subject. Ratios are to the first."""

ANCHORS: Final = ("uniform", "zoo:{name}", "pimc(num_worlds=10)")
"""Opponents of searchers; the policy of the zoo only where it is installed."""

RESOLUTION: Final = 1e-3
"""Seconds below which times are not distinguished."""

FORMAT: Final = "infoset score card"
FORMAT_VERSION: Final = 2

DEFAULT_EPISODES: Final = 1_000_000
DEALS: Final = 1000

Progress: TypeAlias = Callable[[str], object]
Task: TypeAlias = tuple[Race | Trial, ChildLimits | None]
Measured: TypeAlias = tuple[RaceRun, ...] | TrialResult


class Gate(NamedTuple):
    """A condition that every subject has to meet."""

    name: str
    is_passed: bool
    found: str
    """Where it failed and why, or what was tested."""


@dataclass(frozen=True)
class GameRow:
    """What was measured on one game."""

    entry: PackEntry
    payoff_width: float
    """Width of the payoff range, in the game's units."""
    runs: tuple[RaceRun, ...] = ()
    """Of the subject and the reference methods; empty for searchers."""
    trial: TrialResult | None = None
    """Of a searcher."""

    def runs_of(self, name: str) -> list[RaceRun]:
        """Return the runs of a method, one for each seed."""
        return [run for run in self.runs if run.entrant.name == name]

    def first(self, name: str, target: float, column: int) -> float:
        """Return the median over seeds of the iterations (0) or seconds (1) to reach a target.

        The target is a part of the payoff range. Infinite if half of the seeds never reached it, or
        if there are no runs.
        """
        absolute = target * self.payoff_width
        found = [run.first(absolute, column) for run in self.runs_of(name)]
        return median(found) if found else inf


class Ratio(NamedTuple):
    """The times of a method divided by those of the reference, over games and targets."""

    name: str
    """The method."""
    median: float
    """Median ratio; a target that only the reference reached counts as infinite, and one that only
    the method reached as 0."""
    geometric_mean: float
    """Over the targets that both reached; 1 if no target was reached by both."""
    num_both: int
    num_never: int
    num_reference_never: int
    num_neither: int
    """Number of pairs of game and target that both reached, that the method never reached and the
    reference did, that the reference never reached and the method did, and that neither did."""


@dataclass(frozen=True)
class ScoreCard:
    """The result of a benchmark."""

    subject: Subject
    pack: str
    seconds: float
    """Seconds of processor time of each run, or of each stage of a searcher."""
    seeds: int
    """Number of seeds."""
    rows: tuple[GameRow, ...]
    """One for each game."""

    @property
    def names(self) -> tuple[str, ...]:
        """The subject, and the reference methods."""
        return (self.subject.name, *references(self.subject))

    @property
    def reference(self) -> str:
        """The method to which ratios refer; empty for searchers."""
        return next(iter(REFERENCES.get(self.subject.kind, ())), "")

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """The gates; a subject passes the benchmark if it passes all."""
        if self.subject.kind == "searcher":
            return _searcher_gates([row.trial for row in self.rows if row.trial is not None])
        runs = [(row, run) for row in self.rows for run in row.runs_of(self.subject.name)]
        return _method_gates(runs)

    @property
    def is_passed(self) -> bool:
        """Whether the subject passes all gates."""
        return all(gate.is_passed for gate in self.gates)

    def ratios(self, column: int = 1) -> list[Ratio]:
        """Return the ratio of each method to the reference, best first.

        Parameters
        ----------
        column
            1 for seconds of processor time, 0 for iterations or episodes.
        """
        if self.subject.kind == "searcher":
            return []
        found = [self._ratio(name, column) for name in self.names]
        return sorted(found, key=lambda ratio: (ratio.median, ratio.geometric_mean))

    def _ratio(self, name: str, column: int) -> Ratio:
        floor = RESOLUTION if column == 1 else 1.0
        ratios, counts = [], dict.fromkeys(("both", "never", "reference", "neither"), 0)
        for row in self.rows:
            for target in TARGETS:
                own, other = (
                    max(floor, row.first(who, target, column)) for who in (name, self.reference)
                )
                if isinf(own) and isinf(other):
                    counts["neither"] += 1
                    continue
                kind = "never" if isinf(own) else "reference" if isinf(other) else "both"
                counts[kind] += 1
                # What only one of them reached counts in the median, but in no geometric mean.
                ratios.append({"never": inf, "reference": 0.0, "both": own / other}[kind])
        both = [log(ratio) for ratio in ratios if 0 < ratio < inf]
        mean = exp(sum(both) / len(both)) if both else 1.0
        middle = median(ratios) if ratios else inf
        return Ratio(name, middle, mean, *counts.values())

    def environment(self) -> dict[str, str]:
        """Return the versions and the machine; times of different machines mean little."""
        return {
            "infoset": __version__,
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "numba": version("numba"),
            "machine": f"{platform.system()} {platform.machine()}",
        }


def references(subject: Subject) -> tuple[str, ...]:
    """Return the names of the reference methods of a subject; the subject is not one of them."""
    found = REFERENCES.get(subject.kind, ())
    return tuple(name for name in found if name != subject.name)


def _method_gates(runs: Sequence[tuple[GameRow, RaceRun]]) -> tuple[Gate, ...]:
    failed = [(row, run) for row, run in runs if run.outcome in FAILURES]
    measured = [run for _, run in runs if run.points]
    repeated = [(row, run) for row, run in runs if run.is_repeatable is not None]
    differing = [row.entry.name for row, run in repeated if not run.is_repeatable]
    return (
        Gate(
            "every run ends with a policy of the game",
            not failed and bool(measured),
            "; ".join(f"{row.entry.name}: {run.message}" for row, run in failed)
            or (
                f"{len(measured)} runs" if measured else "it does not apply to any game of the pack"
            ),
        ),
        Gate(
            "the same seed gives the same policy",
            not differing and bool(repeated),
            f"differs in {', '.join(differing)}"
            if differing
            else f"{len(repeated)} games" + ("" if repeated else "; give more seconds"),
        ),
    )


def _searcher_gates(trials: Sequence[TrialResult]) -> tuple[Gate, ...]:
    used = [trial for trial in trials if trial.applies]
    failed = [
        f"{trial.trial.game}, {stage}: {message}"
        for trial in used
        for stage, message in trial.failures.items()
    ]
    leaks = [f"{trial.trial.game}: {trial.leak}" for trial in used if trial.leak]
    differing = [trial.trial.game for trial in used if trial.is_repeatable is False]
    plays = sum(trial.plays for trial in used)
    return (
        Gate(
            "every search ends with a distribution",
            not failed and bool(used),
            "; ".join(failed) or f"{len(used)} games",
        ),
        Gate(
            "no decision depends on hidden information",
            not leaks and plays > 0,
            "; ".join(leaks) or f"{plays} plays tested",
        ),
        Gate(
            "the same seed gives the same decision",
            not differing and bool(used),
            f"differs in {', '.join(differing)}" if differing else f"{len(used)} games",
        ),
    )


def score_subject(
    subject: str,
    *,
    pack: str = "small",
    games: Sequence[str] | None = None,
    seeds: int = 1,
    seconds: float = 1.0,
    episodes: int = DEFAULT_EPISODES,
    deals: int = DEALS,
    limits: ChildLimits | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> ScoreCard:
    """Measure a method, a learner, a network or a searcher on the games of a pack.

    For each game, the subject and the reference methods run in child processes, which are stopped
    at their limits. They run alternately, so that the machine is equally fast for all, and send
    policies. This process measures them exactly and reads their time; it does not execute the file
    of a subject.

    Parameters
    ----------
    subject
        As in `find_subject`.
    pack
        `small`, `medium` or `large`.
    games
        Names of games of the pack; by default all of them.
    seeds
        Number of runs, with seeds 0, 1, …, of methods that draw random numbers.
    seconds
        Seconds of processor time of each run; for searchers, of each stage in each game.
    episodes
        Horizon of learners, and their maximum number of episodes.
    deals
        Maximum number of deals of each match of a searcher.
    limits
        Limits on the child process; by default ten seconds beyond what each part should take.
    executor : concurrent.futures.Executor, optional
        Where the games are measured, each as one task; by default here, one after another. A file
        of the subject must exist there under the same path. Tasks that share a machine slow each
        other down, but the methods of one game equally.
    progress : callable, optional
        Called with the name of each game before its result is awaited.

    Examples
    --------
    >>> card = score_subject("pcfr+", games=["matrix_mp"], seconds=0.1)
    >>> card.is_passed, card.names
    (True, ('pcfr+', 'cfr+', 'dcfr'))
    """
    found = describe_subject(subject)
    check_count("seeds", seeds, minimum=1)
    check_number("seconds", seconds)
    if seconds == 0:
        raise ParameterError("seconds=0 leaves no time to measure; give a positive number")
    entries = chosen_games(pack, games)
    entrants = () if found.kind == "searcher" else _entrants(found, seeds)

    def task(entry: PackEntry) -> Task:
        if found.kind == "searcher":
            named = [anchor.format(name=entry.name) for anchor in ANCHORS]
            anchors = [one for one in named if entry.in_wheel or not one.startswith("zoo:")]
            return Trial(entry.game, subject, tuple(anchors), seconds, deals), limits
        race = Race(entry.game, entrants, seconds, episodes, (0,), found.kind != "method")
        return race, limits

    rows = []
    with _results(map(task, entries), executor) as results:
        for entry in entries:
            if progress is not None:
                progress(entry.name)
            rows.append(_row(entry, next(results)))
    return ScoreCard(found, pack, seconds, seeds, tuple(rows))


@contextmanager
def _results(tasks: Iterable[Task], executor: Executor | None) -> Iterator[Iterator[Measured]]:
    """Provide the results of tasks, in order, which are done here or by an executor."""
    if executor is None:
        yield (_measured(task, None) for task in tasks)
        return
    with worker_pool(1, executor) as pool:
        yield ordered_results(_measured, tasks, pool)


def _measured(task: Task, interrupt: object) -> Measured:
    """Run a task, which ends at its own limits."""
    asked, limits = task
    return run_trial(asked, limits) if isinstance(asked, Trial) else run_race(asked, limits)


def _row(entry: PackEntry, result: Measured) -> GameRow:
    width = payoff_width(entry)
    if isinstance(result, TrialResult):
        return GameRow(entry, width, trial=result)
    return GameRow(entry, width, runs=result)


def chosen_games(pack: str, games: Sequence[str] | None) -> list[PackEntry]:
    """Return the games of a pack with some names, or all of them."""
    entries = load_pack(pack)
    if games is None:
        return [*entries]
    check_type("games", games, (list, tuple), "a list of names, such as ['kuhn_poker']")
    names = [entry.name for entry in entries]
    for name in games:
        if name not in names:
            raise ParameterError(
                f"the pack {pack} has no game {name!r}; its games are {', '.join(names)}"
            )
    return [entry for entry in entries if entry.name in games]


def payoff_width(entry: PackEntry) -> float:
    """Return the width of the payoff range of a game."""
    from infoset.front import build_sequence_form

    return float(build_sequence_form(entry.game).payoff_width)


def _entrants(subject: Subject, seeds: int) -> tuple[Entrant, ...]:
    """Return the subject and the reference methods, once with each seed if they draw numbers."""
    found: list[Entrant] = []
    for one in (subject, *map(find_subject, references(subject))):
        numbers: Sequence[int | None] = range(seeds) if one.is_random else (None,)
        found += [Entrant(one.name, one.text, seed) for seed in numbers]
    return tuple(found)


def card_facts(card: ScoreCard) -> dict[str, Any]:
    """Return a score card as JSON values; targets that were never reached are None."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "subject": card.subject.text,
        "name": card.subject.name,
        "kind": card.subject.kind,
        "pack": card.pack,
        "seconds": card.seconds,
        "seeds": card.seeds,
        "passed": card.is_passed,
        "gates": [gate._asdict() for gate in card.gates],
        "ratios": {
            unit: [_finite(ratio._asdict()) for ratio in card.ratios(column)]
            for column, unit in ((1, "seconds"), (0, "iterations"))
        },
        "games": [_row_facts(row) for row in card.rows],
        "environment": card.environment(),
    }


def _finite(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values in which infinity, which JSON does not have, is None."""
    return {key: None if value == inf else value for key, value in values.items()}


def _row_facts(row: GameRow) -> dict[str, Any]:
    about = {
        "name": row.entry.name,
        "game": row.entry.game,
        "fingerprint": row.entry.fingerprint,
        "payoff_width": row.payoff_width,
    }
    if row.trial is not None:
        facts = {key: value for key, value in vars(row.trial).items() if key != "trial"}
        policy = facts.pop("policy")
        return {**about, "trial": {**facts, "sha256": policy and policy.digest}}
    return {**about, "runs": [_run_facts(row, run) for run in row.runs]}


def _run_facts(row: GameRow, run: RaceRun) -> dict[str, Any]:
    def reached(column: int) -> dict[str, Any]:
        return _finite(
            {f"{target:g}": run.first(target * row.payoff_width, column) for target in TARGETS}
        )

    return {
        "name": run.entrant.name,
        "seed": run.entrant.seed,
        "outcome": run.outcome,
        "message": run.message,
        "is_repeatable": run.is_repeatable,
        "exploitability": run.exploitability if run.points else None,
        "seconds_before": run.seconds_before,
        "seconds_to": reached(1),
        "iterations_to": reached(0),
        "points": [list(point) for point in run.points],
        "policies": [
            {"point": place, "sha256": run.policies[place].digest}
            for place in first_passages(run.points, row.payoff_width)
            if place in run.policies
        ],
    }
