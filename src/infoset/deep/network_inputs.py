"""Correspondence of infostates and actions with the inputs and outputs of a network."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from infoset.deep.device_games import (
    LABEL_ERRORS,
    DeviceGame,
    StepEncoder,
    device_fingerprint,
    static_fields,
    step_encoders,
)
from infoset.deep.rules import DEVICE_GAMES, device_game, has_rules
from infoset.errors import PolicyMismatchError, UnknownNameError, UnsupportedGameError
from infoset.forms import AnyForm
from infoset.game import Infostate, Step
from infoset.game.infostate import label_text
from infoset.games import game_of_form
from infoset.tree import InfostateEncoder
from infoset.typing import Action, IntArray, Player


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

    def step_encoder(self, player: Player) -> StepEncoder | None:
        """Return the features of a player's infostates step by step; None if it is not known."""

    def check_form(self, form: AnyForm) -> None:
        """Raise `PolicyMismatchError` if the rules are known to be those of another game."""


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

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the features by the number of steps."""
        place_of = {column: place for place, column in enumerate(self.columns.tolist())}

        def advance(number: int, step: Step) -> tuple[int, list[int]]:
            known = _text_step(step) if self.is_text else step
            number, found = self.encoder.after_step(number, known)
            return number, [place_of[column] for column in found if column in place_of]

        return StepEncoder(0, advance)

    def check_form(self, form: AnyForm) -> None:
        """Do nothing: an encoder knows labels, but no rules."""


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
        except LABEL_ERRORS as error:
            raise self._unknown() from error

    def _unknown(self) -> UnknownNameError:
        """Return the error for infostates that the rules cannot encode."""
        return UnknownNameError(
            f"{type(self.device).__name__}, the rules on which the network was trained, do not "
            "know the infostates of this game; give a network that was trained on this game"
        )

    def step_encoder(self, player: Player) -> StepEncoder | None:
        """Return the observations step by step."""
        found, size = step_encoders(self.device, [player]), self.num_features
        if found is None:
            return None
        start, advance = found[player]

        def checked(memory: object, step: Step) -> tuple[Hashable, Sequence[int]]:
            try:
                after, places = advance(memory, step)
            except LABEL_ERRORS as error:
                raise self._unknown() from error
            if places and not 0 <= min(places) <= max(places) < size:
                raise self._unknown()
            return after, places

        return StepEncoder(start, checked)

    def check_form(self, form: AnyForm) -> None:
        """Raise `PolicyMismatchError` if the rules are known to be those of another game."""
        if type(self.device) not in DEVICE_GAMES:
            return
        try:
            game = game_of_form(form.whole)
        except UnsupportedGameError:
            return
        own = device_fingerprint(self.device)
        if has_rules(game) and device_fingerprint(device_game(game)) != own:
            settings = ", ".join(f"{key}={shown!r}" for key, shown in self._settings().items())
            raise PolicyMismatchError(
                f"the network was trained on {type(self.device).__name__}({settings}), which are "
                f"not the rules of {game}; give a network that was trained on {game}"
            )

    def _settings(self) -> dict[str, Any]:
        return {
            key: value
            for key, value in static_fields(self.device).items()
            if isinstance(value, bool | int | str)
        }


def _place(actions: tuple[Action, ...], action: Action) -> int:
    if action not in actions:
        raise UnknownNameError.of("action of the network", str(action), map(str, actions))
    return actions.index(action)


def _with_text(infostate: Infostate) -> Infostate:
    """Return an infostate with the texts of its labels."""
    return Infostate(infostate.player, tuple(map(_text_step, infostate.steps)))


def _text_step(step: Step) -> Step:
    return Step(*(None if label is None else label_text(label) for label in step))
