"""Two weights of the public belief: one at the first own action, another from then on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import HeatMap, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.policy import TabularPolicy
from infoset.tree import Treeplex
from infoset.typing import IntArray
from infoset_studies.beliefs.policies import (
    Effort,
    PolicyCell,
    Searched,
    responses,
    searched,
)
from infoset_studies.beliefs.published import GAMES, PUBLIC_WEIGHTS
from infoset_studies.beliefs.sheets import LABELS, SEATS, weight_columns
from infoset_studies.liars_dice_closed_form import BidTable

__all__ = ["HEAT_MAPS", "joined"]


class Setting(NamedTuple):
    """Which algorithm in which game, and how much effort for the policies.

    Attributes
    ----------
    maps : tuple[tuple[str, str], ...]
        Algorithms, and games by their names in the tables.
    effort : Effort
    """

    maps: tuple[tuple[str, str], ...]
    effort: Effort


@dataclass(frozen=True)
class PairCell:
    """What best responders get from a searcher with two public weights.

    Attributes
    ----------
    first, later : PolicyCell
        What is played at the first own action, and from then on.
    policies : tuple[Searched, Searched]
        What was found for them.
    """

    first: PolicyCell
    later: PolicyCell
    policies: tuple[Searched, Searched] = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """What its file begins with."""
        cell = self.first
        public_weights = f"{cell.public_weight:g}-{self.later.public_weight:g}"
        return run_slug(cell.game, f"pair-{cell.algorithm}-{public_weights}-{cell.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return {**self.first.settings(), "later_public_weight": self.later.public_weight}

    def run(self, interrupt: Event) -> CellResult:
        """Return what best responders get in either seat."""
        return {"responses": responses(joined(*self.policies))}


def joined(first: Searched, later: Searched) -> Searched:
    """Return the policy that is one at the first own action, and another from then on."""
    if isinstance(first, BidTable):
        assert isinstance(later, BidTable)
        return BidTable(first.game, np.stack([first.probability[0], later.probability[-1]]))
    assert isinstance(later, TabularPolicy)
    form = first.sequence_form
    parts = [
        np.where(_is_first(plex), early, late)
        for plex, early, late in zip(
            form.treeplexes, first.probabilities, later.probabilities, strict=True
        )
    ]
    return TabularPolicy(form, tuple(parts))


def _is_first(plex: Treeplex) -> IntArray:
    """Return [Q] whether each sequence ends with the player's first action."""
    owner = plex.infostate_of_sequence
    is_first = np.ones(plex.num_sequences, bool)
    is_first[1:] = plex.parent_sequence[owner[1:]] == 0
    return is_first


def report(run: RunCells, setting: Setting) -> Report:
    """Find the policies for each public weight, and join them in pairs."""
    cells = [
        PolicyCell(algorithm, GAMES[game].game, public_weight, setting.effort, 0)
        for (algorithm, game), public_weight in product(setting.maps, PUBLIC_WEIGHTS)
    ]
    found = [(cell, searched(cell, result)) for cell, result in zip(cells, run(cells), strict=True)]
    size = len(PUBLIC_WEIGHTS)
    tables, maps = [], []
    for number, (algorithm, game) in enumerate(setting.maps):
        own = found[number * size : (number + 1) * size]
        pairs = [
            PairCell(first, later, (one, other))
            for (first, one), (later, other) in product(own, own)
        ]
        values = np.array([result["responses"] for result in run(pairs)])
        for seat, where in enumerate(SEATS):
            grid = values[:, seat].reshape(size, size)
            slug = f"heat-{algorithm}-{game.lower().replace(' ', '-')}-{where}"
            title = f"{LABELS[algorithm]}, {GAMES[game].title}, {where} seat"
            rows = tuple(
                (f"{a:g}", *row) for a, row in zip(PUBLIC_WEIGHTS, grid.tolist(), strict=True)
            )
            about = f"{title}: best response by public weight, first action (down) and later on."
            tables.append(Table(slug, about, ("first", *weight_columns(PUBLIC_WEIGHTS)), rows))
            maps.append(
                HeatMap(
                    slug,
                    f"What a best responder gets: {title}",
                    "public weight at later actions",
                    "public weight at the first action",
                    PUBLIC_WEIGHTS,
                    PUBLIC_WEIGHTS,
                    tuple(map(tuple, grid.tolist())),
                )
            )
    return Report(tuple(tables), tuple(maps))


HEAT_MAPS = Experiment(
    "heatmap",
    "Two public weights, at the first action and later",
    report,
    quick=Setting((("pimc", "LD 2D"), ("pimc", "LP")), Effort(0.05, 20)),
    full=Setting(tuple(product(("pimc", "ismcts"), ("LD 2D", "LP"))), Effort(0.01, 200)),
    quick_time="three minutes",
    full_time="ten minutes, after table 1",
)
