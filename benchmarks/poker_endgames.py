"""Measure how long endgames of no-limit hold'em take to build and to solve.

    python benchmarks/poker_endgames.py                  # measure and print; some minutes
    python benchmarks/poker_endgames.py --game TEXT      # only rows whose name contains TEXT
    python benchmarks/poker_endgames.py --ranges FOLDER  # with the ranges of the public files
    python benchmarks/poker_endgames.py --measuring      # only how much of a run is measuring
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

"Measuring" is the share of evaluations of the answer in the processor time of a run that ends after
a number of iterations. Evaluations are in double precision. The layouts and the bound on rounding,
which are computed once for a form, are not part of the run.
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
from infoset.evaluation import Evaluation
from infoset.forms import PublicForm
from infoset.games import HOLE_CARDS, NoLimitEndgame
from infoset.games.cards import RANKS
from infoset.regret import SCHEMES
from infoset.runs import Budget, run_measured
from infoset.solvers.regret_family import RegretSolver
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


MEASURED = {
    "turn": "endgame 2 medium",
    "flop": "nolimit_endgame(board=Ks9d8h,bets=[1],max_raises=1,ranges=['TT+,AQ+';'77+,AT+,KJ+'])",
}
"""A turn and a flop on which runs are taken apart."""
MEASURED_ITERATIONS, MEASURED_PRECISION = 100, "float64"
MEASURED_HEADER = [
    "game",
    "public nodes",
    "iterations",
    "measurements",
    "iteration",
    "measurement",
    "measuring",
]


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


class TimedSolver(RegretSolver):
    """DCFR that adds up the processor time of its iterations and of its measurements."""

    iterating = measuring = 0.0

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        started = time.process_time()
        super().run(iterations)
        self.iterating += time.process_time() - started

    def evaluate(self) -> Evaluation:
        """Evaluate the average policy."""
        started = time.process_time()
        measured = super().evaluate()
        self.measuring += time.process_time() - started
        return measured


def measured_row(name: str, form: PublicForm) -> list[str]:
    """Return how much of a run is measuring, beside the time of an iteration."""
    solver = TimedSolver(form, SCHEMES[SCHEME], MEASURED_PRECISION)
    started = time.process_time()
    result = run_measured(
        solver, SCHEME, Budget(iterations=MEASURED_ITERATIONS), evaluate=solver.evaluate
    )
    seconds, count = time.process_time() - started, len(result.trace)
    return [
        name,
        f"{form.num_nodes:,}",
        str(MEASURED_ITERATIONS),
        str(count),
        shown(solver.iterating / MEASURED_ITERATIONS),
        shown(solver.measuring / count),
        f"{100 * solver.measuring / seconds:.1f} %",
    ]


def measuring_table(chosen: str) -> str:
    """Return the table of the runs that are taken apart."""
    rows = []
    for name, spec in MEASURED.items():
        if chosen not in name:
            continue
        endgame, _, tree = spec.rpartition(" ")
        form = build_public_form(game_of(endgame, tree) if endgame else infoset.load(spec))
        # Layouts and the bound on rounding are computed once for a form.
        infoset.solve(form, SCHEME, iterations=1)
        rows.append(measured_row(name, form))
        print(*rows[-1], f"(load {os.getloadavg()[0]:.1f})", flush=True)
    return table(MEASURED_HEADER, rows)


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
    parser.add_argument("--measuring", action="store_true", help="only the table of measuring")
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    chosen = parser.parse_args(arguments)
    warm_up()
    parts = {"poker_endgames.py: measuring": measuring_table(chosen.game)}
    if not chosen.measuring:
        measured = endgame_table(chosen.game, chosen.ranges)
        parts["poker_endgames.py"] = f"{measured}\n\n{environment_text(environment())}"
    for maker, part in parts.items():
        print(part)
        if chosen.write:
            PAGE.write_text(replace_part(PAGE.read_text(), maker, part))


if __name__ == "__main__":
    main()
