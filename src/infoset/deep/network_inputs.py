"""Correspondence of infostates and actions with the inputs and outputs of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from infoset.deep.device_games import DeviceGame
from infoset.errors import UnknownNameError
from infoset.game import Infostate, Step
from infoset.game.infostate import label_text
from infoset.tree import InfostateEncoder
from infoset.typing import Action, IntArray


class NetworkInput(Protocol):
    """How infostates and actions of a game correspond to inputs and outputs of a network."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """[A] the action of each output."""

    def output(self, action: Action) -> int:
        """Return the output of an action."""

    @property
    def num_features(self) -> int:
        """Number F of inputs."""

    def features(self, infostates: Sequence[Infostate]) -> NDArray[np.float32]:
        """Return [R, F] the features of infostates."""


@dataclass(frozen=True, eq=False)
class TreeInput:
    """The inputs of a network for a game whose tree is built."""

    encoder: InfostateEncoder
    columns: IntArray
    """[F] entries of the encoding that differ between infostates; the network reads only these."""
    is_text: bool = False
    """Whether the labels of the encoder are texts, as those of networks from files."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """[A] the action of each output."""
        return self.encoder.actions

    def output(self, action: Action) -> int:
        """Return the output of an action."""
        return _place(self.actions, label_text(action) if self.is_text else action)

    @property
    def num_features(self) -> int:
        """Number F of inputs."""
        return len(self.columns)

    def features(self, infostates: Sequence[Infostate]) -> NDArray[np.float32]:
        """Return [R, F] the features of infostates."""
        known = map(_with_text, infostates) if self.is_text else infostates
        return np.stack([self.encoder(infostate)[self.columns] for infostate in known])


@dataclass(frozen=True, eq=False)
class DeviceInput:
    """The inputs of a network for a device game: its observations."""

    device: DeviceGame

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """[A] the action of each output."""
        return self.device.actions

    def output(self, action: Action) -> int:
        """Return the output of an action."""
        return _place(self.actions, action)

    @property
    def num_features(self) -> int:
        """Number F of inputs."""
        return self.device.num_features

    def features(self, infostates: Sequence[Infostate]) -> NDArray[np.float32]:
        """Return [R, F] the encodings of infostates.

        Raises
        ------
        UnknownNameError
            If the rules cannot encode them, because they belong to another game.
        """
        try:
            return self.device.encode_many(infostates)
        except (AssertionError, LookupError, TypeError, ValueError) as error:
            raise UnknownNameError(
                f"{type(self.device).__name__}, the rules on which the network was trained, do not "
                "know the infostates of this game; give a network that was trained on this game"
            ) from error


def _place(actions: tuple[Action, ...], action: Action) -> int:
    if action not in actions:
        raise UnknownNameError.of("action of the network", str(action), map(str, actions))
    return actions.index(action)


def _with_text(infostate: Infostate) -> Infostate:
    """Return an infostate with the texts of its labels."""
    texts = Infostate(infostate.player)
    for step in infostate.steps:
        parts = (None if label is None else label_text(label) for label in step)
        texts = texts.extend(Step(*parts))
    return texts
