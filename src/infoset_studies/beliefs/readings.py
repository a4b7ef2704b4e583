"""Readings of rules that the paper leaves open, by how near they come to its numbers."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import Final, NamedTuple

from infoset.experiments.reports import Expected, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.policies import Effort, PolicyCell
from infoset_studies.beliefs.published import BOTH, PUBLIC_WEIGHTS, RESPONSES, WIN_RATES, Row
from infoset_studies.beliefs.sheets import weight_columns
from infoset_studies.beliefs.win_rates import WinRateCell

__all__ = ["READINGS"]

DICE: Final = (("LD 3D", 3), ("LD 5D", 5))
SIDES: Final = (3, 4, 5, 6)
CARDS: Final = (
    ("CG 10C", "all dealt, suits 3 3 2 2", "trick_taking(num_cards=10)"),
    ("CG 10C", "all dealt, suits 3 3 3 1", "trick_taking(num_cards=10,layout=filled)"),
    ("CG 10C", "4 each, ties win", "trick_taking(num_cards=10,hand_size=4)"),
    ("CG 10C", "3 each", "trick_taking(num_cards=10,hand_size=3)"),
    ("CG 20C", "all dealt, ties win", "trick_taking(num_cards=20)"),
    ("CG 20C", "all dealt, ties are draws", "trick_taking(num_cards=20,tie=draw)"),
    ("CG 20C", "5 each", "trick_taking(num_cards=20,hand_size=5)"),
)


class Setting(NamedTuple):
    """How much is played.

    Attributes
    ----------
    deals : int
        Of each card game, for each public weight.
    repeats : int
        Decisions that the policy of PIMC in liar's dice is the average of.
    """

    deals: int
    repeats: int


def report(run: RunCells, setting: Setting) -> Report:
    """Measure PIMC under each reading, and how far it is from the paper's rows."""
    return Report((_dice_table(run, setting), _card_table(run, setting)))


def _dice_table(run: RunCells, setting: Setting) -> Table:
    keys = [
        (name, f"liars_dice(numdice={count},dice_sides={sides})", sides)
        for (name, count), sides in product(DICE, SIDES)
    ]
    asked = [(game, public_weight) for (_, game, _), public_weight in product(keys, PUBLIC_WEIGHTS)]
    responded = [
        (game, public_weight)
        for (name, game, _), public_weight in product(keys, PUBLIC_WEIGHTS)
        if Row("pimc", name, 0) in RESPONSES
    ]
    effort = Effort(0.01, setting.repeats)
    wins = iter(run([WinRateCell("pimc", *each, deals=2, seed=0) for each in asked]))
    responses = iter(run([PolicyCell("pimc", *each, effort, seed=0) for each in responded]))
    rows = []
    for name, _, sides in keys:
        won = [next(wins)["wins"] for _ in PUBLIC_WEIGHTS]
        both = [
            _distance([100 * w[seat] for w in won], WIN_RATES[Row("pimc", name, seat)])
            for seat in (0, 1)
        ]
        best = None
        if (first := Row("pimc", name, 0)) in RESPONSES:
            lost = [next(responses)["responses"][0] for _ in PUBLIC_WEIGHTS]
            best = _distance(lost, RESPONSES[first])
        rows.append((name, sides, *both, best))
    about = (
        "Liar's dice: the mean difference of PIMC from the paper's rows over all weights, in "
        "percentage points of games won, and in the best response."
    )
    columns = ("game", "sides", "first seat", "second seat", "best response")
    return Table("readings-dice", about, columns, tuple(rows))


def _distance(ours: list[float], theirs: tuple[Expected, ...]) -> float:
    """Return the mean distance of numbers."""
    return fmean(abs(a - b.mean) for a, b in zip(ours, theirs, strict=True))


def _card_table(run: RunCells, setting: Setting) -> Table:
    cells = [
        WinRateCell("pimc", game, public_weight, setting.deals, 0)
        for (_, _, game), public_weight in product(CARDS, PUBLIC_WEIGHTS)
    ]
    results = iter(run(cells))
    rows: list[tuple[str | float, ...]] = []
    for name, reading, _ in CARDS:
        rows.append((name, reading, *(100 * fmean(next(results)["wins"]) for _ in PUBLIC_WEIGHTS)))
    for name in dict.fromkeys(name for name, _, _ in CARDS):
        rows.append((name, "paper", *(n.mean for n in WIN_RATES[Row("pimc", name, BOTH)])))
    about = (
        "Card games: games that PIMC wins over both seats against PIMC with public weight 0, in "
        "percent, "
        f"in {setting.deals} deals."
    )
    return Table(
        "readings-cards", about, ("game", "reading", *weight_columns(PUBLIC_WEIGHTS)), tuple(rows)
    )


READINGS = Experiment(
    "readings",
    "Rules that the paper leaves open",
    report,
    quick=Setting(60, 60),
    full=Setting(500, 200),
    quick_time="five minutes",
    full_time="half an hour",
)
