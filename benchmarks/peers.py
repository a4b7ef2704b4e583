"""Compare infoset with OpenSpiel, LiteEFG, noregret and pygambit, and write the tables of the docs.

    python benchmarks/peers.py                          # measure and print
    python benchmarks/peers.py --write                  # also update results, tables and figures
    python benchmarks/peers.py --quick --games kuhn leduc
    python benchmarks/peers.py --write --games kuhn     # update only the results of this game
    python benchmarks/peers.py --write --tables         # use the saved results

The peers are installed into a separate environment, in the user's cache or in the folder given by
`--cache`. If a peer cannot be installed, its column shows the reason. Each peer runs in its own
process, one game at a time, on one core. Iterations alternate with ours. Our times to a target come
from the results of method_times.py, so run that first. The games are the same on both sides: the
peer reads a file written by infoset, or its own game is compared with our sequence form. Every
answer of a peer is measured by our best response.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from comparison.environment import PeerEnvironment, default_folder
from comparison.figures import draw_iterations, draw_targets, save
from comparison.forms import GameFiles
from comparison.games import GAMES, choose
from comparison.iterations import iteration_table, measure_iterations
from comparison.ours import TARGETS, build
from comparison.peers import PEERS
from comparison.targets import measure_targets, target_table
from report import DOCS, environment, environment_text, replace_part, table

RESULTS = Path(__file__).parent / "results"
PAGE = DOCS / "benchmarks.md"
TITLES = {game.name: game.title for game in GAMES}
OURS = ("auto", "lp", "cfr+", "dcfr", "pcfr+", "sapdcfr+")
"""Our methods in the tables of times."""
DRAWN = 1e-6
"""Target in the figure."""
SECONDS, QUICK_SECONDS = 10.0, 1.0

Results = dict[str, Any]


def main() -> None:
    """Measure, print, and update results and pages if requested."""
    arguments = parse_arguments()
    found = load_results() if arguments.tables else measure(arguments)
    if arguments.write and arguments.games:
        found = joined(load_results(), found)
    parts = tables(found)
    for name, part in parts.items():
        print(f"\n{name}\n\n{part}")
    if arguments.write:
        write(found, parts)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=[], help=", ".join(TITLES))
    parser.add_argument(
        "--seconds", type=float, help=f"time limit of a run (default: {SECONDS:.0f})"
    )
    parser.add_argument("--quick", action="store_true", help="few rounds with short runs")
    parser.add_argument(
        "--cache", type=Path, default=default_folder(), help="folder of the peers' environment"
    )
    parser.add_argument("--write", action="store_true", help="save results and update the page")
    parser.add_argument(
        "--tables", action="store_true", help="use the saved results without measuring"
    )
    arguments = parser.parse_args()
    if arguments.seconds is None:
        arguments.seconds = QUICK_SECONDS if arguments.quick else SECONDS
    if arguments.write and arguments.quick:
        parser.error("--write does not save quick measurements: leave out --quick")
    return arguments


def measure(arguments: argparse.Namespace) -> Results:
    """Install the peers, and measure the games one after the other."""
    peers = PeerEnvironment(arguments.cache)
    for peer in PEERS:
        peers.install(peer.requirement)
    iterations, targets = [], []
    for game in choose(arguments.games):
        sys.stderr.write(f"{game.title}\n")
        with TemporaryDirectory() as folder:
            files = GameFiles(build(game.spec), Path(folder))
            if game.times_iterations:
                iterations.append(measure_iterations(game, files, peers, arguments.quick))
            targets.append(measure_targets(game, files, peers, arguments.seconds))
    return {
        "environment": environment(),
        "peers": {peer.name: version(peer.requirement, peers) for peer in PEERS},
        "seconds": arguments.seconds,
        "iterations": iterations,
        "targets": targets,
    }


def version(requirement: str, peers: PeerEnvironment) -> str:
    """Return the version of a peer, or the reason for its absence."""
    return peers.missing.get(requirement) or requirement.partition("==")[2]


def load_results() -> Results:
    """Return the saved results."""
    found: Results = json.loads((RESULTS / "peers.json").read_text(encoding="utf-8"))
    return found


def joined(kept: Results, found: Results) -> Results:
    """Return the saved results updated with new ones.

    Raises
    ------
    SystemExit
        If they were measured on another machine, with other versions, or with another time limit.
    """
    for name in ("environment", "peers", "seconds"):
        if kept[name] != found[name]:
            sys.exit(f"other {name} than in the saved results: measure all games, without --games")
    return found | {part: by_game(kept[part], found[part]) for part in ("iterations", "targets")}


def by_game(*parts: Sequence[Results]) -> list[Results]:
    """Return the last result of each game, in the order of the games."""
    last = {result["game"]: result for part in parts for result in part}
    return [last[name] for name in TITLES if name in last]


def tables(found: Results) -> dict[str, str]:
    """Return the parts of the page, by name."""
    parts = {"both sides": sides(found)}
    if found["iterations"]:
        parts["iterations"] = iteration_table(found["iterations"], TITLES)
    targets = with_ours(found["targets"])
    for target in TARGETS:
        parts[f"time to {target:g}"] = target_table(targets, TITLES, target)
    return parts


def with_ours(targets: Sequence[Results]) -> list[Results]:
    """Return results with our times, as saved by method_times.py, before those of the peers."""
    kept: Results = json.loads((RESULTS / "method_times.json").read_text(encoding="utf-8"))
    builds = {game["game"]: game["build"] for game in kept["games"]}
    rows = {(row["game"], row["method"]): row for row in kept["rows"]}
    found = []
    for result in targets:
        name = result["game"]
        ours = {method: as_solver(rows[name, method], builds[name]) for method in OURS}
        found.append(result | {"build": builds[name], "solvers": ours | result["solvers"]})
    return found


def as_solver(row: Results, building: float) -> Results:
    """Convert one of our results to the format of a peer's result."""
    if "failure" in row:
        return row
    seconds = {f"{target:g}": row[f"{target:g}"] for target in TARGETS}
    return {"build": building, "seconds": seconds, "spent": row["spent"], "gap": row["gap"]}


def sides(found: Results) -> str:
    """Return the machine, the versions, and each peer's definition of an iteration."""
    rows = [
        [peer.name, found["peers"][peer.name], peer.method, peer.iteration or "none"]
        for peer in PEERS
    ]
    return (
        f"{environment_text(found['environment'])}\n\n"
        f"{table(['peer', 'version', 'what it runs', 'an iteration'], rows)}\n\n"
        f"The time limit of a peer's run is {found['seconds']:g} seconds."
    )


def write(found: Results, parts: dict[str, str]) -> None:
    """Save the results, and update tables and figures in the docs."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "peers.json").write_text(f"{json.dumps(found, indent=1)}\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    for name, part in parts.items():
        page = replace_part(page, f"peers.py: {name}", part)
    PAGE.write_text(page, encoding="utf-8")
    images, targets = DOCS / "images", with_ours(found["targets"])
    save(draw_iterations(found["iterations"], TITLES), images / "benchmarks-iterations.svg")
    save(draw_targets(targets, TITLES, DRAWN), images / "benchmarks-targets.svg")


if __name__ == "__main__":
    main()
