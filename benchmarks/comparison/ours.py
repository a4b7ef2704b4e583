"""Our side: building a game, and running a method on it."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from report import timed

import infoset
from infoset.evaluation import evaluate_plans
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.solvers import SolveResult, TracePoint
from infoset.tree import GameTree, SequenceForm, explore, unroll

__all__ = ["build", "build_seconds", "gap_after", "gap_of", "solve"]

QUICK = 2.0
REPEATS = 3
MOST_WORLDS = 10_000_000
BUILD_SECONDS = 600.0


def build(spec: str) -> GameTree:
    """Build a game from its rules to its sequence form, whatever its size."""
    graph = explore(infoset.load(spec), max_worlds=MOST_WORLDS, max_seconds=BUILD_SECONDS)
    tree = unroll(graph)
    _ = tree.sequence_form
    return tree


def build_seconds(spec: str) -> tuple[GameTree, float]:
    """Return a game, and the time it takes to build; the median of a few where it is short."""
    tree, seconds = timed(lambda: build(spec))
    times = [seconds]
    while times[0] < QUICK and len(times) < REPEATS:
        times.append(timed(lambda: build(spec))[1])
    return tree, median(times)


def gap_of(point: TracePoint) -> float:
    """Return exploitability, or NashConv where that is not defined."""
    return point.nash_conv if point.exploitability is None else point.exploitability


def gap_after(form: SequenceForm, iterations: int, averages_next: bool) -> float:
    """Return the exploitability (else NashConv) that CFR+ has come to.

    Parameters
    ----------
    form : SequenceForm
    iterations : int
    averages_next : bool
        Whether the average takes the policies after each update, as some peers do.
    """
    scheme = replace(SCHEMES["cfr+"], averages_next=averages_next)
    minimizer = RegretMinimizer(form, scheme)
    minimizer.run(iterations)
    measured = evaluate_plans(form, minimizer.average_plans())
    return measured.nash_conv if measured.exploitability is None else measured.exploitability


def solve(tree: GameTree, method: str, limit: float, target: float) -> SolveResult:
    """Run a method until it reaches the target or its time is up."""
    return infoset.solve(tree, method, seconds=limit, callback=lambda p: gap_of(p) <= target)
