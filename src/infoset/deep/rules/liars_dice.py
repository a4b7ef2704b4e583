"""Liar's dice, as a device game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_games import OVER, DeviceGame, StepEncoder
from infoset.deep.rules.labels import label_of, one_hot
from infoset.game import Infostate, Step
from infoset.games import LiarsDice
from infoset.typing import IntArray, Player


class Table(NamedTuple):
    """State of a play."""

    dice: Array
    """[2, D] faces of each player's dice, from 0, in increasing order."""
    is_bid: Array
    """[B] whether each bid has been made."""
    last: Array
    """Position of the last bid; -1 before the first one."""
    turn: Array
    """Player to move, or `OVER`."""


class LiarsDiceRules(DeviceGame):
    """Liar's dice for two players.

    An observation consists of one-hot encodings of the player and its dice, and of a flag for each
    bid. Bids increase, and players alternate, so the set of bids determines their order and who
    made them.
    """

    is_binary: ClassVar[bool] = True

    num_dice: int = eqx.field(static=True)
    num_sides: int = eqx.field(static=True)
    bids: tuple[tuple[int, int], ...] = eqx.field(static=True)
    calls: tuple[str, ...] = eqx.field(static=True)

    @classmethod
    def of(cls, game: LiarsDice) -> LiarsDiceRules:
        """Return the rules of a game."""
        return cls(game.numdice, game.dice_sides, game.bids, game.calls)

    @property
    def actions(self) -> tuple[str, ...]:
        """The bids in increasing order, and `liar`."""
        return self.calls

    @property
    def action_numbers(self) -> IntArray:
        """Actions are numbered in their order; the second player cannot make the lowest bid."""
        return np.arange(1, self.num_actions + 1) - np.arange(2)[:, None]

    @property
    def phase_sizes(self) -> IntArray:
        """All actions that a player can take are one phase."""
        sizes = self.num_actions - np.arange(2)[:, None]
        return np.where(self.action_numbers > 0, sizes, 0)

    @property
    def horizon(self) -> int:
        """Maximum number of decisions: all bids, and `liar`."""
        return len(self.calls)

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        return 2 + self.num_dice * self.num_sides + len(self.bids)

    def init(self, key: Array) -> Table:
        """Roll the dice."""
        dice = jax.random.randint(key, (2, self.num_dice), 0, self.num_sides, jnp.int32)
        is_bid = jnp.zeros(len(self.bids), bool)
        zero = jnp.zeros((), jnp.int32)
        return Table(jnp.sort(dice, axis=1), is_bid, zero - 1, zero)

    def actor(self, state: Table) -> Array:
        """Return the player whose turn it is."""
        return state.turn

    def legal(self, state: Table) -> Array:
        """Return the higher bids, and `liar` once there is a bid."""
        higher = jnp.arange(len(self.bids)) > state.last
        return jnp.append(higher, state.last >= 0)

    def observe_all(self, state: Table) -> Array:
        """Return each player's dice and the bids."""
        dice = one_hot(state.dice, self.num_sides).reshape(2, -1)
        bids = state.is_bid.astype(jnp.float32)
        return jnp.concatenate([jnp.eye(2), dice, jnp.stack([bids, bids])], axis=1)

    def step(self, state: Table, action: Array, key: Array) -> tuple[Table, Array]:
        """Make a bid, or end the play by `liar`."""
        is_liar = action == len(self.bids)
        quantity, face = jnp.array(self.bids)[jnp.maximum(state.last, 0)]
        # The highest face counts as any face.
        counted = (state.dice == face - 1) | (state.dice == self.num_sides - 1)
        is_met = counted.sum() >= quantity
        winner = jnp.where(is_met, 1 - state.turn, state.turn)
        after = Table(
            dice=state.dice,
            is_bid=state.is_bid | (jnp.arange(len(self.bids)) == action),
            last=jnp.where(is_liar, state.last, action),
            turn=jnp.where(is_liar, OVER, 1 - state.turn),
        )
        return after, is_liar * (1.0 - 2.0 * (jnp.arange(2) != winner))

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by whether the dice have been rolled."""
        faces = {face: place for place, face in enumerate(range(1, self.num_sides + 1))}
        num_sides, num_dice = self.num_sides, self.num_dice
        first = 2 + num_dice * num_sides
        bids = {call: (first + place,) for place, call in enumerate(self.calls[:-1])}

        def advance(has_rolled: bool, step: Step) -> tuple[bool, Sequence[int]]:
            if has_rolled:
                return True, bids[str(step.public)]
            assert isinstance(step.private, tuple)
            dice = enumerate(step.private)
            return True, [2 + die * num_sides + faces[face] for die, face in dice]

        return StepEncoder(False, advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding."""
        num_dice = self.num_dice * self.num_sides
        player = label_of(observation[:2], (0, 1))
        rows = observation[2 : 2 + num_dice].reshape(self.num_dice, self.num_sides)
        faces = tuple(label_of(row, range(1, self.num_sides + 1)) for row in rows)
        infostate = Infostate(player).extend(Step(None, faces, None))
        for turn, place in enumerate(np.flatnonzero(observation[2 + num_dice :]).tolist()):
            call = self.calls[place]
            infostate = infostate.extend(Step(call if turn % 2 == player else None, None, call))
        return infostate
