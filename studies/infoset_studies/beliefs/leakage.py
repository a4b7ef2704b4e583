"""Information leakage of searchers, by the weight of the public belief."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.evaluation import mean_true_state_sampling_ratio, true_state_sampling_ratio
from infoset.experiments.reports import Report
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.average_policies import (
    Effort,
    PolicyCell,
    Searched,
    searched,
    tree_of,
)
from infoset_studies.beliefs.published import (
    ALGORITHMS,
    GAMES,
    PUBLIC_WEIGHTS,
    Measured,
    Row,
    compared_sheet,
    weight_chart,
)
from infoset_studies.liars_dice_policies import BidTable

__all__ = ["LEAKAGE", "true_state_ratio"]

NUM_POSITIONS: Final = MappingProxyType({"LD 2D": 1, "LP": 2})
"""Number of player positions that are measured; in liar's dice only the first bid is measured."""


class Setting(NamedTuple):
    """The games, the search effort, and the number of seeds.

    Attributes
    ----------
    games : tuple[str, ...]
        Names of games in the tables.
    effort : Effort
    seeds : int
    """

    games: tuple[str, ...]
    effort: Effort
    seeds: int


def true_state_ratio(policy: Searched, position: int, baseline: str = "uniform") -> float:
    """Return the mean true-state sampling ratio of a policy in a position.

    In liar's dice it is the ratio of the first player's first bid; on a tree, the ratio of the
    opponent's beliefs over the whole game.
    """
    if isinstance(policy, BidTable):
        first_bid = policy.probability[0, :, 0].T
        return mean_true_state_sampling_ratio(first_bid, policy.prior, baseline=baseline)
    tree = tree_of(policy.form.name)
    return true_state_sampling_ratio(
        tree, policy, position, observer=1 - position, baseline=baseline
    ).mean


def report(run: RunCells, setting: Setting) -> Report:
    """Measure the information leakage of the policies."""
    seeds = range(setting.seeds)
    keys = list(product(ALGORITHMS, setting.games, PUBLIC_WEIGHTS, seeds))
    cells = [
        PolicyCell(algorithm, GAMES[game].game, public_weight, setting.effort, seed)
        for algorithm, game, public_weight, seed in keys
    ]
    results = zip(keys, cells, run(cells), strict=True)
    policies = {key: searched(cell, result) for key, cell, result in results}
    tables, charts = [], []
    for game in setting.games:
        found = {
            Row(algorithm, game, position): [
                Measured.of_runs(
                    [
                        true_state_ratio(policies[algorithm, game, public_weight, s], position)
                        for s in seeds
                    ]
                )
                for public_weight in PUBLIC_WEIGHTS
            ]
            for algorithm, position in product(ALGORITHMS, range(NUM_POSITIONS[game]))
        }
        name = f"leakage-{game.lower().replace(' ', '-')}"
        title = (
            f"True state sampling ratio in {GAMES[game].title}, by public weight; 1 means no "
            "leakage."
        )
        tables.append(compared_sheet(name, title, PUBLIC_WEIGHTS, found, {}))
        charts.append(
            weight_chart(name, game, "true state sampling ratio", PUBLIC_WEIGHTS, found, {})
        )
    return Report(tuple(tables), tuple(charts))


LEAKAGE = Experiment(
    "leakage",
    "Information leakage of searchers",
    report,
    quick=Setting(("LD 2D", "LP"), Effort(0.05, 20), 2),
    full=Setting(("LD 2D", "LP"), Effort(0.01, 200), 3),
    quick_time="as Table 1, whose cells it reuses",
    full_time="as Table 1",
)
