"""Iterations of two players by several threads, equal bit for bit to those of one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar, cast

import numpy as np

from infoset.forms import (
    ComposedPayoffs,
    Composition,
    HistoryPayoffs,
    Layout,
    PublicPayoffs,
    TwoPlayerPayoffs,
    WorldPayoffs,
    collect_gradient,
    composition_of,
    copy_plan,
    expand_plan,
    is_new,
    no_composition,
    pair_gradient,
    restrict_blocks,
    split_public_payoffs,
    split_world_payoffs,
)
from infoset.regret._cfr_kernels import (
    realize_and_average,
    realize_below,
    respond,
    update_regrets,
)
from infoset.regret.scheme import RegretScheme
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Partition:
    """One player's payoffs and treeplex, divided into independent parts.

    The treeplex has a top; each part is the union of the subtrees below some sequences of the top.
    A bottom-up sweep processes the parts in any order and then the top. A top-down sweep processes
    the top and then the parts. Both have the same rounding as one sweep over the whole treeplex.
    """

    payoffs: tuple[TwoPlayerPayoffs, ...]
    """The payoffs, divided into ranges of blocks or, for a public or world form, of sequences."""
    composition: Composition | None
    """Maps plans and gradients of a transform to those of `payoffs`; None without a transform."""
    copied: tuple[tuple[int, int], ...]
    """Ranges of the opponent's sequences that `copy_plan` copies, which parts by worlds share."""
    expanded: tuple[tuple[int, int], ...]
    collected: tuple[tuple[int, int], ...]
    """Ranges of the sequences that `expand_plan` and `collect_gradient` fill; empty if plans or
    gradients are those of `payoffs`."""
    top: IndexArray
    """[G, 5] the groups of the top; see `Layout`."""
    below: tuple[IndexArray, ...]
    """For each part, [R, 5] its parts of groups, with later infostates of a group before earlier
    ones; empty if there are no independent parts."""


@dataclass(frozen=True, eq=False)
class PlayerState:
    """One player's partition, and the arrays of its state, as arguments of `iterate`."""

    partition: Partition
    parent: IndexArray
    gradient: FloatArray
    regret: FloatArray
    policy: FloatArray
    plan: FloatArray
    average: FloatArray
    tolerance: FloatArray
    previous: FloatArray
    changes: FloatArray
    responding: IndexArray


class ThreadedIteration:
    """Iterations of the CFR family for two players, by several threads.

    The result equals that of `iterate` bit for bit. Threads sleep while they have no part to
    process. If a part has not been started when the calling thread has finished its own, as can
    happen on a busy machine, the calling thread processes it too.

    Parameters
    ----------
    threads
        Number of threads, including the calling thread.
    scheme
        The member of the CFR family.
    limit
        As in `iterate`.
    players
        The states of both players.
    refresh : callable, optional
        As in `FormPayoffs`: called before each gradient.
    """

    def __init__(
        self,
        threads: int,
        scheme: RegretScheme,
        limit: float,
        players: tuple[PlayerState, PlayerState],
        refresh: Callable[[Player, tuple[FloatArray, ...]], None] | None = None,
    ) -> None:
        self._others = ThreadPoolExecutor(max(threads - 1, 1), thread_name_prefix="infoset")
        self._refresh = refresh
        self._scheme = scheme
        self._limit = limit
        self._players = players

    def run(self, row: FloatArray, before: FloatArray | None) -> None:
        """Run one iteration with a row of the schedule; for `before`, see `iterate`."""
        if self._scheme.alternating:
            for player, state in enumerate(self._players):
                self._fill_gradient(player)
                self._update(state, row, before)
        else:
            for player in range(2):
                self._fill_gradient(player)
            for state in self._players:
                self._update(state, row, before)

    def _fill_gradient(self, player: Player) -> None:
        """Fill the gradient of one player; all threads end a stage before the next begins."""
        state, plan = self._players[player], self._players[1 - player].plan
        if self._refresh is not None:
            self._refresh(player, (self._players[0].plan, self._players[1].plan))
        parts, reached, earned = state.partition, plan, state.gradient
        composition = parts.composition
        if composition is not None:
            composed = composition
            reached = composed.plan if parts.expanded else plan
            earned = composed.gradient if parts.collected else state.gradient
            self._distribute(lambda part: expand_plan(composed, plan, *part), parts.expanded)

        if parts.copied:
            base = cast("ComposedPayoffs", parts.payoffs[0]).base
            shared = cast("WorldPayoffs | HistoryPayoffs", base)
            self._distribute(
                lambda part: copy_plan(shared.values, shared.other_position, reached, *part),
                parts.copied,
            )

        def fill(payoffs: TwoPlayerPayoffs) -> None:
            pair_gradient(payoffs, reached, earned)

        self._distribute(fill, parts.payoffs)
        if composition is not None:
            self._distribute(
                lambda part: collect_gradient(composed, plan, state.gradient, *part),
                parts.collected,
            )

    def _update(self, state: PlayerState, row: FloatArray, before: FloatArray | None) -> None:
        """Update one player's regrets and policy bottom up, then its plan and average top down."""
        partition, averages_next = state.partition, self._scheme.averages_next
        plans = (state.policy, state.plan, state.average)
        regrets = (
            state.parent,
            row,
            self._limit,
            state.gradient,
            state.regret,
            state.policy,
            state.tolerance,
            state.previous,
            state.changes,
            before,
        )

        def update(runs: IndexArray) -> None:
            update_regrets(runs, *regrets)

        def realize(runs: IndexArray) -> None:
            realize_below(row, averages_next, runs, state.parent, *plans)

        # bottom up: parts, then the top; top down: the top, then parts
        response = state.responding, state.gradient, state.tolerance, state.policy
        # before and after the sweep, as in `iterate`
        respond(*response)
        self._distribute(update, partition.below)
        update_regrets(partition.top, *regrets)
        respond(*response)
        realize_and_average(row, averages_next, partition.top, state.parent, *plans)
        self._distribute(realize, partition.below)

    def _distribute(self, work: Callable[[Part], None], parts: Sequence[Part]) -> None:
        """Call `work` on every part; the calling thread processes the first part."""
        others = [(part, self._others.submit(work, part)) for part in parts[1:]]
        for part in parts[:1]:
            work(part)
        for part, begun in others:
            # a part that can be canceled has not been started
            if begun.cancel():
                work(part)
            else:
                begun.result()


def partition_player(
    layout: Layout, public_state: IntArray, payoffs: TwoPlayerPayoffs, number: int
) -> Partition:
    """Return a partition into about `number` parts of about equal work.

    Parameters
    ----------
    layout
        The player's layout.
    public_state
        [I] the public states of the infostates, in the order of the layout. Each public state
        belongs to one part, so that its infostates remain contiguous.
    payoffs : BlockPayoffs or ComposedPayoffs
        The player's payoffs in this layout.
    number
        Number of parts.
    """
    if (public_state == public_state[:1]).all():
        # Public states are not distinguished, and any infostates may be in different parts.
        public_state = np.arange(len(public_state), dtype=np.int32)
    owner = _owners(layout)
    levels = _levels(layout, owner)
    # Work of an infostate: its number of actions.
    work = np.repeat(layout.groups[:, 2], layout.groups[:, 1]).astype(np.int64)
    # A deeper cut balances the parts better, but leaves more for the top, which one thread sweeps.
    # Choose the depth with the least work in the top and the longest part together.
    shortest, first, part = int(work.sum()), len(work), np.zeros(0, np.int64)
    for depth in range(1, len(levels) - 1):
        top = int(work[: levels[depth]].sum())
        if top >= shortest:
            break
        unit = _units(layout.parent, public_state, owner, levels[depth:])
        by_unit = np.bincount(unit, work[levels[depth] :])
        part_of_unit = _equal_shares(by_unit, number)
        longest = top + int(np.bincount(part_of_unit, by_unit).max())
        if longest < shortest:
            shortest, first, part = longest, levels[depth], part_of_unit[unit]
    top_groups = np.searchsorted(layout.groups[:, 3], first)
    composition = composition_of(payoffs)
    has_collection = composition is not None and len(composition.gradient) > 0
    base = payoffs.base if isinstance(payoffs, ComposedPayoffs) else None
    shared = int(base.copied[1]) if isinstance(base, WorldPayoffs | HistoryPayoffs) else 0
    return Partition(
        payoffs=_payoffs_in_ranges(payoffs, number),
        composition=composition,
        copied=_ranges(shared, number) if shared else (),
        expanded=() if composition is None else _ranges(len(composition.plan), number),
        collected=_ranges(layout.num_sequences, number) if has_collection else (),
        top=layout.groups[:top_groups],
        below=_runs(layout, first, part),
    )


def _ranges(size: int, number: int) -> tuple[tuple[int, int], ...]:
    """Return up to `number` ranges of about equal length that cover `size`."""
    cuts = np.unique(np.linspace(0, size, number + 1).astype(np.int64)).tolist()
    return tuple(pairwise(cuts))


def _owners(layout: Layout) -> LongArray:
    """Return [I] the infostate above each infostate, or -1 if it does not exist."""
    base, count, _, first, _ = layout.groups.astype(np.int64).T
    # A position is base + action · count + i: find the group, and then i.
    group = np.searchsorted(base, layout.parent, side="right") - 1
    owner = first[group] + (layout.parent - base[group]) % count[group]
    return np.where(layout.parent > 0, owner, -1)


def _levels(layout: Layout, owner: LongArray) -> list[int]:
    """Return the first infostate of each own depth, and the end of the last depth."""
    begins = [0]
    for infostate in layout.groups[:, 3].tolist():
        # A group below an infostate of the last level begins the next level.
        if owner[infostate] >= begins[-1]:
            begins.append(infostate)
    return [*begins, len(layout.parent)]


def _units(
    parent: IndexArray, public_state: IntArray, owner: LongArray, levels: list[int]
) -> LongArray:
    """Return [I'] the unit of each infostate of these levels; a unit must not be divided.

    At the first level, infostates that share a parent sequence or a public state are in one unit.
    At lower levels, each infostate is in the unit of the infostate above it. Units are numbered in
    order of appearance.
    """
    begin, end = levels[:2]
    unit = np.empty(levels[-1] - begin, np.int64)
    unit[: end - begin] = _components(parent[begin:end], public_state[begin:end])
    for start, stop in pairwise(levels[1:]):
        unit[start - begin : stop - begin] = unit[owner[start:stop] - begin]
    return unit


def _components(left: IndexArray, right: IntArray) -> LongArray:
    """Return [E] the connected components of bipartite edges, numbered by first appearance."""
    lefts, at_left = np.unique(left, return_inverse=True)
    rights, at_right = np.unique(right, return_inverse=True)
    size = len(lefts) + len(rights)
    # Imported here because they load slowly, and only runs with threads need them.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(left)), (at_left, len(lefts) + at_right)), (size, size))
    label = connected_components(edges, directed=False)[1][at_left]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    # Labels in the order of their first appearance.
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])


def _equal_shares(work: LongArray, number: int) -> LongArray:
    """Return [U] the part of each unit: `number` contiguous ranges of about equal work."""
    # The middle of a unit decides; it is less than the total, so parts are below `number`.
    middle = np.cumsum(work) - work / 2
    return np.asarray(middle * (number / work.sum()), np.int64)


def _runs(layout: Layout, first: int, part: LongArray) -> tuple[IndexArray, ...]:
    """Return the groups of each part, given the part of every infostate from `first` on."""
    base, count, actions, start, _ = layout.groups.astype(np.int64).T
    group = np.repeat(np.arange(len(start)), count)[first:]
    # A run ends where the group or the part changes.
    begins = np.flatnonzero(is_new(group, part))
    sizes = np.diff(begins, append=len(part))
    group, part, begins = group[begins], part[begins], begins + first
    runs = np.stack(
        [base[group] + begins - start[group], count[group], actions[group], begins, sizes], axis=1
    )
    # Bottom up, the kernel goes from the last run to the first. Later infostates of a group come
    # first, so that values are added in the order of one sweep.
    order = np.lexsort((-begins, group))
    runs, part = runs[order].astype(np.uint32), part[order]
    return tuple(runs[part == number] for number in np.unique(part))


def _payoffs_in_ranges(payoffs: TwoPlayerPayoffs, number: int) -> tuple[TwoPlayerPayoffs, ...]:
    """Split payoffs into `number` ranges of about equal work; return the payoffs of each."""
    if isinstance(payoffs, ComposedPayoffs):
        base, composition = payoffs
        parts: tuple[PublicPayoffs | WorldPayoffs | HistoryPayoffs, ...]
        if isinstance(base, PublicPayoffs):
            parts = split_public_payoffs(base, number)
        else:
            parts = split_world_payoffs(base, number)
        none = no_composition(composition.weight.dtype.name)
        return tuple(ComposedPayoffs(part, none) for part in parts)
    # Cumulative work before each block: entries, and one for each block.
    work = payoffs.first.astype(np.int64) + np.arange(len(payoffs.first))
    cuts = np.searchsorted(work, np.linspace(0, work[-1], number + 1)).tolist()
    return tuple(
        restrict_blocks(payoffs, begin, end) for begin, end in pairwise(cuts) if begin < end
    )
