"""Games that IS-MCTS wins against PIMC, by its final policy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.search.final_policies import FINAL_POLICIES
from infoset_studies.beliefs.published import (
    BOTH,
    GAMES,
    POSITIONS,
    PUBLIC_WEIGHTS,
    WIN_RATES,
    Row,
    weight_columns,
)
from infoset_studies.beliefs.win_rates import WinRateCell

__all__ = ["FINAL_POLICY_WINS"]

SIX_SIDES: Final = "liars_dice(numdice=5)"
"""Five dice with six sides each. The tables of win rates use four sides, which fit PIMC better."""


class Matches(NamedTuple):
    """A game's name in tables, its rules, the number of deals, and the positions of its rows."""

    name: str
    game: str
    deals: int
    positions: tuple[int, ...]


class Setting(NamedTuple):
    """The matches, and the public weights."""

    matches: tuple[Matches, ...]
    public_weights: tuple[float, ...]


def report(run: RunCells, setting: Setting) -> Report:
    """Play with each final policy, and list the win rates, followed by those of the paper."""
    keys = list(product(setting.matches, FINAL_POLICIES, setting.public_weights))
    cells = [
        WinRateCell("ismcts", of.game, weight, of.deals, 0, (("final_policy", name),))
        for of, name, weight in keys
    ]
    wins = {key: result["wins"] for key, result in zip(keys, run(cells), strict=True)}
    rows: list[tuple[str | float | None, ...]] = []
    places = [(matches, at) for matches in setting.matches for at in matches.positions]
    for of, position in places:
        where = "both" if position == BOTH else POSITIONS[position]
        for name in FINAL_POLICIES:
            won = [_percent(wins[of, name, at], position) for at in setting.public_weights]
            rows.append((of.name, where, name, *won))
        published = WIN_RATES[Row("ismcts", of.name, position)]
        theirs = [published[PUBLIC_WEIGHTS.index(at)].mean for at in setting.public_weights]
        rows.append((of.name, where, "paper", *theirs))
    about = (
        "Win rate in percent of IS-MCTS against PIMC with public weight 0, by its final policy and "
        "public weight. LD 5D is played with six sides."
    )
    columns = ("game", "position", "final policy", *weight_columns(setting.public_weights))
    return Report((Table("final-policy-wins", about, columns, tuple(rows)),))


def _percent(wins: Sequence[float], position: int) -> float:
    """Return the win rate in a position, or the mean of both, in percent."""
    return 100 * (sum(wins) / len(wins) if position == BOTH else wins[position])


DICE: Final = Matches("LD 5D", SIX_SIDES, 1000, (0, 1))
CARDS: Final = Matches("CG 20C", GAMES["CG 20C"].game, 200, (BOTH,))

FINAL_POLICY_WINS = Experiment(
    "final-policy-wins",
    "Tables 2 and 4: games won by IS-MCTS with another final policy",
    report,
    quick=Setting((DICE._replace(deals=100),), PUBLIC_WEIGHTS[::5]),
    full=Setting((DICE, CARDS), PUBLIC_WEIGHTS[::2]),
    quick_time="half a minute",
    full_time="eight minutes on one core",
)
