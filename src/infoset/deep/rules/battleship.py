"""Battleship, as a device game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_games import OVER, DeviceGame, StepEncoder
from infoset.deep.rules.labels import label_of, one_hot
from infoset.game import Infostate, Step
from infoset.games import Battleship
from infoset.games.battleship_fleets import spots
from infoset.games.fleet_sampling import HIT, SUNK, WATER
from infoset.typing import BoolArray, IntArray, Player

NOT_YET = -1
RESULTS = (WATER, HIT, SUNK)
MAX_COMBINATIONS = 1_000_000
"""Largest number of placements of several ships that are compared at each placement."""


class Waters(NamedTuple):
    """State of a play."""

    places: Array
    """[2, S] action that placed each ship; `NOT_YET` before."""
    fleets: Array
    """[2, S, C] True for the cells of each ship."""
    shots: Array
    """[2, C] True for the cells that each player has shot at."""
    targets: Array
    results: Array
    """[T] cell and result of each shot, in order; `NOT_YET` for later ones."""
    num_moves: Array
    """Number of placements and shots."""
    is_over: Array


@cache
def placement_names(sizes: tuple[int, ...], width: int, height: int) -> tuple[str, ...]:
    """Return the actions that place a ship of one of the sizes."""
    found = (spots(size, width, height) for size in sizes)
    return tuple(dict.fromkeys(str(spot) for ship in found for spot in ship))


@cache
def target_names(width: int, height: int) -> tuple[str, ...]:
    """Return the actions that shoot at a cell, row by row."""
    return tuple(f"{row}_{column}" for row in range(height) for column in range(width))


class BattleshipRules(DeviceGame):
    """Battleship on boards up to 10x10, with any fleet.

    An observation consists of one-hot encodings of the player, of its placements in order, and of
    row, column and result of all shots in order.
    """

    is_binary: ClassVar[bool] = True

    height: int = eqx.field(static=True)
    width: int = eqx.field(static=True)
    sizes: tuple[int, ...] = eqx.field(static=True)
    values: tuple[float, ...] = eqx.field(static=True)
    num_shots: int = eqx.field(static=True)
    repeats: bool = eqx.field(static=True)
    loss_multiplier: float = eqx.field(static=True)
    is_win_loss: bool = eqx.field(static=True)

    @classmethod
    def of(cls, game: Battleship) -> BattleshipRules | None:
        """Return the rules of a game.

        Returns None if the rule that later ships must fit would need too many comparisons.
        """
        cells = game.board_width * game.board_height
        rules = cls(
            game.board_height,
            game.board_width,
            game.ship_sizes,
            game.ship_values,
            cells if game.num_shots == -1 else game.num_shots,
            game.allow_repeated_shots,
            game.loss_multiplier,
            game.payoff == "win_loss",
        )
        counts = [len(spots(size, game.board_width, game.board_height)) for size in rules.sizes]
        compared = max(
            (prod(counts[ship:]) for ship in range(len(counts)) if not rules.later_fit(ship)),
            default=0,
        )
        return rules if compared <= MAX_COMBINATIONS else None

    @property
    def num_ships(self) -> int:
        """Number S of ships of each player."""
        return len(self.sizes)

    @property
    def num_cells(self) -> int:
        """Number C of cells of a board."""
        return self.height * self.width

    @property
    def action_numbers(self) -> IntArray:
        """Placements, and then cells, are numbered from 1."""
        sizes = (len(self.placements), self.num_cells)
        return np.tile(np.concatenate([np.arange(1, size + 1) for size in sizes]), (2, 1))

    @property
    def phase_sizes(self) -> IntArray:
        """Placements and shots are two phases."""
        sizes = np.array([len(self.placements), self.num_cells])
        return np.tile(np.repeat(sizes, sizes), (2, 1))

    @property
    def horizon(self) -> int:
        """Maximum number of decisions: all placements and shots."""
        return 2 * (self.num_ships + self.num_shots)

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        per_shot = self.height + self.width + len(RESULTS)
        return 2 + self.num_ships * len(self.placements) + 2 * self.num_shots * per_shot

    @property
    def placements(self) -> tuple[str, ...]:
        """The actions that place a ship of any size."""
        return placement_names(self.sizes, self.width, self.height)

    @property
    def targets(self) -> tuple[str, ...]:
        """The actions that shoot at a cell."""
        return target_names(self.width, self.height)

    @property
    def actions(self) -> tuple[str, ...]:
        """The placements, and the targets."""
        return self.placements + self.targets

    def init(self, key: Array) -> Waters:
        """Return two empty boards."""
        ships, cells, shots = self.num_ships, self.num_cells, 2 * self.num_shots
        return Waters(
            places=jnp.full((2, ships), NOT_YET, jnp.int32),
            fleets=jnp.zeros((2, ships, cells), bool),
            shots=jnp.zeros((2, cells), bool),
            targets=jnp.full(shots, NOT_YET, jnp.int32),
            results=jnp.full(shots, NOT_YET, jnp.int32),
            num_moves=jnp.zeros((), jnp.int32),
            is_over=jnp.bool_(False),
        )

    def actor(self, state: Waters) -> Array:
        """Return the players alternately."""
        return jnp.where(state.is_over, OVER, state.num_moves % 2)

    def legal(self, state: Waters) -> Array:
        """Return the placements that leave room for later ships, or the targets."""
        mover = state.num_moves % 2
        places = self._is_placing(state)
        shot = jnp.zeros(self.num_cells, bool) if self.repeats else state.shots[mover]
        taken = state.fleets[mover].any(axis=0)
        ship = jnp.minimum(state.num_moves // 2, self.num_ships - 1)
        return jnp.concatenate([self._legal_places(ship, taken) & places, ~shot & ~places])

    def observe_all(self, state: Waters) -> Array:
        """Return each player's placements, and all shots."""
        places = one_hot(state.places, len(self.placements)).reshape(2, -1)
        # Later shots are negative numbers, and so are their row and column.
        rows = one_hot(state.targets // self.width, self.height)
        is_shot = (state.targets != NOT_YET)[:, None]
        columns = one_hot(state.targets % self.width, self.width) * is_shot
        results = one_hot(state.results, len(RESULTS))
        public = jnp.concatenate([rows, columns, results], axis=1).reshape(-1)
        return jnp.concatenate([jnp.eye(2), places, jnp.stack([public, public])], axis=1)

    def step(self, state: Waters, action: Array, key: Array) -> tuple[Waters, Array]:
        """Place a ship, or shoot."""
        mover, places = state.num_moves % 2, self._is_placing(state)
        is_mover = jnp.arange(2) == mover
        ship = jnp.minimum(state.num_moves // 2, self.num_ships - 1)
        is_now = places & is_mover[:, None] & (jnp.arange(self.num_ships) == ship)
        cells = jnp.asarray(self._cells)[ship, jnp.minimum(action, len(self.placements) - 1)]

        cell = action - len(self.placements)
        is_target = ~places & (jnp.arange(self.num_cells) == cell)
        shots = state.shots | (is_mover[:, None] & is_target)
        is_hit = state.fleets[1 - mover] & is_target
        sunk = self._sunk(state.fleets, shots)
        is_sunk = (is_hit.any(axis=1) & sunk[1 - mover]).any()
        # The number of the result: water, hit, sunk. A sum of booleans would be a boolean.
        result = is_hit.any().astype(jnp.int32) + is_sunk
        number = state.num_moves - 2 * self.num_ships
        is_last = jnp.arange(2 * self.num_shots) == number
        lost = sunk.all(axis=1)
        is_over = ~places & (lost.any() | (number + 1 == 2 * self.num_shots))
        after = Waters(
            places=jnp.where(is_now, action, state.places),
            fleets=jnp.where(is_now[..., None], cells, state.fleets),
            shots=shots,
            targets=jnp.where(is_last, cell, state.targets),
            results=jnp.where(is_last, result, state.results),
            num_moves=state.num_moves + 1,
            is_over=is_over,
        )
        damage = lost.astype(jnp.float32) if self.is_win_loss else sunk @ jnp.array(self.values)
        rewards = damage[::-1] - self.loss_multiplier * damage
        return after, jnp.where(is_over, rewards, 0.0)

    def later_fit(self, ship: int) -> bool:
        """Return whether the ships after `ship` fit wherever the ones before are.

        The bound is sufficient, but not necessary.
        """
        placed = list(self.sizes[: ship + 1])
        for size in sorted(self.sizes[ship + 1 :], reverse=True):
            # A ship of k cells blocks k L placements across it and L + k - 1 along it.
            blocked = sum(cells * size + size + cells - 1 for cells in placed)
            if len(spots(size, self.width, self.height)) <= blocked:
                return False
            placed.append(size)
        return True

    def _is_placing(self, state: Waters) -> Array:
        return state.num_moves < 2 * self.num_ships

    def _sunk(self, fleets: Array, shots: Array) -> Array:
        """Return [2, S] whether all cells of each ship have been hit."""
        # A fleet is hit by the shots of the other player.
        is_whole = ~(fleets & ~shots[::-1, None]).any(axis=2)
        # A ship that has not been placed has no cells, and is not sunk.
        return is_whole & fleets.any(axis=2)

    @property
    def _cells(self) -> BoolArray:
        """[S, P, C] cells of each ship at each placement; none if it is not one of this ship."""
        table = np.zeros((self.num_ships, len(self.placements), self.num_cells), bool)
        row_of = {name: row for row, name in enumerate(self.placements)}
        for ship, size in enumerate(self.sizes):
            for name, cells in spots(size, self.width, self.height).items():
                bits = [cells >> cell & 1 for cell in range(self.num_cells)]
                table[ship, row_of[str(name)]] = bits
        return table

    def _legal_places(self, ship: Array, taken: Array) -> Array:
        """Return [P] the placements of a ship that are free and leave room for later ones."""
        table = self._cells
        cells = jnp.asarray(table)[ship]
        free = cells.any(axis=1) & ~(cells & taken).any(axis=1)
        for number in range(self.num_ships):
            if not self.later_fit(number):
                # `ship` is an array: every number is computed, and the one that equals it counts.
                fits = self._fit(number + 1, taken | table[number])
                free = free & (fits | (ship != number))
        return free

    def _fit(self, ship: int, taken: Array) -> Array:
        """Return [...] whether ships from `ship` on fit on the cells not taken [..., C]."""
        if ship == self.num_ships:
            return jnp.ones(taken.shape[:-1], bool)
        cells = self._cells[ship]
        cells = cells[cells.any(axis=1)]
        free = ~(taken[..., None, :] & cells).any(axis=-1)
        fits: Array = (free & self._fit(ship + 1, taken[..., None, :] | cells)).any(axis=-1)
        return fits

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the number of steps: placements, and then shots."""
        num_placements, height, width = 2 * self.num_ships, self.height, self.width
        placements, targets = self.placements, self.targets
        first_shot = 2 + self.num_ships * len(placements)
        size = height + width + len(RESULTS)

        def advance(number: int, step: Step) -> tuple[int, Sequence[int]]:
            if number < num_placements:
                if step.action is None:
                    return number + 1, ()
                place = placements.index(str(step.action))
                return number + 1, (2 + number // 2 * len(placements) + place,)
            assert isinstance(step.public, tuple)
            target, result = step.public
            row, column = divmod(targets.index(target), width)
            outcome = height + width + RESULTS.index(result)
            first = first_shot + (number - num_placements) * size
            return number + 1, (first + row, first + height + column, first + outcome)

        return StepEncoder(0, advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding at which the player acts."""
        player = label_of(observation[:2], (0, 1))
        end = 2 + self.num_ships * len(self.placements)
        places = observation[2:end].reshape(self.num_ships, -1)
        shots = observation[end:].reshape(2 * self.num_shots, -1)
        own = [label_of(row, self.placements) for row in places if row.any()]
        infostate = Infostate(player)
        # A player acts after as many placements of the opponent, or one more if it is player 1.
        num_placements = min(2 * len(own) + player, 2 * self.num_ships)
        for number in range(num_placements):
            action = own[number // 2] if number % 2 == player else None
            infostate = infostate.extend(Step(action, None, None))
        for number, row in enumerate(shots[shots.any(axis=1)]):
            place, across, outcome = np.split(row, [self.height, self.height + self.width])
            target = f"{label_of(place, range(self.height))}_{label_of(across, range(self.width))}"
            seen = (target, label_of(outcome, RESULTS))
            infostate = infostate.extend(Step(target if number % 2 == player else None, None, seen))
        return infostate
