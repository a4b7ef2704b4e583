"""The infostates of one player, as they are met in play."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TrajectoryError
from infoset.learning._simulator_kernels import Infostates
from infoset.learning.online.infostates import InfostateTable, check_hashable
from infoset.learning.online.keys import keys_from_json, keys_to_json
from infoset.typing import Action, Player

__all__ = ["DiscoveredInfostates"]

FIRST_ROOM = 64
"""Infostates and sequences there is room for at first."""


class DiscoveredInfostates(InfostateTable):
    """Infostates that are taken in when they are first met, under any keys that can be hashed."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.num_sequences = FIRST_ROOM
        self.depth = np.zeros(FIRST_ROOM, np.int32)
        columns = [np.zeros(FIRST_ROOM, np.int32) for _ in range(4)]
        self.infostates = Infostates._make([*columns, np.zeros(1, np.int32)])
        self._numbers: dict[Hashable, int] = {}
        self._actions: list[tuple[Action, ...]] = []
        self._sequences_taken = 1

    @property
    def num_known(self) -> int:
        """Number of infostates met so far."""
        return len(self._actions)

    def find(self, infostate: Hashable) -> int:
        """Return the number of an infostate; -1 where it was never met."""
        return self._numbers.get(infostate, -1)

    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the actions at an infostate."""
        return self._actions[number]

    def _add(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None, parent_sequence: int
    ) -> int:
        actions = self._new_actions(infostate, legal_actions)
        number, first_sequence = len(self._actions), self._sequences_taken
        self._make_room(number + 1, first_sequence + len(actions))
        self.infostates.first_sequence[number] = first_sequence
        self.infostates.num_actions[number] = len(actions)
        self.infostates.parent_sequence[number] = parent_sequence
        above = self._owner(parent_sequence)
        self.depth[number] = self.depth[above] + 1 if above >= 0 else 0
        self._numbers[infostate] = number
        self._actions.append(actions)
        self._sequences_taken += len(actions)
        return number

    def _new_actions(
        self, infostate: Hashable, legal_actions: Sequence[Action] | None
    ) -> tuple[Action, ...]:
        actions = () if legal_actions is None else tuple(legal_actions)
        check_hashable("action", actions)
        if not actions or len(set(actions)) < len(actions):
            raise TrajectoryError(
                f"the infostate {infostate} is met for the first time, with the actions "
                f"{list(actions)}: give act the legal actions, each once, and at least one"
            )
        return actions

    def _make_room(self, num_infostates: int, num_sequences: int) -> None:
        """Double the room until so many fit."""
        while num_sequences > self.num_sequences:
            self.num_sequences *= 2
        room = len(self.depth)
        while num_infostates > room:
            room *= 2
        if room > len(self.depth):
            more = (0, room - len(self.depth))
            *columns, root_sequence = self.infostates
            self.infostates = Infostates._make([*(np.pad(c, more) for c in columns), root_sequence])
            self.depth = np.pad(self.depth, more)

    def _text(self, number: int) -> str:
        return str(list(self._numbers)[number])

    def contents(self) -> NDArray[np.uint8]:
        """Return the keys, their actions and their parents, as the bytes of a JSON text."""
        parents = self.infostates.parent_sequence.tolist()
        rows = zip(self._numbers, self._actions, parents, strict=False)
        return keys_to_json(tuple(rows))

    def restored(self, contents: NDArray[np.uint8]) -> DiscoveredInfostates:
        """Return a table of the infostates of another, met in the same order."""
        table = DiscoveredInfostates(self.player)
        for infostate, actions, parent_sequence in keys_from_json(contents):
            table._add(infostate, actions, parent_sequence)
        return table
