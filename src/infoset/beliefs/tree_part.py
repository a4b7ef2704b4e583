"""A part of a compiled tree: the trunk, a subgame, or what lies between two cuts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs._player_part import PlayerPart, player_part
from infoset.beliefs._selection import infostates_at
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, InfostateTree, SequenceForm
from infoset.tree.world_graph import freeze
from infoset.typing import FloatArray, IntArray, LongArray

__all__ = ["PartEnds", "TreePart"]


@dataclass(frozen=True, eq=False)
class PartEnds:
    """Where the plays of a part of a tree end.

    Attributes
    ----------
    histories : IntArray
        [Z] terminal histories of the part, then the histories of its leaves.
    sequence : IntArray
        [Z, N] the last own sequence of each player, of the part.
    entry : LongArray
        [Z, N] the infostates at the root of the part that the plays came through, by their
        position in the ranges.
    chance_reach : FloatArray
        [Z] nature's reach from the root of the game.
    """

    histories: IntArray
    sequence: IntArray
    entry: LongArray
    chance_reach: FloatArray

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class TreePart:
    """All that lies at and below one public state of a game, down to some leaves or to the end.

    Made by `cut_tree`. Everything is numbered as in the whole tree, unless it says "of the
    part"; there, numbers go up in the same order, and below the root of the game a new root
    with number 0 stands before all infostates.

    Attributes
    ----------
    tree : GameTree
        The whole game.
    public_states : IntArray
        [P'] public states inside, increasing; the first is the root.
    leaves : IntArray
        [K] public states just below, where the part ends, increasing; none in a subgame.
    histories : IntArray
        [H'] histories inside, increasing.
    infostates : tuple[IntArray, ...]
        Per player [S'_p] infostates inside, increasing.
    """

    tree: GameTree
    public_states: IntArray
    leaves: IntArray
    histories: IntArray
    infostates: tuple[IntArray, ...]

    @property
    def root(self) -> int:
        """The public state it begins with."""
        return int(self.public_states[0])

    @property
    def name(self) -> str:
        """The game, and which part of it this is."""
        if not self.root and not len(self.leaves):
            return str(self.tree.game)
        what = f"leaves={len(self.leaves)}" if len(self.leaves) else f"public_state={self.root}"
        return f"{'subgame' if self.root else 'trunk'}({self.tree.game},{what})"

    @cached_property
    def terminals(self) -> IntArray:
        """[Z'] the terminal histories inside."""
        first = self.tree.first_child
        is_over = first[self.histories] == first[self.histories + 1]
        return np.compress(is_over, self.histories)

    @cached_property
    def leaf_histories(self) -> IntArray:
        """[L] the histories of the leaves, increasing."""
        if not len(self.leaves):
            return self.leaves
        first = self.tree.first_child[self.histories]
        counts = self.tree.first_child[self.histories + 1] - first
        offsets = np.repeat(np.cumsum(counts) - counts, counts)
        children = np.repeat(first, counts) + np.arange(counts.sum()) - offsets
        is_leaf = np.zeros(self.tree.public_tree.num_public_states, dtype=bool)
        is_leaf[self.leaves] = True
        return np.compress(is_leaf[self.tree.public_state[children]], children).astype(np.int32)

    @property
    def infostate_trees(self) -> tuple[InfostateTree, ...]:
        """The infostates of each player of the part; at the leaves nobody acts."""
        return tuple(own.tree for own in self._players)

    @property
    def infostate_numbers(self) -> tuple[IntArray, ...]:
        """Per player, the number in the whole tree of each infostate of `infostate_trees`.

        Those of the leaves are among them; a new root has -1.
        """
        return tuple(own.numbers for own in self._players)

    @property
    def sequences(self) -> tuple[IntArray, ...]:
        """Per player [Q'_p] the number in the whole tree of each sequence of the part."""
        return tuple(own.sequences for own in self._players)

    @cached_property
    def ends(self) -> PartEnds:
        """Where the plays of the part end: its terminal histories, then those of the leaves."""
        histories = np.concatenate([self.terminals, self.leaf_histories])
        there = [
            (own, own.local(numbers))
            for own, numbers in zip(self._players, self.tree.infostate[histories].T, strict=True)
        ]
        return PartEnds(
            histories=histories,
            sequence=np.stack([own.tree.last_sequence[local] for own, local in there], axis=1),
            entry=np.stack([own.entry[local] for own, local in there], axis=1),
            chance_reach=self.tree.chance_reach[histories],
        )

    def leaf_sequences(self, leaf: int) -> tuple[IntArray, ...]:
        """Return per player the last sequence of the part before each infostate of a leaf.

        [S_p at the leaf]: where counterfactual values are added on the way back.

        Raises
        ------
        ParameterError
            If there is no such leaf.
        """
        if leaf not in self.leaves:
            raise ParameterError(
                f"{leaf} is no leaf of {self.name}, whose leaves are {self.leaves.tolist()}"
            )
        return tuple(
            own.tree.last_sequence[own.local(there)]
            for own, there in zip(self._players, infostates_at(self.tree, leaf), strict=True)
        )

    def leaf_belief(
        self, leaf: int, belief: PublicBeliefState, policy: TabularPolicy
    ) -> PublicBeliefState:
        """Return the belief at a leaf: ranges at the root times the policy of the part.

        Raises
        ------
        PolicyMismatchError, ParameterError
            As `counterfactual_values`; also if there is no such leaf.
        """
        self.check_belief(belief)
        self.check_policy(policy)
        found = []
        for player, last in enumerate(self.leaf_sequences(leaf)):
            own = self._players[player]
            entered = own.entry[own.local(infostates_at(self.tree, leaf)[player])]
            found.append(belief.ranges[player][entered] * policy.realization_plan(player)[last])
        return PublicBeliefState(self.tree, leaf, tuple(found))

    def restrict_policy(self, policy: TabularPolicy, form: SequenceForm) -> TabularPolicy:
        """Return what a policy for the whole game plays in the part.

        Parameters
        ----------
        policy : TabularPolicy
        form : SequenceForm
            A form of the part.
        """
        own = zip(policy.probabilities, self.sequences, strict=True)
        return TabularPolicy(form, tuple(values[numbers] for values, numbers in own))

    def replace_policy(self, policy: TabularPolicy, inside: TabularPolicy) -> TabularPolicy:
        """Return a policy for the whole game with that of the part put in.

        Parameters
        ----------
        policy : TabularPolicy
            For the whole game.
        inside : TabularPolicy
            For the part, on either of its forms.

        Raises
        ------
        PolicyMismatchError
            If `inside` is not for the part.
        """
        self.check_policy(inside)
        replaced = [values.copy() for values in policy.probabilities]
        for values, own, numbers in zip(
            replaced, inside.probabilities, self.sequences, strict=True
        ):
            values[numbers] = own
        return TabularPolicy(policy.sequence_form, tuple(replaced))

    def check_belief(self, belief: PublicBeliefState) -> None:
        """Refuse a belief that is not at the root of this part.

        Raises
        ------
        ParameterError
        """
        if belief.tree is not self.tree or belief.public_state != self.root:
            raise ParameterError(
                f"the belief is of {belief.tree.game} at public state {belief.public_state}; "
                f"give one at public state {self.root} of the tree that was cut"
            )

    def check_policy(self, policy: TabularPolicy) -> None:
        """Refuse a policy that is not for this part.

        Raises
        ------
        PolicyMismatchError
        """
        sizes = [len(values) for values in policy.probabilities]
        own = [tree.num_sequences for tree in self.infostate_trees]
        if sizes != own:
            raise PolicyMismatchError(
                f"the policy, for {policy.sequence_form.name}, has {sizes} sequences, and "
                f"{self.name} has {own}: restrict_policy takes a policy for the whole game"
            )

    @cached_property
    def _players(self) -> tuple[PlayerPart, ...]:
        at_root = infostates_at(self.tree, self.root)
        return tuple(
            player_part(self.tree, player, inside, len(roots), self.public_states, self.leaves)
            for player, (inside, roots) in enumerate(zip(self.infostates, at_root, strict=True))
        )
