"""Encodings of infostates as arrays of fixed size, for networks and other learners."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import InfostateTree
from infoset.game import Infostate, Step
from infoset.tree.counting import count_histories
from infoset.tree.game_tree import GameTree
from infoset.tree.world_graph import WorldGraph
from infoset.typing import Action, IntArray, LongArray

ENCODING_VERSION = 1
"""Version of the layout of encodings and of the order of labels; files of networks contain it."""


@dataclass(frozen=True)
class InfostateEncoder:
    """Encodes infostates as arrays of zeros and ones that differ for different infostates.

    A history is encoded as the infostates of all players. Histories that differ only in what no
    player has observed have equal encodings.

    The array begins with a one-hot encoding of the player. It is followed by one row for each
    transition of the longest history: a flag that the transition has happened, and one-hot
    encodings of the player's own action, its private observation and the public observation. A part
    is all zeros if the player did not act or observed nothing. Rows of transitions that have not
    happened are all zeros.

    The layout does not change within one `ENCODING_VERSION`. Neither does the order of labels that
    `from_graph` chooses: actions in the order in which exploration of the game first meets them,
    observations in the order of their numbers in the world graph.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> cards, moves = ("J", "Q", "K"), ("pass", "bet")
    >>> encoder = InfostateEncoder(2, moves, cards, moves, max_steps=2)
    >>> infostate = (
    ...     Infostate(0).extend(Step(None, "K", None)).extend(Step("bet", None, "bet"))
    ... )
    >>> encoder(infostate)[:2].tolist()
    [1.0, 0.0]
    >>> encoder(infostate)[2:].reshape(2, -1)
    array([[1., 0., 0., 0., 0., 1., 0., 0.],
           [1., 0., 1., 0., 0., 0., 0., 1.]], dtype=float32)
    """

    num_players: int
    actions: tuple[Action, ...]
    """Labels of the actions of all players."""
    private_observations: tuple[Hashable, ...]
    public_observations: tuple[Hashable, ...]
    """All observations except `None`, which stands for no observation."""
    max_steps: int
    """Number of transitions of the longest history."""

    @classmethod
    def from_graph(cls, graph: WorldGraph) -> InfostateEncoder:
        """Return the encoder for all actions and observations of a game.

        Raises
        ------
        CyclicGameError
            If a world state can be reached from itself, so that there is no longest history.
        """
        count_histories(graph)
        return cls(
            num_players=graph.num_players,
            actions=tuple(dict.fromkeys(chain.from_iterable(graph.action_sets))),
            private_observations=_seen(graph, graph.private_observation),
            public_observations=_seen(graph, graph.public_observation),
            max_steps=_longest_play(graph),
        )

    @property
    def size(self) -> int:
        """Length of the array of an infostate."""
        return self.num_players + self.max_steps * self._row_size

    def __call__(self, infostate: Infostate) -> NDArray[np.float32]:
        """Return [size] the encoding of an infostate, zeros and ones.

        Raises
        ------
        ParameterError
            If the infostate has more than `max_steps` steps.
        """
        encoded = np.zeros(self.size, np.float32)
        places = [infostate.player]
        for number, step in enumerate(infostate.steps):
            places += self.after_step(number, step)[1]
        encoded[places] = 1
        return encoded

    def after_step(self, number: int, step: Step) -> tuple[int, list[int]]:
        """Return the number of steps after a step, and the entries of the array that it sets.

        number : number of steps before it.
        """
        if number >= self.max_steps:
            raise ParameterError(
                f"an infostate has {number + 1} steps, more than max_steps={self.max_steps} of "
                "this encoder; raise max_steps"
            )
        first = self.num_players + number * self._row_size
        places = [first]
        for (kind, columns), label in zip(self._columns.items(), step, strict=True):
            if label is not None:
                places.append(first + _find(kind, label, columns))
        return number + 1, places

    def infostates(self, tree: InfostateTree) -> NDArray[np.float32]:
        """Return [S, size] the encodings of all infostates of a player, acting or not.

        Raises
        ------
        UnknownNameError, ParameterError
            If the encoder does not know a label, or an infostate is too long.
        """
        rows = [self(tree.infostate_at(number)) for number in range(tree.num_infostates)]
        return np.stack(rows)

    def histories(self, tree: GameTree, histories: IntArray | LongArray) -> NDArray[np.float32]:
        """Return [L, N, size] the encodings of L histories: one row for each player's infostate.

        Raises
        ------
        UnknownNameError, ParameterError
            If the encoder does not know a label, or an infostate is too long.
        """
        columns = zip(tree.infostate_trees, tree.infostate[histories].T, strict=True)
        return np.stack([self.infostates(own)[numbers] for own, numbers in columns], axis=1)

    def decode(self, array: NDArray[np.float32]) -> Infostate:
        """Return the infostate that has an encoding."""
        error = ParameterError(
            f"an array of shape {np.shape(array)} is not an encoding of this encoder; pass what "
            f"the encoder returns, [{self.size}] zeros and ones"
        )
        if np.shape(array) != (self.size,):
            raise error
        player, rows = array[: self.num_players], array[self.num_players :]
        rows = rows.reshape(self.max_steps, -1)
        names: tuple[Hashable, ...] = (
            *self.actions,
            *self.private_observations,
            *self.public_observations,
        )
        # A row is the flag and three one-hot parts; `names` has their labels without the flag.
        ends = np.cumsum([1, len(self.actions), len(self.private_observations)])
        infostate = Infostate(int(np.argmax(player)))
        for row in rows[rows[:, 0] == 1]:
            parts = np.split(row, ends)[1:]
            found = [np.flatnonzero(part) for part in parts]
            labels = [
                names[int(first - 1 + place[0])] if len(place) else None
                for first, place in zip(ends, found, strict=True)
            ]
            infostate = infostate.extend(Step(*labels))
        if not np.array_equal(self(infostate), array):
            raise error
        return infostate

    @cached_property
    def _row_size(self) -> int:
        labels = (*self.actions, *self.private_observations, *self.public_observations)
        return 1 + len(labels)

    @cached_property
    def _columns(self) -> dict[str, dict[Hashable, int]]:
        """The column of each label in a row, for the three parts of a step."""
        kinds = {
            "action": self.actions,
            "private observation": self.private_observations,
            "public observation": self.public_observations,
        }
        columns, first = {}, 1
        for kind, labels in kinds.items():
            columns[kind] = {label: first + place for place, label in enumerate(labels)}
            first += len(labels)
        return columns


def _find(kind: str, label: Hashable, columns: dict[Hashable, int]) -> int:
    if label not in columns:
        raise UnknownNameError.of(f"{kind} of the encoder", str(label), map(str, columns))
    return columns[label]


def _seen(graph: WorldGraph, indices: IntArray) -> tuple[Hashable, ...]:
    seen: Iterable[int] = np.unique(indices).tolist()
    return tuple(graph.observations[i] for i in seen if graph.observations[i] is not None)


def _longest_play(graph: WorldGraph) -> int:
    """Return the number of transitions of the longest history."""
    source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    # The world states that can be reached in 0, 1, 2, ... transitions, until there are none.
    here = np.zeros(graph.num_worlds, dtype=bool)
    here[0] = True
    steps = -1
    while here.any():
        targets = graph.next_world[here[source]]
        here = np.zeros(graph.num_worlds, dtype=bool)
        here[targets] = True
        steps += 1
    return steps
