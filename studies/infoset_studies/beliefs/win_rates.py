"""Win rates of searchers against PIMC: Tables 2 and 4, and rules that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from statistics import fmean
from typing import Any, Final, NamedTuple

from infoset.beliefs import PublicPrivateBelief
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Expected, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.game import Game
from infoset.games import LiarsDice, load_game
from infoset.matches import Contestant, play_matches
from infoset.runs import Interrupt
from infoset.search import PIMC, search_model
from infoset_studies.beliefs.average_policies import (
    SIMULATIONS,
    WORLDS,
    Effort,
    Interruptible,
    PolicyCell,
    building,
    searcher_of,
)
from infoset_studies.beliefs.published import (
    BOTH,
    GAMES,
    PUBLIC_WEIGHTS,
    RESPONSES,
    WIN_RATES,
    Measured,
    Row,
    compared_sheet,
    weight_chart,
    weight_columns,
)
from infoset_studies.liars_dice_policies import BidTable, pimc_table
from infoset_studies.liars_dice_values import match_value

__all__ = ["FIRST_POSITION_WINS", "OPEN_RULES", "SECOND_POSITION_WINS"]

TABLE_REPEATS: Final = 100
"""Number of decisions of PIMC in liar's dice that are averaged in its table."""


class Setting(NamedTuple):
    """The games, with their numbers of deals.

    Attributes
    ----------
    position : int
        Position of the searcher.
    deals : tuple[tuple[str, int], ...]
        Names of games in the tables, and numbers of deals.
    """

    position: int
    deals: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class WinRateCell:
    """Matches of a searcher against PIMC with public weight 0, in both positions of each deal.

    Attributes
    ----------
    algorithm : str
    game : str
    public_weight : float
    deals, seed : int
    changes : tuple[tuple[str, Any], ...]
        Further settings of the searcher.
    """

    algorithm: str
    game: str
    public_weight: float
    deals: int
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"wins-{self.algorithm}-{self.public_weight:g}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        numbers = {"worlds": WORLDS, "simulations": SIMULATIONS, "table_repeats": TABLE_REPEATS}
        own = asdict(self)
        if not self.changes:
            del own["changes"]
        return {**numbers, **own}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Play; return the win rate of the searcher by position, with half widths of intervals.

        PIMC against PIMC in liar's dice is computed exactly. A tie that counts as a win for both
        players is counted as a win, as in the rules of the paper.
        """
        game = load_game(self.game)
        if self.algorithm == "pimc" and isinstance(game, LiarsDice):
            ours, theirs = _table_of(game, self.public_weight), _table_of(game, 0.0)
            values = match_value(ours, theirs), -match_value(theirs, ours)
            return {"wins": [(1 + value) / 2 for value in values], "half_widths": [0.0, 0.0]}
        players = [
            _contestant(self.algorithm, game, self.public_weight, interrupt, **dict(self.changes)),
            _contestant("pimc", game, 0.0, interrupt),
        ]
        result = play_matches(game, *players, num_deals=self.deals, seed=self.seed)
        positions = result.position_utilities
        return {
            "wins": [(1 + position.mean) / 2 for position in positions],
            "half_widths": [position.half_width / 2 for position in positions],
        }


def _contestant(
    algorithm: str, game: Game, public_weight: float, interrupt: Interrupt, **changes: Any
) -> Contestant:
    if algorithm == "pimc" and isinstance(game, LiarsDice):
        return _table_of(game, public_weight)
    if algorithm == "pimc":
        # The worlds are sampled directly, because the list of all worlds is too long.
        belief = PublicPrivateBelief(public_weight, max_worlds=WORLDS, num_samples=WORLDS)
        pimc = PIMC(search_model(game), belief=belief, num_worlds=None, opponents="paranoid")
        return Interruptible(pimc, interrupt)
    return Interruptible(searcher_of(algorithm, game, public_weight, **changes), interrupt)


def _table_of(game: LiarsDice, public_weight: float) -> BidTable:
    """Return PIMC's policy in liar's dice, averaged over sampled decisions; computed only once."""
    with building:
        return _table(game, public_weight)


@cache
def _table(game: LiarsDice, public_weight: float) -> BidTable:
    return pimc_table(game, public_weight, num_worlds=WORLDS, num_repeats=TABLE_REPEATS)


def report(run: RunCells, setting: Setting) -> Report:
    """Play, and compare with the paper."""
    deals = dict(setting.deals)
    positions = (0, BOTH) if setting.position == 0 else (1,)
    rows = [row for row in WIN_RATES if row.position in positions and row.game in deals]
    cells = [
        WinRateCell(row.algorithm, GAMES[row.game].game, public_weight, deals[row.game], 0)
        for row, public_weight in product(rows, PUBLIC_WEIGHTS)
    ]
    results = iter(run(cells))
    found = {row: [_measured(next(results), row) for _ in PUBLIC_WEIGHTS] for row in rows}
    number, where = (2, "first") if setting.position == 0 else (4, "second")
    table = compared_sheet(
        f"table-{number}",
        f"Table {number}: win rate in percent of a searcher in the {where} position against PIMC "
        "with public weight 0, by its own weight of the public belief. Deals: "
        f"{_counted(setting)}. PIMC against PIMC in liar's dice is computed exactly. Card games "
        "are averaged over both positions.",
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
    """Return the win rate in a position, or the average over both, in percent."""
    positions = (0, 1) if row.position == BOTH else (row.position,)
    wins = fmean(result["wins"][position] for position in positions)
    half_width = fmean(result["half_widths"][position] for position in positions)
    return Measured(100 * wins, 100 * half_width)


DICE: Final = ("LD 3D", "LD 5D")
CARDS: Final = ("CG 10C", "CG 20C")
QUICK: Final = tuple(zip((*DICE, *CARDS), (200, 100, 100, 30), strict=True))
FULL: Final = tuple(zip((*DICE, *CARDS), (1000, 1000, 500, 500), strict=True))
"""A thousand games for each number, as in the paper; card games use 500 deals in both positions."""

FIRST_POSITION_WINS = Experiment(
    "win-rates-first",
    "Table 2: games won in the first position",
    report,
    quick=Setting(0, QUICK),
    full=Setting(0, FULL),
    quick_time="two minutes",
    full_time="half an hour",
)

SECOND_POSITION_WINS = Experiment(
    "win-rates-second",
    "Table 4: games won in the second position",
    report,
    quick=Setting(1, QUICK),
    full=Setting(1, FULL),
    quick_time="as Table 2, whose cells it reuses",
    full_time="as Table 2",
)


DICE_COUNTS: Final = (("LD 3D", 3), ("LD 5D", 5))
SIDES: Final = (3, 4, 5, 6)
CARD_RULES: Final = (
    ("CG 10C", "all dealt, suits 3 3 2 2", "trick_taking(num_cards=10)"),
    ("CG 10C", "all dealt, suits 3 3 3 1", "trick_taking(num_cards=10,layout=filled)"),
    ("CG 10C", "4 each, ties win", "trick_taking(num_cards=10,hand_size=4)"),
    ("CG 10C", "3 each", "trick_taking(num_cards=10,hand_size=3)"),
    ("CG 20C", "all dealt, ties win", "trick_taking(num_cards=20)"),
    ("CG 20C", "all dealt, ties are draws", "trick_taking(num_cards=20,tie=draw)"),
    ("CG 20C", "5 each", "trick_taking(num_cards=20,hand_size=5)"),
)


class ReadingSetting(NamedTuple):
    """The numbers of deals and of averaged decisions.

    Attributes
    ----------
    deals : int
        Deals of each card game and public weight.
    repeats : int
        Number of decisions that are averaged in the policy of PIMC in liar's dice.
    """

    deals: int
    repeats: int


def reading_report(run: RunCells, setting: ReadingSetting) -> Report:
    """Measure PIMC under each variant of the rules, and its distance from the paper's rows."""
    return Report((_dice_table(run, setting), _card_table(run, setting)))


def _dice_table(run: RunCells, setting: ReadingSetting) -> Table:
    keys = [
        (name, f"liars_dice(numdice={count},dice_sides={sides})", sides)
        for (name, count), sides in product(DICE_COUNTS, SIDES)
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
            _distance([100 * w[position] for w in won], WIN_RATES[Row("pimc", name, position)])
            for position in (0, 1)
        ]
        best = None
        if (first := Row("pimc", name, 0)) in RESPONSES:
            lost = [next(responses)["responses"][0] for _ in PUBLIC_WEIGHTS]
            best = _distance(lost, RESPONSES[first])
        rows.append((name, sides, *both, best))
    about = (
        "Liar's dice: mean absolute difference between PIMC and the paper's rows over all weights, "
        "in percentage points of games won, and in the best-response value."
    )
    columns = ("game", "sides", "first position", "second position", "best response")
    return Table("open-rules-dice", about, columns, tuple(rows))


def _distance(ours: list[float], theirs: tuple[Expected, ...]) -> float:
    """Return the mean absolute difference."""
    return fmean(abs(a - b.mean) for a, b in zip(ours, theirs, strict=True))


def _card_table(run: RunCells, setting: ReadingSetting) -> Table:
    cells = [
        WinRateCell("pimc", game, public_weight, setting.deals, 0)
        for (_, _, game), public_weight in product(CARD_RULES, PUBLIC_WEIGHTS)
    ]
    results = iter(run(cells))
    rows: list[tuple[str | float, ...]] = []
    for name, reading, _ in CARD_RULES:
        rows.append((name, reading, *(100 * fmean(next(results)["wins"]) for _ in PUBLIC_WEIGHTS)))
    for name in dict.fromkeys(name for name, _, _ in CARD_RULES):
        rows.append((name, "paper", *(n.mean for n in WIN_RATES[Row("pimc", name, BOTH)])))
    about = (
        "Card games: win rate in percent of PIMC against PIMC with public weight 0, averaged over "
        f"both positions of {setting.deals} deals."
    )
    return Table(
        "open-rules-cards", about, ("game", "rules", *weight_columns(PUBLIC_WEIGHTS)), tuple(rows)
    )


OPEN_RULES = Experiment(
    "open-rules",
    "Rules that the paper leaves open",
    reading_report,
    quick=ReadingSetting(60, 60),
    full=ReadingSetting(500, 200),
    quick_time="five minutes",
    full_time="half an hour",
)
