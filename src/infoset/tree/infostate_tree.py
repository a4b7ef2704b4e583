"""Infostates of one player, and public states, each as a tree ordered by extension."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from infoset.errors import UnknownNameError
from infoset.game import Infostate, Step, step_text
from infoset.game.infostate import join_steps
from infoset.tree._kernels import last_sequences
from infoset.tree.world_graph import WorldGraph, freeze
from infoset.typing import NOOP, Action, IntArray, Player

__all__ = ["InfostateTree", "PublicTree", "StepTable"]


@dataclass(frozen=True)
class StepTable:
    """The different steps that the edges of a world graph add to an infostate or public state.

    They are numbered in the order of the edges that show them first.

    Attributes
    ----------
    of_edge : IntArray
        [E] the step of each edge.
    action, private_observation, public_observation : IntArray
        [number of steps + 1] what each consists of; -1 where there is none. The last entry is
        for the root, which no step leads to.
    """

    of_edge: IntArray
    action: IntArray
    private_observation: IntArray
    public_observation: IntArray

    @property
    def size(self) -> int:
        """Number of different steps."""
        return len(self.action) - 1

    @classmethod
    def of_player(cls, graph: WorldGraph, player: Player) -> StepTable:
        """Return the steps of `player`: own action, private and public observation."""
        return cls._of(
            graph.joint_action[:, player],
            graph.private_observation[:, player],
            graph.public_observation,
        )

    @classmethod
    def of_public(cls, graph: WorldGraph) -> StepTable:
        """Return the steps of public states: public observations."""
        nothing = np.full(graph.num_edges, -1, np.int32)
        return cls._of(nothing, nothing, graph.public_observation)

    @classmethod
    def _of(cls, *columns: IntArray) -> StepTable:
        rows = np.stack(columns, axis=1)
        root = np.full((1, len(columns)), -1, np.int32)
        order = np.lexsort(rows.T[::-1])
        ordered = rows[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        first_edge = np.sort(order[is_new])
        number = np.empty(len(rows), np.int32)
        number[first_edge] = np.arange(len(first_edge))
        of_edge = np.empty(len(rows), np.int32)
        of_edge[order] = number[order[is_new]][np.cumsum(is_new) - 1]
        steps = np.concatenate([rows[first_edge], root])
        return cls(of_edge, *np.ascontiguousarray(steps.T))


@dataclass(frozen=True, eq=False)
class InfostateTree:
    """The infostates of one player, acting or not, parents before children; 0 is the root.

    Attributes
    ----------
    player : Player
    parent : IntArray
        [S] infostate one step shorter; -1 at the root.
    action : IntArray
        [S] own action on the way from the parent, as its index there; -1 for none.
    private_observation, public_observation : IntArray
        [S] index into `observations` of what was seen on the way; -1 at the root.
    public_state : IntArray
        [S] the public state each infostate lies in.
    action_set : IntArray
        [S] index into `action_sets` of the legal actions; -1 where the player does not act.
    action_sets : tuple[tuple[Action, ...], ...]
    observations : tuple
    names : tuple[str, ...] or None
        [S] texts of the infostates, where they were given instead of observed.
    num_actions : IntArray
        [S] number of legal actions; 0 where the player does not act.
    acting : IntArray
        [I] the infostates where the player acts.
    last_sequence : IntArray
        [S] the last own sequence before the infostate.
    first_sequence : IntArray
        [S] the first sequence that an acting infostate begins, one per action in order; 0
        where the player does not act.
    """

    player: Player
    parent: IntArray
    action: IntArray
    private_observation: IntArray
    public_observation: IntArray
    public_state: IntArray
    action_set: IntArray
    action_sets: tuple[tuple[Action, ...], ...]
    observations: tuple[object, ...]
    names: tuple[str, ...] | None = None
    num_actions: IntArray = field(init=False)
    acting: IntArray = field(init=False)
    last_sequence: IntArray = field(init=False)
    first_sequence: IntArray = field(init=False)

    def __post_init__(self) -> None:
        sizes = np.array([*map(len, self.action_sets), 0], dtype=np.int32)
        num_actions = sizes[self.action_set]
        first = (1 + np.cumsum(num_actions) - num_actions).astype(np.int32)
        first[num_actions == 0] = 0
        derived = {
            "num_actions": num_actions,
            "acting": np.flatnonzero(num_actions).astype(np.int32),
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

    @property
    def num_sequences(self) -> int:
        """Number Q of sequences, the empty one included."""
        return 1 + int(self.num_actions.sum())

    def legal_actions(self, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate; empty where the player does not act."""
        chosen = self.action_set[infostate]
        return self.action_sets[chosen] if chosen >= 0 else ()

    def label(self, infostate: int) -> str:
        """Return an infostate as text: its name, or its steps in order."""
        if self.names is not None:
            return self.names[infostate]
        return join_steps(step_text(*step) for step in self._steps(infostate))

    def infostate_at(self, number: int) -> Infostate:
        """Return the infostate with a number, as players meet it; `index_of` is the inverse."""
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

    @cached_property
    def acting_labels(self) -> tuple[str, ...]:
        """[I] a different text for each acting infostate; `#number` tells equal ones apart."""
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
        """Return the number of an infostate met in play.

        Raises
        ------
        UnknownNameError
            If no history of the game leads to it.
        """
        number = 0
        for action, private, public in infostate.steps:
            legal = self.legal_actions(number)
            taken = legal.index(action) if action in legal else -1
            seen = [self._observation_index.get(x, -2) for x in (private, public)]
            number = self._children.get((number, taken, seen[0], seen[1]), -1)
            if number < 0:
                raise UnknownNameError(f"no play of this game leads to the infostate {infostate}")
        return number


@dataclass(frozen=True, eq=False)
class PublicTree:
    """The public states, parents before children; 0 is the root.

    Attributes
    ----------
    parent : IntArray
        [P] public state one observation shorter; -1 at the root.
    observation : IntArray
        [P] index into `observations` of what everybody saw; -1 at the root.
    observations : tuple
    infostates : tuple[IntArray, ...]
        Per player [S_p], its infostates sorted by public state.
    first_infostate : tuple[IntArray, ...]
        Per player [P + 1]: those at public state s are
        `infostates[p][first_infostate[p][s]:first_infostate[p][s + 1]]`.
    """

    parent: IntArray
    observation: IntArray
    observations: tuple[object, ...]
    infostates: tuple[IntArray, ...] = ()
    first_infostate: tuple[IntArray, ...] = ()

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_public_states(self) -> int:
        """Number P of public states."""
        return len(self.parent)

    def with_infostates(self, trees: tuple[InfostateTree, ...]) -> PublicTree:
        """Return the tree with the infostates of each player at each public state."""
        edges = np.arange(self.num_public_states + 1)
        orders = [np.argsort(tree.public_state, kind="stable") for tree in trees]
        starts = [
            np.searchsorted(tree.public_state[order], edges)
            for tree, order in zip(trees, orders, strict=True)
        ]
        return replace(
            self,
            infostates=tuple(order.astype(np.int32) for order in orders),
            first_infostate=tuple(start.astype(np.int32) for start in starts),
        )

    def label(self, public_state: int) -> str:
        """Return a public state as text: the public observations, in order."""
        texts = []
        while public_state > 0:
            seen = self.observations[self.observation[public_state]]
            texts.append(step_text(NOOP, None, seen))
            public_state = int(self.parent[public_state])
        return join_steps(reversed(texts))
