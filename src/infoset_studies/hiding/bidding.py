"""Bridge beyond the paper: more iterations, rounds, another learner, and responses by turns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.reports import Table
from infoset.experiments.studies import RunCells
from infoset.teams import (
    HidingScheme,
    LocalLearner,
    PenaltySchedule,
    RegretRestarts,
    adaptive_penalty,
    entropic_ftrl,
    geometric_penalty,
    regret_matching,
)
from infoset_studies.hiding.bridge import GAME, OPTIMUM
from infoset_studies.hiding.hiding_cell import TeamGame, grouped
from infoset_studies.hiding.rounds_cell import RoundsCell

__all__ = ["BIDDERS", "bidding_cell", "bidding_table"]

BETTER: Final = 20.9
"""What is to be beaten."""

CERTAIN: Final = float(OPTIMUM) - 1e-6
ANEW: Final = 0.0


class Bidder(NamedTuple):
    """A learner, its penalty over a round, and what it keeps of its regrets.

    Attributes
    ----------
    learner : LocalLearner
    iterations : int
        Of a round.
    penalty : PenaltySchedule
    kept : float
    noise : float
        σ of what is added to what is kept.
    """

    learner: LocalLearner
    iterations: int
    penalty: PenaltySchedule
    kept: float
    noise: float


def _matching(iterations: int, penalty: PenaltySchedule) -> Bidder:
    return Bidder(regret_matching(), iterations, penalty, 0.001, 0.0)


BIDDERS: Final[Mapping[str, Bidder]] = MappingProxyType(
    {
        "regret matching, γ 5 to 200, 75 iterations": _matching(75, geometric_penalty(5, 200, 75)),
        "regret matching, steered to 20.8, 75 iterations": _matching(75, adaptive_penalty(20.8)),
        "regret matching, γ 5 to 200, 300 iterations": _matching(
            300, geometric_penalty(5, 200, 300)
        ),
        "FTRL, η 16/75, γ 5 to 200, 100 iterations": Bidder(
            entropic_ftrl(16 / 75), 100, geometric_penalty(5, 200, 100), 0.001, 0.5
        ),
    }
)


def bidding_cell(name: str, kept: float, rounds: int, seed: int) -> RoundsCell:
    """Return rounds of a bidder, which keeps that share of its regrets or begins anew."""
    bidder = BIDDERS[name]
    noise = bidder.noise if kept else bidder.learner.noise
    scheme = HidingScheme(
        learner=bidder.learner,
        penalty=bidder.penalty,
        projector="previous",
        regret_restarts=RegretRestarts(bidder.iterations, kept, noise),
    )
    return RoundsCell(TeamGame(GAME, "recall"), scheme, rounds, seed, CERTAIN)


def bidding_table(run: RunCells, seeds: int, rounds: int) -> Table:
    """Return what bidders earn in one round and in several, and once agents respond by turns."""
    keys = [(name, ANEW, 1) for name in BIDDERS]
    keys += [(name, kept, rounds) for name, own in BIDDERS.items() for kept in (ANEW, own.kept)]
    groups = [[bidding_cell(*key, seed) for seed in range(seeds)] for key in keys]
    rows: list[tuple[str | float | None, ...]] = []
    for (name, kept, count), results in zip(keys, grouped(run, groups), strict=True):
        between = None if count == 1 else "reheated" if kept else "restarted"
        numbers = [
            number
            for ends in ([r["best"][-1] for r in results], [r["by_turns"] for r in results])
            for number in (float(np.mean(ends)), max(ends), float(np.mean(np.array(ends) > BETTER)))
        ]
        rows.append((name, count, between, *numbers))
    columns = "mean", "best", f"above {BETTER}"
    return Table(
        "beyond-bridge",
        f"Bridge: the best policy of all rounds, {seeds} seeds, and what it earns once agents have "
        "responded to it by turns.",
        (
            *("method", "rounds", "between"),
            *columns,
            *(f"{column}, by turns" for column in columns),
        ),
        tuple(rows),
    )
