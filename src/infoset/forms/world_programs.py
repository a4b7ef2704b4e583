"""Worlds with equal futures, and the programs that compute gradients from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.forms._payoff_kernels import ComposedPayoffs
from infoset.forms._world_payoff_kernels import ENDS, WorldPayoffs
from infoset.forms._world_program_kernels import TERMINAL, Edges, compile_programs, count_work
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.payoffs import FormPayoffs, no_composition
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.text import format_bytes, format_count

TRANSFER_BYTES = 150
"""Memory for each transfer during compilation, in which arrays double and are copied."""


@dataclass(frozen=True, eq=False)
class WorldClasses:
    """The worlds of a game, where those with equal futures for all players are one class.

    Worlds in which nobody acts, observes or is paid, and nothing is random, are left out.
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
    """[F, N] how the edge changes the structure of each player's infostate; see
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


class CompiledSets(NamedTuple):
    """What happens at the sets of worlds that a player considers possible, whatever is paid.

    For most arrays see `WorldPayoffs`.
    """

    num_slots: LongArray
    order: LongArray
    """[S] the sets, later ones first."""
    ranges: LongArray
    transfers: IntArray
    chance: FloatArray
    ends: IntArray
    """[T, 4] with the edge at the end of each row."""
    children: LongArray

    @classmethod
    def of(
        cls,
        name: str,
        worlds: WorldClasses,
        shapes: tuple[InfostateShapes, ...],
        player: Player,
        memory: int,
    ) -> CompiledSets:
        """Compile the sets of one of two players.

        Parameters
        ----------
        name
            The game, for errors.
        memory
            Limit in bytes.

        Raises
        ------
        GameTooLargeError
            If the transfers between worlds would need more memory.
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
            is_end=(worlds.target == TERMINAL) | (worlds.reward != 0).any(axis=1),
        )
        limit = memory // TRANSFER_BYTES
        num_slots, smallest, ranges, transfers, chance, ends, children = compile_programs(
            edges, limit
        )
        if len(transfers) > limit:
            raise GameTooLargeError(
                f"{name} has too many sets of worlds that player {player} may consider possible: "
                f"more than {format_count(limit)} transfers between worlds, which need more than "
                f"{format_bytes(memory)}; use smaller parameters, or raise memory (--memory)",
                {"worlds": worlds.num_classes, "transfers": len(transfers)},
            )
        # A set after another has a larger smallest class, because classes are in order.
        order = np.argsort(-smallest, kind="stable")
        return cls(num_slots, order, ranges, transfers, chance, ends, children)


class WorldPrograms(NamedTuple):
    """The programs that compute one player's gradient; for the arrays see `WorldPayoffs`."""

    sets: CompiledSets
    ranges: LongArray
    ends: IntArray
    """[T, 3] those of the sets at which something is paid."""
    paid: FloatArray
    depth: int
    """Number of infostates on the longest chain."""
    slots: int
    """Largest number of slots on a chain of infostates."""
    scratch: int
    """Largest number of new entries in the workspace on a chain of infostates."""
    additions: int
    """Largest number of payoffs that are added to an entry of the gradient."""
    roundings: int
    """Largest number of roundings of an entry of the opponent's plan on its way to a payoff."""
    visits: float
    """Number of infostates visited for a gradient."""
    operations: float
    """Number of transfers and payoffs."""
    sums: float
    """Number of entries of vectors that are added."""

    @classmethod
    def of(cls, sets: CompiledSets, paid: FloatArray) -> WorldPrograms:
        """Return the programs, given what is paid at each edge [F], times its probability."""
        amount = paid[sets.ends[:, 3]]
        is_paid = amount != 0
        before = np.concatenate([[0], np.cumsum(is_paid)])
        ranges = sets.ranges.copy()
        ranges[:, ENDS : ENDS + 2] = before[ranges[:, ENDS : ENDS + 2]]
        ends = np.ascontiguousarray(sets.ends[is_paid, :3])
        sizes, work = count_work(
            sets.order, sets.num_slots, ranges, sets.transfers, ends, sets.children
        )
        depth, slots, scratch, additions, roundings = sizes[0].tolist()
        visits, operations, sums = work[0].tolist()
        return cls(
            *(sets, ranges, ends, amount[is_paid]),
            *(depth, slots, scratch, additions, roundings),
            *(visits, operations, sums),
        )

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
        positions
            Positions of the player's sequences and of the opponent's; None for those in the order
            of sequences.
        sizes
            Numbers of the player's sequences and of the opponent's.
        constant
            What the player gets in addition in each play.
        """
        own, other = (np.zeros(0, np.uint32) if place is None else place for place in positions)
        return WorldPayoffs(
            own_position=own,
            other_position=other,
            constant=np.array([constant], precision),
            num_slots=self.sets.num_slots,
            ranges=self.ranges,
            transfers=self.sets.transfers,
            chance=self.sets.chance.astype(precision, copy=False),
            ends=self.ends,
            paid=self.paid.astype(precision, copy=False),
            children=self.sets.children,
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
