"""A position of battleship in which few shots make sense: shots of a network, and of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import HeatMap, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.game import Game, History, initial_history
from infoset.games import load_game
from infoset.resolving import DepthLimitedSearch
from infoset.runs import Interrupt
from infoset.search import RulesModel
from infoset_studies.beliefs.published import Measured
from infoset_studies.sepot.blueprints import alone, has_networks, without_networks
from infoset_studies.sepot.head_to_head import BOARDS, Training

__all__ = ["POSITION", "PositionCell", "PositionSetting", "position_history"]

SIDE: Final = 5

UNKNOWN: Final = (
    ("0_0", "0_1", "1_1", "0_3", "1_4", "2_0", "2_3", "3_2", "4_1", "4_3"),
    ("0_0", "0_1", "0_2", "1_2", "2_2", "1_0", "1_4", "3_3", "4_1", "4_4"),
)
"""Cells of each player's board that have not been shot at. All others are water or sunk ships."""

SENSIBLE: Final = UNKNOWN[1][:5]
"""The cells where the opponent's ship of three may be; a ship does not fit anywhere else."""

FLEETS: Final = (("v_2_4", "h_3_0", "h_0_0"), ("h_0_0", "v_2_0", "v_2_4"))
"""Where the players placed their ships. One ship of each player is not sunk: given what the
opponent knows, player 0's may also be at `v_0_1`, and player 1's at `v_0_2`."""


def position_history(game: Game) -> History:
    """Return the history, with player 0 to act after 15 shots of each player."""
    cells = [f"{row}_{column}" for row, column in product(range(SIDE), repeat=2)]
    shots = ([cell for cell in cells if cell not in UNKNOWN[1 - player]] for player in range(2))
    history, rng = initial_history(game), np.random.default_rng(0)
    for pair in (*zip(*FLEETS, strict=True), *zip(*shots, strict=True)):
        for action in pair:
            [player] = history.actors
            history = history.sample(history.joint({player: action}), rng)
    return history


@dataclass(frozen=True)
class PositionCell:
    """The shots of a network at the position, and of searches with its critic.

    Attributes
    ----------
    game : str
    training : Training
    seed : int
    depths : tuple[int, ...]
    max_ends : int
    """

    game: str
    training: Training
    seed: int
    depths: tuple[int, ...]
    max_ends: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug("position", f"{self.training.steps}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the probability of each shot, by the network and by each search."""
        game = load_game(self.game)
        with alone(interrupt):
            made = self.training.make(self.game, self.seed)
        history = position_history(game)
        infostate, actions = history.infostates[0], history.legal_actions(0)
        # Earlier decisions need not be searched: the ranges are those of the network.
        searches = (
            DepthLimitedSearch(
                RulesModel(game),
                made.policy,
                made.critic,
                depth=depth,
                opponent="profile",
                max_ends=self.max_ends,
                num_samples=0,
            )
            for depth in self.depths
        )
        found = [
            policy.action_probabilities(infostate, actions).tolist()
            for policy in (made.policy, *searches)
        ]
        return {"shots": list(actions), "probabilities": found}


class PositionSetting(NamedTuple):
    """The trainings with their numbers of seeds, the depths, and the limit of a search."""

    trainings: tuple[tuple[Training, int], ...]
    depths: tuple[int, ...]
    max_ends: int = 250_000


def position_report(run: RunCells, setting: PositionSetting) -> Report:
    """Return the shares of sensible shots, and pictures of the last training."""
    kinds = ("network", *(f"search to depth {depth}" for depth in setting.depths))
    rows: list[tuple[str | float | int | None, ...]] = []
    charts: list[HeatMap] = []
    for training, seeds in setting.trainings if has_networks() else ():
        cells = [
            PositionCell(BOARDS[1], training, seed, setting.depths, setting.max_ends)
            for seed in range(seeds)
        ]
        results = run(cells)
        boards = np.array([[_board(r["shots"], p) for p in r["probabilities"]] for r in results])
        sensible = [[_share(board) for board in own] for own in boards]
        for kind, shares in zip(kinds, zip(*sensible, strict=True), strict=True):
            rows.append((training.steps, seeds, kind, *Measured.of_runs(shares)))
        charts = [_picture(kind, boards[:, place].mean(0)) for place, kind in enumerate(kinds)]
    title = (
        "A position of battleship in which 5 of 10 cells can have a ship: probability of a shot at "
        "one of them; mean and half of the 95% confidence interval over the networks."
        f"{without_networks()}"
    )
    columns = ("learner steps", "networks", "kind", "sensible shots", "±")
    return Report((Table("position", title, columns, tuple(rows)),), tuple(charts))


def _board(shots: Sequence[str], probabilities: Sequence[float]) -> np.ndarray[Any, Any]:
    """Return [row, column] the probability of each shot; NaN where shots are not legal."""
    found = np.full((SIDE, SIDE), np.nan)
    for shot, probability in zip(shots, probabilities, strict=True):
        found[tuple(map(int, shot.split("_")))] = probability
    return found


def _share(board: np.ndarray[Any, Any]) -> float:
    return float(sum(board[tuple(map(int, cell.split("_")))] for cell in SENSIBLE))


def _picture(kind: str, board: np.ndarray[Any, Any]) -> HeatMap:
    """Return a board with the first row at the top."""
    across = tuple(float(number) for number in range(SIDE))
    values = tuple(tuple(row) for row in board[::-1].tolist())
    return HeatMap(
        f"position-{run_slug(kind, 'board')}",
        f"Shots of the {kind}: {_share(board):.0%} make sense",
        "column",
        "row",
        across,
        across[::-1],
        values,
    )


POSITION: Final = Experiment(
    "position",
    "A position of battleship",
    position_report,
    quick=PositionSetting(((Training(50), 1),), (1,)),
    full=PositionSetting(((Training(100), 3), (Training(500), 1)), (1, 2)),
    quick_time="a minute",
    full_time="half an hour",
)
