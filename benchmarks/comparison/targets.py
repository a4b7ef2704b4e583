"""Times of the peers to a target exploitability, including building, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from statistics import median

from report import shown, table

from comparison.environment import PeerEnvironment
from comparison.forms import GameFiles
from comparison.games import BenchmarkGame
from comparison.ours import QUICK, REPEATS, TARGETS, Result, first_times
from comparison.peers import PEERS, Peer, PeerError, PeerRun

__all__ = ["in_turns", "measure_targets", "target_table"]

GROWTH = 1.25
"""Ratio of successive iterations at which a peer's answer is measured."""
WRONG = 1e-5

Run = Callable[[], Result]


def measure_targets(
    game: BenchmarkGame, files: GameFiles, environment: PeerEnvironment, limit: float
) -> Result:
    """Time the peers on one game.

    Returns
    -------
    dict
        `histories`, `sequences` and `solvers`. The latter has for each name either the `failure`,
        or `build`, `seconds` to each of `TARGETS` without building (None if not reached in `spent`
        seconds), and `gap`, the final exploitability.
    """
    runs: dict[str, Run] = {
        peer.name: partial(peer_run, peer, game, files, environment, limit)
        for peer in PEERS
        if peer.times_targets
    }
    return {
        "game": game.name,
        "histories": files.tree.num_histories,
        "sequences": [plex.num_sequences for plex in files.tree.sequence_form.treeplexes],
        "solvers": in_turns(runs),
    }


def in_turns(runs: Mapping[str, Run]) -> dict[str, Result]:
    """Return all results; those of short runs are medians over several alternating runs."""
    found = {name: [run()] for name, run in runs.items()}
    quick = [name for name, (one,) in found.items() if one.get("spent", inf) < QUICK]
    for _ in range(REPEATS - 1):
        for name in quick:
            found[name].append(runs[name]())
    return {name: typical(results) for name, results in found.items()}


def typical(results: Sequence[Result]) -> Result:
    """Return the first of several results, with the medians of all times and the largest gap."""
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


def peer_run(
    peer: Peer,
    game: BenchmarkGame,
    files: GameFiles,
    environment: PeerEnvironment,
    limit: float,
) -> Result:
    """Time a peer to all targets, without the measurements of its answers."""
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
    }


def solve_there(run: PeerRun, limit: float) -> list[tuple[float, float]]:
    """Return the time and the exploitability of an exact peer.

    Raises
    ------
    PeerError
        If the answer is wrong or the time limit is exceeded.
    """
    seconds = run.run(1, limit)
    gap = run.gap()
    if gap > WRONG:
        raise PeerError(f"wrong: {gap:.2g}")
    return [(seconds, gap)]


def iterate_there(run: PeerRun, limit: float) -> list[tuple[float, float]]:
    """Return seconds and exploitability of a peer at increasingly distant iterations."""
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
    """Return the Markdown table of times to one target, including building."""
    names = list(results[0]["solvers"])
    rows = []
    for result in results:
        found = [result["solvers"].get(name, {"failure": "not measured"}) for name in names]
        texts = [cell(one, f"{target:g}") for one in found]
        rows.append([titles[result["game"]], shown(result["build"]), *texts])
    theirs = {peer.name for peer in PEERS}
    header = ["game", "building here", *(n if n in theirs else f"`{n}`" for n in names)]
    return table(header, rows)


def cell(result: Result, target: str) -> str:
    """Return the time to a target, including building, or the reason for its absence."""
    if "failure" in result:
        return str(result["failure"])
    seconds = result["seconds"][target]
    if seconds is None:
        return f">{shown(result['build'] + result['spent'])} ({result['gap']:.0e})"
    return shown(result["build"] + seconds)
