"""Rules of games as pure functions on the device: the protocol of device games."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.errors import UnsupportedGameError
from infoset.game import Infostate, Step
from infoset.typing import Action, IntArray, Player

State: TypeAlias = Any
"""State of one play: a pytree of arrays, whose shapes and types are the same for all states."""

OVER = -1
"""What `actor` returns at the end of a play."""

LABEL_ERRORS = (AssertionError, LookupError, TypeError, ValueError)
"""What encoding an infostate of another game may raise."""


class StepEncoder(NamedTuple):
    """An encoding of a player's infostates, step by step.

    The row of an infostate has a 1 in the entry with the number of its player, and in the entries
    that its steps set; all others are 0. What a step sets depends on it and on a small `memory` of
    the steps before, so that millions of infostates are encoded without going through the steps of
    each.
    """

    start: Hashable
    """The memory before the first step, such as 0 if it is the number of steps."""
    advance: Callable[[Any, Step], tuple[Hashable, Sequence[int]]]
    """Returns, given a memory and a step, the memory after it and the entries that it sets."""

    def fill(self, row: NDArray[np.float32], infostate: Infostate) -> None:
        """Set the entries of an infostate to 1 in a row of zeros."""
        memory, places = self.start, [infostate.player]
        for step in infostate.steps:
            memory, found = self.advance(memory, step)
            places += found
        row[places] = 1


class DeviceGame(eqx.Module):
    """Rules of a game as pure functions of JAX, for one play; callers apply `jax.vmap`.

    A state is a decision of one player, or the end of a play. Chance moves are part of `init` and
    `step`, which draw them with a key. Players who act simultaneously decide one after another, in
    the order of their numbers: the later one does not observe the choice of the earlier one.
    Functions may use neither Python's control flow on arrays nor callbacks to the host, so that
    whole episodes are compiled. `check_device_game` compares a device game with the rules of the
    same game in Python.

    The last two methods run on the host. They connect observations with the infostates of the
    rules in Python: a network can then play in matches, and the check can find leaks. A device game
    that has no rules in Python can be trained without them.
    """

    is_binary: ClassVar[bool] = False
    """Whether all entries of observations are 0 or 1. Episodes then store them as bytes."""

    @property
    def num_players(self) -> int:
        """Number N of players; 2 unless a subclass overrides it."""
        return 2

    @property
    @abstractmethod
    def actions(self) -> tuple[Action, ...]:
        """[A] the action for each output of a network, as in the rules in Python."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """Maximum number of decisions of a play."""

    @property
    @abstractmethod
    def num_features(self) -> int:
        """Number F of entries of an observation."""

    @property
    def num_actions(self) -> int:
        """Number A of actions."""
        return len(self.actions)

    @property
    def action_numbers(self) -> IntArray:
        """[N, A] number from 1 of each player's actions within their phase, see `ActionTable`.

        By default there is one phase, in which actions have the order of `actions`.
        """
        return np.tile(np.arange(1, self.num_actions + 1, dtype=np.int32), (self.num_players, 1))

    @property
    def phase_sizes(self) -> IntArray:
        """[N, A] number of actions in the phase of each player's actions, see `ActionTable`."""
        return np.full((self.num_players, self.num_actions), self.num_actions, np.int32)

    @property
    def always_legal(self) -> tuple[Action, ...]:
        """Actions that are legal at every decision, as far as they are known, such as a call."""
        return ()

    @abstractmethod
    def init(self, key: Array) -> State:
        """Return the state at the first decision; `key` draws the chance moves before it."""

    @abstractmethod
    def actor(self, state: State) -> Array:
        """Return the player who decides, or `OVER`."""

    @abstractmethod
    def legal(self, state: State) -> Array:
        """Return [A] True for the legal actions of the actor."""

    @abstractmethod
    def observe_all(self, state: State) -> Array:
        """Return [N, F] the encoding of each player's infostate; together they encode the history.

        The row of a player who has already chosen in a simultaneous move contains the choice.
        """

    @abstractmethod
    def step(self, state: State, action: Array, key: Array) -> tuple[State, Array]:
        """Return the state at the next decision, and [N] the rewards since the last one.

        `action` is the number of a legal action, and `key` draws the chance moves after it.
        """

    def observe(self, state: State) -> Array:
        """Return [F] the encoding of the actor's infostate, which includes who acts."""
        return self.observe_all(state)[jnp.maximum(self.actor(state), 0)]

    def stored(self, observations: Array) -> Array:
        """Return observations as episodes store them; networks convert them back."""
        return observations.astype(jnp.int8) if self.is_binary else observations

    def step_encoder(self, player: Player) -> StepEncoder | None:
        """Return the encoding of a player's infostates step by step; None if it is not defined.

        It takes the place of `encode`, and large games are evaluated much faster by it.
        """
        return None

    def encode(self, infostate: Infostate) -> NDArray[np.float32]:
        """Return [F] the encoding of an infostate of the rules in Python.

        Raises
        ------
        UnsupportedGameError
            If the game defines neither this function nor `step_encoder`.
        """
        encoder = self.step_encoder(infostate.player)
        if encoder is None:
            raise self._without_rules("encode")
        row = np.zeros(self.num_features, np.float32)
        encoder.fill(row, infostate)
        return row

    def encode_many(self, infostates: Sequence[Infostate]) -> NDArray[np.float32]:
        """Return [K, F] the encodings of K infostates."""
        rows = np.zeros((len(infostates), self.num_features), np.float32)
        encoders = step_encoders(self, {infostate.player for infostate in infostates})
        if encoders is None:
            encode = self.encode  # reading an attribute of a module takes as long as encoding
            for row, infostate in zip(rows, infostates, strict=True):
                row[:] = encode(infostate)
            return rows
        for row, infostate in zip(rows, infostates, strict=True):
            encoders[infostate.player].fill(row, infostate)
        return rows

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate that has an encoding.

        Raises
        ------
        UnsupportedGameError
            If the game does not define this function.
        """
        raise self._without_rules("decode")

    def _without_rules(self, function: str) -> UnsupportedGameError:
        return UnsupportedGameError(
            f"{type(self).__name__} does not define {function}, which connects observations with "
            f"infostates of rules in Python: define {function} to check the device game, and to "
            "play its networks in matches"
        )


def step_encoders(
    device: DeviceGame, players: Iterable[Player]
) -> dict[Player, StepEncoder] | None:
    """Return the step encoders of players; None if the game defines `encode` in another way."""
    if type(device).encode is not DeviceGame.encode:
        return None
    found = {player: device.step_encoder(player) for player in players}
    known = {player: encoder for player, encoder in found.items() if encoder is not None}
    return known if len(known) == len(found) else None


def static_fields(device: DeviceGame) -> dict[str, Any]:
    """Return the static fields of a device game by name: its parameters."""
    return {
        field.name: getattr(device, field.name)
        for field in fields(device)
        if field.metadata.get("static", False)
    }


def device_fingerprint(device: DeviceGame) -> str:
    """Return a hash of a device game: its class, its static fields, and its arrays."""
    parameters = sorted(static_fields(device).items())
    digest = sha256(f"{type(device).__qualname__}{parameters}".encode())
    for leaf in jax.tree.leaves(device):
        digest.update(np.asarray(leaf).tobytes())
    return digest.hexdigest()
