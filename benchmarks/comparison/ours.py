"""Measurements of infoset: building a game, and running a method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from statistics import median
from typing import Any

from report import timed

import infoset
from infoset.errors import NumericalError, UnsupportedGameError
from infoset.evaluation import evaluate_plans
from infoset.forms import SequenceForm
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import SolveResult, TracePoint
from infoset.tree import GameTree, build_world_graph, unroll

__all__ = ["TARGETS", "Result", "build", "build_seconds", "first_times", "gap_after", "our_run"]

Result = dict[str, Any]

TARGETS = (1e-4, 1e-6, 1e-8)
PROGRAMS = frozenset({"lp", "lp-ipm", "lp-refined"})
PATIENCE = 0.25
"""Fraction of the time limit after which a run that is still far from equilibrium is stopped."""

QUICK = 2.0
REPEATS = 3
MOST_WORLDS = 10_000_000
BUILD_SECONDS = 600.0


def build(spec: str) -> GameTree:
    """Build the tree and the sequence form of a game, without size limits."""
    graph = build_world_graph(infoset.load(spec), max_worlds=MOST_WORLDS, max_seconds=BUILD_SECONDS)
    tree = unroll(graph)
    _ = tree.sequence_form
    return tree


def build_seconds(spec: str) -> tuple[GameTree, float]:
    """Return a game and its building time, which is a median of several times if it is short."""
    tree, seconds = timed(lambda: build(spec))
    times = [seconds]
    while times[0] < QUICK and len(times) < REPEATS:
        times.append(timed(lambda: build(spec))[1])
    return tree, median(times)


def gap_of(point: TracePoint) -> float:
    """Return exploitability, or NashConv if that is not defined."""
    return point.nash_conv if point.exploitability is None else point.exploitability


def gap_after(form: SequenceForm, iterations: int, averages_next: bool) -> float:
    """Return the exploitability (or NashConv) of CFR+ after some iterations.

    Parameters
    ----------
    form : SequenceForm
    iterations : int
    averages_next : bool
        Whether the policies after each update are averaged, as in some peers.
    """
    scheme = replace(SCHEMES["cfr+"], averages_next=averages_next)
    minimizer = RegretMinimizer(form, scheme)
    minimizer.run(iterations)
    measured = evaluate_plans(form, minimizer.average_plans())
    return measured.nash_conv if measured.exploitability is None else measured.exploitability


def our_run(tree: GameTree, method: str, building: float, limit: float, far: float = inf) -> Result:
    """Time a method to all targets, without compilation and including its measurements.

    `auto`, whose choice depends on the target, runs once per target. Other methods run once.

    Parameters
    ----------
    tree : GameTree
    method : str
    building : float
        Seconds to build the tree.
    limit : float
        Time limit of a run in seconds.
    far : float
        A run with a higher exploitability after a quarter of its time is stopped.

    Returns
    -------
    dict
        The `failure`, or: `build`; `seconds` to each of `TARGETS` without building, None if the
        target was not reached in `spent` seconds; `gap`, the final exploitability; `iterations`;
        `methods`, the method chosen for each target.
    """
    goals = TARGETS if method == "auto" else TARGETS[-1:]
    try:
        if method not in PROGRAMS:
            infoset.solve(tree, method, iterations=1)
        results = {goal: solve(tree, method, limit, goal, far) for goal in goals}
    except UnsupportedGameError:
        return {"failure": "2 players only"}
    except NumericalError:
        return {"failure": "breaks down"}
    last = results[TARGETS[-1]]
    if last.outcome == "failed":
        return {"failure": last.outcome}
    by_target = {named(target): results.get(target, last) for target in TARGETS}
    return {
        "build": building,
        "seconds": {
            target: first_times(points_within(result, limit))[target]
            for target, result in by_target.items()
        },
        "spent": last.seconds,
        "gap": gap_of(last.trace[-1]),
        "iterations": last.iterations,
        "methods": {target: result.method for target, result in by_target.items()},
    }


def solve(tree: GameTree, method: str, limit: float, target: float, far: float) -> SolveResult:
    """Run a method until it reaches the target or its time limit, or is stopped as too slow."""

    def is_enough(point: TracePoint) -> bool:
        is_late = point.seconds > PATIENCE * limit
        return gap_of(point) <= target or (is_late and gap_of(point) > far)

    goal = target if tree.sequence_form.is_two_player_constant_sum else None
    return infoset.solve(tree, method, target=goal, seconds=limit, callback=is_enough)


def points_within(result: SolveResult, limit: float) -> list[tuple[float, float]]:
    """Return the seconds and exploitability of the measurements within the time limit."""
    return [(point.seconds, gap_of(point)) for point in result.trace if point.seconds <= limit]


def first_times(points: Iterable[tuple[float, float]]) -> dict[str, float | None]:
    """Return the first time at which each target was reached.

    Parameters
    ----------
    points : Iterable[tuple[float, float]]
        Seconds and exploitability, in order of time.
    """
    known = list(points)
    return {
        named(target): next((seconds for seconds, gap in known if gap <= target), None)
        for target in TARGETS
    }


def named(target: float) -> str:
    """Return the name of a target in the results."""
    return f"{target:g}"
