"""Compare public forms with the sequence forms of the same games.

    python benchmarks/public_form.py                # measure and print; some minutes
    python benchmarks/public_form.py --game TEXT    # only games whose name contains TEXT
    python benchmarks/public_form.py --write        # also update docs/solvers/public_form.md
    python benchmarks/public_form.py --choice       # medium-sized games, with the forecasts

An iteration of DCFR in double precision updates both players and includes the average. Times are
minimums of many runs, in processor time. "Memory" is that of state, layouts and payoffs. Sequence
forms are left out where building them takes long or needs more memory than this machine has.

With `--choice`, the table has measurements of both forms, the forecasts of `PublicCounts.seconds`,
whose constants come from this table, and the form that `solve` chooses. Nothing is written.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.forms import Form
from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_public_form, build_sequence_form, count_public_form
from infoset.utils.text import format_bytes

__all__ = ["GAMES", "HEADER", "Measured", "measure", "row_of"]

PAGE = DOCS / "solvers" / "public_form.md"
GAMES = {
    "liars_dice(dice_sides=10)": False,
    "leduc_poker": True,
    "leduc_poker(num_ranks=10)": True,
    "leduc_poker(num_ranks=30)": True,
    "leduc_poker(num_ranks=200)": False,
}
"""The games, and whether the sequence form is measured, too."""

MIDDLE = (
    "kuhn_poker(num_cards=100)",
    "kuhn_poker(num_cards=200)",
    "leduc_poker",
    *(f"leduc_poker(num_ranks={ranks})" for ranks in (5, 8, 10, 13, 18)),
    *(f"liars_dice(dice_sides={sides})" for sides in (5, 6, 7, 8)),
    "liars_dice(numdice=2,dice_sides=4)",
    "nolimit_endgame(board=Ks9d8h4s2c,ranges=['TT+,AK';'22+,AQs+'])",
    "nolimit_endgame(board=Ks9d8h4s2c,ranges='22+,A9+')",
    "nolimit_endgame(board=Ks9d8h4s,stack=50,ranges='AA,JTs')",
)
"""Games in which either form may be faster."""

SCHEME, PRECISION = "dcfr", "float64"
SAMPLE_SECONDS, SAMPLES = 0.02, 30
HEADER = [
    "game",
    "hands",
    "public nodes",
    "build",
    "memory",
    "iteration",
    "sequence form: build",
    "memory",
    "iteration",
]


CHOICE_HEADER = ["game", "world states", "count"]
for _form in ("public", "sequence"):
    CHOICE_HEADER += [f"{_form}: build", "forecast", "iteration", "forecast"]
CHOICE_HEADER += ["chosen"]


@dataclass(frozen=True)
class Measured:
    """Build seconds, bytes, and seconds of an iteration of one form."""

    build: float
    memory: int
    iteration: float


def arrays_of(value: object) -> Iterator[np.ndarray]:
    """Yield all arrays in nested tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays_of(item)


def measure(form: Form, build: float, precision: str = PRECISION) -> Measured:
    """Return the memory and the time of an iteration on a form."""
    minimizer = RegretMinimizer(form, SCHEMES[SCHEME], precision)
    holders = [tuple(vars(layout).values()) for layout in minimizer._layouts]
    everything = (*vars(minimizer).values(), *holders)
    owners = (array if array.base is None else array.base for array in arrays_of(everything))
    memory = sum({id(array): array.nbytes for array in owners}.values())
    minimizer.run(1)
    started = time.process_time()
    minimizer.run(1)
    count = max(1, int(SAMPLE_SECONDS / max(time.process_time() - started, 1e-6)))
    least = float("inf")
    for _ in range(SAMPLES if count > 1 else 5):
        started = time.process_time()
        minimizer.run(count)
        least = min(least, (time.process_time() - started) / count)
    return Measured(build, memory, least)


def row_of(spec: str, has_sequence_form: bool) -> list[str]:
    """Return the row of a game."""
    game = load_game(spec)
    started = time.process_time()
    form = build_public_form(game)
    ours = measure(form, time.process_time() - started)
    row = [
        f"`{spec}`",
        " × ".join(map(str, form.num_hands)),
        f"{form.num_nodes:,}",
        shown(ours.build),
        format_bytes(ours.memory),
        shown(ours.iteration),
    ]
    if not has_sequence_form:
        return [*row, *["–"] * 3]
    started = time.process_time()
    listed = build_sequence_form(game, max_worlds=20_000_000)
    theirs = measure(listed, time.process_time() - started)
    return [
        *row,
        shown(theirs.build),
        format_bytes(theirs.memory),
        shown(theirs.iteration),
    ]


def choice_row(spec: str) -> list[str]:
    """Return the row of a game in the table of `--choice`: measurements and forecasts."""
    game = load_game(spec)
    started = time.process_time()
    counts = count_public_form(game.public_rules())
    counting = time.process_time() - started
    cells = []
    for kind, build in (("public", build_public_form), ("sequence", build_sequence_form)):
        started = time.process_time()
        form = build(game)
        built = time.process_time() - started
        iteration = measure(form, built).iteration
        whole, empty = counts.seconds(kind, 1000), counts.seconds(kind, 0)
        cells += [shown(built), shown(empty), shown(iteration), shown((whole - empty) / 1000)]
    chosen = "public" if counts.is_much_faster(100) else "sequence"
    return [f"`{spec}`", f"{counts.world_states:,}", shown(counting), *cells, chosen]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game", metavar="TEXT", default="", help="only games whose text contains TEXT"
    )
    parser.add_argument("--write", action="store_true", help="update docs/solvers/public_form.md")
    parser.add_argument("--choice", action="store_true", help="print forecasts and the chosen form")
    chosen = parser.parse_args(arguments)
    rows = []
    if chosen.choice:
        for spec in ("leduc_poker", *(spec for spec in MIDDLE if chosen.game in spec)):
            rows.append(choice_row(spec))
        print(table(CHOICE_HEADER, rows[1:]))  # the first row was a warm-up that loaded kernels
        print("\n" + environment_text(environment()))
        return
    for spec in (spec for spec in GAMES if chosen.game in spec):
        rows.append(row_of(spec, GAMES[spec]))
        print(*rows[-1], f"(load {os.getloadavg()[0]:.1f})", flush=True)
    part = f"{table(HEADER, rows)}\n\n{environment_text(environment())}"
    print(part)
    if chosen.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "public_form.py", part))


if __name__ == "__main__":
    main()
