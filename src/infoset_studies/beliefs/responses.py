"""Tables 1 and 3: what best responders get from searchers, in either seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.reports import Report
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.policies import Effort, PolicyCell
from infoset_studies.beliefs.published import GAMES, PUBLIC_WEIGHTS, RESPONSES, Row, Rows
from infoset_studies.beliefs.sheets import (
    ALGORITHMS,
    FITTED,
    LIKE_THE_PAPER,
    Measured,
    compared_sheet,
    weight_chart,
)

__all__ = ["EXPECTED", "FIRST_SEAT", "SECOND_SEAT", "Setting", "found_responses"]


EXPECTED: Final[Rows] = dict(RESPONSES) | {
    row._replace(algorithm=FITTED): numbers
    for row, numbers in RESPONSES.items()
    if row.algorithm == "ismcts" and row.game == "LP"
}


class Setting(NamedTuple):
    """Which rows, with how many seeds each.

    Attributes
    ----------
    seat : int
        Of the searcher.
    games : tuple[str, ...]
        By their names in the tables.
    effort, fitted_effort : Effort
        Of the paper's rows, and of those of the settings that fit them, which search longer.
    seeds : int
    algorithms : tuple[str, ...]
    """

    seat: int
    games: tuple[str, ...]
    effort: Effort
    fitted_effort: Effort
    seeds: int
    algorithms: tuple[str, ...] = (*ALGORITHMS, FITTED)


def report(run: RunCells, setting: Setting) -> Report:
    """Search, respond, and compare with the paper."""
    found = found_responses(run, setting)
    number, where = (1, "first") if setting.seat == 0 else (3, "second")
    table = compared_sheet(
        f"table-{number}",
        f"Table {number}: what a best responder gets from a searcher in the {where} seat, in the "
        "game's units, by the weight of the public belief; less is better for the searcher.",
        PUBLIC_WEIGHTS,
        found,
        EXPECTED,
    )
    slugs = [(game, game.lower().replace(" ", "-")) for game in setting.games]
    charts = tuple(
        weight_chart(
            f"table-{number}-{slug}", game, "best response", PUBLIC_WEIGHTS, found, EXPECTED
        )
        for game, slug in slugs
    )
    return Report((table,), charts)


def found_responses(run: RunCells, setting: Setting) -> Mapping[Row, Sequence[Measured]]:
    """Return what a best responder gets, by row and public weight."""
    rows = [
        row
        for row in EXPECTED
        if row.seat == setting.seat
        and row.game in setting.games
        and row.algorithm in setting.algorithms
    ]
    seeds = range(setting.seeds)
    cells = [
        _cell(row, public_weight, setting, seed)
        for row, public_weight, seed in product(rows, PUBLIC_WEIGHTS, seeds)
    ]
    values = iter([result["responses"][setting.seat] for result in run(cells)])
    return {
        row: [Measured.of_runs([next(values) for _ in seeds]) for _ in PUBLIC_WEIGHTS]
        for row in rows
    }


def _cell(row: Row, public_weight: float, setting: Setting, seed: int) -> PolicyCell:
    game = GAMES[row.game].game
    if row.algorithm == FITTED:
        return PolicyCell(
            "ismcts", game, public_weight, setting.fitted_effort, seed, LIKE_THE_PAPER
        )
    return PolicyCell(row.algorithm, game, public_weight, setting.effort, seed)


QUICK: Final = (Effort(0.05, 20), Effort(0.05, 20))
FULL: Final = (Effort(0.01, 200), Effort(0.05, 20))
SETTLED = ("LD 2D", "LP")

FIRST_SEAT = Experiment(
    "1",
    "Table 1: best responses to a searcher in the first seat",
    report,
    quick=Setting(0, (*SETTLED, "LD 3D"), *QUICK, 2),
    full=Setting(0, (*SETTLED, "LD 3D"), *FULL, 3),
    quick_time="five minutes",
    full_time="two hours",
)

SECOND_SEAT = Experiment(
    "3",
    "Table 3: best responses to a searcher in the second seat",
    report,
    quick=Setting(1, SETTLED, *QUICK, 2),
    full=Setting(1, SETTLED, *FULL, 3),
    quick_time="as table 1, with which it shares its runs",
    full_time="as table 1",
)
