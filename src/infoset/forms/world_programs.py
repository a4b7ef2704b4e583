"""Worlds with equal futures, and the programs that compute gradients: sums by worlds, or sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import GameTooLargeError
from infoset.forms._history_payoff_kernels import (
    HistoryPayoffs,
    count_visits,
    history_gradient,
)
from infoset.forms._payoff_kernels import ComposedPayoffs
from infoset.forms._world_payoff_kernels import ENDS, WorldPayoffs, world_gradient
from infoset.forms._world_program_kernels import (
    TERMINAL,
    Edges,
    compile_programs,
    count_work,
    equal_cuts,
)
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.payoffs import FormPayoffs, no_composition
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.text import format_bytes, format_count

PlanOf: TypeAlias = Callable[[Player], FloatArray]
"""Returns the realization plan of a player."""

PARTS_PER_THREAD = 8
"""Number of parts of a sweep of all histories for each thread."""
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
            size=worlds.sizes(shapes[player]),
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

    player: Player
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
    work: FloatArray
    """[S] count of numbers read for a gradient from each set on."""

    @classmethod
    def of(cls, player: Player, sets: CompiledSets, paid: FloatArray) -> WorldPrograms:
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
        visits, operations, sums = work.T
        return cls(
            *(player, sets, ranges, ends, amount[is_paid]),
            *(depth, slots, scratch, additions, roundings),
            # A transfer or payoff is 6 numbers; entering and leaving an infostate takes as long as
            # 20.
            sums + 6 * operations + 20 * visits,
        )

    @property
    def cost(self) -> float:
        """Count of numbers read to compute a gradient."""
        return float(self.work[0])

    def paying(self, paid: FloatArray) -> WorldPrograms:
        """Return the programs with other payoffs [F]."""
        return self.of(self.player, self.sets, paid)

    def gradient(self, plan_of: PlanOf, size: int, constant: float) -> FloatArray:
        """Return [Q] the player's gradient; see `HistorySweep.gradient`."""
        plan = plan_of(1 - self.player)
        sizes = (len(plan), size) if self.player else (size, len(plan))
        payoffs = self.payoffs((None, None), sizes, constant)
        # A plan that was made for this is freed before the gradient is allocated.
        payoffs.values[: len(plan)] = plan
        plan = payoffs.values[: len(plan)]
        gradient = np.empty(size)
        world_gradient(payoffs, plan, gradient)
        return gradient

    def payoffs(
        self,
        positions: tuple[IndexArray | None, ...],
        sizes: tuple[int, ...],
        constant: float,
        precision: str = "float64",
    ) -> WorldPayoffs:
        """Return what `world_gradient` reads.

        Parameters
        ----------
        positions
            Per player, positions of its sequences; None for those in the order of sequences.
        sizes
            Per player, the number of its sequences.
        constant
            What the player gets in addition in each play.
        """
        own, other = (_listed(positions[p]) for p in (self.player, 1 - self.player))
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
            work=self.work,
            part=np.array([0, sizes[self.player]]),
            copied=np.array([0, sizes[1 - self.player]]),
            free=sizes[1 - self.player],
            values=np.empty(sizes[1 - self.player] + self.scratch, precision),
            earned=np.empty(len(own), precision),
            begins=np.empty(self.slots, np.int64),
            reach=np.empty(self.slots, precision),
            frames=np.empty((self.depth + 1, 6), np.int64),
        )


class HistorySweep(NamedTuple):
    """The edges along which one player's gradient visits all histories; see `HistoryPayoffs`."""

    player: Player
    ranges: LongArray
    edges: IntArray
    chance: FloatArray
    order: LongArray
    """[F] the edge of the classes in each row of `edges`."""
    paid: FloatArray
    """[F] in the order of `edges`."""
    depth: int
    """Number of rows of the stack."""
    additions: float
    """Bound on the number of payoffs that are added to an entry of the gradient."""
    visits: float
    """Number of histories visited for a gradient, without those that end there."""
    operations: float
    """Number of payoffs."""

    @classmethod
    def of(
        cls,
        worlds: WorldClasses,
        shapes: tuple[InfostateShapes, ...],
        player: Player,
        paid: FloatArray,
    ) -> HistorySweep:
        """Return the edges, given what is paid at each [F], times its probability."""
        players = [player, *(other for other in range(len(shapes)) if other != player)]
        goes_on, pays = worlds.target != TERMINAL, (worlds.reward != 0).any(axis=1)
        source = np.repeat(np.arange(worlds.num_classes), np.diff(worlds.first))
        # Of each class, the edges that only go on come first, then those that also pay, then ends.
        order = np.lexsort((pays, ~goes_on, source))
        steps = [
            column
            for own in players
            for column in (worlds.action[:, own], worlds.offsets(shapes[own]))
        ]
        columns = [worlds.target, worlds.sizes(shapes[player]), *steps]
        onward, only = (
            np.bincount(source[chosen], minlength=worlds.num_classes)
            for chosen in (goes_on, goes_on & ~pays)
        )
        first, end = worlds.first[:-1], worlds.first[1:]
        ranges = np.stack([first, first + onward, first + only, end], axis=1)
        edges = np.stack(columns, axis=1)[order].astype(np.int32)
        code = np.ascontiguousarray(worlds.code[order, player])
        (visits, operations), most, depth = count_visits(ranges, edges, code)
        return cls(
            *(player, ranges, edges, worlds.probability[order], order, paid[order]),
            *(int(depth), float(most.max()), float(visits), float(operations)),
        )

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return int(self.edges.shape[1] - 2) // 2

    @property
    def roundings(self) -> int:
        """Number of roundings of a product of plans and chance."""
        return self.num_players

    @property
    def cost(self) -> float:
        """Count of numbers read to compute a gradient, in the unit of `WorldPrograms.cost`."""
        # As measured: visits and payoffs wait for the plans of other players.
        return 8 * self.visits + 5 * self.operations

    def paying(self, paid: FloatArray) -> HistorySweep:
        """Return the sweep with other payoffs [F]."""
        return self._replace(paid=paid[self.order])

    def gradient(self, plan_of: PlanOf, size: int, constant: float) -> FloatArray:
        """Return [Q] the player's gradient.

        Parameters
        ----------
        plan_of
            Returns the plan [Q] of another player.
        size
            Number Q of the player's sequences.
        constant
            What the player gets in addition in each play.
        """
        # Kernels need arrays of one type.
        plans = [
            np.require(plan_of(other), np.float64, ["C", "W"])
            for other in range(self.num_players)
            if other != self.player
        ]
        # The player's own plan is not read, but has the same type.
        plans.insert(self.player, plans[0][:0] if plans else np.zeros(0))
        sizes = tuple(size if p == self.player else len(plan) for p, plan in enumerate(plans))
        payoffs = self.payoffs((None,) * len(plans), sizes, constant)
        gradient = np.empty(size)
        history_gradient(payoffs, tuple(plans), gradient)
        return gradient

    def payoffs(
        self,
        positions: tuple[IndexArray | None, ...],
        sizes: tuple[int, ...],
        constant: float,
        precision: str = "float64",
    ) -> HistoryPayoffs:
        """Return what `history_gradient` reads; parameters as in `WorldPrograms.payoffs`."""
        others = [player for player in range(len(sizes)) if player != self.player]
        own, *rest = (_listed(positions[player]) for player in (self.player, *others))
        return HistoryPayoffs(
            own_position=own,
            other_position=np.concatenate([_listed(None), *rest]),
            others=np.array(others, np.int64),
            constant=np.array([constant], precision),
            ranges=self.ranges,
            edges=self.edges.ravel(),
            chance=self.chance.astype(precision, copy=False),
            paid=self.paid.astype(precision, copy=False),
            part=np.array([0, sizes[self.player]]),
            copied=np.array([0, sum(sizes[player] for player in others)]),
            values=np.empty(sum(sizes[player] for player in others), precision),
            earned=np.empty(len(own), precision),
            stack=np.empty(self.depth * (1 + 2 * self.num_players), np.int32),
            reach=np.empty(self.depth, precision),
        )


def _listed(positions: IndexArray | None) -> IndexArray:
    """Return positions; none if they are those of sequences."""
    return np.zeros(0, np.uint32) if positions is None else positions


def world_payoffs(
    programs: tuple[WorldPrograms | HistorySweep, ...],
    layouts: tuple[Layout, ...],
    constants: FloatArray,
    precision: str = "float64",
) -> FormPayoffs:
    """Return the payoffs of all players in the order of layouts."""
    positions = tuple(layout.position for layout in layouts)
    sizes = tuple(map(len, positions))
    return FormPayoffs(
        tuple(
            ComposedPayoffs(
                own.payoffs(positions, sizes, float(constants[player]), precision),
                no_composition(precision),
            )
            for player, own in enumerate(programs)
        )
    )


def split_world_payoffs(
    payoffs: WorldPayoffs | HistoryPayoffs, number: int
) -> tuple[WorldPayoffs | HistoryPayoffs, ...]:
    """Split payoffs by ranges of the player's sequences, into parts that share the others' plans.

    A part has arrays of its own for what its range alone needs, and does not copy plans: see
    `copy_plan`. Together they fill a gradient with the same bits as the whole.
    """
    begin, end = payoffs.part
    if isinstance(payoffs, HistoryPayoffs):
        # Ranges differ in work, so that threads that are done take the next.
        cuts = np.linspace(begin, end, PARTS_PER_THREAD * number + 1).astype(np.int64)[1:-1]
    else:
        cuts = equal_cuts(
            number, payoffs.work, payoffs.ranges, payoffs.children, np.empty_like(payoffs.frames)
        )
    ranges = np.unique(np.concatenate([[begin], cuts, [end]]))
    scratch = len(payoffs.values) - int(payoffs.copied[1])
    values = np.empty(int(payoffs.copied[1]) + (len(ranges) - 1) * scratch, payoffs.values.dtype)
    parts: list[WorldPayoffs | HistoryPayoffs] = []
    for place, part in enumerate(pairwise(ranges.tolist())):
        own = payoffs.with_own_results()._replace(
            part=np.array(part), copied=np.zeros(2, np.int64), values=values, earned=payoffs.earned
        )
        if isinstance(own, WorldPayoffs):
            own = own._replace(free=payoffs.copied[1] + place * scratch)
        parts.append(own)
    return tuple(parts)
