"""Tables 2 and 4: how often searchers win against PIMC that believes what it sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from statistics import fmean
from threading import Event
from typing import Any, Final, NamedTuple

from infoset.beliefs import PublicPrivateBelief
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Report
from infoset.experiments.studies import Experiment, RunCells
from infoset.game import Game
from infoset.games import LiarsDice, load_game
from infoset.matches import play_matches
from infoset.matches.match import Contestant
from infoset.search import PIMC, search_model
from infoset_studies.beliefs.policies import (
    SIMULATIONS,
    WORLDS,
    Interruptible,
    building,
    searcher_of,
)
from infoset_studies.beliefs.published import BOTH, GAMES, PUBLIC_WEIGHTS, WIN_RATES, Row
from infoset_studies.beliefs.sheets import Measured, compared_sheet, weight_chart
from infoset_studies.liars_dice_closed_form import BidTable, match_value, pimc_table

__all__ = ["FIRST_SEAT_WINS", "SECOND_SEAT_WINS"]

TABLE_REPEATS: Final = 100
"""Decisions of PIMC in liar's dice of which the table that plays is the average."""


class Setting(NamedTuple):
    """Which games, by how many deals.

    Attributes
    ----------
    seat : int
        Of the searcher.
    deals : tuple[tuple[str, int], ...]
        Games, by their names in the tables, and how many deals of each.
    """

    seat: int
    deals: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class WinRateCell:
    """A searcher against PIMC with public weight 0, in both seats of the same deals.

    Attributes
    ----------
    algorithm : str
    game : str
    public_weight : float
    deals, seed : int
    """

    algorithm: str
    game: str
    public_weight: float
    deals: int
    seed: int

    @property
    def name(self) -> str:
        """What its file begins with."""
        return run_slug(self.game, f"wins-{self.algorithm}-{self.public_weight:g}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        numbers = {"worlds": WORLDS, "simulations": SIMULATIONS, "table_repeats": TABLE_REPEATS}
        return {**numbers, **asdict(self)}

    def run(self, interrupt: Event) -> CellResult:
        """Play; return by seat how often the searcher wins, and half the width of the interval.

        PIMC against PIMC in liar's dice is computed, without play. A tie that is worth a win to
        both counts as one, as in the rules of the paper.
        """
        game = load_game(self.game)
        if self.algorithm == "pimc" and isinstance(game, LiarsDice):
            ours, theirs = _table_of(game, self.public_weight), _table_of(game, 0.0)
            values = match_value(ours, theirs), -match_value(theirs, ours)
            return {"wins": [(1 + value) / 2 for value in values], "half_widths": [0.0, 0.0]}
        players = [
            _contestant(algorithm, game, public_weight, interrupt)
            for algorithm, public_weight in ((self.algorithm, self.public_weight), ("pimc", 0.0))
        ]
        result = play_matches(game, *players, num_deals=self.deals, seed=self.seed)
        seats = result.position_utilities
        return {
            "wins": [(1 + seat.mean) / 2 for seat in seats],
            "half_widths": [seat.half_width / 2 for seat in seats],
        }


def _contestant(algorithm: str, game: Game, public_weight: float, interrupt: Event) -> Contestant:
    if algorithm == "pimc" and isinstance(game, LiarsDice):
        return _table_of(game, public_weight)
    if algorithm == "pimc":
        # The worlds that are thought through are drawn at once, and not first listed.
        belief = PublicPrivateBelief(public_weight, max_worlds=WORLDS, num_samples=WORLDS)
        pimc = PIMC(search_model(game), belief=belief, num_worlds=None, opponents="paranoid")
        return Interruptible(pimc, interrupt)
    return Interruptible(searcher_of(algorithm, game, public_weight), interrupt)


def _table_of(game: LiarsDice, public_weight: float) -> BidTable:
    """Return what PIMC plays in liar's dice, averaged over decisions; made once."""
    with building:
        return _table(game, public_weight)


@cache
def _table(game: LiarsDice, public_weight: float) -> BidTable:
    return pimc_table(game, public_weight, num_worlds=WORLDS, num_repeats=TABLE_REPEATS)


def report(run: RunCells, setting: Setting) -> Report:
    """Play, and compare with the paper."""
    deals = dict(setting.deals)
    seats = (0, BOTH) if setting.seat == 0 else (1,)
    rows = [row for row in WIN_RATES if row.seat in seats and row.game in deals]
    cells = [
        WinRateCell(row.algorithm, GAMES[row.game].game, public_weight, deals[row.game], 0)
        for row, public_weight in product(rows, PUBLIC_WEIGHTS)
    ]
    results = iter(run(cells))
    found = {row: [_measured(next(results), row) for _ in PUBLIC_WEIGHTS] for row in rows}
    number, where = (2, "first") if setting.seat == 0 else (4, "second")
    table = compared_sheet(
        f"table-{number}",
        f"Table {number}: how often a searcher in the {where} seat wins against PIMC with public "
        "weight 0, "
        f"in percent, by its own weight of the public belief. Deals: {_counted(setting)}. PIMC in "
        "liar's dice is computed exactly. In card games both seats count.",
        PUBLIC_WEIGHTS,
        found,
        WIN_RATES,
    )
    charts = tuple(
        weight_chart(
            f"table-{number}-{game.lower().replace(' ', '-')}",
            game,
            "games won (%)",
            PUBLIC_WEIGHTS,
            found,
            WIN_RATES,
        )
        for game in dict.fromkeys(row.game for row in rows)
    )
    return Report((table,), charts)


def _counted(setting: Setting) -> str:
    """Return the numbers of deals as text."""
    return ", ".join(f"{deals:,} ({game})" for game, deals in setting.deals)


def _measured(result: CellResult, row: Row) -> Measured:
    """Return the games won in a seat, or over both, in percent."""
    seats = (0, 1) if row.seat == BOTH else (row.seat,)
    wins = fmean(result["wins"][seat] for seat in seats)
    half_width = fmean(result["half_widths"][seat] for seat in seats)
    return Measured(100 * wins, 100 * half_width)


DICE: Final = ("LD 3D", "LD 5D")
CARDS: Final = ("CG 10C", "CG 20C")
QUICK: Final = tuple(zip((*DICE, *CARDS), (200, 100, 100, 30), strict=True))
FULL: Final = tuple(zip((*DICE, *CARDS), (1000, 1000, 500, 500), strict=True))
"""A thousand games a number, as in the paper: of cards, both seats of 500 deals."""

FIRST_SEAT_WINS = Experiment(
    "2",
    "Table 2: games won in the first seat",
    report,
    quick=Setting(0, QUICK),
    full=Setting(0, FULL),
    quick_time="two minutes",
    full_time="half an hour",
)

SECOND_SEAT_WINS = Experiment(
    "4",
    "Table 4: games won in the second seat",
    report,
    quick=Setting(1, QUICK),
    full=Setting(1, FULL),
    quick_time="as table 2, with which it shares its runs",
    full_time="as table 2",
)
