"""How long it takes to come close to equilibrium, building included, here and there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from statistics import median
from typing import Any

from report import shown, table

import infoset
from comparison.environment import PeerEnvironment
from comparison.forms import GameFiles
from comparison.games import BenchmarkGame
from comparison.ours import QUICK, REPEATS, gap_of, solve
from comparison.peers import PEERS, Peer, PeerError, PeerRun
from infoset.tree import GameTree

__all__ = ["ROWS", "TARGETS", "measure_targets", "target_table"]

TARGETS = (1e-4, 1e-6, 1e-8)
ROWS = ("auto", "lp", "cfr+", "dcfr", "pcfr+", "sapcfr+")
EXACT = ("auto", "lp")
SHORTER = 4
"""Rows other than `auto` and `lp` have so many times less time."""
GROWTH = 1.25
"""Between the iterations at which a peer's answer is measured."""
WRONG = 1e-5

Result = dict[str, Any]
Run = Callable[[], Result]


def measure_targets(
    game: BenchmarkGame,
    files: GameFiles,
    building: float,
    environment: PeerEnvironment,
    rows: Sequence[str],
    limit: float,
) -> Result:
    """Time our methods and the peers on one game.

    Returns
    -------
    dict
        `histories`, `sequences`, `build`: our seconds; `solvers`: by name `build`, `seconds` to
        each of `TARGETS` without building, None where it was not reached in `spent` seconds,
        `gap`: where it ended, `note`; or the `failure`.
    """
    runs: dict[str, Run] = {}
    for name in rows:
        seconds = limit if name in EXACT else limit / SHORTER
        runs[name] = lambda name=name, s=seconds: our_run(files.tree, name, building, s)
    for peer in PEERS:
        if peer.times_targets:
            runs[peer.name] = lambda p=peer: peer_run(p, game, files, environment, limit)
    return {
        "game": game.name,
        "histories": files.tree.num_histories,
        "sequences": [plex.num_sequences for plex in files.tree.sequence_form.treeplexes],
        "build": building,
        "solvers": in_turns(runs),
    }


def in_turns(runs: Mapping[str, Run]) -> dict[str, Result]:
    """Return every result; those of quick runs are medians of several, taken in turns."""
    found = {name: [run()] for name, run in runs.items()}
    quick = [name for name, (one,) in found.items() if one.get("spent", inf) < QUICK]
    for _ in range(REPEATS - 1):
        for name in quick:
            found[name].append(runs[name]())
    return {name: typical(results) for name, results in found.items()}


def typical(results: Sequence[Result]) -> Result:
    """Return the first of some results of one run, with the medians of all times, the worst gap."""
    if any("failure" in result for result in results):
        return next(result for result in results if "failure" in result)
    seconds = {}
    for target in results[0]["seconds"]:
        times = [result["seconds"][target] for result in results]
        seconds[target] = None if None in times else median(times)
    return results[0] | {
        "build": median(result["build"] for result in results),
        "spent": median(result["spent"] for result in results),
        "gap": max(result["gap"] for result in results),
        "seconds": seconds,
    }


def our_run(tree: GameTree, method: str, building: float, limit: float) -> Result:
    """Return how long a method of ours takes; compiled before, measuring included."""
    if not is_for(tree, method):
        return {"failure": "2 players only"}
    if method not in EXACT[1:]:
        infoset.solve(tree, method, iterations=1)
    result = solve(tree, method, limit, TARGETS[-1])
    reached = [(point.seconds, gap_of(point)) for point in result.trace]
    if result.outcome == "failed" or not reached:
        return {"failure": result.outcome}
    return {
        "build": building,
        "seconds": first_times(reached),
        "spent": result.seconds,
        "gap": gap_of(result.trace[-1]),
        "iterations": result.iterations,
        "note": result.reason or "",
    }


def is_for(tree: GameTree, method: str) -> bool:
    """Return whether a row takes a game."""
    return method != "lp" or tree.sequence_form.is_two_player_constant_sum


def first_times(reached: Iterable[tuple[float, float]]) -> dict[str, float | None]:
    """Return by target the first time at which it was reached.

    Parameters
    ----------
    reached : Iterable[tuple[float, float]]
        Seconds and exploitability, in order.
    """
    points = list(reached)
    return {
        f"{target:g}": next((seconds for seconds, gap in points if gap <= target), None)
        for target in TARGETS
    }


def peer_run(
    peer: Peer,
    game: BenchmarkGame,
    files: GameFiles,
    environment: PeerEnvironment,
    limit: float,
) -> Result:
    """Return how long a peer takes; our measuring of its answers is not counted."""
    try:
        run = PeerRun(peer, game, files, environment)
    except PeerError as error:
        return {"failure": str(error)}
    try:
        reached = solve_there(run, limit) if peer.is_exact else iterate_there(run, limit)
    except PeerError as error:
        return {"failure": str(error)}
    finally:
        run.close()
    return {
        "build": run.build_seconds,
        "seconds": first_times(reached),
        "spent": run.seconds,
        "gap": reached[-1][1],
        "iterations": run.iterations,
        "note": "",
    }


def solve_there(run: PeerRun, limit: float) -> list[tuple[float, float]]:
    """Return when an exact peer was done, and with what exploitability.

    Raises
    ------
    PeerError
        If its answer is wrong, or it takes longer than the limit.
    """
    seconds = run.run(1, limit)
    gap = run.gap()
    if gap > WRONG:
        raise PeerError(f"wrong: {gap:.2g}")
    return [(seconds, gap)]


def iterate_there(run: PeerRun, limit: float) -> list[tuple[float, float]]:
    """Return seconds and exploitability of a peer at iterations ever further apart."""
    reached: list[tuple[float, float]] = []
    count = 1
    while run.seconds < limit:
        run.run(count)
        reached.append((run.seconds, run.gap()))
        if reached[-1][1] <= TARGETS[-1]:
            break
        each = run.seconds / run.iterations
        left = max(1, int((limit - run.seconds) / each))
        count = max(1, min(int(run.iterations * (GROWTH - 1)), left))
    return reached


def target_table(results: Sequence[Result], titles: dict[str, str], target: float) -> str:
    """Return the times to one target, building included, as a Markdown table."""
    names = list(results[0]["solvers"])
    rows = []
    for result in results:
        found = [result["solvers"].get(name, {"failure": "not measured"}) for name in names]
        texts = [cell(one, f"{target:g}") for one in found]
        rows.append([titles[result["game"]], shown(result["build"]), *texts])
    header = ["game", "building here", *(f"`{n}`" if n in ROWS else n for n in names)]
    return table(header, rows)


def cell(result: Result, target: str) -> str:
    """Return the time to a target, building included; or why there is none."""
    if "failure" in result:
        return str(result["failure"])
    seconds = result["seconds"][target]
    if seconds is None:
        return f">{shown(result['build'] + result['spent'])} ({result['gap']:.0e})"
    return shown(result["build"] + seconds)
