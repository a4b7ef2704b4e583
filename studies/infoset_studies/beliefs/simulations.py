"""Best responses to IS-MCTS in liar's dice, by its number of simulations and its final policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.games import LiarsDice, load_game
from infoset.plotting import Line
from infoset.runs import Interrupt
from infoset.search.final_policies import FINAL_POLICIES
from infoset_studies.beliefs.average_policies import (
    Interruptible,
    bid_answers,
    mean_table,
    responses,
    searcher_of,
)
from infoset_studies.beliefs.published import (
    GAMES,
    POSITIONS,
    PUBLIC_WEIGHTS,
    RESPONSES,
    Measured,
    Row,
)

__all__ = ["SIMULATION_NUMBERS", "SearchEffort", "Setting", "SimulationCell"]


@dataclass(frozen=True)
class SimulationCell:
    """The average policies of IS-MCTS in liar's dice, one for each final policy.

    All final policies are applied to the same searches.

    Attributes
    ----------
    game : str
    public_weight : float
    num_simulations, repeats, seed : int
        `repeats` is the number of searches for each hand and last bid.
    """

    game: str
    public_weight: float
    num_simulations: int
    repeats: int
    seed: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"simulations-{self.num_simulations}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Search; return the values of best responses by final policy."""
        game = load_game(self.game)
        assert isinstance(game, LiarsDice)
        searcher = searcher_of(
            "ismcts", game, self.public_weight, num_simulations=self.num_simulations
        )
        visits = bid_answers(game, Interruptible(searcher, interrupt), self.repeats, self.seed)
        return {
            name: responses(
                mean_table(game, {where: final_policy(n) for where, n in visits.items()})
            )
            for name, final_policy in FINAL_POLICIES.items()
        }


class SearchEffort(NamedTuple):
    """The searches for one number of simulations.

    Attributes
    ----------
    public_weight : float
    num_simulations : int
    repeats : int
        Number of searches for each hand and last bid.
    seeds : int
    is_in_chart : bool
    """

    public_weight: float
    num_simulations: int
    repeats: int
    seeds: int
    is_in_chart: bool = True


class Setting(NamedTuple):
    """The game, by its name in the tables, and the searches."""

    game: str
    efforts: tuple[SearchEffort, ...]


Found: TypeAlias = Mapping[tuple[SearchEffort, str], Sequence[Measured]]
"""Best-response values by effort, final policy and position."""


def report(run: RunCells, setting: Setting) -> Report:
    """Search, compute best responses to the searcher, and compare their values with the paper."""
    game, efforts = setting
    cells = [
        SimulationCell(GAMES[game].game, *effort[:3], seed)
        for effort in efforts
        for seed in range(effort.seeds)
    ]
    results = iter(run(cells))
    of_effort = {effort: [next(results) for _ in range(effort.seeds)] for effort in efforts}
    found = {
        (effort, name): _measured([result[name] for result in results])
        for effort, results in of_effort.items()
        for name in FINAL_POLICIES
    }
    return Report((_table(game, found),), (_chart(game, found),))


def _measured(responses: Sequence[tuple[float, float]]) -> list[Measured]:
    """Return the best-response value by position, from the values by seed and position."""
    return [Measured.of_runs(values) for values in zip(*responses, strict=True)]


def _published(game: str, position: int, public_weight: float) -> float:
    """Return the number of the paper."""
    return RESPONSES[Row("ismcts", game, position)][PUBLIC_WEIGHTS.index(public_weight)].mean


def _table(game: str, found: Found) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for public_weight in dict.fromkeys(effort.public_weight for effort, _ in found):
        for wanted in FINAL_POLICIES:
            rows += [
                (*effort[:3], name, *first, *second)
                for (effort, name), (first, second) in found.items()
                if (effort.public_weight, name) == (public_weight, wanted)
            ]
        first, second = (_published(game, position, public_weight) for position in (0, 1))
        rows.append((public_weight, None, None, "paper", first, None, second, None))
    about = (
        f"{GAMES[game].title}: value of a best response to IS-MCTS in either position, by the "
        "weight of the public belief, the number of simulations, the number of searches that are "
        "averaged at each hand and last bid, and the final policy."
    )
    settings = ("public weight", "simulations", "searches", "final policy")
    columns = (*settings, "first", "first ±", "second", "second ±")
    return Table("simulations", about, columns, tuple(rows))


def _chart(game: str, found: Found) -> Chart:
    """Return the chart of the values at public weight 0, with the paper's values as guides."""
    shown = [effort for effort in {effort: None for effort, _ in found} if effort.is_in_chart]
    across = tuple(float(effort.num_simulations) for effort in shown)
    lines = []
    for position, where in enumerate(POSITIONS):
        for name in FINAL_POLICIES:
            values = tuple(found[effort, name][position].value for effort in shown)
            lines.append(Line(f"{where} position, {name}", across, values))
        theirs = _published(game, position, 0.0)
        lines.append(Line(f"paper, {where}", across, (theirs,) * len(across), is_guide=True))
    return Chart(
        "simulations",
        f"{GAMES[game].title}: best response to IS-MCTS",
        "simulations",
        "best response",
        tuple(lines),
    )


QUICK: Final = (SearchEffort(0.0, 1000, 20, 2), SearchEffort(0.0, 4000, 20, 2))
FULL: Final = (
    SearchEffort(0.0, 1000, 50, 3),
    SearchEffort(0.0, 4000, 50, 3),
    SearchEffort(0.0, 10_000, 50, 3),
    SearchEffort(0.0, 40_000, 50, 2),
    SearchEffort(0.0, 1000, 200, 3, is_in_chart=False),
    SearchEffort(1.0, 1000, 50, 3, is_in_chart=False),
    SearchEffort(1.0, 10_000, 50, 1, is_in_chart=False),
)
"""The searches of the table. The average of 200 searches shows the effect of their number."""

SIMULATION_NUMBERS = Experiment(
    "simulations",
    "Simulations and final policy of IS-MCTS",
    report,
    quick=Setting("LD 2D", QUICK),
    full=Setting("LD 2D", FULL),
    quick_time="a minute",
    full_time="ten minutes",
)
