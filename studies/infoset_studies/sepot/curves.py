"""Exploitability of networks and of searches with their critics, during the training of both."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.evaluation import evaluate_policy
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.resolving import ContinualResolving
from infoset.runs import Interrupt
from infoset.typing import FloatArray
from infoset_studies.beliefs.average_policies import tree_of
from infoset_studies.beliefs.published import Measured
from infoset_studies.sepot.blueprints import (
    LEDUC,
    SHARED_CRITIC,
    alone,
    goofspiel,
    has_networks,
    train_network,
    without_networks,
)
from infoset_studies.sepot.search_cells import Search

__all__ = ["CURVES", "Curve", "CurveCell"]

OPPONENTS: Final = ("profile", "previous")
"""The opponent's values at the root of a search: those of the paper, and the previous search's."""


@cache
def _folder(game: str, seed: int) -> TemporaryDirectory[str]:
    """Return a folder with the states of one training run, from which longer runs resume."""
    return TemporaryDirectory(prefix="infoset-curves-")


@dataclass(frozen=True)
class CurveCell:
    """A network and its critic after some learner steps, and searches with both.

    Attributes
    ----------
    game : str
    steps, seed : int
        Learner steps of the network and of its critic, which learn from the same episodes.
    searches : tuple[Search, ...]
    """

    game: str
    steps: int
    seed: int
    searches: tuple[Search, ...]

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"curve-{self.steps}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self) | {"searches": [search._asdict() for search in self.searches]}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the security levels of both players, without search and with each one."""
        tree = tree_of(self.game)
        rows = self.searches[0].rows(self.game)
        with alone(interrupt):
            result = train_network(
                self.game,
                tree,
                steps=self.steps,
                seed=self.seed,
                critic=SHARED_CRITIC,
                transformations=rows,
                checkpoint=self._checkpoint(),
            )
            assert result.critic is not None
            values = result.critic.tabulate(tree)
        found = [evaluate_policy(result.policy.tabulate(tree.sequence_form)).security_levels]
        for search in self.searches:
            if interrupt.is_set():
                raise CellInterrupted
            searcher = ContinualResolving(tree, result.policy, values, **search.options())
            found.append(evaluate_policy(searcher.search_policy()).security_levels)
        return {"security_levels": found}

    def _checkpoint(self) -> Path:
        """Return the file of this training run, which resumes the longest shorter run."""
        folder = Path(_folder(self.game, self.seed).name)
        shorter = [path for path in folder.iterdir() if int(path.stem) <= self.steps]
        own = folder / f"{self.steps}.npz"
        if shorter and own not in shorter:
            shutil.copyfile(max(shorter, key=lambda path: int(path.stem)), own)
        return own


class Curve(NamedTuple):
    """A game with the learner steps at which searches are measured.

    Attributes
    ----------
    name, game : str
    value : float
        Value of the game for player 0.
    checkpoints : tuple[int, ...]
    seeds : int
    depths : tuple[int, ...]
    """

    name: str
    game: str
    value: float
    checkpoints: tuple[int, ...]
    seeds: int
    depths: tuple[int, ...]

    def searches(self) -> tuple[Search, ...]:
        """Return the searches of all depths, with both kinds of the opponent's values."""
        return tuple(Search(o, depth=d) for o, d in product(OPPONENTS, self.depths))

    def labels(self) -> tuple[str, ...]:
        """Return the name of each curve: the network, and the searches."""
        kinds = (f"{s.opponent}, depth {s.depth}" for s in self.searches())
        return ("network", *kinds)

    def exploitabilities(self, run: RunCells) -> FloatArray:
        """Return [C, S, K, 2] the gain of each player's opponent by checkpoint, seed and curve."""
        cells = [
            CurveCell(self.game, steps, seed, self.searches())
            for seed, steps in product(range(self.seeds), self.checkpoints)
        ]
        found = np.array([result["security_levels"] for result in run(cells)])
        by_seed = found.reshape(self.seeds, len(self.checkpoints), *found.shape[1:])
        gains: FloatArray = np.array([self.value, -self.value]) - np.swapaxes(by_seed, 0, 1)
        return gains


def curve_report(run: RunCells, setting: tuple[Curve, ...]) -> Report:
    """Return one table of all curves, one of their last points, and figures by player."""
    rows: list[tuple[str | float | int | None, ...]] = []
    last: list[tuple[str | float | int | None, ...]] = []
    charts = []
    for curve in setting if has_networks() else ():
        found = curve.exploitabilities(run)
        sums = found.sum(axis=-1)
        for kind, label in enumerate(curve.labels()):
            for place, steps in enumerate(curve.checkpoints):
                players = [Measured.of_runs(found[place, :, kind, p].tolist()) for p in range(2)]
                both = Measured.of_runs(sums[place, :, kind].tolist())
                numbers = [number for pair in (*players, both) for number in pair]
                rows.append((curve.name, label, steps, *numbers))
            lower = int((sums[-1, :, kind] < sums[-1, :, 0]).sum()) if kind else None
            last.append((curve.name, curve.seeds, label, *numbers, lower))
        charts += [_chart(curve, found, player) for player in range(2)]
    numbers_of = ("player 0", "±", "player 1", "±", "NashConv", "±")
    about = (
        "gain of a best response against each player, and NashConv, which is their sum; mean and "
        f"half of the 95% confidence interval over the seeds.{without_networks()}"
    )
    return Report(
        (
            Table(
                "curves",
                f"During training: {about}",
                ("game", "kind", "steps", *numbers_of),
                (*rows,),
            ),
            Table(
                "curves-last",
                f"After training: {about}",
                ("game", "seeds", "kind", *numbers_of, "seeds improved"),
                (*last,),
            ),
        ),
        tuple(charts),
    )


def _chart(curve: Curve, found: FloatArray, player: int) -> Chart:
    """Return the chart of the gain of a player's opponent by learner steps."""
    across = tuple(map(float, curve.checkpoints))
    means = found[..., player].mean(axis=1)
    lines = [
        Line(label, across, tuple(means[:, kind].tolist()))
        for kind, label in enumerate(curve.labels())
    ]
    return Chart(
        f"curves-{run_slug(curve.name, str(player))}",
        f"{curve.name}: exploitability of player {player}",
        "learner steps",
        "gain of the opponent",
        tuple(lines),
        is_logarithmic=False,
    )


def _every(steps: int, number: int) -> tuple[int, ...]:
    return tuple(steps * (place + 1) // number for place in range(number))


def _curves(numbers: Sequence[tuple[int, int, int]]) -> tuple[Curve, ...]:
    """Return the curves of the games, given the learner steps, checkpoints and seeds of each."""
    games = (
        ("Leduc poker", LEDUC, -0.0856064),
        ("goofspiel 5, descending", goofspiel(5), 0.0),
        ("goofspiel 5, random", goofspiel(5, "random"), 0.0),
    )
    return tuple(
        Curve(*game, _every(steps, checkpoints), seeds, depths=(1, 2, 3))
        for game, (steps, checkpoints, seeds) in zip(games, numbers, strict=False)
    )


CURVES: Final = Experiment(
    "curves",
    "Exploitability during training",
    curve_report,
    quick=_curves([(2000, 2, 2)]),
    full=_curves([(10_000, 10, 10), (10_000, 10, 5), (10_000, 10, 5)]),
    quick_time="a minute",
    full_time="an hour; ten more for prizes in random order",
)
