"""Measure how long endgames of no-limit hold'em take to build and to solve.

    python benchmarks/poker_endgames.py                  # measure and print; some minutes
    python benchmarks/poker_endgames.py --game TEXT      # only rows whose name contains TEXT
    python benchmarks/poker_endgames.py --ranges FOLDER  # with the ranges of the public files
    python benchmarks/poker_endgames.py --write          # also update its page in docs/solvers

Boards and pots are those of the four public endgames of Libratus
(https://github.com/Sandholm-Lab/LibratusEndgames); stacks of 20,000 chips and blinds of 50 and 100
are those of OpenSpiel's `universal_poker` for these endgames. Betting trees are the library's, and
ranges are uniform unless the files are given, so the times cannot be compared with those of papers.

"Nodes" counts decisions, chance moves and ends. An iteration of DCFR updates both players and
includes the average; its time is the minimum of many runs. "Memory" is that of regrets, averages,
current policy, layouts and payoffs in single precision. "Time" is the processor time of `solve` in
single precision, with measurements in double precision, until the exploitability is below the
target, a share of the pot.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from public_form import SCHEME, measure
from report import DOCS, environment, environment_text, replace_part, shown, table

import infoset
from infoset.forms import PublicForm
from infoset.games import HOLE_CARDS, NoLimitEndgame
from infoset.games.cards import RANKS
from infoset.tree import build_public_form
from infoset.utils.text import format_bytes

__all__ = ["ENDGAMES", "RIVERS", "TREES", "TURNS", "Endgame", "Tree", "game_of", "ranges_of"]

PAGE = DOCS / "solvers" / "poker_endgames.md"
CHIPS, BIG_BLIND = 20_000, 100


class Endgame(NamedTuple):
    """The public facts of an endgame, and the name of the file with its ranges."""

    board: str
    pot: int
    file: str


class Tree(NamedTuple):
    """The sizes of a betting tree."""

    bets: tuple[float, ...]
    raises: tuple[float, ...]
    max_raises: int


ENDGAMES = {
    "endgame 1": Endgame("7s9h9cTc", 500, "subgame1.txt"),
    "endgame 2": Endgame("Ts6hAh7c", 4780, "subgame2.txt"),
    "endgame 3": Endgame("4s8hTc9h2s", 500, "subgame3.txt"),
    "endgame 4": Endgame("JsKs5cQs7d", 3750, "subgame4.txt"),
}

TREES = {
    "small": Tree((1,), (1,), 3),
    "medium": Tree((1 / 2, 1), (1,), 3),
    "large": Tree((1 / 3, 1 / 2, 1, 2), (1 / 2, 1), 4),
}

RIVERS = [(name, tree) for name in ("endgame 4", "endgame 3") for tree in TREES]
TURNS = [("endgame 2", "small"), ("endgame 2", "medium"), ("endgame 1", "small")]

RIVER_TARGET, TURN_TARGET = 0.001, 0.00125
MAX_ITERATIONS = 5_000

HEADER = ["endgame", "tree", "nodes", "hands", "build", "memory", "iteration", "target", "time"]


def game_of(name: str, tree: str, folder: Path | None = None) -> NoLimitEndgame:
    """Return an endgame with a betting tree, and with the ranges of its file if there is one."""
    endgame = ENDGAMES[name]
    ranges = ("any", "any") if folder is None else ranges_of(folder / endgame.file)
    return NoLimitEndgame(
        endgame.board,
        pot=endgame.pot,
        stack=CHIPS - endgame.pot // 2,
        bets=TREES[tree].bets,
        raises=TREES[tree].raises,
        max_raises=TREES[tree].max_raises,
        min_bet=BIG_BLIND,
        ranges=ranges,
    )


def ranges_of(file: Path) -> tuple[list[float], list[float]]:
    """Return the ranges in a file of the public endgames.

    The line `-reach` has 1,326 numbers for the player out of position, and as many for the other.
    Hands are in the order of cards 2s, 2h, 2d, 2c, 3s, ..., Ac.
    """
    line = next(row for row in file.read_text().splitlines() if row.startswith("-reach"))
    numbers = [float(text) for text in line.split()[1:]]
    cards = [rank + suit for rank in RANKS for suit in "shdc"]
    pairs = [frozenset((a, b)) for at, a in enumerate(cards) for b in cards[at + 1 :]]
    place = {pair: number for number, pair in enumerate(pairs)}
    order = [place[frozenset((hand[:2], hand[2:]))] for hand in HOLE_CARDS]
    first, second = ([numbers[part + at] for at in order] for part in (0, len(pairs)))
    return first, second


def seconds_to(form: PublicForm, target: float) -> str:
    """Return the processor time of solving to an exploitability."""
    started = time.process_time()
    result = infoset.solve(
        form, SCHEME, target=target, iterations=MAX_ITERATIONS, precision="float32"
    )
    seconds = shown(time.process_time() - started)
    return seconds if result.outcome == "converged" else f"more than {seconds}"


def row_of(name: str, tree: str, target: float, folder: Path | None) -> list[str]:
    """Return the row of an endgame."""
    game = game_of(name, tree, folder)
    started = time.process_time()
    form = build_public_form(game)
    build = time.process_time() - started
    single = measure(form, build, "float32")
    return [
        name,
        tree,
        f"{form.num_nodes + len(form.terminals):,}",
        " × ".join(f"{number:,}" for number in form.num_hands),
        shown(build),
        format_bytes(single.memory),
        shown(single.iteration),
        f"{100 * target:g} %",
        seconds_to(form, target * game.pot),
    ]


def warm_up() -> None:
    """Compile or load all kernels, so that no row includes them."""
    form = build_public_form(NoLimitEndgame(ENDGAMES["endgame 4"].board, max_raises=1))
    for precision in ("float32", "float64"):
        infoset.solve(form, SCHEME, iterations=2, precision=precision)


def endgame_table(chosen: str, folder: Path | None) -> str:
    """Return the table of rivers and turns."""
    rows = []
    for endgames, target in ((RIVERS, RIVER_TARGET), (TURNS, TURN_TARGET)):
        for name, tree in endgames:
            if chosen in f"{name} {tree}":
                rows.append(row_of(name, tree, target, folder))
                print(*rows[-1], f"(load {os.getloadavg()[0]:.1f})", flush=True)
    return table(HEADER, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game", metavar="TEXT", default="", help="only rows whose name contains TEXT"
    )
    parser.add_argument(
        "--ranges", metavar="FOLDER", type=Path, help="folder with the public files of the ranges"
    )
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    chosen = parser.parse_args(arguments)
    warm_up()
    measured = endgame_table(chosen.game, chosen.ranges)
    part = f"{measured}\n\n{environment_text(environment())}"
    print(part)
    if chosen.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "poker_endgames.py", part))


if __name__ == "__main__":
    main()
