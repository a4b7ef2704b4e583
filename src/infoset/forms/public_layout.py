"""The treeplexes and layouts of public forms: a few numbers for each public decision.

All hands of a public decision have the same actions, and their sequences are at consecutive places.
Arrays with an entry for each infostate or each sequence are computed on demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from infoset.forms._public_layout_kernels import (
    best_values_of_runs,
    fill_parents,
    move_values,
)
from infoset.forms._treeplex_kernels import max_additions, max_roundings, own_depths
from infoset.forms.treeplex import Layout, Treeplex, is_new
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.frozen_arrays import freeze
from infoset.utils.simd import LANES


class PublicSequences(NamedTuple):
    """One player's public sequences, and the position of each hand's sequences.

    Public sequence 0 is the empty one; the others are one per public decision and action. Public
    sequence s with a hand of class k is the sequence `start[s] + k * stride[s]` of the player's
    treeplex. Unless the form has `symmetry`, each hand is a class; see `PublicForm.places`.
    """

    last: IntArray
    """[V] the player's last public sequence before each public node."""
    first: IntArray
    """[V] the public sequence of the first action, where the player acts; 0 elsewhere."""
    start: LongArray
    stride: LongArray
    """[public sequences] as above; both are 0 for the empty sequence, which all hands share."""
    class_map: IntArray
    """[public sequences] row of `PublicForm.hand_classes` at each."""


@dataclass(frozen=True, eq=False)
class PublicRuns:
    """The public decisions of one player, in the order of the treeplex, and where their hands are.

    The infostates of a public decision, one for each class of hands, are a run.
    """

    node: IntArray
    """[R] the public node."""
    part: LongArray
    """[R] as in `PublicStructure.parts`."""
    depth: IntArray
    """[R] number of the player's previous decisions."""
    actions: LongArray
    count: LongArray
    """[R] numbers of actions, and of classes of hands."""
    infostate: LongArray
    sequence: LongArray
    """[R] the first infostate, and the first sequence, in the treeplex."""
    place: LongArray
    """[R] the first infostate in the order of the groups of the layout."""
    first: LongArray
    stride: LongArray
    """[R] position of the first action of the first infostate, and the distance to the next action;
    the entries of an action, one for each infostate, are consecutive."""
    last: IntArray
    public: IntArray
    """[R] the player's last public sequence before the decision, and the public sequence of its
    first action."""
    above: LongArray
    """[R] the parent sequence of the first class of hands."""
    above_step: LongArray
    """[R] the distance from one class of hands to the next there; 0 for the empty sequence."""
    row: LongArray
    class_above: IntArray
    """[R] the row of `class_above` [pairs, classes], which has the class of hands at the parent
    sequence for each class."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_sequences(self) -> int:
        """Number of sequences, including the empty one."""
        return 1 + int((self.actions * self.count).sum())

    @property
    def num_infostates(self) -> int:
        """Number of acting infostates."""
        return int(self.count.sum())

    @property
    def places(self) -> tuple[LongArray, LongArray, LongArray, LongArray]:
        """First position, stride, and numbers of actions and classes, as kernels read them."""
        return self.first, self.stride, self.actions, self.count

    def max_additions(self, additions: LongArray) -> int:
        """Return a bound on the additions that a payoff takes part in on its way up a treeplex.

        additions: [public sequences] the maximum for a hand; overwritten. The bound holds for a
        hand of the largest class at each decision; see `Treeplex.max_additions`.
        """
        rows, at = np.unique(self.row, return_index=True)
        pairs = zip(self.class_above[rows], self.count[at].tolist(), strict=True)
        classes = np.array([np.bincount(above[:count]).max() for above, count in pairs], np.int64)
        # Those that follow one class; after the empty sequence, all.
        following = np.where(self.above_step > 0, classes[self.row], self.count)
        actions = self.actions.astype(np.int32)
        return max_additions(self.last, self.public, actions, following, additions)

    def positions(self, sequences: LongArray) -> LongArray:
        """Return the positions of sequences of the treeplex."""
        if not len(self.first):
            return np.zeros(len(sequences), np.int64)
        run = np.maximum(np.searchsorted(self.sequence, sequences, side="right") - 1, 0)
        own, action = np.divmod(sequences - self.sequence[run], self.actions[run])
        return np.where(sequences > 0, self.first[run] + action * self.stride[run] + own, 0)


def public_runs(
    nodes: IntArray,
    num_actions: IntArray,
    class_map: IntArray,
    sequences: PublicSequences,
    classes: IntArray,
    parts: LongArray,
) -> PublicRuns:
    """Return the public decisions of one player.

    Parameters
    ----------
    nodes
        [R] the public nodes at which the player acts.
    num_actions, class_map
        [V] as in `PublicForm`, at each public node.
    sequences
        The player's public sequences.
    classes
        [C, hands] the player's `PublicForm.hand_classes`.
    parts
        [V] as in `PublicForm`.
    """
    num_actions, own, part = num_actions[nodes], class_map[nodes], parts[nodes]
    actions = num_actions.astype(np.int64)
    count = (classes.max(axis=1) + 1)[own].astype(np.int64)
    last, public = sequences.last[nodes], sequences.first[nodes]
    depth = own_depths(last, public, num_actions, len(sequences.start))
    # `lexsort` sorts by the last key first: groups are infostates of equal depth and action count.
    order = np.lexsort((nodes, num_actions, depth, part))
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(count[order]) - count[order]
    begins = is_new(part[order], depth[order], num_actions[order])
    group = np.cumsum(begins) - 1
    size = np.bincount(group, count[order]).astype(np.int64)
    of_group = size * actions[order][begins]
    base = 1 + np.cumsum(of_group) - of_group - place[order][begins]
    first, stride = np.empty((2, len(order)), np.int64)
    first[order], stride[order] = base[group] + place[order], size[group]
    row, class_above = _classes_above(own, sequences.class_map[last], classes)
    return PublicRuns(
        node=nodes,
        part=part,
        depth=depth,
        actions=actions,
        count=count,
        infostate=np.cumsum(count) - count,
        sequence=1 + np.cumsum(actions * count) - actions * count,
        place=place,
        first=first,
        stride=stride,
        last=last,
        public=public,
        above=sequences.start[last],
        above_step=sequences.stride[last],
        row=row,
        class_above=class_above,
    )


def _classes_above(
    own: IntArray, before: IntArray, classes: IntArray
) -> tuple[LongArray, IntArray]:
    """Return `row` and `class_above` of `PublicRuns`, given class rows at runs and before them."""
    kinds, row = np.unique(np.stack([own, before]), axis=1, return_inverse=True)
    # All hands of a class have the same class above, so its first hand determines it.
    above = np.zeros((kinds.shape[1], classes.shape[1]), np.int32)
    for kind, (here, there) in enumerate(kinds.T.tolist()):
        hands = np.unique(classes[here], return_index=True)[1]
        above[kind, : len(hands)] = classes[there, hands]
    return row.reshape(-1), above


class PublicTreeplex(Treeplex):
    """A treeplex of a public form; its arrays are computed at the first access."""

    _runs: PublicRuns

    def __init__(self, runs: PublicRuns) -> None:
        vars(self).update(_runs=runs, num_sequences=runs.num_sequences)

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return self._runs.num_infostates

    @cached_property
    def num_actions(self) -> IntArray:
        """[I] number of actions of each infostate."""
        return _frozen(np.repeat(self._runs.actions.astype(np.int32), self._runs.count))

    @cached_property
    def first_sequence(self) -> IntArray:
        """[I] first sequence of each infostate."""
        first = np.cumsum(self.num_actions, dtype=np.int32)
        first += 1 - self.num_actions
        return _frozen(first)

    @cached_property
    def parent_sequence(self) -> IntArray:
        """[I] the player's last sequence before each infostate."""
        runs = self._runs
        parent = np.empty(runs.num_infostates, np.int32)
        above = runs.above, runs.above_step, runs.row, runs.class_above
        fill_parents(runs.infostate, runs.count, *above, parent)
        return _frozen(parent)

    @cached_property
    def own_depth(self) -> IntArray:
        """[I] number of the player's decisions before each acting infostate."""
        return np.repeat(self._runs.depth, self._runs.count)

    @cached_property
    def plan_roundings(self) -> int:
        """Maximum number of roundings in an entry of a plan made from normalized weights."""
        runs = self._runs
        # The number is the same for all hands: a public decision counts as one infostate.
        size = 1 + int(runs.actions.sum())
        return max_roundings(runs.last, runs.public, runs.actions.astype(np.int32), size)


def _frozen(array: IntArray) -> IntArray:
    array.setflags(write=False)
    return array


class PublicLayout(Layout):
    """The layout of a player of a public form: part by part, each as in `action_major_layout`."""

    _runs: PublicRuns

    def __init__(self, runs: PublicRuns) -> None:
        order = np.argsort(runs.place)
        groups = np.stack([runs.first, runs.stride, runs.actions, runs.place, runs.stride], axis=1)
        begins = is_new(runs.part[order], runs.depth[order], runs.actions[order])
        vars(self).update(groups=groups[order][begins].astype(np.uint32), _runs=runs)

    @cached_property
    def parent(self) -> IndexArray:
        """[I] position of the parent sequence, with infostates in the order of the groups."""
        runs = self._runs
        parent = np.empty(runs.num_infostates, np.uint32)
        above = runs.positions(runs.above), np.minimum(runs.above_step, 1)
        fill_parents(runs.place, runs.count, *above, runs.row, runs.class_above, parent)
        return parent

    @property
    def num_sequences(self) -> int:
        """Number Q of sequences."""
        return self._runs.num_sequences

    @property
    def position(self) -> IndexArray:
        """[Q] position of each sequence of the treeplex; computed anew at each access."""
        return self.positions(np.arange(self.num_sequences)).astype(np.uint32)

    @property
    def infostate(self) -> IntArray:
        """[I] the infostates in the order of the groups; computed anew at each access."""
        runs = self._runs
        order = np.argsort(runs.place)
        moved = np.repeat((runs.infostate - runs.place)[order], runs.count[order])
        return (moved + np.arange(len(moved))).astype(np.int32)

    @property
    def blocks(self) -> IndexArray:
        """[B + 1] boundaries between blocks; computed anew at each access."""
        runs = self._runs
        action = [range(number) for number in runs.actions.tolist()]
        begins = [
            np.arange(first, first + count, LANES) + stride * place
            for own, first, stride, count in zip(
                action, *(a.tolist() for a in (runs.first, runs.stride, runs.count)), strict=True
            )
            for place in own
        ]
        ends = [np.array([0]), *begins, np.array([self.num_sequences])]
        return np.sort(np.concatenate(ends)).astype(np.uint32)

    def positions(self, sequences: LongArray) -> LongArray:
        """Return the positions of some sequences."""
        return self._runs.positions(sequences)

    def to_positions(self, by_sequence: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return [Q] values in order of position; see `Layout.to_positions`."""
        by_position = np.empty_like(by_sequence) if out is None else out
        move_values(*self._runs.places, by_sequence, by_position, True)
        return by_position

    def to_sequences(self, by_position: FloatArray) -> FloatArray:
        """Return [Q] values in order of sequence, given values in order of position."""
        by_sequence = np.empty_like(by_position)
        move_values(*self._runs.places, by_position, by_sequence, False)
        return by_sequence

    def best_values(self, treeplex: Treeplex, gradient: FloatArray) -> FloatArray:
        """Return [I] the values of infostates under best play; see `Layout.best_values`."""
        best = np.empty(self._runs.num_infostates)
        values = np.asarray(gradient, np.float64)
        best_values_of_runs(*self._runs.places, self._runs.place, self.parent, values, best)
        return best
