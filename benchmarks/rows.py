"""Time every method of ours to three targets on every game, and `auto` against the best of them.

    python benchmarks/rows.py                              # measure, and print
    python benchmarks/rows.py --write                      # also the results and the pages
    python benchmarks/rows.py --write --games kuhn leduc   # again, keeping the other games' results
    python benchmarks/rows.py --write --methods auto lp    # again, keeping the other methods'
    python benchmarks/rows.py --write --tables             # from the results kept

One run of a method passes all three targets; `auto`, which decides by the target, has a run for
each. Runs shorter than two seconds are repeated in turns, and medians kept. All of it takes about
forty minutes on one core. Results are kept game by game, so that a run broken off is not lost.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import exp, inf, log
from pathlib import Path
from statistics import fmean

from comparison.games import GAMES, BenchmarkGame, choose
from comparison.ours import TARGETS, Result, build_seconds, our_run
from comparison.targets import in_turns
from report import DOCS, environment, environment_text, replace_part, table

from infoset.solvers import METHODS

RESULTS = Path(__file__).parent / "results" / "rows.json"
TITLES = {game.name: game.title for game in GAMES}
KEYS = [f"{target:g}" for target in TARGETS]
SECONDS, LARGE_SECONDS = 3.0, 10.0
LARGE = 100_000
"""Histories above which a game's runs have `LARGE_SECONDS`."""
FAR = 1e-2
"""A run that is above this after a quarter of its time is broken off."""
AUTO = "auto"

Cells = Mapping[tuple[str, str], Result]
"""What was found, by game and method."""


def main() -> None:
    """Measure, and write what is asked for."""
    arguments = parse_arguments()
    found = kept_results(arguments)
    if not arguments.tables:
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
    parser.add_argument("--write", action="store_true", help="keep results, replace tables")
    parser.add_argument("--tables", action="store_true", help="measure nothing, use what is kept")
    return parser.parse_args()


def kept_results(arguments: argparse.Namespace) -> Result:
    """Return the results that others are added to.

    Raises
    ------
    SystemExit
        If they were measured elsewhere, and only some are to be measured again.
    """
    known = environment()
    is_partial = bool(arguments.games) or list(arguments.methods) != list(METHODS)
    if not (arguments.tables or (arguments.write and is_partial)):
        return {"environment": known, "games": [], "rows": []}
    kept: Result = json.loads(RESULTS.read_text(encoding="utf-8"))
    if not arguments.tables and kept["environment"] != known:
        sys.exit("other machine or versions than in the results kept: measure all of them")
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
    """Return a result as a flat row."""
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
    """Return results with others added, which replace those of the same game and method."""
    games = {game["game"]: game for game in [*kept["games"], *found["games"]]}
    rows = {(row["game"], row["method"]): row for row in [*kept["rows"], *found["rows"]]}
    order = [(game, method) for game in TITLES for method in METHODS]
    return kept | {
        "games": [games[name] for name in TITLES if name in games],
        "rows": [rows[key] for key in order if key in rows],
    }


def text_of(found: Result) -> str:
    """Return results as JSON with a row to a line."""
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
        **shown,
    }


PAGES = {
    DOCS / "benchmarks.md": ["auto"],
    DOCS / "solvers" / "times.md": ["machine", "given", *(f"to {key}" for key in KEYS)],
}
"""The parts of each page."""


def given_table(games: Sequence[Result]) -> str:
    """Return what the games are, how long they take to build, and the time of a run."""
    rows = [
        [TITLES[game["game"]], f"{game['histories']:,}", seconds_text(game["build"]), f"{limit:g}"]
        for game in games
        for limit in [game["limit"]]
    ]
    return table(["game", "histories", "building, s", "a run is given, s"], rows)


def times_table(games: Sequence[Result], cells: Cells, key: str) -> str:
    """Return the times to one target, building included: methods down, games across."""
    methods = dict.fromkeys(method for _, method in cells)
    texts = {method: [f"`{method}`"] for method in methods}
    for game in games:
        column = {method: cells.get((game["game"], method), {}) for method in methods}
        best = min((row[key] for row in column.values() if row.get(key)), default=inf)
        for method, row in column.items():
            text = cell(row, key, game["build"])
            texts[method].append(f"**{text}**" if row.get(key) == best else text)
    return table(["method", *(TITLES[game["game"]] for game in games)], list(texts.values()))


def cell(row: Result, key: str, building: float) -> str:
    """Return a time in seconds, or in parentheses how far a run came."""
    if not row or "failure" in row:
        return "–"
    seconds = row[key]
    return f"({row['gap']:.0e})" if seconds is None else seconds_text(building + seconds)


def seconds_text(seconds: float) -> str:
    """Return a time in three digits, without its unit."""
    return f"{seconds:.3g}" if seconds >= 1e-3 else f"{seconds:.1g}"


def best_row(game: Result, cells: Cells, key: str) -> tuple[str, float]:
    """Return the quickest method, other than `auto`, and its seconds; infinity if none."""
    times = {
        method: row.get(key)
        for (name, method), row in cells.items()
        if name == game["game"] and method != AUTO
    }
    reached = {method: time for method, time in times.items() if time is not None}
    method = min(reached, key=reached.__getitem__, default="none")
    return method, reached.get(method, inf)


def auto_table(games: Sequence[Result], cells: Cells) -> str:
    """Return `auto` against the best row, by game and target; geometric means in the last line."""
    rows, ratios = [], []
    for game in games:
        auto = cells[game["game"], AUTO]
        against = [ratio_of(game, auto, cells, key) for key in KEYS]
        chosen = auto["chosen"].split()
        texts = [
            [rival_text(game, cells, key), auto_text(game, auto, key, name), ratio_text(ratio)]
            for key, name, ratio in zip(KEYS, chosen, against, strict=True)
        ]
        rows.append([TITLES[game["game"]], *(text for three in texts for text in three)])
        ratios.append(against)
    means = [geometric_mean(column) for column in zip(*ratios, strict=True)]
    rows.append(["geometric mean", *(text for mean in means for text in ("", "", mean))])
    header = [text for key in KEYS for text in (f"best to {key}", "`auto`", "ratio")]
    return table(["game", *header], rows)


def ratio_of(game: Result, auto: Result, cells: Cells, key: str) -> tuple[float, float] | None:
    """Return the time of `auto` over the best row's, with building and without.

    None where neither reached the target; infinities where `auto` alone did not.
    """
    _, best = best_row(game, cells, key)
    seconds = inf if auto[key] is None else auto[key]
    if best == inf:
        return None
    return (game["build"] + seconds) / (game["build"] + best), seconds / best


def rival_text(game: Result, cells: Cells, key: str) -> str:
    """Return the best row and its time."""
    name, seconds = best_row(game, cells, key)
    return "none" if seconds == inf else f"`{name}` {seconds_text(game['build'] + seconds)}"


def auto_text(game: Result, auto: Result, key: str, name: str) -> str:
    """Return what `auto` chose, and its time."""
    return f"`{name}` {cell(auto, key, game['build'])}"


def ratio_text(ratio: tuple[float, float] | None) -> str:
    """Return a ratio with building, and in parentheses without."""
    if ratio is None:
        return "–"
    return "not reached" if ratio[0] == inf else f"{ratio[0]:.2f} ({ratio[1]:.2f})"


def geometric_mean(ratios: Iterable[tuple[float, float] | None]) -> str:
    """Return the mean ratios over the games where both reached the target."""
    finite = [ratio for ratio in ratios if ratio is not None and ratio[0] < inf]
    with_building, without = (exp(fmean(map(log, column))) for column in zip(*finite, strict=True))
    return ratio_text((with_building, without))


def write(found: Result) -> None:
    """Put the tables into the pages."""
    shown = parts(found)
    for page, names in PAGES.items():
        text = page.read_text(encoding="utf-8")
        for name in names:
            text = replace_part(text, f"rows.py: {name}", shown[name])
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
