"""Time runs of progressive hiding, and compare an iteration with a hardware bound.

    python -m pip install -e '.[test]'
    python benchmarks/teams_speed.py            # print
    python benchmarks/teams_speed.py --write    # also update docs/teams/hiding.md

A run begins with a random policy and is timed as a whole, on one core. Compilation and the
construction of the product form are not included. Times are processor times, as minimums over the
rounds. The lower bound consists of the bytes that an iteration must read and write, at the speed at
which this machine copies arrays of that size, and of the exponentials that it must compute, at the
speed of a loop without other work.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.games import load_game
from infoset.teams import (
    HidingScheme,
    ProgressiveHiding,
    RelaxedForm,
    build_product_form,
    entropic_ftrl,
    forget_own_actions,
    geometric_penalty,
    get_relaxation,
    merge_outcomes,
    regret_matching,
    relax,
)
from infoset.typing import FloatArray
from infoset.utils.compilation import kernel

PAGE = DOCS / "teams" / "hiding.md"
TEAM = (0, 1)
TURNS = 5
OF_NODE = 4 * 4 + 5 * 8
"""Bytes per node: parent, label and two entries; chance, two reaches, weight and value."""
OF_ENTRY = 5 * 8
"""Bytes per entry: policy and regret, each read and written, and gain."""


class Case(NamedTuple):
    """A relaxed game and a run on it."""

    name: str
    relaxed_form: RelaxedForm
    scheme: HidingScheme
    iterations: int


def cases() -> list[Case]:
    """Return the timed cases: trade and communication, and abstracted tiny bridge."""
    scheme = HidingScheme(learner=entropic_ftrl(), penalty=0.3)
    trades = [
        Case(f"trade comm, 5 items, `{relaxation}`", trade(5, relaxation), scheme, 400)
        for relaxation in ("none", "private_revealed", "recall")
    ]
    growing = geometric_penalty(5.0, 50.0, 75)
    matching = HidingScheme(learner=regret_matching(), projector="previous", penalty=growing)
    form = merge_outcomes(build_product_form(load_game("tiny_bridge_2p(abstracted=true)")))
    information = get_relaxation("recall").relax(form.information, TEAM)
    return [*trades, Case("tiny bridge, `recall`", relax(form, information), matching, 75)]


def trade(num_items: int, relaxation: str) -> RelaxedForm:
    """Return trade and communication as in the paper: agents forget their own messages."""
    form = build_product_form(load_game(f"trade_comm(num_items={num_items})"))
    form = form.with_original(forget_own_actions(form))
    return relax(form, get_relaxation(relaxation).relax(form.information, TEAM))


def main() -> None:
    """Measure, print, and update the page if requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update the table of the page")
    arguments = parser.parse_args()
    header = ["game", "nodes", "entries", "an iteration", "floor"]
    part = table(header, [measure(case) for case in cases()])
    part = f"{part}\n\n{environment_text(environment())}"
    print(part)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(page, "teams_speed.py", part), encoding="utf-8")


def measure(case: Case) -> list[str]:
    """Return a row of the table."""
    runs = [ProgressiveHiding(case.relaxed_form, case.scheme, seed=seed) for seed in range(TURNS)]
    runs[0].run(1)
    seconds = min(spent(partial(run.run, case.iterations)) for run in runs)
    return [
        case.name,
        f"{case.relaxed_form.form.num_nodes:,}",
        f"{case.relaxed_form.relaxed.num_entries:,}",
        shown(seconds / case.iterations),
        shown(floor(case)),
    ]


def floor(case: Case) -> float:
    """Return the lower bound on the seconds of an iteration."""
    num_entries = case.relaxed_form.relaxed.num_entries
    size = OF_NODE * case.relaxed_form.form.num_nodes + OF_ENTRY * num_entries
    source, target = np.ones((2, size // 16))
    seconds = least(lambda: np.copyto(target, source))
    if case.scheme.learner.learning_rate > 0.0:
        exponents = np.random.default_rng(0).normal(size=num_entries)
        exponentiate(exponents)
        seconds += least(lambda: exponentiate(exponents))
    return seconds


def least(work: Callable[[], object]) -> float:
    """Return the minimum seconds over some rounds, in each of which the work is done ten times."""
    return min(spent(lambda: [work() for _ in range(10)]) for _ in range(20)) / 10


def spent(work: Callable[[], object]) -> float:
    """Return the processor seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


@kernel
def exponentiate(exponents: FloatArray) -> float:
    """Return the sum of the exponentials."""
    total = 0.0
    for exponent in exponents:
        total += np.exp(exponent)
    return total


if __name__ == "__main__":
    main()
