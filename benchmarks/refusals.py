"""Measure how long games that are too large take to be refused, and what fitting games pay.

    python -m pip install -e '.[test]'
    python benchmarks/refusals.py             # print: a minute
    python benchmarks/refusals.py --write     # also write benchmarks/results/refusals.csv

Each game is loaded and explored in its own process, with the default limits. `plays` is the
processor time of the random plays, `seconds` that of loading and exploring together, including the
estimate of the number of histories for the error message. In games that fit, the plays are wasted.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from report import table

import infoset
from infoset.errors import ExplorationLimitError
from infoset.tree import build_world_graph, explorer

RESULTS = Path(__file__).parent / "results" / "refusals.csv"
GAMES = (
    "hanabi",
    "battleship",
    "goofspiel(num_cards=13)",
    "dark_hex(board_size=4)",
    "phantom_ttt",
    "openspiel:hanabi",
    "openspiel:repeated_leduc_poker",
    "openspiel:social_deduction",
    "openspiel:bridge",
    "openspiel:phantom_ttt",
    "leduc_poker(players=3)",
    "liars_dice(dice_sides=6,numdice=3)",
    "trick_taking",
)


class Refusal(NamedTuple):
    """How the exploration of a game ended."""

    game: str
    outcome: str
    """`random plays`, `limit` or `fits`."""
    world_states: int
    """World states found."""
    plays: float
    """Processor seconds of the random plays."""
    seconds: float
    """Processor seconds of loading and exploring."""


def measure(game: str) -> Refusal:
    """Explore a game in this process."""
    spent = [0.0]
    has_more_worlds = explorer.has_more_worlds

    def timed(*arguments: object) -> bool:
        started = time.process_time()
        answer = has_more_worlds(*arguments)
        spent[0] += time.process_time() - started
        return answer

    explorer.has_more_worlds = timed
    started = time.process_time()
    try:
        found, outcome = build_world_graph(infoset.load(game)).num_worlds, "fits"
    except ExplorationLimitError as error:
        found = error.counts["world_states"]
        outcome = "random plays" if str(error).startswith("random plays") else "limit"
    finally:
        explorer.has_more_worlds = has_more_worlds
    seconds = time.process_time() - started
    return Refusal(game, outcome, found, round(spent[0], 2), round(seconds, 2))


def measure_apart(game: str) -> Refusal:
    """Explore a game in a process of its own."""
    command = [sys.executable, __file__, "--game", game]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    _, outcome, found, plays, seconds = next(csv.reader([line]))
    return Refusal(game, outcome, int(found), float(plays), float(seconds))


def main() -> None:
    """Measure the games of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--game", help="measure one game in this process, and print a CSV line")
    options = parser.parse_args()
    if options.game is not None:
        csv.writer(sys.stdout).writerow(measure(options.game))
        return
    rows = [measure_apart(game) for game in GAMES]
    print(table(Refusal._fields, [[*map(str, row)] for row in rows]))
    if options.write:
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([Refusal._fields, *rows])


if __name__ == "__main__":
    main()
