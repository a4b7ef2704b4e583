"""Battleship on boards of any size, with any fleet."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf
from string import ascii_uppercase
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from infoset.game import Game, Infostate, Observation, Probability, PublicState
from infoset.game.hooks import Moves
from infoset.games.battleship_fleets import FleetHistories, open_spots, space_for, spots
from infoset.games.boards import beside, grid_text
from infoset.games.fleet_sampling import HIT, SUNK, WATER, Cells
from infoset.games.parameters import (
    check_parameters,
    choice,
    flag,
    integer,
    integers,
    parameter_error,
    real,
    reals,
)
from infoset.typing import NOOP, Action, FloatArray, JointAction, Player

UNLIMITED = -1
SHOT_MARKS = {WATER: "o", HIT: "x", SUNK: "#"}
TITLES = ("your ships", "opponent")
LEGEND = "x hit, # hit that sank a ship, o water"

Entry = TypeVar("Entry")


class Waters(NamedTuple):
    """Both boards: each player's ships in order, and the cells that each player has shot at."""

    fleets: tuple[tuple[Cells, ...], tuple[Cells, ...]] = ((), ())
    shots: tuple[Cells, Cells] = (0, 0)
    num_shots: int = 0

    def is_sunk(self, ship: int, player: Player) -> bool:
        """Whether all cells of a player's ship have been hit."""
        # No cell of the ship is missing among those that the opponent has shot at.
        return not self.fleets[player][ship] & ~self.shots[1 - player]

    def is_lost(self, player: Player) -> bool:
        """Whether all ships of a player have been sunk."""
        return all(self.is_sunk(ship, player) for ship in range(len(self.fleets[player])))


@dataclass(frozen=True)
class Battleship(Game):
    """Battleship: hide ships on a board, then take turns shooting at the opponent's board.

    Each player has a board and the same ships. The players alternately place one ship each, in the
    given order and in secret. A ship occupies adjacent cells of a row or column, without
    overlapping other ships, and must leave enough space for the remaining ships. Then the players
    alternately shoot at a cell of the opponent's board. Everybody sees the cell, and whether the
    shot hit water, hit a ship, or sank a ship by hitting its last cell. The game ends when one
    player has no ship left or both have used up their shots.

    Rows and columns are counted from 0. `h_0_1` places a ship from row 0, column 1 to the right,
    `v_0_1` from there downwards, and `0_1` shoots at that cell.

    Parameters
    ----------
    board_width
        Number of columns of each board.
    board_height
        Number of rows of each board.
    ship_sizes
        Number of cells of each ship of a player.
    ship_values
        Value of each ship, in the same order.
    num_shots
        Number of shots of each player; -1 for no limit, which requires
        `allow_repeated_shots=False`.
    allow_repeated_shots
        Whether a player may shoot at the same cell again.
    loss_multiplier
        Factor by which the value of a player's lost ships is multiplied before it is subtracted.
    payoff
        How utilities are computed. `ship_values`: from the values of the ships sunk. `win_loss`: 1
        for sinking the whole fleet.

    Notes
    -----
    With one ship of one cell on n cells, and s shots for each player without repetition, the value
    to player 0 is s/n². Source: Farina, Ling, Fang, Sandholm, "Correlation in extensive-form games:
    saddle-point formulation and benchmarks", NeurIPS 2019. Same game as OpenSpiel's. `win_loss` is
    the game of Kubíček, Burch, Lisý, "Look-ahead search on top of policy networks in imperfect
    information games", IJCAI 2024.

    Examples
    --------
    >>> from infoset.games import Battleship
    >>> game = Battleship(2, 2, ship_sizes=[2], ship_values=[1], num_shots=4)
    >>> game.legal_actions(game.initial_world(), 0)
    ('h_0_0', 'h_1_0', 'v_0_0', 'v_0_1')
    """

    name: ClassVar[str] = "battleship"
    num_players = 2

    board_width: int = integer(10, low=1, high=10)
    board_height: int = integer(10, low=1, high=10)
    ship_sizes: tuple[int, ...] = integers(2, 3, 3, 4, 5, low=1, high=10)
    ship_values: tuple[float, ...] = reals(1.0, 1.0, 1.0, 1.0, 1.0, low=0)
    num_shots: int = integer(50, low=1, special=UNLIMITED)
    allow_repeated_shots: bool = flag(True)
    loss_multiplier: float = real(1.0)
    payoff: str = choice("ship_values", "win_loss", is_addition=True)

    def __post_init__(self) -> None:
        check_parameters(self)
        ships, cells = len(self.ship_sizes), self.board_width * self.board_height
        if len(self.ship_values) != ships:
            rule = f"must have one value for each of the {ships} ships"
            raise parameter_error(self, "ship_values", rule, (1.0,) * ships)
        if sum(self.ship_sizes) > cells or space_for(self._spots, 0) is None:
            rule = f"must fit on a board {self.board_width} wide and {self.board_height} high"
            raise parameter_error(self, "ship_sizes", rule, "[1],ship_values=[1.0]")
        if self.allow_repeated_shots and self.num_shots == UNLIMITED:
            rule = "can be -1 (no limit) only if shots cannot be repeated"
            raise parameter_error(self, "num_shots", rule, "-1,allow_repeated_shots=False")
        if not self.allow_repeated_shots and self.num_shots > cells:
            rule = f"must be at most {cells}, the number of cells, if shots cannot be repeated"
            raise parameter_error(self, "num_shots", rule, UNLIMITED)

    @cached_property
    def _targets(self) -> Mapping[Action, Cells]:
        """The cells of a board by name, `row_column`, row by row."""
        places = product(range(self.board_height), range(self.board_width))
        return {f"{row}_{column}": 1 << number for number, (row, column) in enumerate(places)}

    @cached_property
    def _spots(self) -> tuple[Mapping[Action, Cells], ...]:
        """Per ship, the cells that it occupies by action: `h_` or `v_` and the first cell."""
        return tuple(spots(size, self.board_width, self.board_height) for size in self.ship_sizes)

    def initial_world(self) -> Waters:
        """Return two empty boards."""
        return Waters()

    def actors(self, world: Waters) -> Sequence[Player]:
        """Return the player whose turn it is."""
        return () if self._is_over(world) else (self._mover(world),)

    def legal_actions(self, world: Waters, player: Player) -> Sequence[Action]:
        """Return the placements of the next ship that leave room for the others, or the targets."""
        if self._is_placed(world):
            closed = 0 if self.allow_repeated_shots else world.shots[player]
            return tuple(target for target, cell in self._targets.items() if not cell & closed)
        fleet = world.fleets[player]
        return tuple(open_spots(self._spots[len(fleet) :], sum(fleet)))

    def transitions(
        self, world: Waters, joint_action: JointAction
    ) -> Iterable[tuple[Waters, Probability]]:
        """Return the boards after a ship is placed, or after a shot."""
        if self._is_over(world):
            return []
        player = self._mover(world)
        action = joint_action[player]
        if self._is_placed(world):
            shots = replaced(world.shots, player, world.shots[player] | self._targets[action])
            return [(Waters(world.fleets, shots, world.num_shots + 1), 1)]
        fleet = world.fleets[player]
        cells = self._spots[len(fleet)][action]
        return [(Waters(replaced(world.fleets, player, (*fleet, cells))), 1)]

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing the whole fleet and sinking nothing to the opposite."""
        fleet = 1.0 if self.payoff == "win_loss" else sum(self.ship_values)
        lost = -self.loss_multiplier * fleet
        return (min(0.0, lost), fleet + max(0.0, lost))

    def rewards(
        self, world: Waters, joint_action: JointAction, next_world: Waters
    ) -> Sequence[float]:
        """Return, at the end, the value that each player sank minus the value that it lost."""
        if not self._is_over(next_world):
            return (0, 0)
        lost = [self._damage(next_world, player) for player in (0, 1)]
        return [lost[1 - player] - self.loss_multiplier * lost[player] for player in (0, 1)]

    def observe(self, world: Waters, joint_action: JointAction, next_world: Waters) -> Observation:
        """Show nothing when a ship is placed; show the cell and the result of a shot."""
        if not self._is_placed(world):
            return Observation()
        player = self._mover(world)
        target = joint_action[player]
        for ship, cells in enumerate(world.fleets[1 - player]):
            if cells & self._targets[target]:
                is_sunk = next_world.is_sunk(ship, 1 - player)
                return Observation((target, SUNK if is_sunk else HIT))
        return Observation((target, WATER))

    def actions_as_seen(self, player: Player, public: Hashable) -> Sequence[Action] | None:
        """Return the target of a shot; None if a ship is placed."""
        return public[:1] if isinstance(public, tuple) else None

    def histories_as_seen(
        self, information: Infostate | PublicState, max_histories: int
    ) -> Moves | None:
        """List the placements that agree with the results of shots, unless fleets are too many."""
        ranked = self._fleets.ranked_histories(information)
        return None if ranked is None else ranked.listed(max_histories)

    def sample_histories_as_seen(
        self,
        information: Infostate | PublicState,
        num_histories: int,
        rng: np.random.Generator,
    ) -> tuple[Moves, FloatArray] | None:
        """Draw placements that agree with the results of shots."""
        ranked = self._fleets.ranked_histories(information)
        if ranked is not None:
            return ranked.drawn(num_histories, rng)
        return self._fleets.drawn_histories(information, num_histories, rng)

    @cached_property
    def _fleets(self) -> FleetHistories:
        limit = inf if self.num_shots == UNLIMITED else 2 * self.num_shots
        return FleetHistories(self._spots, self._targets, limit, self.allow_repeated_shots)

    def board_as_seen(self, infostate: Infostate) -> str:
        """Return the player's own board with its ships (A, B, ...), and that of the opponent."""
        own = infostate.player
        cells = list(self._targets)
        boards = [["."] * len(cells) for _ in range(2)]  # by the player who is shot at
        for at, step in enumerate(infostate.steps):
            if isinstance(step.public, tuple):
                target, result = step.public
                boards[1 - at % 2][cells.index(target)] = SHOT_MARKS[result]
            elif step.action is not NOOP:
                covered = self._spots[at // 2][step.action]
                for number, cell in enumerate(self._targets.values()):
                    if covered & cell:
                        boards[own][number] = ascii_uppercase[at // 2]
        shape = self.board_height, self.board_width
        digits = [str(column % 10) for column in range(self.board_width)]
        texts = [grid_text(boards[player], shape, digits) for player in (own, 1 - own)]
        ours, theirs = (f"{title}\n{text}" for title, text in zip(TITLES, texts, strict=True))
        return f"{beside(ours, theirs)}\n{LEGEND}"

    def _is_placed(self, world: Waters) -> bool:
        """Whether all ships are on the boards."""
        return len(world.fleets[1]) == len(self.ship_sizes)

    def _mover(self, world: Waters) -> Player:
        ships = sum(map(len, world.fleets))
        return (ships + world.num_shots) % 2

    def _is_over(self, world: Waters) -> bool:
        if not self._is_placed(world):
            return False
        return world.num_shots == 2 * self.num_shots or world.is_lost(0) or world.is_lost(1)

    def _damage(self, world: Waters, player: Player) -> float:
        """Return the value of the ships that a player has lost."""
        if self.payoff == "win_loss":
            return float(world.is_lost(player))
        values = enumerate(self.ship_values)
        return sum(value for ship, value in values if world.is_sunk(ship, player))


def replaced(pair: tuple[Entry, Entry], player: Player, value: Entry) -> tuple[Entry, Entry]:
    """Return a pair with the entry of one player replaced."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
