"""IS-MCTS with different public weights of the player and of the opponent in the tree."""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.average_policies import SIMULATIONS, Effort, PolicyCell, searched
from infoset_studies.beliefs.leakage import true_state_ratio
from infoset_studies.beliefs.published import GAMES, POSITIONS

__all__ = ["OPPONENT_WEIGHTS"]


class Pair(NamedTuple):
    """The public weights of the player and of its opponent, and the number of simulations."""

    public_weight: float
    opponent_public_weight: float
    num_simulations: int = SIMULATIONS


class Setting(NamedTuple):
    """Games by their names in the tables, pairs of public weights, and the search effort."""

    games: tuple[str, ...]
    pairs: tuple[Pair, ...]
    effort: Effort


COLUMNS: Final = (
    "game",
    "public weight",
    "of the opponent",
    "simulations",
    *(f"best response, {where}" for where in POSITIONS),
    "leakage, first",
)


def report(run: RunCells, setting: Setting) -> Report:
    """Compare best-response values and true-state sampling ratios of the pairs."""
    keys = list(product(setting.games, setting.pairs))
    cells = [_cell(game, pair, setting.effort) for game, pair in keys]
    rows = []
    for (game, pair), cell, result in zip(keys, cells, run(cells), strict=True):
        policy = searched(cell, result)
        rows.append((game, *pair, *result["responses"], true_state_ratio(policy, 0)))
    about = (
        "IS-MCTS with a public weight for its answer and another for the opponent in its tree: "
        "value of a best response by position, and true-state sampling ratio (leakage)."
    )
    return Report((Table("opponent-weights", about, COLUMNS, tuple(rows)),))


def _cell(game: str, pair: Pair, effort: Effort) -> PolicyCell:
    public_weight, opponent, num_simulations = pair
    changes = (("opponent_public_weight", opponent), ("num_simulations", num_simulations))
    return PolicyCell("ismcts", GAMES[game].game, public_weight, effort, 0, changes)


PAIRS: Final = (
    Pair(0.0, 0.0),
    Pair(0.0, 1.0),
    Pair(1.0, 0.5),
    Pair(1.0, 1.0),
)
LONGER: Final = (Pair(0.0, 0.0, 10_000), Pair(0.0, 1.0, 10_000))
"""With the opponent's weight 1, few simulations start at the player's own hand; these have more."""

OPPONENT_WEIGHTS = Experiment(
    "opponent-weights",
    "A public weight for the opponent in the tree of IS-MCTS",
    report,
    quick=Setting(("LP",), PAIRS[:3], Effort(0.05, 20)),
    full=Setting(("LD 2D", "LP"), (*PAIRS, *LONGER), Effort(0.05, 20)),
    quick_time="a minute",
    full_time="six minutes on one core",
)
