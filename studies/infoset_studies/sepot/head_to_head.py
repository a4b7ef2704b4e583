"""Matches of search by rules against its own network, in games without a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.games import load_game
from infoset.matches import play_matches
from infoset.resolving import ContinualResolving
from infoset.runs import Interrupt
from infoset.search import RulesModel
from infoset_studies.beliefs.published import Measured
from infoset_studies.sepot.blueprints import (
    NETWORK,
    has_networks,
    one_at_a_time,
    without_networks,
)

__all__ = ["HEAD_TO_HEAD", "MatchCell", "MatchSetting"]


def battleship(side: int, ship_sizes: tuple[int, ...]) -> str:
    """Return the specification of battleship as in the paper: the first to sink all ships wins."""
    sizes = ";".join(map(str, ship_sizes))
    values = ";".join("1" for _ in ship_sizes)
    return (
        f"battleship(board_width={side},board_height={side},ship_sizes=[{sizes}],"
        f"ship_values=[{values}],num_shots=-1,allow_repeated_shots=False,payoff=win_loss)"
    )


TITLES: Final[Mapping[str, str]] = {
    battleship(3, (2, 2)): "battleship 3x3, ships of 2 and 2",
    battleship(5, (3, 2, 2)): "battleship 5x5, ships of 3, 2 and 2",
}


@dataclass(frozen=True)
class MatchCell:
    """A network, its critic, and a match of search with both against the network.

    Attributes
    ----------
    game : str
    steps, critic_steps : int
        Learner steps of the network, and of the critic afterwards.
    seed : int
        Seed of the network, the critic, the samples and the deals.
    deals : int
        Number of deals, each played in both positions.
    """

    game: str
    steps: int
    critic_steps: int
    seed: int
    deals: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(TITLES[self.game], f"match-{self.steps}-{self.deals}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the mean utility of the search, its standard error, and its kinds of decisions."""
        from infoset.deep import train, train_critic

        game = load_game(self.game)
        with one_at_a_time:
            if interrupt.is_set():
                raise CellInterrupted
            network = train(
                game, NETWORK, build=False, steps=self.steps, seed=self.seed, response_steps=0
            ).policy
            critic = train_critic(game, network, steps=self.critic_steps, seed=self.seed)
        search = ContinualResolving(RulesModel(game), network, critic, seed=self.seed)
        result = play_matches(
            game,
            search,
            network,
            num_deals=self.deals,
            seed=self.seed,
            callback=lambda _: interrupt.is_set(),
        )
        if interrupt.is_set():
            raise CellInterrupted
        return {
            "utility": result.utility.mean,
            "standard_error": result.utility.standard_error,
            "methods": dict(search.methods),
        }


class MatchSetting(NamedTuple):
    """Games with the learner steps of networks and critics, and the deals; and the seeds."""

    games: tuple[tuple[str, int, int, int], ...]
    seeds: int


def match_report(run: RunCells, setting: MatchSetting) -> Report:
    """Play search by rules against its network, for each game and seed."""
    rows: list[tuple[str | float | int | None, ...]] = []
    for game, steps, critic_steps, deals in setting.games if has_networks() else ():
        cells = [MatchCell(game, steps, critic_steps, seed, deals) for seed in range(setting.seeds)]
        results = run(cells)
        means = [result["utility"] for result in results]
        # One match has the standard error of its deals; several differ by their networks, too.
        mean, width = (
            Measured.of_runs(means)
            if len(means) > 1
            else (means[0], 1.96 * results[0]["standard_error"])
        )
        methods: Counter[str] = Counter()
        for result in results:
            methods.update(result["methods"])
        searched = 1 - methods["blueprint"] / methods.total()
        rows.append((TITLES[game], steps, setting.seeds, deals, mean, width, searched))
    title = (
        "Search by rules (depth 1, `previous`) against its own network: mean utility of the "
        "search, from -1 to 1, half of the 95% confidence interval, and the fraction of decisions "
        f"that were searched.{without_networks()}"
    )
    columns = ("game", "learner steps", "seeds", "deals per seed", "mean", "±", "searched")
    return Report((Table("matches", title, columns, tuple(rows)),))


HEAD_TO_HEAD: Final = Experiment(
    "matches",
    "Matches of search by rules against its network",
    match_report,
    quick=MatchSetting(((battleship(3, (2, 2)), 500, 500, 30),), 1),
    full=MatchSetting(
        (
            (battleship(3, (2, 2)), 5_000, 5_000, 30),
            (battleship(5, (3, 2, 2)), 1_000, 1_000, 8),
        ),
        5,
    ),
    quick_time="a minute",
    full_time="an hour for the small board, two for the large one",
)
