"""What the settings of IS-MCTS change, which the paper leaves open."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset_studies.beliefs.policies import Effort, PolicyCell
from infoset_studies.beliefs.published import GAMES, PUBLIC_WEIGHTS, RESPONSES, Row
from infoset_studies.beliefs.sheets import LIKE_THE_PAPER, SEATS

__all__ = ["TREE_SETTINGS"]

VARIANTS: Final[tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]] = (
    ("0.7 √(ln N / n), as OpenSpiel", ()),
    ("0.7 √(2 ln N / n)", (("bonus", "2ln"),)),
    ("0.2 √(ln N / n)", (("exploration", 0.2),)),
    ("2 √(ln N / n)", (("exploration", 2.0),)),
    ("5 √(ln N / n)", (("exploration", 5.0),)),
    ("returns by 13, the most that is won", (("reward_scale", 13.0),)),
    ("20 plays a leaf", (("num_rollouts", 20),)),
    ("0.7 √(2 ln N / n), 20 plays a leaf", LIKE_THE_PAPER),
)


class Setting(NamedTuple):
    """In which games, for which public weights, with how much effort.

    Attributes
    ----------
    games : tuple[str, ...]
        By their names in the tables.
    public_weights : tuple[float, ...]
    effort : Effort
    """

    games: tuple[str, ...]
    public_weights: tuple[float, ...]
    effort: Effort


def report(run: RunCells, setting: Setting) -> Report:
    """Put best responses to each variant beside those of the paper."""
    keys = list(product(setting.games, VARIANTS, setting.public_weights))
    cells = [
        PolicyCell("ismcts", GAMES[game].game, public_weight, setting.effort, 0, changes)
        for game, (_, changes), public_weight in keys
    ]
    found = {
        (game, label, public_weight): result["responses"]
        for (game, (label, _), public_weight), result in zip(keys, run(cells), strict=True)
    }
    places = list(product(range(len(SEATS)), setting.public_weights))
    rows: list[tuple[str | float | None, ...]] = []
    for game in setting.games:
        for label, _ in VARIANTS:
            rows.append(
                (
                    game,
                    label,
                    *(found[game, label, public_weight][seat] for seat, public_weight in places),
                )
            )
        published = [
            RESPONSES[Row("ismcts", game, seat)][PUBLIC_WEIGHTS.index(public_weight)].mean
            for seat, public_weight in places
        ]
        rows.append((game, "paper", *published))
    about = (
        "What a best responder gets from IS-MCTS with 1000 simulations, by its settings, its seat "
        "and the weight of the public belief."
    )
    columns = (
        "game",
        "bonus",
        *(f"{SEATS[seat]}, {public_weight:g}" for seat, public_weight in places),
    )
    return Report((Table("tree-settings", about, columns, tuple(rows)),))


TREE_SETTINGS = Experiment(
    "settings",
    "The settings of IS-MCTS",
    report,
    quick=Setting(("LP",), (0.0, 0.5, 1.0), Effort(0.05, 20)),
    full=Setting(("LP", "LD 2D"), (0.0, 0.5, 1.0), Effort(0.02, 50)),
    quick_time="three minutes",
    full_time="half an hour",
)
