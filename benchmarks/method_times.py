"""Time every method to three targets on every game, and compare `auto` with the fastest.

    python benchmarks/method_times.py                             # measure and print
    python benchmarks/method_times.py --write                     # also update results and pages
    python benchmarks/method_times.py --write --games kuhn leduc  # update only these games
    python benchmarks/method_times.py --write --methods auto lp   # update only these methods
    python benchmarks/method_times.py --write --tables            # use the saved results

One run of a method passes all three targets; `auto`, whose choice depends on the target, has one
run per target. Runs shorter than two seconds are repeated alternately, and medians are recorded.
The full benchmark takes about forty minutes on one core. Results are saved after each game.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from comparison.games import BenchmarkGame, choose
from comparison.method_tables import (
    AUTO,
    KEYS,
    TITLES,
    auto_table,
    given_table,
    ranking_table,
    times_table,
)
from comparison.ours import Result, build, build_seconds, our_run
from comparison.targets import in_turns
from report import DOCS, environment, environment_text, replace_part

from infoset.solvers import METHODS

RESULTS = Path(__file__).parent / "results" / "method_times.json"
SECONDS, LARGE_SECONDS = 3.0, 10.0
LARGE = 100_000
"""Number of histories above which the time limit is `LARGE_SECONDS`."""
FAR = 1e-2
"""A run whose exploitability is above this after a quarter of its time is stopped."""


def main() -> None:
    """Measure, print, and write the results if requested."""
    arguments = parse_arguments()
    found = kept_results(arguments)
    if not arguments.tables:
        build("kuhn_poker")  # so that compiling is not timed
        for game in choose(arguments.games):
            found = joined(found, measure(game, arguments.methods))
            if arguments.write:
                RESULTS.write_text(text_of(found), encoding="utf-8")
    for name, part in parts(found).items():
        print(f"\n{name}\n\n{part}")
    if arguments.write:
        write(found)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=[], help=", ".join(TITLES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--write", action="store_true", help="save results and update the pages")
    parser.add_argument(
        "--tables", action="store_true", help="use the saved results without measuring"
    )
    return parser.parse_args()


def kept_results(arguments: argparse.Namespace) -> Result:
    """Return the saved results, to which new ones will be added.

    Raises
    ------
    SystemExit
        If they are from another machine or other versions, and only some are measured again.
    """
    known = environment()
    is_partial = bool(arguments.games) or list(arguments.methods) != list(METHODS)
    if not (arguments.tables or (arguments.write and is_partial)):
        return {"environment": known, "games": [], "rows": []}
    kept: Result = json.loads(RESULTS.read_text(encoding="utf-8"))
    if not arguments.tables and kept["environment"] != known:
        sys.exit(
            "the saved results are from another machine or other versions: measure all of them"
        )
    return kept


def measure(game: BenchmarkGame, methods: Sequence[str]) -> Result:
    """Build a game, and time methods on it."""
    sys.stderr.write(f"{game.title}\n")
    tree, building = build_seconds(game.spec)
    limit = LARGE_SECONDS if tree.num_histories > LARGE else SECONDS
    runs = {name: partial(our_run, tree, name, building, limit, FAR) for name in methods}
    facts = {"game": game.name, "histories": tree.num_histories}
    facts |= {"build": rounded(building), "limit": limit}
    rows = [row_of(game.name, name, result) for name, result in in_turns(runs).items()]
    return {"games": [facts], "rows": rows}


def row_of(game: str, method: str, result: Result) -> Result:
    """Return a result without nested values."""
    row: Result = {"game": game, "method": method}
    if "failure" in result:
        return row | {"failure": result["failure"]}
    row |= {target: rounded(seconds) for target, seconds in result["seconds"].items()}
    row |= {name: rounded(result[name]) for name in ("spent", "gap")}
    row["iterations"] = result["iterations"]
    if method == AUTO:
        row["chosen"] = " ".join(result["methods"][target] for target in KEYS)
    return row


def rounded(number: float | None) -> float | None:
    """Return a number to four digits."""
    return None if number is None else float(f"{number:.4g}")


def joined(kept: Result, found: Result) -> Result:
    """Return results updated with new ones, which replace those of the same game and method."""
    games = {game["game"]: game for game in [*kept["games"], *found["games"]]}
    rows = {(row["game"], row["method"]): row for row in [*kept["rows"], *found["rows"]]}
    order = [(game, method) for game in TITLES for method in METHODS]
    return kept | {
        "games": [games[name] for name in TITLES if name in games],
        "rows": [rows[key] for key in order if key in rows],
    }


def text_of(found: Result) -> str:
    """Return results as JSON with one row per line."""
    text = json.dumps(found, indent=1)
    return re.sub(r"\{[^{}]*\}", lambda row: " ".join(row[0].split()), text) + "\n"


def parts(found: Result) -> dict[str, str]:
    """Return the parts of the pages, by name."""
    cells = {(row["game"], row["method"]): row for row in found["rows"]}
    shown = {f"to {key}": times_table(found["games"], cells, key) for key in KEYS}
    return {
        "machine": environment_text(found["environment"]),
        "auto": auto_table(found["games"], cells),
        "given": given_table(found["games"]),
        "ranking": ranking_table(found["games"], cells),
        **shown,
    }


PAGES = {
    DOCS / "benchmarks.md": ["auto"],
    DOCS / "solvers" / "times.md": ["machine", "given", "ranking", "to 0.0001", "to 1e-08"],
}
"""The parts of each page."""


def write(found: Result) -> None:
    """Write the tables to the pages."""
    shown = parts(found)
    for page, names in PAGES.items():
        text = page.read_text(encoding="utf-8")
        for name in names:
            text = replace_part(text, f"method_times.py: {name}", shown[name])
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
