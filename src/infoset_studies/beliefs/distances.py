"""How far searchers are from an equilibrium."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.front import solve
from infoset_studies.beliefs.policies import Effort, PolicyCell, tree_of
from infoset_studies.beliefs.published import PUBLIC_WEIGHTS
from infoset_studies.beliefs.sheets import ALGORITHMS, LABELS

__all__ = ["DISTANCES"]


class Setting(NamedTuple):
    """In which games with a tree, for which public weights, with how much effort."""

    games: tuple[str, ...]
    public_weights: tuple[float, ...]
    effort: Effort


def report(run: RunCells, setting: Setting) -> Report:
    """Put what best responders get beside what they get in equilibrium."""
    keys = list(product(setting.games, ALGORITHMS, setting.public_weights))
    cells = [
        PolicyCell(algorithm, game, public_weight, setting.effort, 0)
        for game, algorithm, public_weight in keys
    ]
    found = run(cells)
    value = {game: solve(tree_of(game), "lp").values[0] for game in setting.games}
    rows = []
    for (game, algorithm, public_weight), result in zip(keys, found, strict=True):
        first, second = result["responses"]
        gains = first + value[game], second - value[game]
        rows.append((game, LABELS[algorithm], public_weight, first, second, *gains, sum(gains) / 2))
    about = (
        "What a best responder gets from a searcher in either seat, how much more that is than in "
        "equilibrium, and the mean of both, which is the exploitability."
    )
    columns = (
        "game",
        "searcher",
        "public weight",
        "response to the first seat",
        "to the second",
        "lost in the first seat",
        "in the second",
        "exploitability",
    )
    return Report((Table("distances", about, columns, tuple(rows)),))


DISTANCES = Experiment(
    "distance",
    "The distance from an equilibrium",
    report,
    quick=Setting(("leduc_poker",), (0.0, 1.0), Effort(0.05, 20)),
    full=Setting(("leduc_poker", "liars_dice(dice_sides=4)"), PUBLIC_WEIGHTS, Effort(0.01, 200)),
    quick_time="a minute",
    full_time="five minutes, after table 1",
)
