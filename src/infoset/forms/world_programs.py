"""Worlds with equal futures, and the programs that compute gradients from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.forms._payoff_kernels import ComposedPayoffs
from infoset.forms._world_payoff_kernels import WorldPayoffs
from infoset.forms._world_program_kernels import TERMINAL, Edges, compile_programs, count_work
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.payoffs import FormPayoffs, no_composition
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze

MAX_MOVES = 200_000_000
"""Number of moves beyond which programs are not compiled: they would take 6 GB."""


@dataclass(frozen=True, eq=False)
class WorldClasses:
    """The worlds of a game, in which those with equal futures for all players are one class.

    Worlds in which nobody acts, observes or gets anything, and nothing is random, are left out.
    """

    first: LongArray
    """[M + 1] first edge of each class; classes are in topological order, the initial one first."""
    target: LongArray
    """[F] class after each edge; `TERMINAL` at the end of the game."""
    probability: FloatArray
    """[F] probability of each edge, given the actions."""
    action: LongArray
    """[F, N] index of each player's action; -1 for none."""
    reward: FloatArray
    """[F, N]"""
    code: LongArray
    """[F, N] what the edge means for the structure of each player's infostates; see
    `InfostateShapes.code`."""
    structure: LongArray
    """[M, N] the structure of each player's infostate."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_classes(self) -> int:
        """Number M of classes."""
        return len(self.structure)

    def offsets(self, shapes: InfostateShapes) -> LongArray:
        """Return [F] the number of the player's sequences before those after each edge."""
        code = self.code[:, shapes.player]
        source = np.repeat(np.arange(self.num_classes), np.diff(self.first))
        found = np.zeros(len(code), np.int64)
        moved = code >= 0
        begins = shapes.structure_first[self.structure[source[moved], shapes.player]]
        found[moved] = shapes.child_sequence[begins + 2 + 2 * code[moved]]
        return found

    def sizes(self, shapes: InfostateShapes) -> LongArray:
        """Return [F] the number of the player's sequences after each edge."""
        after = shapes.sequences[self.structure[self.target, shapes.player]]
        return np.where(self.target == TERMINAL, 0, after)


class WorldPrograms(NamedTuple):
    """The programs of one player; for the arrays see `WorldPayoffs`."""

    num_slots: LongArray
    ranges: LongArray
    moves: IntArray
    chance: FloatArray
    ends: IntArray
    paid: FloatArray
    children: LongArray
    depth: int
    """The longest chain of infostates."""
    slots: int
    scratch: int
    """The largest numbers of slots, and of numbers of their own, on a chain."""
    additions: int
    """The largest number of payoffs that are added to an entry of the gradient."""
    visits: float
    operations: float
    sums: float
    """Forecast of a gradient: infostates visited, moves and payoffs, and numbers added."""

    @classmethod
    def of(
        cls,
        name: str,
        worlds: WorldClasses,
        shapes: tuple[InfostateShapes, ...],
        player: Player,
        payoff: FloatArray,
    ) -> WorldPrograms:
        """Compile the programs of one of two players.

        Parameters
        ----------
        name
            The game, for errors.
        payoff
            [F] what the player gets at each edge.

        Raises
        ------
        GameTooLargeError
            If there are more than `MAX_MOVES` moves.
        """
        other = 1 - player
        edges = Edges(
            first=worlds.first,
            target=worlds.target,
            code=np.ascontiguousarray(worlds.code[:, player]),
            action=np.ascontiguousarray(worlds.action[:, player]),
            offset=worlds.offsets(shapes[player]),
            other_action=np.ascontiguousarray(worlds.action[:, other]),
            other_offset=worlds.offsets(shapes[other]),
            other_size=worlds.sizes(shapes[other]),
            probability=worlds.probability,
            paid=payoff * worlds.probability,
        )
        num_slots, smallest, ranges, moves, chance, ends, paid, children = compile_programs(
            edges, MAX_MOVES
        )
        if len(moves) > MAX_MOVES:
            raise GameTooLargeError(
                f"{name} has too many sets of possible worlds: more than {MAX_MOVES:,} moves "
                "between worlds; build its tree or its sequence form, or use smaller parameters",
                {"worlds": worlds.num_classes, "moves": len(moves)},
            )
        # A set after another has a larger smallest class, because classes are in order.
        order = np.argsort(-smallest, kind="stable")
        sizes, work = count_work(order, num_slots, ranges, moves, ends, children)
        depth, slots, scratch, additions = sizes[0].tolist()
        programs = num_slots, ranges, moves, chance, ends, paid, children
        return cls(*programs, depth, slots, scratch, additions, *work[0].tolist())

    def payoffs(
        self,
        positions: tuple[IndexArray | None, IndexArray | None],
        sizes: tuple[int, int],
        constant: float,
        precision: str = "float64",
    ) -> WorldPayoffs:
        """Return what `world_gradient` reads.

        Parameters
        ----------
        positions, sizes
            Positions and number of the own sequences, and of the opponent's; None for positions in
            the order of sequences.
        constant
            What the player gets in addition.
        """
        own, other = (np.zeros(0, np.uint32) if place is None else place for place in positions)
        return WorldPayoffs(
            own_position=own,
            other_position=other,
            constant=np.array([constant], precision),
            num_slots=self.num_slots,
            ranges=self.ranges,
            moves=self.moves,
            chance=self.chance.astype(precision, copy=False),
            ends=self.ends,
            paid=self.paid.astype(precision, copy=False),
            children=self.children,
            values=np.empty(sizes[1] + self.scratch, precision),
            earned=np.empty(len(own) and sizes[0], precision),
            begins=np.empty(self.slots, np.int64),
            reach=np.empty(self.slots, precision),
            frames=np.empty((self.depth + 1, 6), np.int64),
        )


def world_payoffs(
    programs: tuple[WorldPrograms, ...],
    layouts: tuple[Layout, ...],
    constants: FloatArray,
    precision: str = "float64",
) -> FormPayoffs:
    """Return the payoffs of both players in the order of layouts."""
    pairs = []
    for player, own in enumerate(programs):
        positions = layouts[player].position, layouts[1 - player].position
        sizes = len(positions[0]), len(positions[1])
        base = own.payoffs(positions, sizes, float(constants[player]), precision)
        pairs.append(ComposedPayoffs(base, no_composition(precision)))
    return FormPayoffs.of_pairs(tuple(pairs), precision)
