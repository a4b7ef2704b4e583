"""The lines of a comparison: results, traces and folders of runs, grouped by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.learning import LearnResult
from infoset.runs import RunTrace, SolveResult, TracePoint, read_traces
from infoset.typing import FloatArray
from infoset.utils.arguments import check_type

Compared: TypeAlias = SolveResult | LearnResult | RunTrace | Sequence[TracePoint] | str | Path
"""One run, or several runs of one method, in any form that `plot_comparison` accepts."""

BANDS: Final = {"range": (0.0, 1.0), "quartiles": (0.25, 0.75)}
"""Bands around the median of several runs, as quantiles."""

MIN_SECONDS: Final = 1e-4
EXPECTED: Final = (
    "a result, a trace, or the path of a run's folder, or a list of these for several seeds"
)


EMPTY: Final = "results is empty; give at least one result, trace or path"


@dataclass(frozen=True)
class ComparedLine:
    """One line of a comparison."""

    name: str
    runs: tuple[RunTrace, ...]
    """Runs that differ in their seeds; at least one."""

    @property
    def is_mark(self) -> bool:
        """Whether each run was measured once, so that there is a mark instead of a line."""
        return all(len(run.trace) == 1 for run in self.runs)


class Curve(NamedTuple):
    """The errors of the runs of a line at common points."""

    x: FloatArray
    """[P] iterations or seconds, positive."""
    middle: FloatArray
    """[P] the error of the run, or the median over runs."""
    low: FloatArray
    high: FloatArray
    """[P] ends of the band over runs."""


def group_runs(results: object) -> list[ComparedLine]:
    """Return the lines of a comparison in the order of their names.

    Raises
    ------
    ParameterError
        If a value is neither a result, a trace nor a path, or the runs are of different games.
    ResultFileError
        If a file or folder cannot be read.
    """
    lines = _by_name(_named_runs(results))
    _check_one_game(lines)
    return _lines(lines)


def group_games(results: object) -> dict[str, list[ComparedLine]]:
    """Return the lines of each game, by its title or its name.

    Parameters
    ----------
    results : dict or list
        The argument of `group_runs` by the title of each game; or runs that record their games.

    Raises
    ------
    ParameterError, ResultFileError
        As raised by `group_runs`; or if a run of a list does not record its game.
    """
    if isinstance(results, Mapping):
        if not results:
            raise ParameterError(EMPTY)
        games: dict[str, list[ComparedLine]] = {}
        for title, own in results.items():
            with errors_about(title):
                games[str(title)] = group_runs(own)
        return games
    named: dict[str, list[tuple[str, RunTrace]]] = {}
    for name, run in _named_runs(results):
        if not run.game:
            raise ParameterError(
                f"the run {name!r} does not record its game: give its file a column game, or in "
                "Python a dict of titles and runs, such as {'Leduc poker': [...]}"
            )
        named.setdefault(run.game, []).append((name, run))
    return {game: _lines(_by_name(runs)) for game, runs in named.items()}


@contextmanager
def errors_about(game: object) -> Iterator[None]:
    """Name a game in the errors of a block."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{game}: {error}") from error


def _named_runs(results: object) -> list[tuple[str, RunTrace]]:
    """Return all runs, with the names of their lines."""
    found = [
        (run.method if name is None else name, run)
        for name, value in _entries(results)
        for run in _runs(value, name)
    ]
    if not found:
        raise ParameterError(EMPTY)
    return found


def _by_name(named: Sequence[tuple[str, RunTrace]]) -> dict[str, list[RunTrace]]:
    lines: dict[str, list[RunTrace]] = {}
    for name, run in named:
        lines.setdefault(name, []).append(run)
    return lines


def _lines(lines: Mapping[str, Sequence[RunTrace]]) -> list[ComparedLine]:
    _check_seeds(lines)
    return _with_exploitability([ComparedLine(name, tuple(runs)) for name, runs in lines.items()])


def _entries(results: object) -> list[tuple[str | None, Any]]:
    """Return pairs of a name, or None for that of the method, and a run or list of runs."""
    if isinstance(results, Mapping):
        return [*results.items()]
    if isinstance(results, SolveResult | LearnResult | RunTrace | str | Path):
        return [(None, results)]
    check_type(
        "results", results, (list, tuple), "the results of compare, or a dict of names and runs"
    )
    assert isinstance(results, Sequence)
    return [
        (entry[0], entry[1])
        if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)
        else (None, entry)
        for entry in results
    ]


def _runs(value: Any, name: str | None) -> list[RunTrace]:
    """Return the runs that a value stands for; a trace needs a name."""
    if isinstance(value, SolveResult):
        return [RunTrace.of(value)]
    if isinstance(value, RunTrace):
        return [value]
    if isinstance(value, LearnResult):
        runs = zip(value.runs, value.seeds, strict=True)
        return [replace(RunTrace.of(run), method=value.method, seed=seed) for run, seed in runs]
    if isinstance(value, str | Path):
        return _read(value, name)
    what = "a result" if name is None else f"the value of {name!r}"
    check_type(what, value, (list, tuple), EXPECTED)
    if not value:
        raise ParameterError(f"{what} is empty; give {EXPECTED}")
    if not all(isinstance(entry, TracePoint) for entry in value):
        methods = (one.method for one in value if isinstance(one, SolveResult | LearnResult))
        hint = f"give the results without a name, or call plot_games if {name!r} is a game"
        _check_one_method(name, methods, "its results are of", hint)
        return [*chain(*(_runs(entry, name) for entry in value))]
    if name is None:
        raise ParameterError(
            "a trace has no name; give a dict or pairs of names and traces, such as {'mine': trace}"
        )
    return [RunTrace(name, tuple(value))]


def _check_one_method(name: str | None, methods: Iterable[str], what: str, hint: str) -> None:
    """Raise if several runs with one name are of different methods, not of different seeds."""
    found = dict.fromkeys(methods)
    if name is not None and len(found) > 1:
        raise ParameterError(
            f"{name!r} names one line, but {what} several methods ({', '.join(found)}); {hint}"
        )


def _read(path: str | Path, name: str | None) -> list[RunTrace]:
    """Return the runs of a file or folder; a name is for the runs of one method."""
    runs = read_traces(path)
    methods = (run.method for run in runs)
    _check_one_method(name, methods, f"{path} has", "give the path without a name")
    return [*runs]


def _check_one_game(lines: Mapping[str, Sequence[RunTrace]]) -> None:
    games: dict[str, str] = {}
    for name, runs in lines.items():
        for run in runs:
            if run.game:
                games.setdefault(run.game, name)
    if len(games) > 1:
        found = ", ".join(f"{game} ({games[game]})" for game in sorted(games))
        raise ParameterError(
            f"a comparison is of one game, but these runs are of {found}; plot_games draws a panel "
            "for each game"
        )


def _check_seeds(lines: Mapping[str, Sequence[RunTrace]]) -> None:
    """Raise if a line has two different runs with one seed, which differ in something else."""
    for name, runs in lines.items():
        seeds: dict[int, RunTrace] = {}
        for run in runs:
            if run.seed is not None and seeds.setdefault(run.seed, run) != run:
                raise ParameterError(
                    f"two runs of {name!r} have the seed {run.seed} and different measurements, so "
                    "they differ in more than their seeds; give each of them a name, as in "
                    "theirs=path/to/run"
                )


def _with_exploitability(lines: list[ComparedLine]) -> list[ComparedLine]:
    """Return lines with the exploitability of all runs, if one run shows that it is defined.

    Exploitability is half of NashConv. Traces of other programs often have NashConv alone.
    """

    def known(run: RunTrace) -> bool:
        return all(point.exploitability is not None for point in run.trace)

    if not any(known(run) for line in lines for run in line.runs):
        return lines
    return [
        replace(line, runs=tuple(run if known(run) else _halved(run) for run in line.runs))
        for line in lines
    ]


def _halved(run: RunTrace) -> RunTrace:
    points = (replace(point, exploitability=point.nash_conv / 2) for point in run.trace)
    return replace(run, trace=tuple(points))


def common_error(runs: Sequence[RunTrace]) -> str:
    """Return the first error, by name, that all measurements of all runs have.

    Examples
    --------
    >>> from infoset.runs import make_trace
    >>> common_error([RunTrace("mine", tuple(make_trace([0.5])))])
    'exploitability'
    """
    points = [point.errors.keys() for run in runs for point in run.trace]
    common = [name for name in points[0] if all(name in errors for errors in points)]
    return common[0]


def line_curve(
    line: ComparedLine,
    against: str,
    *,
    error: str,
    band: str = "range",
    floor: float = 0.0,
    scale: float = 1.0,
) -> Curve | None:
    """Return the errors of a line against iterations or seconds.

    With several runs, errors between the measurements of a run are interpolated on logarithmic
    axes. The curve ends with the longest run: a run that ended earlier, such as one that reached
    its target, keeps its last error.

    Parameters
    ----------
    against
        `iterations` or `seconds`.
    error
        Name of the error in `TracePoint.errors`.
    band
        One of `BANDS`.
    floor
        Positive; smaller errors are raised to it.
    scale
        Factor of all errors.

    Returns
    -------
    Curve or None
        None if the times are unknown, or no measurement is at a positive number of iterations.
    """
    parts = [_points(run, against, error, floor) for run in line.runs]
    if not all(len(x) for x, _ in parts):
        return None
    if line.is_mark:
        # An exact method has one measurement a run: its median time, and the spread of its errors.
        x = np.array([np.median([x[0] for x, _ in parts])])
        errors = np.array([errors for _, errors in parts])
    else:
        x = np.unique(np.concatenate([x for x, _ in parts]))
        begun = x >= max(x[0] for x, _ in parts)  # before that, some runs have no error
        x = x[begun] if begun.any() else x
        errors = np.array([_interpolated(x, *part) for part in parts])
    low, middle, high = np.quantile(errors * scale, (BANDS[band][0], 0.5, BANDS[band][1]), axis=0)
    return Curve(x, middle, low, high)


def _points(run: RunTrace, against: str, error: str, floor: float) -> tuple[FloatArray, FloatArray]:
    """Return [P] the positive iterations or seconds of a run, and [P] its errors."""
    if against == "seconds":
        x = np.array([point.seconds for point in run.trace])
        x = np.maximum(x, MIN_SECONDS)  # of NaN, for unknown times, it is NaN
    else:
        x = np.array([point.iteration for point in run.trace], dtype=np.float64)
    errors = np.array([point.errors[error] for point in run.trace])
    shown = x > 0
    return x[shown], np.maximum(errors, floor)[shown]


def _interpolated(x: FloatArray, own: FloatArray, errors: FloatArray) -> FloatArray:
    """Return [P] the errors of a run at points x; they are exact at its own points."""
    # On logarithmic axes, a power law between two measurements is a straight line.
    found = np.exp(np.interp(np.log(x), np.log(own), np.log(errors)))
    # exp(log(error)) is not the error to the last bit, so own points are looked up.
    at = np.searchsorted(own, x).clip(max=len(own) - 1)
    return np.where(own[at] == x, errors[at], found)
