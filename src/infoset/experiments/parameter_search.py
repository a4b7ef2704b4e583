"""The function `tune`, which searches for good parameters of a method, one cell for each run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from pathlib import Path
from typing import Any

from infoset.errors import ParameterError
from infoset.experiments.cells import CellFolder, run_cells_on
from infoset.experiments.reports import Spread
from infoset.experiments.search_ranges import ParameterValue, SearchRange, parse_range
from infoset.experiments.tuning_cells import Parameters, TuningCell, configured
from infoset.front.game_sources import load
from infoset.front.python_files import is_python_file
from infoset.learning import LearnerSpec
from infoset.runs import WorkerPool, check_workers, worker_pool
from infoset.solvers import has_seed
from infoset.utils.arguments import check_count, check_type
from infoset.utils.extras import import_extra

TRIALS_PER_BATCH = 5
"""Trials that are asked for at a time, whatever the number of workers, so that they are equal."""

FIRST_FRESH_SEED = 1_000_000
"""First of the seeds on which the best parameters are measured again."""

DEFAULT_EPISODES, DEFAULT_ITERATIONS = 100_000, 1_000


@dataclass(frozen=True)
class Trial:
    """Parameters that were tried."""

    parameters: Mapping[str, ParameterValue]
    errors: tuple[float, ...]
    """Distance from equilibrium for each seed; infinite if the numbers overflowed."""

    @property
    def error(self) -> float:
        """The mean of the errors."""
        return sum(self.errors) / len(self.errors)


@dataclass(frozen=True)
class Neighbor:
    """The best parameters with one of them changed, on the fresh seeds."""

    name: str
    value: ParameterValue
    spread: Spread


@dataclass(frozen=True)
class TuningResult:
    """What was found."""

    game: str
    method: str
    length: int
    seed: int
    trials: tuple[Trial, ...]
    """In their order."""
    best: Trial
    """The trial with the lowest mean error, which is too low by the choice of the best."""
    fresh: Spread
    """Errors of the best parameters on fresh seeds."""
    default: Spread
    """Errors of the method's own parameters on the same seeds."""
    neighbors: tuple[Neighbor, ...]
    """How much worse it gets if one parameter is changed by a tenth of its range."""
    folder: Path


def tune(
    game: str,
    method: str,
    over: Sequence[str | SearchRange],
    *,
    folder: str | Path,
    trials: int = 30,
    seeds: int = 3,
    fresh_seeds: int = 10,
    length: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    callback: Callable[[Trial], object] | None = None,
) -> TuningResult:
    """Search for parameters of a method with which it comes close to an equilibrium.

    The parameters of each trial are proposed by the tree-structured Parzen estimator of Optuna,
    five trials at a time. Each seed of a trial is a cell, which is saved in the folder, so that the
    same call resumes, and more trials continue. The best parameters are then measured again on
    seeds that the search has not seen, together with the method's own parameters and with neighbors
    of the best ones. Needs the extra `tune`.

    Parameters
    ----------
    game
        As in `load`.
    method
        A learner or a solver by name.
    over
        Parameters with their ranges, such as `rate=1e-4..1`: fields of the method or of its scheme.
        Learners with step sizes also have `rate`, their learning rate, and `exploration`, their
        implicit exploration, which is otherwise a twentieth of the rate.
    trials, seeds, fresh_seeds
        Number of trials, and of seeds 0, 1, … in each of them and afterwards. Methods without a
        seed run once.
    length
        Iterations or, for learners, episodes; by default 1,000 or 100,000.
    seed
        Seed of the search. The same seed gives the same trials, wherever they run.
    workers, executor
        As in `run_cells`.
    callback : callable, optional
        Called with each finished trial.

    Raises
    ------
    MissingExtraError
        If Optuna is not installed.
    LostWorkersError, WorkerVersionError
        As raised by `run_cells`.

    Warns
    -----
    DifferingMachinesWarning
        As issued by `run_study`.

    Examples
    --------
    >>> result = tune(
    ...     "kuhn_poker", "ixomd", ["rate=1e-3..1"], folder="runs/tune", trials=20
    ... )  # doctest: +SKIP
    >>> result.fresh.mean < result.default.mean  # doctest: +SKIP
    True
    """
    optuna = _optuna()
    ranges = _checked_ranges(method, over)
    for name, value in (("trials", trials), ("seeds", seeds), ("fresh_seeds", fresh_seeds)):
        check_count(name, value, minimum=1)
    check_count("seed", seed)
    check_workers(workers, executor)
    if is_python_file(game) and executor and not isinstance(executor, ThreadPoolExecutor):
        raise ParameterError(
            f"workers cannot import the file of {game}: put the game in a module that every worker "
            "can import, and give package.module:NAME"
        )
    load(game)
    spec = configured(method, {})
    is_random = isinstance(spec, LearnerSpec) or has_seed(spec)
    usual = DEFAULT_EPISODES if isinstance(spec, LearnerSpec) else DEFAULT_ITERATIONS
    check_count("length", usual if length is None else length, minimum=1)
    cell = partial(TuningCell, game, spec.name, length or usual)
    cells = CellFolder(folder, f"tune {game} {spec.name}")
    with worker_pool(workers or os.cpu_count() or 1, executor) as pool:
        run = _Runner(pool, cells, cell)
        numbers = range(seeds if is_random else 1)
        found = list(_searched(optuna, run, ranges, trials, numbers, seed, callback))
        best = min(found, key=lambda trial: trial.error)
        if not isfinite(best.error):
            raise ParameterError("no trial has a finite error; search over other ranges")
        fresh = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + (fresh_seeds if is_random else 1))
        changes = [
            (one.name, value)
            for one in ranges
            for value in one.neighbors(best.parameters[one.name])
        ]
        moved = [{**best.parameters, name: value} for name, value in changes]
        chosen, default, *others = map(Spread.of, run.errors([best.parameters, {}, *moved], fresh))
    cells.warn_of_machines()
    return TuningResult(
        game,
        spec.name,
        length or usual,
        seed,
        tuple(found),
        best,
        chosen,
        default,
        tuple(Neighbor(*change, spread) for change, spread in zip(changes, others, strict=True)),
        cells.path,
    )


def _optuna() -> Any:
    return import_extra("tune", "tuning")


def _checked_ranges(method: str, over: Sequence[str | SearchRange]) -> list[SearchRange]:
    """Return ranges whose bounds the method accepts."""
    check_type("over", over, (list, tuple), 'a list of ranges, such as ["rate=1e-4..1"]')
    ranges = [parse_range(one) if isinstance(one, str) else one for one in over]
    names = [one.name for one in ranges]
    if not ranges or len(set(names)) < len(names):
        raise ParameterError(
            f"over={list(over)} is empty or repeats a parameter; give at least one range, such as "
            '["rate=1e-4..1"]'
        )
    for ends in zip(*((one.choices or _ends(one))[:2] for one in ranges), strict=True):
        configured(method, dict(zip(names, ends, strict=True)))
    return ranges


def _ends(one: SearchRange) -> tuple[ParameterValue, ...]:
    return (int(one.low), int(one.high)) if one.is_integer else (one.low, one.high)


@dataclass(frozen=True)
class _Runner:
    """Runs cells for sets of parameters."""

    pool: WorkerPool
    folder: CellFolder
    cell: Callable[[int, Parameters], TuningCell]

    def errors(
        self, sets: Sequence[Mapping[str, ParameterValue]], seeds: Sequence[int]
    ) -> Iterator[tuple[float, ...]]:
        """Yield the errors of each set of parameters, one for each seed."""
        cells = [self.cell(seed, tuple(one.items())) for one in sets for seed in seeds]
        results = iter(run_cells_on(self.pool, cells, self.folder))
        for _ in sets:
            found = [next(results)["error"] for _ in seeds]
            yield tuple(inf if error is None else float(error) for error in found)


def _searched(
    optuna: Any,
    run: _Runner,
    ranges: Sequence[SearchRange],
    trials: int,
    seeds: Sequence[int],
    seed: int,
    callback: Callable[[Trial], object] | None,
) -> Iterator[Trial]:
    """Yield the trials, which are suggested and reported in batches."""
    distributions = {one.name: one.distribution(optuna) for one in ranges}
    with _quiet(optuna):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        for first in range(0, trials, TRIALS_PER_BATCH):
            # A whole batch is requested before any result of it, so timing changes no trial.
            asked = [study.ask(distributions) for _ in range(min(TRIALS_PER_BATCH, trials - first))]
            sets = [{one.name: trial.params[one.name] for one in ranges} for trial in asked]
            for trial, parameters, errors in zip(asked, sets, run.errors(sets, seeds), strict=True):
                found = Trial(parameters, errors)
                study.tell(trial, found.error)
                if callback is not None:
                    callback(found)
                yield found


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Keep Optuna from printing."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
