"""Treeplexes: a player's acting infostates and sequences, and how kernels order the sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.forms._treeplex_kernels import (
    best_response_sweep,
    group_sequences,
    max_additions,
    max_roundings,
    normalize_weights,
    own_depths,
)
from infoset.forms.packed_rows import PlanWeights
from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.frozen_arrays import freeze
from infoset.utils.parents import with_descendants
from infoset.utils.short_repr import Facts, ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class Treeplex(ShortRepr):
    """The acting infostates of one player and their sequences, parents first.

    Sequence 0 is the empty one; the sequences of acting infostate i are
    `first_sequence[i]:first_sequence[i] + num_actions[i]`, one per action.
    """

    parent_sequence: IntArray
    """[I] the player's last sequence before the infostate."""
    first_sequence: IntArray
    num_actions: IntArray
    """[I] first sequence and number of actions of each infostate, as above."""
    num_sequences: int
    """Q, including the empty sequence."""

    def _facts(self) -> Facts:
        return Facts("", {"infostates": self.num_infostates, "sequences": self.num_sequences})

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return len(self.num_actions)

    @cached_property
    def infostate_of_sequence(self) -> IntArray:
        """[Q] the acting infostate of each sequence; -1 for the empty one."""
        owners = np.repeat(np.arange(self.num_infostates, dtype=np.int32), self.num_actions)
        return np.concatenate([np.array([-1], np.int32), owners])

    def with_later(self, infostates: BoolArray) -> BoolArray:
        """Return [I] which infostates are given ones, or come after them."""
        return with_descendants(self.infostate_of_sequence[self.parent_sequence], infostates)

    def uniform_policy(self) -> FloatArray:
        """Return [Q] the uniform behavior; 1 for the empty sequence."""
        uniform = np.ones(self.num_sequences)
        # In place, because the arrays of some games take much of the memory.
        uniform[1:] /= np.repeat(self.num_actions, self.num_actions)
        return uniform

    def restricted(self, infostates: BoolArray) -> Treeplex:
        """Return the treeplex of some infostates [I], which include the ones before them."""
        kept = np.append(True, np.repeat(infostates, self.num_actions))
        # The new number of a sequence is the number of sequences kept before it.
        place = (np.cumsum(kept) - 1).astype(np.int32)
        return Treeplex(
            parent_sequence=place[self.parent_sequence[infostates]],
            first_sequence=place[self.first_sequence[infostates]],
            num_actions=self.num_actions[infostates],
            num_sequences=int(kept.sum()),
        )

    @cached_property
    def own_depth(self) -> IntArray:
        """[I] number of the player's decisions before each acting infostate."""
        return own_depths(
            self.parent_sequence, self.first_sequence, self.num_actions, self.num_sequences
        )

    def max_additions(self, additions: LongArray) -> int:
        """Return the maximum number of additions that a payoff takes part in on its way up.

        additions: [Q] the number of payoffs at each sequence; overwritten.
        """
        multiplicity = np.ones(self.num_infostates, np.int64)
        shape = self.parent_sequence, self.first_sequence, self.num_actions
        return max_additions(*shape, multiplicity, additions)

    @cached_property
    def plan_roundings(self) -> int:
        """Maximum number of roundings in an entry of a plan made from normalized weights."""
        return max_roundings(
            self.parent_sequence, self.first_sequence, self.num_actions, self.num_sequences
        )


@dataclass(frozen=True, eq=False)
class Layout:
    """Sequences ordered by groups of infostates, and inside a group action by action."""

    groups: IndexArray
    """[G, 5] in order of depth: first position, stride from one action to the next, number of
    actions, first infostate, and number of infostates. In a whole group, the stride is the number
    of infostates; in a part of a group it is larger."""
    parent: IndexArray
    """[I] position of the parent sequence, with infostates in the order of the groups."""
    position: IndexArray
    """[Q] position of each sequence of the treeplex."""
    infostate: IntArray
    """[I] the infostates in the order of the groups."""
    blocks: IndexArray
    """[B + 1] boundaries between blocks. A block has at most `LANES` sequences, which end with the
    same action index at infostates of one group and one public state."""

    @property
    def largest_group(self) -> int:
        """Number of infostates of the largest group."""
        return int(self.groups[:, 1].max(initial=0))

    @property
    def num_sequences(self) -> int:
        """Number Q of sequences."""
        return len(self.position)

    def positions(self, sequences: LongArray) -> LongArray:
        """Return the positions of some sequences."""
        return self.position[sequences].astype(np.int64)

    def to_positions(self, by_sequence: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return [Q] values in order of position, given values in order of sequence.

        They are written to `out` [Q] if that is given.
        """
        by_position = np.empty_like(by_sequence) if out is None else out
        by_position[self.position] = by_sequence
        return by_position

    def to_sequences(self, by_position: FloatArray) -> FloatArray:
        """Return [Q] values in order of sequence, given values in order of position."""
        return by_position[self.position]

    def normalize(self, weights: PlanWeights, out: FloatArray | None = None) -> FloatArray:
        """Return [Q] the behavior policy of weights [Q]; both are in order of position.

        Weights, in any precision, are divided by the weight of the empty sequence, and then by
        their sums at infostates; the policy is uniform where a sum is 0. It is written to `out`
        [Q], float64, if given.
        """
        behavior = averaged(weights, weights, out)
        behavior[0] = 1.0
        normalize_weights(self.groups, behavior)
        return behavior

    def probabilities(self, weights: PlanWeights) -> FloatArray:
        """Return [Q] what `normalize` returns, in order of sequence."""
        return self.to_sequences(self.normalize(weights))

    def average_plan(self, total: PlanWeights, plan: PlanWeights) -> FloatArray:
        """Return [Q] the average plan from the weighted sum of plans; `plan` if nothing is summed.

        Arguments are in order of position. The result is float64 in order of sequence.
        """
        return self.to_sequences(averaged(total, plan))

    def best_values(self, treeplex: Treeplex, gradient: FloatArray) -> FloatArray:
        """Return [I] the values of infostates under best play, in the order of the groups.

        gradient: [Q] in order of position; it may be overwritten.
        """
        values = self.to_sequences(np.asarray(gradient, np.float64))
        shape = treeplex.parent_sequence, treeplex.first_sequence, treeplex.num_actions
        best = best_response_sweep(*shape, values)
        return values[best][self.infostate]

    def uniform_policy(self, precision: str = "float64") -> FloatArray:
        """Return [Q] the uniform behavior, in order of position; 1 for the empty sequence."""
        policy = np.ones(self.num_sequences, precision)
        for base, count, actions, *_ in self.groups.tolist():
            policy[base : base + count * actions] = 1.0 / actions
        return policy


def averaged(total: PlanWeights, plan: PlanWeights, out: FloatArray | None = None) -> FloatArray:
    """Return [Q] the average plan as `Layout.average_plan` does, but in order of position.

    It is written to `out` [Q], float64, if that is given.
    """
    chosen = total if total[0] > 0 else plan
    average: FloatArray = np.divide(chosen, np.float64(chosen[0]), out=out, dtype=np.float64)
    return average


def form_layouts(
    treeplexes: tuple[Treeplex, ...], public_states: tuple[IntArray, ...]
) -> tuple[Layout, ...]:
    """Return the layouts of all players, with the infostates of a public state contiguous.

    In a public form, the hands of each action at a public node are at consecutive positions.
    """
    return tuple(map(action_major_layout, treeplexes, public_states))


def action_major_layout(treeplex: Treeplex, public_state: IntArray | None = None) -> Layout:
    """Return the layout of a treeplex, ordered by `public_state` [I] within each group."""
    public = np.zeros(treeplex.num_infostates, np.int32) if public_state is None else public_state
    depth = treeplex.own_depth
    # `lexsort` sorts by the last key first: groups are infostates of equal depth and action count.
    order = np.lexsort((public, treeplex.num_actions, depth)).astype(np.int32)
    groups = np.empty((len(order), 5), np.uint32)
    position = np.zeros(treeplex.num_sequences, np.uint32)
    blocks = np.zeros(treeplex.num_sequences + 1, np.uint32)
    num_groups, num_blocks = group_sequences(
        order,
        depth,
        treeplex.num_actions,
        treeplex.first_sequence,
        public,
        groups,
        position,
        blocks,
    )
    return Layout(
        groups=groups[:num_groups].copy(),
        parent=position[treeplex.parent_sequence[order]],
        position=position,
        infostate=order,
        blocks=blocks[: num_blocks + 1].copy(),
    )


def is_new(*columns: IntArray | IndexArray | LongArray) -> BoolArray:
    """Return [E] whether an entry differs from the previous one in any of the columns [E]."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new
