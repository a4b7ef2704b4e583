"""Decomposition of a compiled tree into a trunk and subgames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from infoset.beliefs._part_infostates import (
    PartInfostates,
    group_by_owner,
    members_of,
    part_infostates,
    topmost,
)
from infoset.beliefs.public_belief_state import PublicBeliefState, check_public_state, infostates_at
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.forms import TREE_EXAMPLE, InfostateTree, SequenceForm
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr

Groups: TypeAlias = tuple[IntArray, LongArray]
"""Members sorted by owner, and the start of the members of each owner."""


@dataclass(frozen=True, eq=False, repr=False)
class PartEnds(ShortRepr):
    """The histories where a part of a tree ends."""

    histories: IntArray
    """[Z] terminal histories of the part, followed by the histories of its leaves."""
    sequence: IntArray
    """[Z, N] last sequence of each player, as an index of the part."""
    entry: LongArray
    """[Z, N] root infostate of each player that the history extends, as a position in the player's
    range."""
    chance_reach: FloatArray
    """[Z] chance reach from the root of the game."""

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False, repr=False)
class TreePart(ShortRepr):
    """A trunk or subgame: the tree from one public state down to the leaves or terminals.

    Parts are created by `cut_tree`. Indices refer to the whole tree unless they are called "of the
    part". Indices of the part have the same order as those of the whole tree; in a subgame below
    the root of the game, a new root with index 0 precedes all infostates.
    """

    tree: GameTree
    """The whole game."""
    public_states: IntArray
    """[P'] public states in the part, increasing; the first is its root."""
    leaves: IntArray
    """[K] public states just below the part, increasing; empty if play in the part continues to the
    end of the game."""
    histories: IntArray
    """[H'] histories in the part, increasing."""
    infostates: tuple[IntArray, ...]
    """Per player [S'_p] infostates in the part, increasing."""

    def _facts(self) -> Facts:
        values = {
            "public states": len(self.public_states),
            "histories": len(self.histories),
            "leaves": len(self.leaves),
        }
        return Facts(self.name, values, "see .leaf_histories, .infostate_trees")

    @property
    def root(self) -> int:
        """The public state at the root of the part."""
        return int(self.public_states[0])

    @cached_property
    def name(self) -> str:
        """The name of the game and of the part."""
        if not self.root and not len(self.leaves):
            return str(self.tree.game)
        where = f"leaves={len(self.leaves)}" if len(self.leaves) else f"public_state={self.root}"
        return f"{'subgame' if self.root else 'trunk'}({self.tree.game},{where})"

    @cached_property
    def terminals(self) -> IntArray:
        """[Z'] the terminal histories in the part."""
        # The children of h are first[h] to first[h + 1] - 1: a terminal history has none.
        first = self.tree.first_child
        is_over = first[self.histories] == first[self.histories + 1]
        return np.compress(is_over, self.histories)

    @cached_property
    def leaf_histories(self) -> IntArray:
        """[L] the histories of the leaves, increasing."""
        return members_of(*self.tree.public_state_histories, self.leaves)

    @property
    def infostate_trees(self) -> tuple[InfostateTree, ...]:
        """The infostate tree of each player in the part. No player acts at the leaves."""
        return tuple(own.tree for own in self._players)

    @property
    def infostate_numbers(self) -> tuple[IntArray, ...]:
        """Per player, the index in the whole tree of each infostate of `infostate_trees`.

        Infostates at the leaves are included. The entry of a new root is -1.
        """
        return tuple(own.numbers for own in self._players)

    @property
    def sequences(self) -> tuple[IntArray, ...]:
        """Per player [Q'_p] the index in the whole tree of each sequence of the part."""
        return tuple(own.sequences for own in self._players)

    @cached_property
    def ends(self) -> PartEnds:
        """The ends of the part: its terminal histories, then the histories of its leaves."""
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

    def leaf_infostates(self, player: Player) -> LongArray:
        """Return [L] a player's infostate at each leaf history, as an index of the part."""
        own = self._players[player]
        return own.local(self.tree.infostate[self.leaf_histories, player])

    def leaf_sequences(self, leaf: int) -> tuple[IntArray, ...]:
        """Return each player's [S_p] last sequence of the part before each infostate of a leaf.

        Counterfactual values of the leaf are added to the gradient at these sequences.
        """
        if leaf not in self.leaves:
            raise ParameterError(
                f"public state {leaf} is not a leaf of {self.name}; the leaves are "
                f"{self.leaves.tolist()}"
            )
        return tuple(
            own.tree.last_sequence[own.local(there)]
            for own, there in zip(self._players, infostates_at(self.tree, leaf), strict=True)
        )

    def leaf_belief(
        self, leaf: int, belief: PublicBeliefState, policy: TabularPolicy
    ) -> PublicBeliefState:
        """Return the public belief state at a leaf: root ranges times own reach within the part.

        Raises
        ------
        PolicyMismatchError
            If the policy is not for the part.
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
        """Return the restriction of a policy for the whole game to the part.

        Parameters
        ----------
        form
            A sequence form of the part.
        """
        own = zip(policy.probabilities, self.sequences, strict=True)
        return TabularPolicy(form, tuple(values[numbers] for values, numbers in own))

    def replace_policy(self, policy: TabularPolicy, inside: TabularPolicy) -> TabularPolicy:
        """Return a policy for the whole game in which the part is replaced.

        Parameters
        ----------
        policy
            A policy for the whole game.
        inside
            A policy for the part, on either of its forms.

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
        return TabularPolicy(policy.form, tuple(replaced))

    def check_belief(self, belief: PublicBeliefState) -> None:
        """Raise an error if a belief is not at the root of this part."""
        if belief.tree is not self.tree or belief.public_state != self.root:
            raise ParameterError(
                f"the belief is at public state {belief.public_state} of {belief.tree.game}; give "
                f"a belief at public state {self.root} of the tree that was cut"
            )

    def check_policy(self, policy: TabularPolicy) -> None:
        """Raise a `PolicyMismatchError` if a policy is not for this part."""
        sizes = [len(values) for values in policy.probabilities]
        own = [tree.num_sequences for tree in self.infostate_trees]
        if sizes != own:
            raise PolicyMismatchError(
                f"the policy for {policy.form.name} has {sizes} sequences, but "
                f"{self.name} has {own}; restrict a policy for the whole game with "
                f"part.restrict_policy(policy, form)"
            )

    @cached_property
    def _players(self) -> tuple[PartInfostates, ...]:
        at_root = infostates_at(self.tree, self.root)
        return tuple(
            part_infostates(self.tree, player, inside, len(roots), self.public_states, self.leaves)
            for player, (inside, roots) in enumerate(zip(self.infostates, at_root, strict=True))
        )


@dataclass(frozen=True, eq=False, repr=False)
class TreeCut(ShortRepr):
    """A decomposition of a compiled tree into a trunk and subgames.

    Every history, infostate, and public state is in exactly one part. Parts are created on access;
    their index arrays are views of arrays stored here.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> cut = cut_tree(build_tree(load_game("kuhn_poker")), depth=2)
    >>> len(cut.trunk.histories), [len(part.histories) for part in cut.subgames()]
    (7, [30, 18])
    """

    tree: GameTree
    """The whole game."""
    roots: IntArray
    """[number of parts] public states at the roots of the parts, increasing. The first is 0, the
    root of the trunk."""

    @property
    def trunk(self) -> TreePart:
        """The part above all cuts."""
        return self[0]

    def subgames(self) -> Iterator[TreePart]:
        """Yield the subgame below each cut, in the order of `roots`."""
        for root in self.roots[1:].tolist():
            yield self[root]

    def __getitem__(self, root: int) -> TreePart:
        """Return the part with a given public state at its root."""
        if root not in self.roots:
            raise ParameterError(
                f"no part has its root at public state {root}; give one of the roots "
                f"{self.roots.tolist()}"
            )
        part = int(np.searchsorted(self.roots, root))
        return TreePart(
            tree=self.tree,
            public_states=_members(self._public_states, part),
            leaves=self.roots[1:][_members(self._leaves, part)],
            histories=_members(self._histories, part),
            infostates=tuple(_members(groups, part) for groups in self._infostates),
        )

    @cached_property
    def _owner(self) -> LongArray:
        """[P] the part that contains each public state: that of the last root above it."""
        parent = self.tree.public_tree.parent.copy()
        parent[self.roots] = -1
        return np.searchsorted(self.roots, topmost(parent))

    @cached_property
    def _public_states(self) -> Groups:
        return group_by_owner(self._owner, len(self.roots))

    @cached_property
    def _leaves(self) -> Groups:
        above = self.tree.public_tree.parent[self.roots[1:]]
        return group_by_owner(self._owner[above], len(self.roots))

    @cached_property
    def _histories(self) -> Groups:
        return group_by_owner(self._owner[self.tree.public_state], len(self.roots))

    @cached_property
    def _infostates(self) -> tuple[Groups, ...]:
        return tuple(
            group_by_owner(self._owner[tree.public_state], len(self.roots))
            for tree in self.tree.infostate_trees
        )


def _members(groups: Groups, part: int) -> IntArray:
    order, starts = groups
    return order[starts[part] : starts[part + 1]]


def cut_tree(
    tree: GameTree, *, depth: int | None = None, public_states: Iterable[int] | None = None
) -> TreeCut:
    """Decompose a compiled tree into a trunk and subgames, by cutting it above public states.

    Parameters
    ----------
    depth
        Cut above all public states after this many transitions, including terminal ones. Plays that
        end earlier remain in the trunk.
    public_states
        Cut above these public states. If one of them extends another, it cuts the subgame of the
        other, which then has leaves as the trunk does. With public state 0 alone, the trunk is the
        whole game.
    """
    check_type("tree", tree, GameTree, f"a GameTree, such as {TREE_EXAMPLE}")
    if (depth is None) == (public_states is None):
        raise ParameterError(
            "give exactly one of depth (cut after this many transitions) and public_states (cut "
            "above these public states)"
        )
    chosen = list(public_states or ())
    for public_state in chosen:
        check_public_state(tree, public_state)
    if depth is not None:
        longest = len(tree.level_offsets) - 2
        if not 1 <= depth <= longest:
            raise ParameterError(
                f"cannot cut at depth {depth}: give a depth from 1 to {longest}, the length of the "
                f"longest play of {tree.game}"
            )
        # The histories of a level are next to each other, and so are its public states.
        there = tree.public_state[slice(*tree.level_offsets[depth : depth + 2])]
        chosen = [*range(int(there.min()), int(there.max()) + 1)]
    return TreeCut(tree, np.unique([0, *chosen]).astype(np.int32))


def part_between(tree: GameTree, root: int, leaves: Sequence[int] = ()) -> TreePart:
    """Return the part of a tree from a public state down to others, or to the end of the game.

    It equals `cut_tree(tree, public_states=[root, *leaves])[root]`, and its cost depends only on
    its own size.

    Parameters
    ----------
    root
        The public state at the root of the part.
    leaves
        Public states that extend the root, none of which extends another.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> len(part_between(kuhn, 3).histories)
    18
    """
    for public_state in (root, *leaves):
        check_public_state(tree, public_state)
    # Down from the root, without the public states below leaves.
    left, found, waiting = set(leaves), [], [root]
    while waiting:
        state = waiting.pop()
        if state in left:
            left.remove(state)
        else:
            found.append(state)
            waiting += tree.public_tree.children(state).tolist()
    if left:
        raise ParameterError(
            f"public states {sorted(left)} are not leaves of a part that begins at public state "
            f"{root}; give public states that extend it, none of which extends another"
        )
    public = tree.public_tree
    states = np.sort(np.array(found, np.int32))
    return TreePart(
        tree=tree,
        public_states=states,
        leaves=np.sort(np.array(leaves, np.int32)),
        histories=members_of(*tree.public_state_histories, states),
        infostates=tuple(
            members_of(order, first, states)
            for order, first in zip(public.infostates, public.first_infostate, strict=True)
        ),
    )
