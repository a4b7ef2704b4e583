"""Drawing of fleets that agree with the results of shots, on boards with too many to list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from infoset.typing import Action

Cells = int
"""A set of cells of a board, as a bit set; cells are numbered row by row."""

WATER, HIT, SUNK = "water", "hit", "sunk"

NO_CELLS: Final = 0


class Spot(NamedTuple):
    """A placement of a ship: its position among all placements of the ship, and its cells."""

    number: int
    cells: Cells


class FleetSampler:
    """Draws fleets of one player that agree with the results of the opponent's shots.

    Sequential importance sampling: while a hit is not covered, one of the placements that cover the
    hit with the fewest of them is drawn; then the other ships are drawn from the placements without
    a shot. Each choice is uniform, so that the product of the numbers of choices is the inverse of
    the probability of a fleet. A fleet is drawn in one way only, because the hit to be covered next
    depends only on the ships drawn before.

    Parameters
    ----------
    ships
        For each ship, all its placements on an empty board.
    shots
        The cell and the result of each shot, in order.
    is_last
        Whether the last of all shots in the game is among them, so that it may have ended the game.
    """

    def __init__(
        self,
        ships: Sequence[Mapping[Action, Cells]],
        shots: Sequence[tuple[Cells, str]],
        *,
        is_last: bool,
    ) -> None:
        self._hits = _union(cell for cell, result in shots if result != WATER)
        # All ships are sunk only after the last shot, with which the game ends.
        before = shots[:-1] if is_last else shots
        self._hits_before = _union(cell for cell, result in before if result != WATER)
        agreeing = [list(_agreeing(ship, shots)) for ship in ships]
        self._free = [[spot for spot in ship if not spot.cells & self._hits] for ship in agreeing]
        self._covering = [
            {hit: [spot for spot in ship if spot.cells & hit] for hit in _single_cells(self._hits)}
            for ship in agreeing
        ]

    def draw(self, rng: np.random.Generator) -> tuple[list[int], float] | None:
        """Draw a fleet; return the number of each ship's placement, and the fleet's weight.

        The weight is the inverse of the probability of the fleet. None if the draw led to ships
        that disagree; over all draws, the weights of each fleet then have the mean 1.
        """
        chosen: dict[int, Spot] = {}
        taken, weight = NO_CELLS, 1.0
        while self._hits & ~taken or len(chosen) < len(self._free):
            choices = self._choices(chosen, taken)
            if not choices:
                return None
            ship, spot = choices[int(rng.integers(len(choices)))]
            chosen[ship], taken = spot, taken | spot.cells
            weight *= len(choices)
        if chosen and not any(spot.cells & ~self._hits_before for spot in chosen.values()):
            return None  # the game would have been over before
        return [chosen[ship].number for ship in range(len(chosen))], weight

    def _choices(self, chosen: Mapping[int, Spot], taken: Cells) -> list[tuple[int, Spot]]:
        """Return the ships that can be placed next, with their placements."""
        left = [ship for ship in range(len(self._free)) if ship not in chosen]
        uncovered = self._hits & ~taken
        if not uncovered:
            return [(left[0], spot) for spot in self._free[left[0]] if not spot.cells & taken]
        # The hit follows from what is chosen, and one ship of a fleet covers it: each fleet is
        # drawn in one order only, so that the choices multiply to the inverse of its probability.
        by_hit = (
            [
                (ship, spot)
                for ship in left
                for spot in self._covering[ship][hit]
                if not spot.cells & taken
            ]
            for hit in _single_cells(uncovered)
        )
        return min(by_hit, key=len)


def _agreeing(ship: Mapping[Action, Cells], shots: Sequence[tuple[Cells, str]]) -> Iterator[Spot]:
    """Yield the placements of a ship that agree with the results of shots at its own cells."""
    for number, cells in enumerate(ship.values()):
        hit, agrees = NO_CELLS, True
        for cell, result in shots:
            if cells & cell:
                hit |= cell
                agrees = result == (SUNK if hit == cells else HIT)
                if not agrees:
                    break
        if agrees:
            yield Spot(number, cells)


def _union(cells: Iterator[Cells]) -> Cells:
    found = NO_CELLS
    for cell in cells:
        found |= cell
    return found


def _single_cells(cells: Cells) -> Iterator[Cells]:
    """Yield the cells of a set, one at a time."""
    while cells:
        lowest = cells & -cells  # the lowest bit alone
        yield lowest
        cells ^= lowest
