"""How much searchers give away of what they hold, by the weight of the public belief."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.evaluation import mean_true_state_sampling_ratio, true_state_sampling_ratio
from infoset.experiments.reports import Report
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.policies import (
    Effort,
    PolicyCell,
    Searched,
    searched,
    tree_of,
)
from infoset_studies.beliefs.published import GAMES, PUBLIC_WEIGHTS, Row
from infoset_studies.beliefs.sheets import ALGORITHMS, Measured, compared_sheet, weight_chart
from infoset_studies.liars_dice_closed_form import BidTable

__all__ = ["LEAKS", "true_state_ratio"]

NUM_SEATS: Final = MappingProxyType({"LD 2D": 1, "LP": 2})
"""Of liar's dice the first bid is looked at, which is the first player's."""


class Setting(NamedTuple):
    """Which games, with how much effort for policies.

    Attributes
    ----------
    games : tuple[str, ...]
        By their names in the tables.
    effort : Effort
    seeds : int
    """

    games: tuple[str, ...]
    effort: Effort
    seeds: int


def true_state_ratio(policy: Searched, seat: int, baseline: str = "uniform") -> float:
    """Return the true state sampling ratio of a policy in a seat, averaged over play.

    In liar's dice that of the first bid, as the first player makes it; on a tree, over a whole
    game, as the opponent has it.
    """
    if isinstance(policy, BidTable):
        first_bid = policy.probability[0, :, 0].T
        return mean_true_state_sampling_ratio(first_bid, policy.prior, baseline=baseline)
    tree = tree_of(policy.sequence_form.name)
    return true_state_sampling_ratio(tree, policy, seat, observer=1 - seat, baseline=baseline).mean


def report(run: RunCells, setting: Setting) -> Report:
    """Measure what policies give away."""
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
            Row(algorithm, game, seat): [
                Measured.of_runs(
                    [
                        true_state_ratio(policies[algorithm, game, public_weight, s], seat)
                        for s in seeds
                    ]
                )
                for public_weight in PUBLIC_WEIGHTS
            ]
            for algorithm, seat in product(ALGORITHMS, range(NUM_SEATS[game]))
        }
        name = f"tssr-{game.lower().replace(' ', '-')}"
        title = (
            f"True state sampling ratio in {GAMES[game].title}, by public weight: 1 leaks nothing."
        )
        tables.append(compared_sheet(name, title, PUBLIC_WEIGHTS, found, {}))
        charts.append(
            weight_chart(name, game, "true state sampling ratio", PUBLIC_WEIGHTS, found, {})
        )
    return Report(tuple(tables), tuple(charts))


LEAKS = Experiment(
    "tssr",
    "What searchers give away",
    report,
    quick=Setting(("LD 2D", "LP"), Effort(0.05, 20), 2),
    full=Setting(("LD 2D", "LP"), Effort(0.01, 200), 3),
    quick_time="as table 1, with which it shares its runs",
    full_time="as table 1",
)
