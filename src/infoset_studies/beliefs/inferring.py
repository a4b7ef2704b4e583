"""Beliefs that infer from moves, beside those that do not."""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.beliefs.exact_cells import ExactCell
from infoset_studies.beliefs.published import PUBLIC_WEIGHTS
from infoset_studies.beliefs.sheets import SEATS, weight_columns

__all__ = ["INFERRING"]

LABELS: Final = {"nothing": "nothing inferred", "pimc": "others taken for PIMC"}


class Setting(NamedTuple):
    """In which games with a tree, for which public weights."""

    games: tuple[str, ...]
    public_weights: tuple[float, ...]


def report(run: RunCells, setting: Setting) -> Report:
    """Compare what best responders get, and what is given away."""
    tables, charts = [], []
    for game in setting.games:
        keys = list(product(LABELS, setting.public_weights))
        found = dict(
            zip(
                keys,
                run(
                    [ExactCell(game, (public_weight,), assumes) for assumes, public_weight in keys]
                ),
                strict=True,
            )
        )
        rows = [
            (
                LABELS[assumes],
                where,
                what,
                *(found[assumes, s][key][seat] for s in setting.public_weights),
            )
            for assumes in LABELS
            for seat, where in enumerate(SEATS)
            for what, key in (("best response", "responses"), ("given away", "ratios"))
        ]
        columns = ("belief", "seat", "what", *weight_columns(setting.public_weights))
        slug = f"posterior-{game.partition('(')[0].replace('_', '-')}"
        about = f"PIMC with all worlds in {game}, by the weight of the public belief."
        tables.append(Table(slug, about, columns, tuple(rows)))
        lines = tuple(
            Line(
                f"{LABELS[assumes]}, {where} seat",
                setting.public_weights,
                tuple(
                    found[assumes, public_weight]["responses"][seat]
                    for public_weight in setting.public_weights
                ),
            )
            for assumes in LABELS
            for seat, where in enumerate(SEATS)
        )
        x_label = "weight of the public belief (λ)"
        charts.append(Chart(slug, f"PIMC in {game}", x_label, "best response", lines, False))
    return Report(tuple(tables), tuple(charts))


INFERRING = Experiment(
    "posterior",
    "Beliefs that infer from moves",
    report,
    quick=Setting(("leduc_poker",), PUBLIC_WEIGHTS[::5]),
    full=Setting(("leduc_poker", "liars_dice"), PUBLIC_WEIGHTS),
    quick_time="a minute",
    full_time="ten minutes",
)
