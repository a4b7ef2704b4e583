"""The report of a search for parameters: tables, and the error by parameter."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite

from infoset.experiments.parameter_search import TuningResult
from infoset.experiments.reports import Chart, Report, Spread, Table, save_report
from infoset.experiments.search_ranges import ParameterValue
from infoset.plotting import Line

MEASURED = ("error", "sd", "seeds")


def tuning_tables(result: TuningResult) -> tuple[Table, ...]:
    """Return what was found, how flat it is there, and all trials."""
    return _found(result), _flatness(result), _trials(result)


def save_tuning(result: TuningResult) -> list[str]:
    """Write the report to the folder of the search, and return the names of the files."""
    title = f"{result.method} on {result.game}, {result.length:,} iterations or episodes"
    report = Report(tuning_tables(result), tuple(_charts(result)))
    return save_report(report, result.folder, "tuning", title)


def parameters_text(parameters: Mapping[str, ParameterValue]) -> str:
    """Return parameters as text.

    Examples
    --------
    >>> parameters_text({"rate": 0.012345678, "anytime": True})
    'rate=0.01235, anytime=True'
    """
    return ", ".join(f"{name}={_text(value)}" for name, value in parameters.items())


def _text(value: ParameterValue) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _found(result: TuningResult) -> Table:
    best = parameters_text(result.best.parameters)
    rows = (
        (f"{best}, on the seeds of the search", *Spread.of(result.best.errors)),
        (f"{best}, on fresh seeds", *result.fresh),
        ("the method's own parameters, on fresh seeds", *result.default),
    )
    return Table(
        "tuning",
        "Distance from equilibrium. The error on the seeds of the search is too low, because the "
        "parameters were chosen by it.",
        ("parameters", *MEASURED),
        rows,
    )


def _flatness(result: TuningResult) -> Table:
    rows = tuple(
        (f"{one.name}={_text(one.value)}", *one.spread, one.spread.mean / result.fresh.mean)
        for one in result.neighbors
    )
    return Table(
        "flatness",
        "How flat the optimum is: the best parameters with one of them changed by a tenth of its "
        "range, on the fresh seeds. A ratio near 1 means that its value matters little there.",
        ("changed", *MEASURED, "ratio to the best"),
        rows,
    )


def _trials(result: TuningResult) -> Table:
    names = tuple(result.best.parameters)
    rows = tuple(
        (
            number,
            *(trial.parameters[name] for name in names),
            trial.error if isfinite(trial.error) else None,
        )
        for number, trial in enumerate(result.trials)
    )
    return Table("trials", "All trials, in their order.", ("trial", *names, "error"), rows)


def _charts(result: TuningResult) -> list[Chart]:
    """Return the error by the value, if one number is searched, and what has a logarithm."""
    (name, *others) = result.best.parameters
    points = sorted(
        (float(value), trial.error)
        for trial in result.trials
        if not isinstance(value := trial.parameters[name], str | bool)
        and value > 0
        and 0 < trial.error < inf
    )
    if others or len(points) < 2:
        return []
    x, y = zip(*points, strict=True)
    title = f"{result.method} on {result.game}, mean of the seeds"
    return [Chart(f"error-by-{name}", title, name, "error", (Line("trials", x, y),))]
