"""Compare members of the CFR family on no-limit hold'em endgames.

    python benchmarks/endgame_methods.py             # measure and print; half an hour
    python benchmarks/endgame_methods.py --spot TEXT # only spots whose name contains TEXT

The spots are the public endgames of Libratus with three betting trees, as in `poker_endgames.py`,
and a board with the narrow ranges of TexasSolver's benchmark. Each number is the processor time
until the exploitability is below the target, including measurements, in single precision, divided
by the time of the method that `auto` chooses. The last row has geometric means; a run that ends
before the target counts with its total time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import geometric_mean

from poker_endgames import RIVERS, TURNS, game_of
from report import environment, environment_text, table

import infoset
from infoset.games import NoLimitEndgame
from infoset.solvers.auto import BEST_WITH_MANY_HANDS

METHODS = ("cfr+", "dcfr", "dcfr+", "hs-dcfr-15", "pcfr+", "pdcfr+", "sapdcfr+", "hs-pcfr+")
TARGETS = ("0.3%pot", "0.1%pot")
MAX_ITERATIONS = 3_000

FIRST = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,"
    "A6s:0.25,A5s:0.75,A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,QJs:0.75,QTs:0.75,"
    "Q9s:0.5,JTs:0.75,J9s:0.75,T9s:0.75,98s:0.75,87s:0.75,76s:0.75,65s:0.75"
)
SECOND = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,"
    "A9s,A8s,A7s,A6s,A5s,A4s,A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,QJ,QTs,Q9s,JTs,JTo:0.5,J9s,T9s,98s,87s"
)
"""Subsets of the ranges of TexasSolver's benchmark."""
NARROW = {"flop": "QsJh2h", "turn": "QsJh2h8c", "river": "QsJh2h8c4d"}


def spots() -> dict[str, NoLimitEndgame]:
    """Return the endgames by name."""
    found = {f"{name}, {tree}": game_of(name, tree) for name, tree in (*RIVERS, *TURNS)}
    for street, board in NARROW.items():
        found[f"narrow {street}"] = NoLimitEndgame(
            board,
            pot=100,
            stack=450,
            bets=(1,) if street == "flop" else (0.5, 1),
            raises=(1,),
            max_raises=1 if street == "flop" else 3,
            ranges=(FIRST, SECOND),
        )
    return found


def processor_time(form: infoset.forms.PublicForm, method: str, target: str) -> tuple[float, bool]:
    """Return the processor time of a run, and whether it reached the target."""
    start = time.process_time()
    result = infoset.solve(
        form, method, target=target, iterations=MAX_ITERATIONS, precision="float32"
    )
    return time.process_time() - start, result.outcome == "converged"


def measured(name: str, game: NoLimitEndgame) -> list[tuple[str, str, list[tuple[float, bool]]]]:
    """Return a row for each target: the times of the methods, and whether they reached it."""
    form = infoset.build_public_form(game)
    infoset.solve(form, BEST_WITH_MANY_HANDS, iterations=2, precision="float32")
    rows = []
    for target in TARGETS:
        rows.append((name, target, [processor_time(form, own, target) for own in METHODS]))
        print(name, target, [f"{seconds:.2f}" for seconds, _ in rows[-1][2]], flush=True)
    return rows


def shown(rows: Sequence[tuple[str, str, list[tuple[float, bool]]]]) -> str:
    """Return the rows as a table of ratios."""
    best = METHODS.index(BEST_WITH_MANY_HANDS)
    ratios = [[seconds / own[best][0] for seconds, _ in own] for *_, own in rows]
    lines = [
        [name, target.removesuffix("pot").replace("%", " %")]
        + [f"{'' if done else '> '}{ratio:.2f}" for ratio, (_, done) in zip(row, own, strict=True)]
        for (name, target, own), row in zip(rows, ratios, strict=True)
    ]
    means = map(geometric_mean, zip(*ratios, strict=True))
    lines.append(["geometric mean", "", *(f"{mean:.2f}" for mean in means)])
    return table(["spot", "target", *(f"`{method}`" for method in METHODS)], lines)


def main() -> None:
    """Measure the methods and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--spot", default="", help="only spots whose name contains this text")
    given = parser.parse_args()
    chosen = {name: game for name, game in spots().items() if given.spot in name}
    rows = [row for name, game in chosen.items() for row in measured(name, game)]
    print(f"{shown(rows)}\n\n{environment_text(environment())}")


if __name__ == "__main__":
    main()
