"""Measurements and results that other programs computed, in the form of those of the library."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan

from infoset.errors import ParameterError, show
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.policy import TabularPolicy, check_policy
from infoset.runs.result import SolveResult, TracePoint
from infoset.utils.arguments import check_count, check_number, check_type

RELATIVE_TOLERANCE, RANGE_TOLERANCE = 0.01, 1e-6
"""Tolerances between a given and a measured error: relative, and as a part of the payoff range."""


def make_trace(
    exploitability: Sequence[float] | None = None,
    *,
    nash_conv: Sequence[float] | None = None,
    iterations: Sequence[int] | None = None,
    seconds: Sequence[float] | None = None,
) -> tuple[TracePoint, ...]:
    """Return a trace of measured errors, for `plot_comparison`, `plot_convergence`, `make_result`.

    Parameters
    ----------
    exploitability
        Exploitability at each measurement, in the game's units. NashConv is twice as large.
    nash_conv
        NashConv at each measurement, in the game's units, for games without exploitability. Give
        one of the two.
    iterations
        Iterations done at each measurement; by default 1, 2, 3, ...
    seconds
        Time at each measurement. By default it is unknown (NaN), and charts against seconds omit
        the trace.

    Examples
    --------
    >>> trace = make_trace([0.5, 0.25, 0.1], iterations=[1, 10, 100])
    >>> trace[-1].iteration, trace[-1].exploitability, trace[-1].nash_conv
    (100, 0.1, 0.2)
    """
    if (exploitability is None) == (nash_conv is None):
        raise ParameterError(
            "give either exploitability or nash_conv: one number for each measurement"
        )
    name = "nash_conv" if exploitability is None else "exploitability"
    errors = _numbers(name, exploitability if nash_conv is None else nash_conv)
    if not errors:
        raise ParameterError(f"{name} is empty; give at least one measurement")
    counts = range(1, len(errors) + 1) if iterations is None else iterations
    times = [nan] * len(errors) if seconds is None else _increasing("seconds", seconds)
    done = [int(count) for count in _increasing("iterations", counts)]
    for other, numbers in (("iterations", done), ("seconds", times)):
        if len(numbers) != len(errors):
            raise ParameterError(
                f"{name} has {len(errors)} numbers, but {other} has {len(numbers)}; give one of "
                "each for every measurement"
            )
    factor, measures_half = (1.0, False) if exploitability is None else (2.0, True)
    return tuple(
        TracePoint(count, time, (), factor * error, error if measures_half else None)
        for count, time, error in zip(done, times, errors, strict=True)
    )


def make_result(
    policy: TabularPolicy,
    *,
    method: str = "outside",
    trace: Sequence[TracePoint] = (),
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
) -> SolveResult:
    """Return the result of another program, with its policy measured by exact best responses.

    Parameters
    ----------
    policy
        The answer, such as `load_policy("mine.csv")` or `infoset.policy.tabulate(...)`.
    method
        Name in tables and charts.
    trace
        Measurements on the way, as from `make_trace`. By default, the policy is the only one.
    iterations, seconds : number, optional
        Iterations done and time taken; by default those at the end of the trace. If more iterations
        are given, the measured policy is added to the trace.
    seed
        Random seed of the run.

    Examples
    --------
    >>> from infoset import build_sequence_form, uniform_policy
    >>> result = make_result(
    ...     uniform_policy(build_sequence_form("kuhn_poker")), method="uniform"
    ... )
    >>> result.method, round(result.exploitability, 6)
    ('uniform', 0.458333)
    """
    check_policy(policy)
    check_type("method", method, str, "the name of the method in tables and charts")
    check_type("trace", trace, (list, tuple), "measurements, such as make_trace([0.5, 0.1])")
    for point in trace:
        check_type("a point of the trace", point, TracePoint, "measurements from make_trace")
    measured = evaluate_policy(policy)
    done = trace[-1].iteration if iterations is None and trace else iterations or 0
    taken = trace[-1].seconds if seconds is None and trace else seconds or 0.0
    check_count("iterations", done)
    points = tuple(trace)
    if points and done <= points[-1].iteration:
        _check_last_error(points[-1], measured, policy)
    else:
        last = TracePoint(done, taken, measured.values, measured.nash_conv, measured.exploitability)
        points += (last,)
    return SolveResult(
        game=policy.form.name,
        method=method,
        policy=policy,
        current_policy=None,
        measured=measured,
        outcome="stopped",
        iterations=done,
        seconds=taken,
        trace=points,
        seed=seed,
    )


def _numbers(name: str, values: Sequence[float] | None) -> list[float]:
    """Return numbers as floats, checked to be finite and at least 0."""
    try:
        found = [float(value) for value in values or ()] if not isinstance(values, str) else None
    except (TypeError, ValueError):
        found = None
    if found is None:
        raise ParameterError(f"{name}={show(values)} is not a sequence of numbers; give a list")
    for value in found:
        check_number(f"a number of {name}", value)
    return found


def _increasing(name: str, values: Sequence[float]) -> list[float]:
    """Return checked numbers that do not decrease."""
    found = _numbers(name, values)
    if found != sorted(found):
        raise ParameterError(f"{name} decreases; give the measurements in the order of time")
    return found


def _check_last_error(last: TracePoint, measured: Evaluation, policy: TabularPolicy) -> None:
    """Raise if the last error of a trace is not that of the policy."""
    name, given = next(iter(last.errors.items()))
    exact = measured.nash_conv if name == "NashConv" else measured.exploitability
    width = policy.form.payoff_width
    slack = RELATIVE_TOLERANCE * max(given, exact or 0.0) + measured.rounding
    slack += RANGE_TOLERANCE * width if isfinite(width) else 0.0
    if exact is None or abs(given - exact) > slack:
        found = "not defined" if exact is None else f"{exact:.6g}"
        raise ParameterError(
            f"the trace ends with {name} {given:.6g}, but that of the policy is {found} in "
            f"{policy.form.name}: the errors must be in the game's units, and the last "
            "measurement must be of this policy; if the policy is of a later iteration, give "
            "iterations="
        )
