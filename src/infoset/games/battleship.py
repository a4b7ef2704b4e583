"""Battleship on boards of any size, with any fleet."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from string import ascii_uppercase
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from infoset.game import Game, Infostate, Observation, Probability, PublicState
from infoset.game.hooks import Moves, public_observations
from infoset.games.boards import beside, grid_text
from infoset.games.fleet_sampling import HIT, SUNK, WATER, Cells, FleetSampler
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
from infoset.games.ranked_histories import RankedHistories
from infoset.typing import NOOP, Action, BoolArray, FloatArray, JointAction, LongArray, Player

__all__ = ["Battleship"]

UNLIMITED = -1
SHOT_MARKS = {WATER: "o", HIT: "x", SUNK: "#"}
TITLES = ("your ships", "opponent")
LEGEND = "x hit, # hit that sank a ship, o water"

MAX_FLEETS = 50_000
"""Maximum number of ways to place a fleet, for the list of histories."""

Entry = TypeVar("Entry")


class Waters(NamedTuple):
    """Both boards: each player's ships in order, and the cells that each player has shot at."""

    fleets: tuple[tuple[Cells, ...], tuple[Cells, ...]] = ((), ())
    shots: tuple[Cells, Cells] = (0, 0)
    num_shots: int = 0

    def is_sunk(self, ship: int, player: Player) -> bool:
        """Whether all cells of a player's ship have been hit."""
        return not self.fleets[player][ship] & ~self.shots[1 - player]

    def is_lost(self, player: Player) -> bool:
        """Whether all ships of a player have been sunk."""
        return all(self.is_sunk(ship, player) for ship in range(len(self.fleets[player])))


class Seen(NamedTuple):
    """What a player, or the public, has seen of a play.

    Attributes
    ----------
    num_placed : int
        Number of ships placed by both players.
    shots : Sequence[Hashable]
        The target and the result of each shot.
    targets : list[int]
        The position of each target among the legal ones.
    player : Player or None
        The player who has seen this; None for the public.
    own : list[int] or None
        The positions of the player's placements in `Battleship._spots`.
    """

    num_placed: int
    shots: Sequence[Hashable]
    targets: list[int]
    player: Player | None
    own: list[int] | None

    def num_ships(self, player: Player) -> int:
        """Return the number of ships that a player has placed."""
        return (self.num_placed + 1 - player) // 2


@dataclass(frozen=True)
class Battleship(Game):
    """Battleship: hide ships on a board, then take turns shooting at the opponent's board.

    Each player has a board and the same ships. The players alternately place one ship each, in the
    given order and in secret. A ship occupies adjacent cells of a row or column, without
    overlapping other ships, and must leave enough space for the remaining ships. Then the players
    alternately shoot at a cell of the opponent's board. Everybody sees the cell, and whether the
    shot hit water, hit a ship, or sank a ship by hitting its last cell. The game ends when one
    player has no ship left or both have used up their shots.

    Parameters
    ----------
    board_width : int
        Number of columns of each board.
    board_height : int
        Number of rows of each board.
    ship_sizes : tuple[int, ...]
        Number of cells of each ship of a player.
    ship_values : tuple[float, ...]
        Value of each ship, in the same order.
    num_shots : int
        Number of shots of each player; -1 for no limit, which requires
        `allow_repeated_shots=False`.
    allow_repeated_shots : bool
        Whether a player may shoot at the same cell again.
    loss_multiplier : float
        Factor by which the value of a player's lost ships is multiplied before it is subtracted.
    payoff : str
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
        """Return the placements of the next ship that keep space for the others, or the targets."""
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
        ranked = self._ranked_histories(information)
        return None if ranked is None else ranked.listed(max_histories)

    def sample_histories_as_seen(
        self,
        information: Infostate | PublicState,
        num_histories: int,
        rng: np.random.Generator,
    ) -> tuple[Moves, FloatArray] | None:
        """Draw placements that agree with the results of shots."""
        ranked = self._ranked_histories(information)
        if ranked is not None:
            return ranked.drawn(num_histories, rng)
        seen = self._seen(information)
        return None if seen is None else self._drawn(seen, num_histories, rng)

    def _seen(self, information: Infostate | PublicState) -> Seen | None:
        """Return what some information shows of a play; None if it is impossible."""
        public = public_observations(information)
        placed, shots = public[: 2 * len(self.ship_sizes)], public[2 * len(self.ship_sizes) :]
        targets = self._targets_as_seen(shots)
        if targets is None or any(seen is not None for seen in placed):
            return None
        if not isinstance(information, Infostate):
            return Seen(len(placed), shots, targets, None, None)
        own = self._own_spots(information, len(placed))
        return None if own is None else Seen(len(placed), shots, targets, information.player, own)

    def _ranked_histories(self, information: Infostate | PublicState) -> RankedHistories | None:
        """Return the histories that agree with some information; None if they are unknown.

        They are the pairs of a fleet of each player, because neither restricts the other.
        """
        seen = self._seen(information)
        if seen is None or self._fleets is None:
            return None
        fleets = [self._fleets[seen.num_ships(player)] for player in (0, 1)]
        if seen.player is not None:
            known = (fleets[seen.player][:, :, 0] == seen.own).all(axis=1)
            fleets[seen.player] = fleets[seen.player][known]
        fleets = [self._agreeing(fleets[player], seen.shots, 1 - player) for player in (0, 1)]
        total = len(fleets[0]) * len(fleets[1])
        moves = partial(moves_at_ranks, fleets, seen.num_placed, seen.targets)
        return RankedHistories(total, moves)

    def _drawn(
        self, seen: Seen, number: int, rng: np.random.Generator
    ) -> tuple[Moves, FloatArray] | None:
        """Return histories with drawn fleets, and their weights; None if all draws failed."""
        samplers = [self._sampler(seen, player) for player in (0, 1)]
        if samplers[0] is None or samplers[1] is None:
            return None
        fleets: list[list[LongArray]] = [[], []]
        weights = []
        for _ in range(number):
            pair = self._fleet(samplers[0], rng), self._fleet(samplers[1], rng)
            if pair[0] is not None and pair[1] is not None:
                fleets[0].append(pair[0][0])
                fleets[1].append(pair[1][0])
                weights.append(pair[0][1] * pair[1][1] / number)
        if not weights:
            return None
        tables = [np.array(rows, np.int64).reshape(len(weights), -1, 2) for rows in fleets]
        # the first with the first, and so on
        ranks = np.arange(len(weights), dtype=np.float64) * (len(weights) + 1)
        return moves_at_ranks(tables, seen.num_placed, seen.targets, ranks), np.array(weights)

    def _fleet(
        self, sampler: FleetSampler | LongArray, rng: np.random.Generator
    ) -> tuple[LongArray, float] | None:
        """Return a drawn fleet and its weight, or the fleet that is known; None if it failed."""
        if not isinstance(sampler, FleetSampler):
            return sampler, 1.0
        drawn = sampler.draw(rng)
        fleet = None if drawn is None else self._as_placed(drawn[0])
        return None if drawn is None or fleet is None else (fleet, drawn[1])

    def _sampler(self, seen: Seen, player: Player) -> FleetSampler | LongArray | None:
        """Return the sampler of a player's fleets that agree with what was seen, or its own fleet.

        None if its own fleet does not agree.
        """
        if seen.player == player:
            own = self._as_placed(seen.own or [])
            agrees = own is not None and len(self._agreeing(own[None], seen.shots, 1 - player)) > 0
            return own if agrees else None
        results = [shot for shot in seen.shots if isinstance(shot, tuple)]
        shots = [(self._targets[target], result) for target, result in results[1 - player :: 2]]
        is_last = bool(results) and (len(results) - 1) % 2 == 1 - player
        return FleetSampler(self._spots[: seen.num_ships(player)], shots, is_last=is_last)

    def _as_placed(self, numbers: Sequence[int]) -> LongArray | None:
        """Return [ships, 2] the two numbers of each placement, as in `_fleets`.

        None if the ships do not leave enough space for the remaining ones.
        """
        rows, taken = [], 0
        for ship, number in enumerate(numbers):
            action, cells = self._numbered_spots[ship][number]
            legal = list(open_spots(self._spots[ship:], taken))
            if action not in legal:
                return None
            rows.append((number, legal.index(action)))
            taken |= cells
        return np.array(rows, np.int64).reshape(-1, 2)

    @cached_property
    def _numbered_spots(self) -> list[list[tuple[Action, Cells]]]:
        return [list(ship.items()) for ship in self._spots]

    def _targets_as_seen(self, shots: Sequence[Hashable]) -> list[int] | None:
        """Return the position of each target among the legal ones; None if it is impossible."""
        cells, positions = list(self._targets), []
        left = [cells, cells]
        if self.num_shots != UNLIMITED and len(shots) > 2 * self.num_shots:
            return None
        for number, seen in enumerate(shots):
            legal = left[number % 2]
            if not isinstance(seen, tuple) or len(seen) != 2:
                return None
            target, result = seen
            if target not in legal or result not in (WATER, HIT, SUNK):
                return None
            positions.append(legal.index(target))
            if not self.allow_repeated_shots:
                left[number % 2] = [cell for cell in legal if cell != target]
        return positions

    def _own_spots(self, infostate: Infostate, num_placed: int) -> list[int] | None:
        """Return the positions of a player's placements in `_spots`; None if impossible."""
        spots_of_ships = []
        for at, step in enumerate(infostate.steps):
            if at % 2 != infostate.player:
                is_possible = step.action is NOOP
            elif at >= num_placed:
                is_possible = isinstance(step.public, tuple) and step.action == step.public[0]
            else:
                spot = list(self._spots[at // 2])
                is_possible = step.action in spot
                spots_of_ships += [spot.index(step.action)] if is_possible else []
            if not is_possible:
                return None
        return spots_of_ships

    def _agreeing(self, fleets: LongArray, shots: Sequence[Any], shooter: Player) -> LongArray:
        """Return those of some fleets that agree with the results of a player's shots."""
        is_covered = np.zeros((len(fleets), fleets.shape[1], len(self._targets)), bool)
        for ship, cover in enumerate(self._covers[: fleets.shape[1]]):
            is_covered[:, ship] = cover[fleets[:, ship, 0]]
        rows, left = np.arange(len(fleets)), is_covered.sum(axis=2)
        cells, hit_before = list(self._targets), set[int]()
        for number in range(shooter, len(shots), 2):
            target, result = shots[number]
            cell = cells.index(target)
            is_hit = is_covered[rows, :, cell]
            if cell not in hit_before:
                left = left - is_hit
            hit_before.add(cell)
            found = np.where(is_hit.any(axis=1), HIT, WATER)
            found[(is_hit & (left == 0)).any(axis=1)] = SUNK
            # The game ends when all ships of a player are sunk.
            agrees = (found == result) & (left.any(axis=1) | (number == len(shots) - 1))
            rows, left = rows[agrees], left[agrees]
        return fleets[rows]

    @cached_property
    def _covers(self) -> list[BoolArray]:
        """Per ship, [placements, cells] whether a placement covers a cell."""
        bits = list(self._targets.values())
        return [
            np.array([[bool(cells & bit) for bit in bits] for cells in ship.values()])
            for ship in self._spots
        ]

    @cached_property
    def _fleets(self) -> list[LongArray] | None:
        """Per number of ships, [P, ships, 2] all ways to place them; None if they are too many.

        The two numbers are the positions of a placement in `_spots` and among the legal ones.
        """
        rows: list[tuple[tuple[tuple[int, int], ...], Cells]] = [((), 0)]
        tables = [np.zeros((1, 0, 2), np.int64)]
        for number, ship in enumerate(self._spots):
            place = {spot: position for position, spot in enumerate(ship)}
            further = []
            for placed, taken in rows:
                legal = open_spots(self._spots[number:], taken).items()
                for action, (spot, cells) in enumerate(legal):
                    further.append(((*placed, (place[spot], action)), taken | cells))
                if len(further) > MAX_FLEETS:
                    return None
            rows = further
            tables.append(np.array([placed for placed, _ in rows], np.int64))
        return tables

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


def spots(size: int, width: int, height: int) -> dict[Action, Cells]:
    """Return the placements of a ship on an empty board, in OpenSpiel's order and names."""
    across = (1 << size) - 1
    down = sum(1 << width * row for row in range(size))
    found: dict[Action, Cells] = {
        f"h_{row}_{column}": across << row * width + column
        for row in range(height)
        for column in range(width - size + 1)
    }
    if size > 1:
        found |= {
            f"v_{row}_{column}": down << row * width + column
            for row in range(height - size + 1)
            for column in range(width)
        }
    return found


def open_spots(ships: Sequence[Mapping[Action, Cells]], taken: Cells) -> dict[Action, Cells]:
    """Return the placements of the first ship that keep space for the others."""
    ship, *others = ships
    space = space_for(others, taken)
    if space is None:
        return {}
    return {
        spot: cells
        for spot, cells in ship.items()
        if not cells & taken and not (cells & space and space_for(others, cells | taken) is None)
    }


def moves_at_ranks(
    fleets: Sequence[LongArray], num_placed: int, targets: Sequence[int], ranks: FloatArray
) -> Moves:
    """Return [K, T, 2] histories: a fleet of each player, and the shots."""
    rows = np.divmod(ranks.astype(np.int64), len(fleets[1]))
    moves = np.full((len(ranks), num_placed + len(targets), 2), -1, np.int16)
    for at in range(num_placed):
        moves[:, at, at % 2] = fleets[at % 2][rows[at % 2], at // 2, 1]
    for number, target in enumerate(targets):
        moves[:, num_placed + number, number % 2] = target
    return moves


def space_for(ships: Sequence[Mapping[Action, Cells]], taken: Cells) -> Cells | None:
    """Return cells on which all ships fit, each given by its placements; None if they do not."""
    if not ships:
        return 0
    for cells in ships[0].values():
        rest = None if cells & taken else space_for(ships[1:], cells | taken)
        if rest is not None:
            return cells | rest
    return None


def replaced(pair: tuple[Entry, Entry], player: Player, value: Entry) -> tuple[Entry, Entry]:
    """Return a pair with the entry of one player replaced."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
