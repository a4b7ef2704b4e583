"""Small Hanabi: the default beside the exact optimum, agents by turns, and the bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.reports import Table
from infoset.experiments.studies import RunCells
from infoset.teams import iterated_best_response, recall_bound, team_optimum
from infoset_studies.hiding.default_cell import default_cells, whole_form
from infoset_studies.hiding.hiding_cell import grouped

__all__ = ["Hanabi", "hanabi_table"]

LENT: Final = "recall"
SMALLEST: Final = "cooperative_matching_pennies"
SECONDS: Final = 30.0
"""For the search of the optimum, and for agents by turns."""


class Hanabi(NamedTuple):
    """A game of two players, and for how many seeds.

    Attributes
    ----------
    colors, ranks, hand_size, information_tokens, life_tokens : int
    seeds : int
    """

    colors: int
    ranks: int
    hand_size: int
    information_tokens: int
    life_tokens: int
    seeds: int

    @property
    def game(self) -> str:
        """The game, as `load` reads it."""
        return (
            f"hanabi(players=2,colors={self.colors},ranks={self.ranks},hand_size={self.hand_size},"
            f"max_information_tokens={self.information_tokens},max_life_tokens={self.life_tokens})"
        )


def hanabi_table(run: RunCells, hanabis: Sequence[Hanabi]) -> Table:
    """Return what the default earns, beside what is known of each game."""
    team_optimum(whole_form(SMALLEST).information)  # compiles, which takes no share of the seconds
    groups = [default_cells(hanabi.game, LENT, hanabi.seeds) for hanabi in hanabis]
    rows: list[tuple[str | float | None, ...]] = []
    for hanabi, results in zip(hanabis, grouped(run, groups), strict=True):
        information = whole_form(hanabi.game).information
        optimum = team_optimum(information, seconds=SECONDS)
        turns = iterated_best_response(information, restarts=100, seconds=SECONDS)
        earned = [result["payoff"] for result in results]
        seconds = float(np.mean([result["seconds"] for result in results]))
        known = optimum.value, optimum.upper_bound, turns.value, recall_bound(information)
        found = float(np.mean(earned)), max(earned), seconds
        rows.append((*hanabi, information.num_cells, *known, *found))
    return Table(
        "beyond-hanabi",
        "Hanabi of two players: what the exact search finds and what it proves in "
        f"{SECONDS:g} seconds, agents by turns, the bound by recall, and the default.",
        (
            *("colours", "ranks", "cards in hand", "hints", "lives", "seeds", "infostates"),
            *("exact", "at most", "by turns", "with recall", "mean", "best", "seconds"),
        ),
        tuple(rows),
    )
