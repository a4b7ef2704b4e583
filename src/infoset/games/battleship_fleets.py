"""Fleets of battleship that agree with the results of shots: listed, or drawn if too many."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from infoset.game import Infostate, PublicState
from infoset.game.hooks import Moves, public_observations
from infoset.games.fleet_sampling import HIT, SUNK, WATER, Cells, FleetSampler
from infoset.games.ranked_histories import RankedHistories
from infoset.typing import NOOP, Action, BoolArray, FloatArray, LongArray, Player

MAX_FLEETS = 50_000
"""Maximum number of ways to place a fleet, for the list of histories."""


class Seen(NamedTuple):
    """What a player, or the public, has seen of a play."""

    num_placed: int
    """Number of ships placed by both players."""
    shots: Sequence[Hashable]
    """The target and the result of each shot."""
    targets: list[int]
    """The position of each target among the legal ones."""
    player: Player | None
    """The player who has seen this; None for the public."""
    own: list[int] | None
    """The positions of the player's placements in `FleetHistories.ships`."""

    def num_ships(self, player: Player) -> int:
        """Return the number of ships that a player has placed."""
        return (self.num_placed + 1 - player) // 2


class FleetHistories:
    """The histories that agree with what a player, or the public, has seen.

    Parameters
    ----------
    ships
        For each ship, the cells that it occupies by placement.
    targets
        The cells of a board by name.
    max_shots
        Maximum number of shots of both players together.
    can_repeat
        Whether a player may shoot at a cell again.
    """

    def __init__(
        self,
        ships: Sequence[Mapping[Action, Cells]],
        targets: Mapping[Action, Cells],
        max_shots: float,
        can_repeat: bool,
    ) -> None:
        self.ships, self.targets = ships, targets
        self.max_shots, self.can_repeat = max_shots, can_repeat

    def _seen(self, information: Infostate | PublicState) -> Seen | None:
        """Return what some information shows of a play; None if it is impossible."""
        public = public_observations(information)
        placed, shots = public[: 2 * len(self.ships)], public[2 * len(self.ships) :]
        targets = self._targets_as_seen(shots)
        if targets is None or any(seen is not None for seen in placed):
            return None
        if not isinstance(information, Infostate):
            return Seen(len(placed), shots, targets, None, None)
        own = self._own_spots(information, len(placed))
        return None if own is None else Seen(len(placed), shots, targets, information.player, own)

    def ranked_histories(self, information: Infostate | PublicState) -> RankedHistories | None:
        """Return the histories that agree with some information; None if they are unknown.

        They are the pairs of a fleet of each player, because neither restricts the other.
        """
        seen = self._seen(information)
        if seen is None or self.all_fleets is None:
            return None
        fleets = [self.all_fleets[seen.num_ships(player)] for player in (0, 1)]
        if seen.player is not None:
            known = (fleets[seen.player][:, :, 0] == seen.own).all(axis=1)
            fleets[seen.player] = fleets[seen.player][known]
        fleets = [self._agreeing(fleets[player], seen.shots, 1 - player) for player in (0, 1)]
        total = len(fleets[0]) * len(fleets[1])
        moves = partial(moves_at_ranks, fleets, seen.num_placed, seen.targets)
        return RankedHistories(total, moves)

    def drawn_histories(
        self, information: Infostate | PublicState, number: int, rng: np.random.Generator
    ) -> tuple[Moves, FloatArray] | None:
        """Return histories with drawn fleets, and their weights; None if there are none."""
        seen = self._seen(information)
        if seen is None:
            return None
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
        # Player 0 shoots first: the shots at a player begin with its opponent's, every other one.
        results = [shot for shot in seen.shots if isinstance(shot, tuple)]
        shots = [(self.targets[target], result) for target, result in results[1 - player :: 2]]
        is_last = bool(results) and (len(results) - 1) % 2 == 1 - player
        return FleetSampler(self.ships[: seen.num_ships(player)], shots, is_last=is_last)

    def _as_placed(self, numbers: Sequence[int]) -> LongArray | None:
        """Return [ships, 2] the two numbers of each placement, as in `all_fleets`.

        None if the ships do not leave enough space for the remaining ones.
        """
        rows, taken = [], 0
        for ship, number in enumerate(numbers):
            action, cells = self._numbered_spots[ship][number]
            legal = list(open_spots(self.ships[ship:], taken))
            if action not in legal:
                return None
            rows.append((number, legal.index(action)))
            taken |= cells
        return np.array(rows, np.int64).reshape(-1, 2)

    @cached_property
    def _numbered_spots(self) -> list[list[tuple[Action, Cells]]]:
        return [list(ship.items()) for ship in self.ships]

    def _targets_as_seen(self, shots: Sequence[Hashable]) -> list[int] | None:
        """Return the position of each target among the legal ones; None if it is impossible."""
        cells, positions = list(self.targets), []
        left = [cells, cells]
        if len(shots) > self.max_shots:
            return None
        for number, seen in enumerate(shots):
            legal = left[number % 2]
            if not isinstance(seen, tuple) or len(seen) != 2:
                return None
            target, result = seen
            if target not in legal or result not in (WATER, HIT, SUNK):
                return None
            positions.append(legal.index(target))
            if not self.can_repeat:
                left[number % 2] = [cell for cell in legal if cell != target]
        return positions

    def _own_spots(self, infostate: Infostate, num_placed: int) -> list[int] | None:
        """Return the positions of a player's placements in `ships`; None if impossible."""
        spots_of_ships = []
        for at, step in enumerate(infostate.steps):
            if at % 2 != infostate.player:
                is_possible = step.action is NOOP
            elif at >= num_placed:
                is_possible = isinstance(step.public, tuple) and step.action == step.public[0]
            else:
                spot = list(self.ships[at // 2])
                is_possible = step.action in spot
                spots_of_ships += [spot.index(step.action)] if is_possible else []
            if not is_possible:
                return None
        return spots_of_ships

    def _agreeing(self, fleets: LongArray, shots: Sequence[Any], shooter: Player) -> LongArray:
        """Return those of some fleets that agree with the results of a player's shots."""
        is_covered = np.zeros((len(fleets), fleets.shape[1], len(self.targets)), bool)
        for ship, cover in enumerate(self._covers[: fleets.shape[1]]):
            is_covered[:, ship] = cover[fleets[:, ship, 0]]
        rows, left = np.arange(len(fleets)), is_covered.sum(axis=2)
        cells, hit_before = list(self.targets), set[int]()
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
        bits = list(self.targets.values())
        return [
            np.array([[bool(cells & bit) for bit in bits] for cells in ship.values()])
            for ship in self.ships
        ]

    @cached_property
    def all_fleets(self) -> list[LongArray] | None:
        """Per number of ships, [P, ships, 2] all ways to place them; None if they are too many.

        The two numbers are the positions of a placement in `ships` and among the legal ones.
        """
        rows: list[tuple[tuple[tuple[int, int], ...], Cells]] = [((), 0)]
        tables = [np.zeros((1, 0, 2), np.int64)]
        for number, ship in enumerate(self.ships):
            place = {spot: position for position, spot in enumerate(ship)}
            further = []
            for placed, taken in rows:
                legal = open_spots(self.ships[number:], taken).items()
                for action, (spot, cells) in enumerate(legal):
                    further.append(((*placed, (place[spot], action)), taken | cells))
                if len(further) > MAX_FLEETS:
                    return None
            rows = further
            tables.append(np.array([placed for placed, _ in rows], np.int64))
        return tables


def spots(size: int, width: int, height: int) -> dict[Action, Cells]:
    """Return the placements of a ship on an empty board, in OpenSpiel's order and names."""
    # Bits of cells side by side are neighbors; a row further down, they are `width` apart.
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
    """Return the placements of the first ship that leave room for the others."""
    ship, *others = ships
    # One way to fit the others in: a placement that leaves its cells free needs no search.
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
    # A rank counts the pairs of fleets, of which that of player 1 changes first.
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
