"""Time per iteration of CFR+ in infoset and its peers, measured alternately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any

from report import shown, table, timed

from comparison.environment import PeerEnvironment
from comparison.forms import GameFiles
from comparison.games import BenchmarkGame
from comparison.ours import gap_after
from comparison.peers import PEERS, Peer, PeerError, PeerRun
from infoset.forms import SequenceForm
from infoset.regret import SCHEMES, RegretMinimizer

__all__ = ["iteration_table", "measure_iterations"]

CHECKED = 5
"""Number of iterations after which both sides must have the same exploitability."""
SAME = 0.1
"""Relative tolerance. In symmetric games, rounding decides between equally good actions."""
FIRST, SETTLED = 20, 300
WARM_SECONDS = 10.0
TURN_SECONDS = 0.3
TURNS = 7
QUICK_TURNS = 2

Result = dict[str, Any]


def measure_iterations(
    game: BenchmarkGame, files: GameFiles, environment: PeerEnvironment, quick: bool
) -> Result:
    """Time our iterations and those of the peers, alternately.

    Returns
    -------
    dict
        `first` and `settled` are our seconds per iteration in iterations 2 to `FIRST` and after
        `SETTLED`. `peers` contains for each name either the `failure`, or `seconds` and the `ratio`
        to our settled time as median, minimum and maximum over the rounds.
    """
    form, turns = files.tree.sequence_form, QUICK_TURNS if quick else TURNS
    sides, peers = {"ours": warm(our_iterations(form))}, {}
    with ExitStack() as stack:
        for peer in PEERS:
            if peer.is_exact:
                continue
            try:
                run = start(peer, game, files, environment)
                stack.callback(run.close)
                sides[peer.name] = warm(run.run)
                peers[peer.name] = {}
            except PeerError as error:
                peers[peer.name] = {"failure": str(error)}
        times = take_turns(sides, turns)
    first = [our_iterations(form)(FIRST - 1) / (FIRST - 1) for _ in range(turns)]
    for name in sides.keys() & peers.keys():
        peers[name] = comparison(times[name], times["ours"])
    return {
        "game": game.name,
        "first": median(first),
        "settled": median(times["ours"]),
        "peers": peers,
    }


def start(
    peer: Peer, game: BenchmarkGame, files: GameFiles, environment: PeerEnvironment
) -> PeerRun:
    """Start a peer and check its exploitability after `CHECKED` iterations.

    Raises
    ------
    PeerError
        If the exploitability differs from ours, or the peer cannot run.
    """
    run = PeerRun(peer, game, files, environment)
    try:
        run.run(CHECKED)
        theirs = run.gap()
        ours = gap_after(files.tree.sequence_form, CHECKED, peer.averages_next)
        if abs(ours - theirs) > SAME * max(ours, theirs):
            raise PeerError(f"{theirs:.6g} after {CHECKED} iterations, not {ours:.6g}")
    except PeerError:
        run.close()
        raise
    return run


def our_iterations(form: SequenceForm) -> Callable[[int], float]:
    """Return a function that runs our iterations, from the second on, and returns their seconds."""
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
    minimizer.run(1)
    return lambda count: timed(lambda: minimizer.run(count))[1]


def warm(run: Callable[[int], float]) -> tuple[Callable[[int], float], int]:
    """Warm up a side; return the number of iterations per round."""
    done, spent, each, count = 0, 0.0, 0.0, 1
    while done < SETTLED and spent < WARM_SECONDS:
        count = min(count, SETTLED - done)
        each = run(count) / count
        done, spent = done + count, spent + each * count
        count = max(1, min(2 * count, int((WARM_SECONDS - spent) / each)))
    return run, max(1, int(TURN_SECONDS / each))


def take_turns(
    sides: dict[str, tuple[Callable[[int], float], int]], turns: int
) -> dict[str, list[float]]:
    """Return the seconds per iteration of each side in every round."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(turns):
        for name, (run, count) in sides.items():
            times[name].append(run(count) / count)
    return times


def comparison(theirs: Sequence[float], ours: Sequence[float]) -> Result:
    """Return a peer's median time, and the median, minimum and maximum of its ratio to ours."""
    ratios = [there / here for there, here in zip(theirs, ours, strict=True)]
    return {"seconds": median(theirs), "ratio": [median(ratios), min(ratios), max(ratios)]}


def iteration_table(results: Sequence[Result], titles: dict[str, str]) -> str:
    """Return the Markdown table of the results."""
    names = list(results[0]["peers"])
    header = ["game", "ours, first", "ours, settled", *(f"{n} | ratio" for n in names)]
    rows = [
        [
            titles[result["game"]],
            shown(result["first"]),
            shown(result["settled"]),
            *(cell(result["peers"][name]) for name in names),
        ]
        for result in results
    ]
    width = len(header) + len(names)
    lines = table(header, rows).splitlines()
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[2:]])


def cell(peer: Result) -> str:
    """Return the cells for the seconds and the ratio."""
    if "failure" in peer:
        return f"{peer['failure'] or 'not measured'} | –"
    middle, least, most = peer["ratio"]
    return f"{shown(peer['seconds'])} | {middle:,.0f}× ({least:,.0f}–{most:,.0f})"
