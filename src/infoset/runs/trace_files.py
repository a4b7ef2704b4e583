"""Traces as tables: their columns, and reading them back from files and folders of runs."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from typing import Any, Final

from infoset.errors import ResultFileError, show
from infoset.runs.result import SolveResult, TracePoint
from infoset.utils.arguments import check_path
from infoset.utils.files import open_at_once
from infoset.utils.json_fields import read_json, typed_fields
from infoset.utils.paths import no_such_path
from infoset.utils.text import shortened

TRACE_FILES: Final = ("trace.csv", "traces.csv")
RECORD_FILES: Final = ("result.json", "results.json")
"""Names of a trace in the folder of a run and of a comparison, and of the files next to them."""

COUNTS: Final = ("iteration", "episode")
ERRORS: Final = ("nash_conv", "exploitability", "cce_gap", "efce_gap")
GIVE = "give the folder of a run, such as runs/leduc_poker-dcfr, or its trace.csv"
MAX_FOLDERS_SHOWN = 5


@dataclass(frozen=True)
class RunTrace:
    """The measurements of one run with what a chart needs to know about the run."""

    method: str
    """Name of the method."""
    trace: tuple[TracePoint, ...]
    """At least one measurement."""
    game: str = ""
    """Name of the game; empty if it is unknown."""
    seed: int | None = None
    """Random seed of the run; None if it has none."""
    payoff_width: float | None = None
    """Largest difference between two utilities of the same player, in the game's units; None if it
    is unknown."""
    rounding: float = 0.0
    """Bound on the rounding error of the measurements; 0 if it is unknown."""

    @classmethod
    def of(cls, result: SolveResult) -> RunTrace:
        """Return the measurements of a result."""
        return cls(
            method=result.method,
            trace=result.trace,
            game=result.game,
            seed=result.seed,
            payoff_width=result.policy.form.payoff_width,
            rounding=result.measured.rounding,
        )


def trace_rows(result: SolveResult) -> Iterator[list[object]]:
    """Yield the column names of a trace, then one row for each measurement.

    The gaps of joint play have columns if the method measures them. Numbers that are unknown are
    empty.
    """
    last = result.trace[-1]
    gaps = [name for name in ("cce_gap", "efce_gap") if getattr(last, name) is not None]
    errors = ["nash_conv", "exploitability", *gaps]
    players = range(len(result.values))
    yield ["iteration", "seconds", *(f"value_{player}" for player in players), *errors]
    for point in result.trace:
        seconds = point.seconds if isfinite(point.seconds) else None
        values = point.values or (None for _ in players)
        yield [point.iteration, seconds, *values, *(getattr(point, name) for name in errors)]


def read_trace(path: str | Path) -> tuple[TracePoint, ...]:
    """Read the measurements of one run, as in `SolveResult.trace`.

    Parameters
    ----------
    path
        The folder of a run, its `trace.csv`, or a CSV file of another program; see `read_traces`.

    Raises
    ------
    ResultFileError
        If the trace does not exist, or the file has the traces of several runs.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.experiments import save_run
    >>> result = solve("kuhn_poker", "cfr+", iterations=100)
    >>> read_trace(save_run(result, "first")) == result.trace
    True
    """
    runs = read_traces(path)
    if len(runs) > 1:
        names = ", ".join(dict.fromkeys(run.method for run in runs))
        raise ResultFileError(
            f"{path} has the traces of {len(runs)} runs ({names}); read them with read_traces"
        )
    return runs[0].trace


def read_traces(path: str | Path) -> tuple[RunTrace, ...]:
    """Read the measurements of all runs in a folder of results or in a CSV file.

    The first line of the file has the names of the columns. `exploitability` or `nash_conv` is
    needed, and `iteration` (or `episode`) or `seconds`. `method` and `seed` distinguish several
    runs, and `game` names the game; other columns are `value_0`, `value_1`, ..., `cce_gap` and
    `efce_gap`.

    Parameters
    ----------
    path
        A folder that `save_run`, `save_learning`, `save_training` or `save_comparison` wrote, the
        `trace.csv` or `traces.csv` in it, or a CSV file of another program.

    Raises
    ------
    ResultFileError
        If the file does not exist, a column is missing, or an entry is not a number.
    """
    check_path("path", path)
    file = _trace_file(Path(path))
    records = _records(file)
    default = file.parent.resolve().name if file.name in TRACE_FILES else file.stem
    runs: dict[tuple[str, int | None], list[TracePoint]] = {}
    games: dict[str, str] = {}
    for line, row in _rows(file):
        place = f"line {line} of {file}"
        seed = _count(row, "seed", place) if row.get("seed") else None
        method = row.get("method") or ("" if len(records) != 1 else next(iter(records)))
        games.setdefault(method or default, row.get("game", ""))
        points = runs.setdefault((method or default, seed), [])
        points.append(_point(row, len(points) + 1, place))
    if not runs:
        raise ResultFileError(f"{file} has no measurements; {GIVE}")
    return tuple(
        RunTrace(
            method=method,
            trace=tuple(points),
            game=str(records.get(method, {}).get("game") or games.get(method) or ""),
            seed=seed,
            payoff_width=_number_of(records.get(method, {}), "payoff_width"),
            rounding=_number_of(records.get(method, {}), "rounding") or 0.0,
        )
        for (method, seed), points in runs.items()
    )


def _trace_file(path: Path) -> Path:
    """Return the file with the traces of a folder, or the file itself."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise ResultFileError(no_such_path(path, GIVE))
    found = [path / name for name in TRACE_FILES if (path / name).is_file()]
    if found:
        return found[0]
    inside = sorted(str(file.parent) for name in TRACE_FILES for file in path.glob(f"*/{name}"))
    if inside:
        shown = " ".join(inside[:MAX_FOLDERS_SHOWN]) + " ..." * (len(inside) > MAX_FOLDERS_SHOWN)
        raise ResultFileError(
            f"the folder {path} has no trace.csv, but folders in it do; give these: {shown}"
        )
    raise ResultFileError(
        f"the folder {path} has no trace.csv or traces.csv, which infoset solve, learn, train and "
        f"compare save; {GIVE}"
    )


def _records(file: Path) -> dict[str, Mapping[str, Any]]:
    """Return the content of the results file next to a trace, by method; empty if there is none."""
    if file.name not in TRACE_FILES:
        return {}
    found = [file.with_name(name) for name in RECORD_FILES if file.with_name(name).is_file()]
    if not found:
        return {}
    try:
        whole = read_json(found[0])
        results = whole["results"] if isinstance(whole, dict) and "results" in whole else [whole]
        if not isinstance(results, list):
            raise ValueError(f"results is {show(results)}, not a list")
        return {typed_fields(one, {"method": str})["method"]: one for one in results}
    except (OSError, ValueError) as error:
        raise ResultFileError(
            f"{found[0]} cannot be read ({shortened(str(error))}); the folder is damaged, so save "
            "the results again, or copy its trace to another folder"
        ) from error


def _rows(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each line and its entries by column; empty lines are skipped."""
    try:
        with open(file, encoding="utf-8-sig", newline="", opener=open_at_once) as opened:
            reader = csv.reader(opened)
            columns = [name.strip().lower() for name in next(reader, [])]
            _check_columns(columns, file)
            for entries in reader:
                if entries and len(entries) != len(columns):
                    raise ResultFileError(
                        f"line {reader.line_num} of {file} has {len(entries)} entries, but there "
                        f"are {len(columns)} columns: {', '.join(columns)}"
                    )
                if entries:
                    yield reader.line_num, dict(zip(columns, entries, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ResultFileError(
            f"{file} cannot be read as comma-separated values ({shortened(str(error))}); {GIVE}"
        ) from error


def _check_columns(columns: Sequence[str], file: Path) -> None:
    has_error = {"exploitability", "nash_conv"} & {*columns}
    if has_error and {*COUNTS, "seconds"} & {*columns}:
        return
    found = shortened(", ".join(columns)) or "none"
    remark = ""
    if any(name.startswith("payoff") for name in columns):
        remark = " (team methods measure payoffs, which plot_team draws)"
    raise ResultFileError(
        f"{file} has the columns {found}{remark}; a trace needs exploitability or nash_conv, and "
        "iteration, episode or seconds"
    )


def _point(row: Mapping[str, str], number: int, place: str) -> TracePoint:
    """Return the measurement in a row; `number` counts rows, for files without iterations."""
    counts = [name for name in COUNTS if row.get(name)]
    errors = {name: _number(row, name, place) for name in ERRORS}
    half, nash_conv = errors["exploitability"], errors["nash_conv"]
    if nash_conv is None and half is not None:
        nash_conv = 2 * half
    if nash_conv is None:
        raise ResultFileError(f"{place} has neither exploitability nor nash_conv; add one")
    seconds = _number(row, "seconds", place)
    values = [_number(row, name, place) for name in row if name.startswith("value_")]
    return TracePoint(
        iteration=_count(row, counts[0], place) if counts else number,
        seconds=nan if seconds is None else seconds,
        values=tuple(value for value in values if value is not None),
        nash_conv=nash_conv,
        exploitability=half,
        cce_gap=errors["cce_gap"],
        efce_gap=errors["efce_gap"],
    )


def _number(row: Mapping[str, str], name: str, place: str) -> float | None:
    """Return a finite number of a row; None if it is empty or there is no such column."""
    text = row.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise ResultFileError(f"{place} has {name}={show(text)}, which must be a finite number")
    return value


def _count(row: Mapping[str, str], name: str, place: str) -> int:
    """Return a whole number of a row, at least 0."""
    value = _number(row, name, place)
    if value is None or value < 0 or value != int(value):
        raise ResultFileError(
            f"{place} has {name}={show(row[name])}, which must be a whole number, at least 0"
        )
    text = row[name].strip()
    return int(text if text.isdecimal() else value)  # a float has 53 bits, a seed may have more


def _number_of(record: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a file of results; None if it is missing."""
    try:
        return float(typed_fields(record, {name: float})[name])
    except ValueError:
        return None
