"""Infostates as arrays of fixed size, for learners: one row of zeros and ones per step."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Infostate
from infoset.tree import WorldGraph, count_histories
from infoset.typing import Action, IntArray

__all__ = ["InfostateEncoder"]


@dataclass(frozen=True)
class InfostateEncoder:
    """Writes infostates as zeros and ones; different infostates give different arrays.

    The array begins with one number per player, 1 for the player whose infostate it is. Then
    there is a row for each step of the longest play: a 1 if the step has happened, then one
    number for each action, each private and each public observation, 1 for the own action taken
    and for what was seen in the step. Where the player did not act, or saw nothing, all of them
    are 0, as is all of a row whose step is still to come.

    Attributes
    ----------
    num_players : int
    actions : tuple[Action, ...]
        The labels of the actions of all players.
    private_observations, public_observations : tuple[Hashable, ...]
        What players may see; `None`, for nothing, left out.
    max_steps : int
        The number of steps of the longest play.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> cards, moves = ("J", "Q", "K"), ("pass", "bet")
    >>> encoder = InfostateEncoder(2, moves, cards, moves, max_steps=2)
    >>> infostate = Infostate(0).extend(Step(None, "K", None)).extend(Step("bet", None, "bet"))
    >>> encoder(infostate)[:2].tolist()
    [1.0, 0.0]
    >>> encoder(infostate)[2:].reshape(2, -1)
    array([[1., 0., 0., 0., 0., 1., 0., 0.],
           [1., 0., 1., 0., 0., 0., 0., 1.]], dtype=float32)
    """

    num_players: int
    actions: tuple[Action, ...]
    private_observations: tuple[Hashable, ...]
    public_observations: tuple[Hashable, ...]
    max_steps: int

    @classmethod
    def from_graph(cls, graph: WorldGraph) -> InfostateEncoder:
        """Return the encoder with what an explored game can show and its players can do.

        Raises
        ------
        CyclicGameError
            If a world state can be reached from itself, so that no play is the longest.
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
        """How many numbers an infostate becomes."""
        labels = (*self.actions, *self.private_observations, *self.public_observations)
        return self.num_players + self.max_steps * (1 + len(labels))

    def __call__(self, infostate: Infostate) -> NDArray[np.float32]:
        """Return [size] an infostate as zeros and ones.

        Raises
        ------
        UnknownNameError
            If an action or observation of it is not one of the encoder's.
        ParameterError
            If it has more steps than the longest play.
        """
        if len(infostate.steps) > self.max_steps:
            raise ParameterError(
                f"the infostate {infostate} has {len(infostate.steps)} steps, the longest play of "
                f"this encoder {self.max_steps}; raise max_steps"
            )
        encoded = np.zeros(self.size, np.float32)
        encoded[infostate.player] = 1
        rows = encoded[self.num_players :].reshape(self.max_steps, -1)
        for row, step in zip(rows, infostate.steps, strict=False):
            row[0] = 1
            for kind, label in zip(self._columns, step, strict=True):
                if label is not None:
                    row[_find(kind, label, self._columns[kind])] = 1
        return encoded

    @cached_property
    def _columns(self) -> dict[str, dict[Hashable, int]]:
        """Where the labels of the three parts of a step stand in a row."""
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
    """Return the most transitions that any play has."""
    source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    here = np.zeros(graph.num_worlds, dtype=bool)
    here[0] = True
    steps = -1
    while here.any():
        targets = graph.next_world[here[source]]
        here = np.zeros(graph.num_worlds, dtype=bool)
        here[targets] = True
        steps += 1
    return steps
