"""Tables that number the infostates of one player, discovered in play or given as a tree."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from types import NoneType

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TrajectoryError, UnknownNameError, nearest_names, show
from infoset.forms import InfostateTree
from infoset.game import Infostate
from infoset.learning.online.key_encoding import keys_from_json, keys_to_json
from infoset.tree.decision_nodes import Infostates, infostate_depths
from infoset.typing import Action, IntArray, Player

INITIAL_CAPACITY = 64
"""Initial capacity of a table, both in infostates and in sequences."""


def check_hashable(kind: str, label: object) -> None:
    """Raise `TrajectoryError` if an infostate or action is not hashable."""
    try:
        hash(label)
    except TypeError as error:
        raise TrajectoryError(
            f"the {kind} {label!r} is not hashable ({error}): use strings, numbers, tuples or "
            "other immutable objects"
        ) from error


class InfostateTable(ABC):
    """A table that numbers the infostates of one player; in its arrays, this is player 0."""

    player: Player
    infostates: Infostates
    """As in self-play; the capacity [I] may exceed the number of known infostates."""
    depth: IntArray
    """[I] number of the player's decisions above each infostate."""
    num_sequences: int
    """Number S of sequences, including unused capacity."""

    @property
    @abstractmethod
    def num_known(self) -> int:
        """Number of known infostates."""

    @abstractmethod
    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate, or -1 if it is not known."""

    @abstractmethod
    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate."""

    @abstractmethod
    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Add an unknown infostate and return its number; raise if it cannot be added."""

    @abstractmethod
    def contents(self) -> NDArray[np.uint8]:
        """Return the discovered infostates in order, as the bytes of a JSON text."""

    @abstractmethod
    def restored(self, contents: NDArray[np.uint8]) -> InfostateTable:
        """Return a table with the given `contents`; raise `ValueError` if they are not valid."""

    @property
    def fingerprint(self) -> str:
        """Digest of the tree, equal on all machines for equal games; empty without a tree."""
        return ""

    def visit(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        """Return the number of an infostate that play has reached.

        Parameters
        ----------
        legal_actions
            May be None if the infostate is known.
        parent_sequence
            The player's last sequence before the infostate.

        Raises
        ------
        TrajectoryError
            If the infostate is not hashable, if `legal_actions` is not a list or differs from
            earlier visits, or if the infostate had another parent sequence before.
        UnknownNameError
            If the infostate is not in the given tree, or the player does not act there.
        """
        check_hashable("infostate", infostate)
        if not isinstance(legal_actions, Sequence | NoneType) or isinstance(legal_actions, str):
            raise TrajectoryError(
                f"legal_actions={legal_actions!r} at the infostate {infostate} is not a list of "
                'actions: give a list such as ("call", "fold"), or omit it if the infostate is '
                "known"
            )
        if isinstance(infostate, Infostate) and infostate.player != self.player:
            raise TrajectoryError(
                f"{infostate} is an infostate of player {infostate.player}, but this learner plays "
                f"player {self.player}: call act() only with infostates of player {self.player}"
            )
        number = self.find(infostate)
        if number < 0:
            return self._add(infostate, legal_actions, parent_sequence)
        if legal_actions is not None:
            self.check_actions(infostate, number, legal_actions)
        known_parent = int(self.infostates.parent_sequence[number])
        if known_parent != parent_sequence:
            raise TrajectoryError(
                f"the infostate {infostate} now follows {self._last(parent_sequence)}, but "
                f"previously it followed {self._last(known_parent)}. With perfect recall, an "
                "infostate has exactly one history of own actions. If a new episode has begun, "
                "call observe() or abandon() first"
            )
        return number

    def check_actions(
        self, infostate: Hashable, number: int, legal_actions: Sequence[Action]
    ) -> None:
        """Raise `TrajectoryError` unless a known infostate has these actions, in this order."""
        known = self.legal_actions(number)
        if tuple(legal_actions) != known:
            raise TrajectoryError(
                f"the infostate {infostate} now has the actions {list(legal_actions)}, but "
                f"previously it had {list(known)}: pass the same actions "
                "in the same order every time"
            )

    def sequences(self, number: int) -> slice:
        """Return the positions of an infostate's sequences."""
        first_sequence = int(self.infostates.first_sequence[number])
        return slice(first_sequence, first_sequence + int(self.infostates.num_actions[number]))

    def parent(self, number: int) -> int:
        """Return the infostate of the player's previous decision, or -1 if there is none."""
        return self._owner(int(self.infostates.parent_sequence[number]))

    def _owner(self, sequence: int) -> int:
        """Return the infostate of a sequence; -1 for the empty sequence."""
        # Sequences are numbered by infostate: the owner is the last that begins at or before one.
        first_sequences = self.infostates.first_sequence[: self.num_known]
        return int(np.searchsorted(first_sequences, sequence, side="right")) - 1

    def _last(self, sequence: int) -> str:
        """Describe the last own action of a sequence."""
        if sequence == 0:
            return "no earlier action"
        owner = self._owner(sequence)
        action = self.legal_actions(owner)[sequence - int(self.infostates.first_sequence[owner])]
        return f"{action!r} at {self._text(owner)}"

    @abstractmethod
    def _text(self, number: int) -> str:
        """Return an infostate as text."""


class DiscoveredInfostates(InfostateTable):
    """Infostates that are added when play first reaches them, under any hashable keys."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.num_sequences = INITIAL_CAPACITY
        self.depth = np.zeros(INITIAL_CAPACITY, np.int32)
        columns = [np.zeros(INITIAL_CAPACITY, np.int32) for _ in range(4)]
        self.infostates = Infostates._make([*columns, np.zeros(1, np.int32)])
        self._numbers: dict[Hashable, int] = {}
        self._actions: list[tuple[Action, ...]] = []
        self._sequences_used = 1

    @property
    def num_known(self) -> int:
        """Number of infostates discovered so far."""
        return len(self._actions)

    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate, or -1 if play has not reached it."""
        return self._numbers.get(infostate, -1)

    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate."""
        return self._actions[number]

    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        actions = () if legal_actions is None else tuple(legal_actions)
        check_hashable("action", actions)
        if not actions or len(set(actions)) < len(actions):
            raise TrajectoryError(
                f"the new infostate {infostate} has the actions {list(actions)}: call "
                "act(infostate, legal_actions) with at least one legal action, and no action twice"
            )
        number, first_sequence = len(self._actions), self._sequences_used
        self._grow(number + 1, first_sequence + len(actions))
        self.infostates.first_sequence[number] = first_sequence
        self.infostates.num_actions[number] = len(actions)
        self.infostates.parent_sequence[number] = parent_sequence
        above = self._owner(parent_sequence)
        self.depth[number] = self.depth[above] + 1 if above >= 0 else 0
        self._numbers[infostate] = number
        self._actions.append(actions)
        self._sequences_used += len(actions)
        return number

    def _grow(self, num_infostates: int, num_sequences: int) -> None:
        """Double the capacity until these numbers of infostates and sequences fit."""
        while num_sequences > self.num_sequences:
            self.num_sequences *= 2
        capacity = len(self.depth)
        while num_infostates > capacity:
            capacity *= 2
        if capacity > len(self.depth):
            # Doubling: n infostates cost O(n) copies in total.
            padding = (0, capacity - len(self.depth))
            *columns, root_sequence = self.infostates
            padded = [np.pad(column, padding) for column in columns]
            self.infostates = Infostates._make([*padded, root_sequence])
            self.depth = np.pad(self.depth, padding)

    def _text(self, number: int) -> str:
        return str(list(self._numbers)[number])

    def contents(self) -> NDArray[np.uint8]:
        """Return keys, actions and parents in order of discovery, as the bytes of a JSON text."""
        parents = self.infostates.parent_sequence.tolist()
        rows = zip(self._numbers, self._actions, parents, strict=False)
        return keys_to_json(tuple(rows))

    def restored(self, contents: NDArray[np.uint8]) -> DiscoveredInfostates:
        """Return a new table with the same infostates, discovered in the same order."""
        table = DiscoveredInfostates(self.player)
        # In order of discovery, parents come before their children.
        for row in keys_from_json(contents):
            match row:
                case (infostate, tuple() as actions, int() as parent_sequence) if (
                    0 <= parent_sequence < table._sequences_used and table.find(infostate) < 0
                ):
                    table._add(infostate, actions, parent_sequence)
                case _:
                    raise ValueError(f"{show(row)} is not an infostate with actions and parent")
        return table


class TreeInfostates(InfostateTable):
    """The acting infostates of a given tree, looked up by infostate or by label.

    The infostates of a tree made by `make_own_tree` are looked up by label only.
    """

    def __init__(self, tree: InfostateTree) -> None:
        self.tree = tree
        self.player = tree.player
        self.num_sequences = tree.num_sequences
        acting = tree.acting
        self.infostates = Infostates(
            first_sequence=tree.first_sequence[acting],
            num_actions=tree.num_actions[acting],
            player=np.zeros(len(acting), np.int32),
            parent_sequence=tree.last_sequence[acting],
            root_sequence=np.zeros(1, np.int32),
        )
        self.depth = infostate_depths(self.infostates)
        self._numbers = {label: number for number, label in enumerate(tree.acting_labels)}

    @property
    def num_known(self) -> int:
        """Number of infostates in the tree where the player acts."""
        return self.tree.num_acting

    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate, or -1 if it is not in the tree."""
        if not isinstance(infostate, Infostate) or self.tree.names is not None:
            return self._numbers.get(infostate, -1)  # type: ignore[call-overload, no-any-return]
        try:
            position = self.tree.index_of(infostate)
        except UnknownNameError:
            return -1
        # `acting` is sorted: the search turns a number in the tree into one among acting ones.
        is_acting = self.tree.num_actions[position] > 0
        return int(np.searchsorted(self.tree.acting, position)) if is_acting else -1

    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate."""
        return self.tree.legal_actions(int(self.tree.acting[number]))

    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        near = nearest_names(str(infostate), self.tree.acting_labels)
        raise UnknownNameError(
            f"player {self.player} has no decision at {infostate} in the given tree: use an "
            f"infostate of the tree, or its label; {near}"
        )

    def _text(self, number: int) -> str:
        return self.tree.acting_labels[number]

    def contents(self) -> NDArray[np.uint8]:
        """Return an empty array: the tree already has all infostates."""
        return np.zeros(0, np.uint8)

    def restored(self, contents: NDArray[np.uint8]) -> TreeInfostates:
        """Return this table, which never changes."""
        return self

    @property
    def fingerprint(self) -> str:
        """Digest of the tree and the labels of its actions."""
        digest = hashlib.sha256()
        for array in (self.tree.parent, self.tree.action, self.tree.action_set):
            digest.update(np.ascontiguousarray(array).astype("<i4").tobytes())
        digest.update("\n".join(map(str, self.tree.action_sets)).encode())
        return digest.hexdigest()
