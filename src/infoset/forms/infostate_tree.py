"""The infostates of one player, and the public states, each as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from infoset.errors import UnknownNameError
from infoset.forms._treeplex_kernels import first_sequences, last_sequences
from infoset.game import Infostate, Step, step_text
from infoset.game.infostate import join_steps
from infoset.typing import NOOP, Action, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr


@dataclass(frozen=True, eq=False)
class LazyObservations(Sequence[object]):
    """Observations that are computed when the first of them is read, because few texts are."""

    size: int
    compute: Callable[[], tuple[object, ...]]
    """Function that returns as many observations as `size`."""

    @classmethod
    def joined(cls, first: Sequence[object], second: Sequence[object]) -> LazyObservations:
        """Return two sequences of observations as one, without reading them."""
        return cls(len(first) + len(second), partial(_joined, first, second))

    @cached_property
    def _computed(self) -> tuple[object, ...]:
        return self.compute()

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        return self._computed[index]


def _joined(first: Sequence[object], second: Sequence[object]) -> tuple[object, ...]:
    return (*first, *second)


@dataclass(frozen=True, eq=False, repr=False)
class InfostateTree(ShortRepr):
    """The infostates of one player, acting or not, parents before children; 0 is the root."""

    player: Player
    parent: IntArray
    """[S] infostate one transition shorter; -1 at the root."""
    action: IntArray
    """[S] index of the player's own action at the parent; -1 for none."""
    private_observation: IntArray
    public_observation: IntArray
    """[S] index into `observations` of the observation in the transition from the parent; -1 at the
    root."""
    public_state: IntArray
    """[S] public state of each infostate."""
    action_set: IntArray
    """[S] index into `action_sets` of the legal actions; -1 where the player does not act."""
    action_sets: tuple[tuple[Action, ...], ...]
    observations: Sequence[object]
    names: tuple[str, ...] | None = None
    """[S] names of the infostates if they come from an extensive form; None if infostates consist
    of observations."""
    num_actions: IntArray = field(init=False)
    """[S] number of legal actions; 0 where the player does not act."""
    acting: IntArray = field(init=False)
    """[I] the infostates where the player acts."""
    last_sequence: IntArray = field(init=False)
    """[S] the player's last sequence before the infostate."""
    first_sequence: IntArray = field(init=False)
    """[S] the sequence of the first action at an acting infostate; those of the other actions
    follow. 0 where the player does not act."""

    def _facts(self) -> Facts:
        values = {
            "infostates": self.num_infostates,
            "acting": self.num_acting,
            "sequences": self.num_sequences,
        }
        return Facts(f"of player {self.player}", values, "see .acting_labels")

    def __post_init__(self) -> None:
        # Index -1, of who does not act, reads the last entry: no actions.
        sizes = np.array([*map(len, self.action_sets), 0], dtype=np.int32)
        num_actions = sizes[self.action_set]
        acting, first = first_sequences(num_actions)
        derived = {
            "num_actions": num_actions,
            "acting": acting,
            "first_sequence": first,
            "last_sequence": last_sequences(self.parent, self.action, first),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        freeze(self)

    @property
    def num_infostates(self) -> int:
        """Number S of infostates."""
        return len(self.parent)

    @property
    def num_acting(self) -> int:
        """Number I of infostates where the player acts."""
        return len(self.acting)

    @cached_property
    def num_sequences(self) -> int:
        """Number Q of sequences, including the empty one."""
        return 1 + int(self.num_actions.sum())

    def legal_actions(self, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate; empty where the player does not act."""
        chosen = self.action_set[infostate]
        return self.action_sets[chosen] if chosen >= 0 else ()

    def label(self, infostate: int) -> str:
        """Return an infostate as text: its name if it has one, or its actions and observations."""
        if self.names is not None:
            return self.names[infostate]
        return join_steps(step_text(*step) for step in self._steps(infostate))

    def infostate_at(self, number: int) -> Infostate:
        """Return the `Infostate` with a number; `index_of` is the inverse."""
        return Infostate(self.player, self._steps(number))

    def _steps(self, infostate: int) -> tuple[Step, ...]:
        steps = []
        while infostate > 0:
            parent, taken = int(self.parent[infostate]), self.action[infostate]
            action = self.legal_actions(parent)[taken] if taken >= 0 else NOOP
            private = self.observations[self.private_observation[infostate]]
            public = self.observations[self.public_observation[infostate]]
            steps.append(Step(action, private, public))
            infostate = parent
        return tuple(reversed(steps))

    def own_moves(self, number: int) -> Iterator[tuple[InfostateTree, int, int]]:
        """Yield the player's actions that lead to an infostate, last first.

        An action comes with this tree and the number of the infostate at which it was taken, and is
        the position in the legal actions there.
        """
        while number > 0:
            action, number = int(self.action[number]), int(self.parent[number])
            if action >= 0:
                yield self, number, action

    def reading_order(self) -> LongArray:
        """Return [I] positions in `acting` in an order for readers.

        Infostates of early steps come first, and those of the same step in the order of what
        happened before, with actions and observations in the order in which the rules list them.
        """
        depth, before = np.zeros(self.num_infostates, np.int64), np.arange(self.num_infostates)
        # All paths to the root are followed together, one step in each pass.
        while before.any():
            depth += before > 0
            before = np.where(before > 0, self.parent[before], 0)
        place = np.zeros(self.num_infostates, np.int64)
        for level in range(1, int(depth.max(initial=0)) + 1):
            here = np.flatnonzero(depth == level)
            # The last key is the first to sort by: the parent's place, then the step from it.
            keys = (
                self.public_observation[here],
                self.private_observation[here],
                self.action[here],
                place[self.parent[here]],
            )
            place[here[np.lexsort(keys)]] = np.arange(len(here))
        order: LongArray = np.lexsort((place[self.acting], depth[self.acting]))
        return order

    @cached_property
    def acting_labels(self) -> tuple[str, ...]:
        """[I] a unique text for each acting infostate; equal labels get a suffix `#number`."""
        texts = [self.label(infostate) for infostate in self.acting.tolist()]
        seen: set[str] = set()
        for position, text in enumerate(texts):
            if text in seen:
                texts[position] = f"{text} #{self.acting[position]}"
            seen.add(texts[position])
        return tuple(texts)

    @cached_property
    def _children(self) -> dict[tuple[int, int, int, int], int]:
        keys = zip(
            self.parent.tolist(),
            self.action.tolist(),
            self.private_observation.tolist(),
            self.public_observation.tolist(),
            strict=True,
        )
        return {key: number for number, key in enumerate(keys)}

    @cached_property
    def _observation_index(self) -> dict[object, int]:
        return {seen: index for index, seen in enumerate(self.observations)}

    def index_of(self, infostate: Infostate) -> int:
        """Return the number of an infostate.

        Raises
        ------
        UnknownNameError
            If no history of the game leads to the infostate.
        """
        number = 0
        for action, private, public in infostate.steps:
            legal = self.legal_actions(number)
            taken = legal.index(action) if action in legal else -1
            seen = [self._observation_index.get(x, -2) for x in (private, public)]
            number = self._children.get((number, taken, seen[0], seen[1]), -1)
            if number < 0:
                raise UnknownNameError(
                    f"no history of this game leads to the infostate {infostate}"
                )
        return number


def acting_tree(
    player: Player,
    previous: LongArray | IntArray,
    action: LongArray | IntArray,
    names: Sequence[str],
    labels: Sequence[tuple[Action, ...]],
) -> InfostateTree:
    """Return the tree of a player's acting infostates alone, below an artificial root.

    Parameters
    ----------
    previous, action
        [I] the acting infostate before each one, with a smaller number, and the index of the action
        taken there; -1 if there is none.
    names, labels
        Of each infostate, its name and its legal actions.
    """
    set_of = {actions: index for index, actions in enumerate(dict.fromkeys(labels))}
    size = len(names) + 1

    def with_root(values: LongArray | IntArray) -> IntArray:
        return np.concatenate([[-1], values]).astype(np.int32)

    return InfostateTree(
        player=player,
        parent=with_root(previous + 1),
        action=with_root(action),
        # There are no observations; the name of the infostate is used instead.
        private_observation=np.arange(-1, size - 1, dtype=np.int32),
        public_observation=with_root(np.full(size - 1, size - 1)),
        public_state=np.zeros(size, np.int32),
        action_set=with_root(np.array([set_of[actions] for actions in labels], np.int32)),
        action_sets=tuple(set_of),
        observations=(*names, None),
        names=("(start)", *names),
    )


@dataclass(frozen=True, eq=False, repr=False)
class PublicTree(ShortRepr):
    """The public states, parents before children; public state 0 is the root."""

    parent: IntArray
    """[P] public state one public observation shorter; -1 at the root."""
    observation: IntArray
    """[P] index into `observations` of the last public observation; -1 at the root."""
    observations: tuple[object, ...]
    infostates: tuple[IntArray, ...] = ()
    """For each player p, [S_p] its infostates sorted by public state."""
    first_infostate: tuple[IntArray, ...] = ()
    """For each player p, [P + 1]: its infostates at public state s are
    `infostates[p][first_infostate[p][s]:first_infostate[p][s + 1]]`."""

    def _facts(self) -> Facts:
        return Facts("", {"public states": self.num_public_states}, "see .label(number)")

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_public_states(self) -> int:
        """Number P of public states."""
        return len(self.parent)

    def with_infostates(self, trees: tuple[InfostateTree, ...]) -> PublicTree:
        """Return this tree with `infostates` and `first_infostate` filled in."""
        edges = np.arange(self.num_public_states + 1)
        orders = [np.argsort(tree.public_state, kind="stable") for tree in trees]
        # Where each number would be inserted into the sorted ones is where its run begins.
        starts = [
            np.searchsorted(tree.public_state[order], edges)
            for tree, order in zip(trees, orders, strict=True)
        ]
        return replace(
            self,
            infostates=tuple(order.astype(np.int32) for order in orders),
            first_infostate=tuple(start.astype(np.int32) for start in starts),
        )

    def children(self, public_state: int) -> IntArray:
        """Return the public states that follow by one observation, in increasing order."""
        order, first = self._children
        return order[first[public_state] : first[public_state + 1]]

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        """[P] public states sorted by parent, and [P + 1] the first child of each."""
        order = np.argsort(self.parent, kind="stable").astype(np.int32)
        first = np.searchsorted(self.parent[order], np.arange(self.num_public_states + 1))
        return order, first.astype(np.int32)

    def label(self, public_state: int) -> str:
        """Return a public state as text: its public observations in order."""
        texts = []
        while public_state > 0:
            seen = self.observations[self.observation[public_state]]
            texts.append(step_text(NOOP, None, seen))
            public_state = int(self.parent[public_state])
        return join_steps(reversed(texts))
