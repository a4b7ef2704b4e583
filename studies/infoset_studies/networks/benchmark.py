"""Exploitability of learners by decisions, on the games of the benchmark of Rudolph et al."""

from __future__ import annotations

from itertools import product
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Entry, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.typing import FloatArray
from infoset_studies.networks.published import (
    DARK_HEX,
    LIARS_DICE,
    PHANTOM_TTT,
    PUBLISHED_NUMBERS,
)
from infoset_studies.networks.training_cells import EquilibriumCell, TrainingCell
from infoset_studies.sepot.blueprints import has_networks, without_networks

__all__ = ["LEARNERS", "PUBLISHED", "Benchmark", "Game"]

EQUILIBRIUM: Final = "cfr+-quadratic"


class Game(NamedTuple):
    """A game, and the iterations of the method that computes its equilibrium.

    Attributes
    ----------
    title, name : str
    iterations : int
    """

    title: str
    name: str
    iterations: int


class Benchmark(NamedTuple):
    """The runs of an experiment.

    Attributes
    ----------
    name : str
        Name of its tables.
    games : tuple[Game, ...]
    learners : tuple[str, ...]
    is_published : bool
        Whether learners have the published numbers.
    seeds, decisions, points : int
    batch_size : int
        Episodes in a batch; 0 for that of the learner.
    """

    name: str
    games: tuple[Game, ...]
    learners: tuple[str, ...]
    is_published: bool
    seeds: int
    decisions: int
    points: int
    batch_size: int

    def cell(self, game: Game, learner: str, seed: int) -> TrainingCell:
        """Return a training run."""
        return TrainingCell(
            game.name,
            learner,
            self.is_published,
            self.batch_size,
            seed,
            self.decisions,
            self.points,
        )

    def report(self, run: RunCells) -> Report:
        """Return a table of all points, one of the last ones, and a chart for each game."""
        points: list[tuple[Entry, ...]] = []
        last: list[tuple[Entry, ...]] = []
        charts = []
        learners = self.learners if has_networks() else ()
        for game in self.games:
            solved = EquilibriumCell(game.name, EQUILIBRIUM, game.iterations)
            runs = [*product(learners, range(self.seeds))]
            equilibrium, *found = run([solved, *(self.cell(game, *one) for one in runs)])
            lines = {}
            for place, learner in enumerate(learners):
                own = found[place * self.seeds : (place + 1) * self.seeds]
                gains = np.array([result["nash_conv"] for result in own]) / 2
                lines[learner] = np.median(gains, axis=0)
                points += self._points(game, learner, gains)
                last.append(self._last(game, learner, own, gains[:, -1]))
            last += _compared(game, equilibrium)
            if lines:
                charts.append(self._chart(game, lines))
        return Report(self._tables(points, last), tuple(charts))

    def _tables(
        self, points: list[tuple[Entry, ...]], last: list[tuple[Entry, ...]]
    ) -> tuple[Table, ...]:
        columns = ("median", "lowest", "highest")
        about = (
            "exploitability, which is half of NashConv, over the seeds; decisions are those of "
            f"both players.{without_networks()}"
        )
        return (
            Table(
                self.name,
                f"During training: {about}",
                ("game", "learner", "decisions", *columns),
                (*points,),
            ),
            Table(
                f"{self.name}-last",
                f"After training: {about} `value` is that of the policy for the first player, its "
                "median over the seeds.",
                ("game", "learner", "seeds", "steps", *columns, "value"),
                (*last,),
            ),
            Table(
                f"{self.name}-summary",
                f"After training, by game: {about}",
                ("learner", *(game.title for game in self.games)),
                self._summary(last),
            ),
        )

    def _summary(self, last: list[tuple[Entry, ...]]) -> tuple[tuple[Entry, ...], ...]:
        """Return a row for each learner, with median, lowest and highest exploitability."""
        found: dict[Entry, list[Entry]] = {}
        for _, learner, _, _, middle, low, high, _ in last:
            limits = "" if low is None else f" ({low:.3g} to {high:.3g})"
            found.setdefault(learner, [learner]).append(f"{middle:.3g}{limits}")
        return tuple(map(tuple, found.values()))

    def _points(self, game: Game, learner: str, gains: FloatArray) -> list[tuple[Entry, ...]]:
        return [
            (game.title, learner, self._decisions_at(place), *_spread(gains[:, place]))
            for place in range(self.points)
        ]

    def _decisions_at(self, place: int) -> int:
        return self.decisions * (place + 1) // self.points

    def _last(
        self, game: Game, learner: str, results: list[CellResult], gains: FloatArray
    ) -> tuple[Entry, ...]:
        steps = round(median(result["learner_steps"][-1] for result in results))
        value = median(result["value"][-1] for result in results)
        return (game.title, learner, self.seeds, steps, *_spread(gains), value)

    def _chart(self, game: Game, lines: dict[str, FloatArray]) -> Chart:
        across = tuple(float(self._decisions_at(place)) for place in range(self.points))
        return Chart(
            f"{self.name}-{run_slug(game.title, 'curves')}",
            f"{game.title}: exploitability, median over the seeds",
            "decisions",
            "exploitability",
            tuple(Line(name, across, tuple(line.tolist())) for name, line in lines.items()),
        )


def _compared(game: Game, equilibrium: CellResult) -> list[tuple[Entry, ...]]:
    """Return the rows of uniform play and of the method that computes an equilibrium."""
    uniform, solved = equilibrium["uniform"] / 2, equilibrium["nash_conv"] / 2
    return [
        (game.title, "uniform play", None, None, uniform, None, None, None),
        (
            *(game.title, EQUILIBRIUM, None, game.iterations),
            *(solved, None, None, equilibrium["value"]),
        ),
    ]


def _spread(gains: FloatArray) -> tuple[float, float, float]:
    return float(np.median(gains)), float(gains.min()), float(gains.max())


def benchmark_report(run: RunCells, setting: Benchmark) -> Report:
    """Return the report of a benchmark."""
    return setting.report(run)


SMALL: Final = (
    Game("phantom tic-tac-toe 2x3", "phantom_ttt(num_rows=2,num_cols=3,gameversion=abrupt)", 300),
    Game("dark hex 2x3", "dark_hex(num_rows=2,num_cols=3,gameversion=adh)", 300),
    Game("liar's dice 1x5", LIARS_DICE, 300),
)
LARGE: Final = (
    Game("phantom tic-tac-toe", PHANTOM_TTT, 100),
    Game("dark hex", DARK_HEX, 100),
    Game("liar's dice 1x5", LIARS_DICE, 1000),
)
OURS: Final = ("ppo", "mmd", "nash-pg", "rnad")

LEARNERS: Final = Experiment(
    "learners",
    "Learners on the abrupt games and liar's dice",
    benchmark_report,
    quick=Benchmark("learners", SMALL, OURS, False, 3, 100_000, 5, 32),
    full=Benchmark("long", LARGE, OURS, False, 3, 10_000_000, 10, 32),
    quick_time="three minutes",
    full_time="four hours",
)

PUBLISHED: Final = Experiment(
    "published",
    "Learners with the published hyperparameters",
    benchmark_report,
    quick=Benchmark("published", SMALL[2:], ("ppo", "mmd", "rnad"), True, 2, 100_000, 5, 0),
    full=Benchmark(
        "published-long", LARGE, (*PUBLISHED_NUMBERS[DARK_HEX],), True, 3, 10_000_000, 10, 0
    ),
    quick_time="half a minute",
    full_time="four hours, without the equilibria of learners",
)
