"""A public weight for each public state, chosen by exact best responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.evaluation import best_response
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.games import LiarsDice, load_game
from infoset.policy import TabularPolicy
from infoset.runs import Interrupt
from infoset.search import pimc_policy
from infoset.typing import LongArray
from infoset_studies.beliefs.average_policies import is_dice, tree_of
from infoset_studies.beliefs.published import GAMES, POSITIONS, PUBLIC_WEIGHTS
from infoset_studies.liars_dice_policies import pimc_table
from infoset_studies.liars_dice_values import bid_response

__all__ = ["CHOSEN"]

MIN_GAIN = 1e-9
"""Minimum decrease of the best-response value, in the game's units, to accept a change."""


class Setting(NamedTuple):
    """The games, the public weights to choose from, and the maximum number of rounds.

    Attributes
    ----------
    games : tuple[str, ...]
        Names of games in the tables.
    public_weights : tuple[float, ...]
    rounds : int
    """

    games: tuple[str, ...]
    public_weights: tuple[float, ...]
    rounds: int


@dataclass(frozen=True)
class ChosenCell:
    """Coordinate descent over public states: choose the best public weight of each in turn.

    Attributes
    ----------
    game : str
    position : int
        Position of the searcher, which is PIMC with all worlds.
    public_weights : tuple[float, ...]
        To choose from.
    rounds : int
        Maximum number of sweeps over all public states.
    """

    game: str
    position: int
    public_weights: tuple[float, ...]
    rounds: int

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"chosen-{self.position}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {
            "chosen": True,
            "game": self.game,
            "seat": self.position,
            "public_weights": self.public_weights,
            "rounds": self.rounds,
        }

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the best single public weight, its value, and the value of chosen weights."""
        size, value_of = _dice_value(self) if is_dice(self.game) else _tree_value(self)
        constant = [value_of(np.full(size, k)) for k in range(len(self.public_weights))]
        start = int(np.argmin(constant))
        chosen, best = np.full(size, start), constant[start]
        for _ in range(self.rounds):
            before = best
            for place in range(size):
                if interrupt.is_set():
                    raise CellInterrupted
                chosen, best = self._better_at(place, chosen, best, value_of)
            if best > before - MIN_GAIN:
                break
        used = sorted({self.public_weights[k] for k in chosen.tolist()})
        return {
            "one": constant[start],
            "public_weight": self.public_weights[start],
            "each": best,
            "used": used,
        }

    def _better_at(
        self, place: int, chosen: LongArray, best: float, value_of: Callable[[LongArray], float]
    ) -> tuple[LongArray, float]:
        for k in range(len(self.public_weights)):
            changed = chosen.copy()
            changed[place] = k
            value = value_of(changed)
            if value < best - MIN_GAIN:
                chosen, best = changed, value
        return chosen, best


def _tree_value(cell: ChosenCell) -> tuple[int, Callable[[LongArray], float]]:
    """Return the number of public states where the position acts, and the value of each choice."""
    tree = tree_of(cell.game)
    form = tree.sequence_form
    policies = [
        pimc_policy(tree, PublicPrivateBelief(public_weight))
        for public_weight in cell.public_weights
    ]
    stacked = np.stack([policy.probabilities[cell.position] for policy in policies])
    own = form.infostate_trees[cell.position]
    states, place = np.unique(own.public_state[own.acting], return_inverse=True)
    owner = form.treeplexes[cell.position].infostate_of_sequence[1:]
    sequences = np.arange(1, stacked.shape[1])

    def value_of(chosen: LongArray) -> float:
        parts = list(policies[0].probabilities)
        mixed = np.ones(stacked.shape[1])
        mixed[1:] = stacked[chosen[place[owner]], sequences]
        parts[cell.position] = mixed
        return best_response(TabularPolicy(form, tuple(parts)), 1 - cell.position).value

    return len(states), value_of


def _dice_value(cell: ChosenCell) -> tuple[int, Callable[[LongArray], float]]:
    """Return the number of last bids, including "none", and the value of each choice."""
    game = load_game(cell.game)
    assert isinstance(game, LiarsDice)
    public_weights = np.array(cell.public_weights)

    def value_of(chosen: LongArray) -> float:
        return bid_response(
            pimc_table(game, public_weights[chosen][None, :]), 1 - cell.position
        ).value

    return len(game.bids) + 1, value_of


def report(run: RunCells, setting: Setting) -> Report:
    """Choose public weights for both positions of each game."""
    keys = [(game, position) for game in setting.games for position in (0, 1)]
    cells = [
        ChosenCell(GAMES[game].game, position, setting.public_weights, setting.rounds)
        for game, position in keys
    ]
    rows = tuple(
        (
            GAMES[game].title,
            POSITIONS[position],
            result["public_weight"],
            result["one"],
            result["each"],
            " ".join(f"{public_weight:g}" for public_weight in result["used"]),
        )
        for (game, position), result in zip(keys, run(cells), strict=True)
    )
    about = (
        "Value of a best response to PIMC with all worlds: with the best single public weight, and "
        "with one weight for each public state (in liar's dice: for each last bid), chosen by "
        "coordinate descent."
    )
    columns = (
        "game",
        "position",
        "best public weight",
        "best response",
        "chosen by state",
        "public weights used",
    )
    return Report((Table("chosen-weights", about, columns, rows),))


CHOSEN = Experiment(
    "chosen-weights",
    "A public weight for each public state",
    report,
    quick=Setting(("LD 2D", "LP"), PUBLIC_WEIGHTS[::5], 1),
    full=Setting(("LD 2D", "LP"), PUBLIC_WEIGHTS, 3),
    quick_time="seconds",
    full_time="a minute",
)
