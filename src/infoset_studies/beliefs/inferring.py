"""Beliefs that infer from moves, beside those that do not."""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset_studies.beliefs.exact_cells import ExactCell
from infoset_studies.beliefs.published import SHARES
from infoset_studies.beliefs.sheets import SEATS, share_columns

__all__ = ["INFERRING"]

LABELS: Final = {"nothing": "nothing inferred", "pimc": "others taken for PIMC"}


class Setting(NamedTuple):
    """In which games with a tree, for which shares."""

    games: tuple[str, ...]
    shares: tuple[float, ...]


def report(run: RunCells, setting: Setting) -> Report:
    """Compare what best responders get, and what is given away."""
    tables, charts = [], []
    for game in setting.games:
        keys = list(product(LABELS, setting.shares))
        found = dict(
            zip(
                keys,
                run([ExactCell(game, (share,), assumes) for assumes, share in keys]),
                strict=True,
            )
        )
        rows = [
            (LABELS[assumes], where, what, *(found[assumes, s][key][seat] for s in setting.shares))
            for assumes in LABELS
            for seat, where in enumerate(SEATS)
            for what, key in (("best response", "responses"), ("given away", "ratios"))
        ]
        columns = ("belief", "seat", "what", *share_columns(setting.shares))
        slug = f"posterior-{game.partition('(')[0].replace('_', '-')}"
        about = f"PIMC with all worlds in {game}, by the share of the public belief."
        tables.append(Table(slug, about, columns, tuple(rows)))
        lines = tuple(
            Line(
                f"{LABELS[assumes]}, {where} seat",
                setting.shares,
                tuple(found[assumes, share]["responses"][seat] for share in setting.shares),
            )
            for assumes in LABELS
            for seat, where in enumerate(SEATS)
        )
        x_label = "share of the public belief (λ)"
        charts.append(Chart(slug, f"PIMC in {game}", x_label, "best response", lines, False))
    return Report(tuple(tables), tuple(charts))


INFERRING = Experiment(
    "posterior",
    "Beliefs that infer from moves",
    report,
    quick=Setting(("leduc_poker",), SHARES[::5]),
    full=Setting(("leduc_poker", "liars_dice"), SHARES),
    quick_time="a minute",
    full_time="ten minutes",
)
