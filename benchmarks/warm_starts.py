"""Measure how many iterations a warm start saves.

    python benchmarks/warm_starts.py           # measure and print; a few minutes
    python benchmarks/warm_starts.py --write   # also update the page in docs/solvers

Each number is the number of iterations to a target with a start, divided by that without one. The
games are a river, a turn and Leduc poker. They start from their own solutions to 1% of the pot;
from those of a similar game to 0.3%; or, with locks, from those without locks to 0.1%. Poor starts
are the uniform policy and one that always takes the first action. Rows have geometric means over
their games. A run that ends before its target counts with the iterations it has done.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from functools import cache
from statistics import geometric_mean
from typing import NamedTuple

import numpy as np
from report import DOCS, environment, environment_text, replace_part, table

import infoset
from infoset.evaluation import evaluate_policy, locked_behavior
from infoset.forms import Form, PublicForm, lock
from infoset.policy import TabularPolicy, transfer_by_labels, uniform_policy
from infoset.regret import SCHEMES
from infoset.solvers.regret_family import RegretSolver

PAGE = DOCS / "solvers" / "poker_endgames.md"
METHODS = ("cfr+", "dcfr", "dcfr+", "sapdcfr+")
TARGETS = (0.01, 0.003, 0.001)
"""Shares of the pot."""
COARSE = 0.01
START = 0.003
LOCKED = 0.001
MAX_ITERATIONS = 3_000
STEPS = 40
"""The exploitability is measured after each iteration, or each time their number has grown by 1/40.
"""

RANGES = ["22+,A2s+,K9s+,Q9s+,JTs,ATo+,KJo+", "TT:0.5,99-22,AJs,KTs+,QJs,AQo:0.25,KQo"]
CHANGED = [RANGES[0].replace("K9s+", "K9s+:0.5"), RANGES[1]]

POOR = "poor starts"

SPOTS = {
    "river": {"board": "Ks9d8h4s2c"},
    "turn": {"board": "Ks9d8h4s", "bets": [1], "ranges": RANGES},
}
CHANGES = {
    "river": {
        "another last card": [{"board": f"Ks9d8h4s{card}"} for card in ("2d", "3c", "Ac", "7s")],
        "other stacks or ranges": [{"stack": 220}, {"ranges": ["any,AA:0.5,KK:0.5", "any"]}],
    },
    "turn": {
        "another last card": [{"board": f"Ks9d8h{card}"} for card in ("4h", "5s", "As")],
        "other stacks or ranges": [{"stack": 220}, {"ranges": CHANGED}],
    },
}
LOCKS = {
    "river": ("check: bet 50 40%", "(start): check 100%", "check / bet 50: fold 50%"),
    "turn": ("check: bet 100 40%", "check / bet 100: fold 50%"),
}


class Case(NamedTuple):
    """A game and a policy to start from."""

    row: str
    form: Form
    start: TabularPolicy
    pot: float


@cache
def solved(street: str, target: float) -> TabularPolicy[PublicForm]:
    """Return a solution of a spot."""
    form = infoset.build_public_form(infoset.load("nolimit_endgame", **SPOTS[street]))
    return infoset.solve(form, "dcfr+", target=target * pot_of(form)).policy


def pot_of(form: Form) -> float:
    """Return the pot of a game at the start; antes of both players in Leduc poker."""
    pot = form.source.initial_pot
    return 2.0 if pot is None else pot.size


def cases() -> Iterator[Case]:
    """Yield the games of all rows."""
    for street, changes in CHANGES.items():
        coarse = solved(street, COARSE)
        yield Case("same game, to 1%", coarse.form, coarse, pot_of(coarse.form))
        for what, games in changes.items():
            for changed in games:
                game = infoset.load("nolimit_endgame", **{**SPOTS[street], **changed})
                form = infoset.build_public_form(game)
                start = transfer_by_labels(solved(street, START), form).policy
                yield Case(what, form, start, pot_of(form))
        free = solved(street, LOCKED)
        for text in LOCKS[street]:
            form = lock(free.form, locked_behavior(free, [text]))
            start = transfer_by_labels(free, form).policy
            yield Case("locks", form, start, pot_of(form))
    leduc = infoset.build_public_form("leduc_poker")
    start = infoset.solve(leduc, "dcfr+", target=COARSE * pot_of(leduc)).policy
    yield Case("same game, to 1%", leduc, start, pot_of(leduc))
    for form in (solved("river", START).form, leduc):
        for start in (uniform_policy(form), first_actions(form)):
            yield Case(POOR, form, start, pot_of(form))


def first_actions(form: Form) -> TabularPolicy:
    """Return the policy that always takes the first action."""
    found = []
    for plex in form.treeplexes:
        values = np.zeros(plex.num_sequences)
        values[0] = values[plex.first_sequence] = 1.0
        found.append(values)
    return TabularPolicy(form, tuple(found))


def iterations_to_targets(case: Case, method: str, start: TabularPolicy | None) -> list[int]:
    """Return the number of iterations to each target."""
    solver = RegretSolver(case.form, SCHEMES[method], start=start)
    found: list[int] = []
    for target in TARGETS:
        while solver.iteration == 0 or solver.evaluate().nash_conv / 2 > target * case.pot:
            if solver.iteration >= MAX_ITERATIONS:
                break
            solver.run(1 + solver.iteration // STEPS)
        found.append(solver.iteration)
    return found


def ratios(case: Case) -> list[float]:
    """Return iterations with the start, divided by those without, by method and target."""
    found: list[float] = []
    for method in METHODS:
        cold, warm = (iterations_to_targets(case, method, own) for own in (None, case.start))
        found += [own / other for own, other in zip(warm, cold, strict=True)]
    return found


def measured() -> str:
    """Return the table."""
    rows: dict[str, list[list[float]]] = {}
    for case in cases():
        found = ratios(case)
        rows.setdefault(case.row, []).append(found)
        error = evaluate_policy(case.start).nash_conv / 2 / case.pot
        print(f"{case.row}, from {error:.2%} of the pot:", np.round(found, 2), flush=True)
    lines = [
        [row, *cells(map(geometric_mean, zip(*found, strict=True)))] for row, found in rows.items()
    ]
    others = [own for row, found in rows.items() if row != POOR for own in found]
    lines.append(["maximum without poor starts", *cells(map(max, zip(*others, strict=True)))])
    return table(["start", *(f"`{method}`" for method in METHODS)], lines)


def cells(numbers: Iterable[float]) -> list[str]:
    """Return a cell for each method, with a number for each target."""
    texts = [f"{number:.2f}" for number in numbers]
    starts = range(0, len(texts), len(TARGETS))
    return [", ".join(texts[start : start + len(TARGETS)]) for start in starts]


def main() -> None:
    """Measure the starts and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    chosen = parser.parse_args()
    part = measured()
    print(f"{part}\n\n{environment_text(environment())}")
    if chosen.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "warm_starts.py", part))


if __name__ == "__main__":
    main()
