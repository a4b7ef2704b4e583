"""Train a policy network on a game of pgx, and measure it against uniform play.

    pip install pgx 'infoset[deep]'
    python train_on_pgx.py

The games of pgx are pure functions of JAX, as device games are, but their observations often lack
perfect recall: in its Kuhn poker, player 1 sees the same chips before and after a pass. The adapter
adds what each player has seen and done before. It has no rules in Python, so it cannot be checked
against them, and its networks cannot play in matches of the library.
"""

from __future__ import annotations

import math
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import pgx
from jax import Array

from infoset.deep import OVER, DeviceGame, train

STEPS = 1000


class PgxGame(DeviceGame):
    """A two-player game of pgx in which observations have perfect recall."""

    env: pgx.Env = eqx.field(static=True)
    max_moves: int = eqx.field(static=True)

    @property
    def actions(self) -> tuple[int, ...]:
        """The numbers of the actions."""
        return tuple(range(self.env.num_actions))

    @property
    def horizon(self) -> int:
        """Maximum number of decisions."""
        return self.max_moves

    @property
    def seen_size(self) -> int:
        """Number of entries of an observation of pgx."""
        return math.prod(self.env.observation_shape)

    @property
    def num_features(self) -> int:
        """The player, the observation, and those and the actions at earlier decisions."""
        return 2 + self.seen_size + self.horizon * (self.seen_size + self.num_actions)

    def init(self, key: Array) -> tuple[Any, Array]:
        """Return the first state and an empty memory of both players."""
        memory = jnp.zeros((2, self.horizon, self.seen_size + self.num_actions))
        return self.env.init(key), memory

    def actor(self, state: tuple[Any, Array]) -> Array:
        """Return the player whose turn it is."""
        return jnp.where(state[0].terminated, OVER, state[0].current_player)

    def legal(self, state: tuple[Any, Array]) -> Array:
        """Return the mask of legal actions."""
        return state[0].legal_action_mask

    def seen(self, now: Any) -> Array:
        """Return the observations of both players."""
        return jnp.stack([self.env.observe(now, player).ravel() for player in (0, 1)])

    def observe_all(self, state: tuple[Any, Array]) -> Array:
        """Return the rows of both players."""
        now, memory = state
        return jnp.concatenate([jnp.eye(2), self.seen(now), memory.reshape(2, -1)], axis=1)

    def step(self, state: tuple[Any, Array], action: Array, key: Array) -> tuple[Any, Array]:
        """Make a move, and remember what its player saw and did."""
        now, memory = state
        choice = jnp.arange(self.num_actions) == action
        turn = jnp.concatenate([self.seen(now)[now.current_player], choice])
        memory = memory.at[now.current_player, now._step_count].set(turn)
        after = self.env.step(now, action, key)
        return (after, memory), after.rewards


def main() -> None:
    """Train on Leduc poker, and print the score."""
    result = train(PgxGame(pgx.make("leduc_holdem"), max_moves=8), steps=STEPS)
    point = result.trace[-1]
    print(f"chips per play against uniform play: {point.score:.2f} ± {point.standard_error:.2f}")


if __name__ == "__main__":
    main()
