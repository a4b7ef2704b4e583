"""Kuhn poker for two players, as a device game."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_games import OVER, DeviceGame, StepEncoder
from infoset.deep.rules.labels import label_of, one_hot
from infoset.game import Infostate, Step
from infoset.games import KuhnPoker
from infoset.typing import Player

PASS, BET = 0, 1
ACTIONS = ("pass", "bet")
DECK = ("J", "Q", "K")
MAX_MOVES = 2
"""Maximum number of moves before a decision."""


class Table(NamedTuple):
    """The cards [2], the moves [3] (-1 for none yet), and their number."""

    cards: Array
    moves: Array
    num_moves: Array


class KuhnPokerRules(DeviceGame):
    """Kuhn poker for two players.

    An observation consists of one-hot encodings of the player, its card, and the moves so far, of
    which there are at most two before a decision.
    """

    is_binary: ClassVar[bool] = True

    @property
    def actions(self) -> tuple[str, ...]:
        """Pass and bet."""
        return ACTIONS

    @property
    def horizon(self) -> int:
        """Maximum number of decisions."""
        return 3

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        return 2 + len(DECK) + MAX_MOVES * len(ACTIONS)

    @classmethod
    def of(cls, game: KuhnPoker) -> KuhnPokerRules | None:
        """Return the rules of a game, or None unless it has two players and three cards."""
        return cls() if (game.players, len(game.deck)) == (2, len(DECK)) else None

    def init(self, key: Array) -> Table:
        """Deal a card to each player."""
        cards = jax.random.permutation(key, len(DECK))[:2].astype(jnp.int32)
        return Table(cards, jnp.full(3, -1, jnp.int32), jnp.zeros((), jnp.int32))

    def actor(self, state: Table) -> Array:
        """Return the player whose turn it is."""
        first, second, _ = state.moves
        # Both have passed, or one has bet and the other one has moved after it.
        is_over = (second == PASS) | (first == BET) & (second == BET) | (state.num_moves == 3)
        return jnp.where(is_over, OVER, state.num_moves % 2)

    def legal(self, state: Table) -> Array:
        """Return that both actions are legal; after a bet they mean fold and call."""
        return jnp.ones(2, bool)

    def observe_all(self, state: Table) -> Array:
        """Return each player's card and the moves."""
        moves = one_hot(state.moves[:MAX_MOVES], 2).reshape(-1)
        return jnp.concatenate(
            [jnp.eye(2), one_hot(state.cards, len(DECK)), jnp.stack([moves, moves])], axis=1
        )

    def step(self, state: Table, action: Array, key: Array) -> tuple[Table, Array]:
        """Make a move; the chips are paid at the end of the betting."""
        moves = state.moves.at[state.num_moves].set(action)
        after = Table(state.cards, moves, state.num_moves + 1)
        num_bets = (moves == BET).sum()
        # After one bet the bettor wins the ante. Only player 1 makes the second move.
        bettor = jnp.where(moves[1] == BET, 1, 0)
        higher = jnp.where(state.cards[0] > state.cards[1], 0, 1)
        winner = jnp.where(num_bets == 1, bettor, higher)
        chips = jnp.where(num_bets == 2, 2.0, 1.0) * (self.actor(after) == OVER)
        return after, chips * jnp.where(winner == 0, jnp.array([1.0, -1.0]), jnp.array([-1.0, 1.0]))

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the number of steps: the deal, and then the moves."""

        def advance(number: int, step: Step) -> tuple[int, tuple[int]]:
            if number == 0:
                return 1, (2 + DECK.index(str(step.private)),)
            move = len(ACTIONS) * (number - 1) + ACTIONS.index(str(step.public))
            return number + 1, (2 + len(DECK) + move,)

        return StepEncoder(0, advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding."""
        player = label_of(observation[:2], (0, 1))
        card = label_of(observation[2 : 2 + len(DECK)], DECK)
        infostate = Infostate(player).extend(Step(None, card, None))
        for turn, row in enumerate(observation[2 + len(DECK) :].reshape(MAX_MOVES, 2)):
            if row.any():
                move = label_of(row, ACTIONS)
                infostate = infostate.extend(Step(move if turn % 2 == player else None, None, move))
        return infostate
