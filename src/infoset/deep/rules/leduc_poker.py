"""Leduc poker for two players, as a device game."""

from __future__ import annotations

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
from infoset.games import LeducPoker
from infoset.typing import Player

FOLD, CALL, RAISE = 0, 1, 2
ACTIONS = ("fold", "call", "raise")
NOT_YET = -1


class Table(NamedTuple):
    """State of a hand."""

    cards: Array
    """[2] position of each player's card in the deck."""
    board: Array
    """Position of the public card, or `NOT_YET`."""
    moves: Array
    """[2, M] actions of each round in order; `NOT_YET` after the last one."""
    num_moves: Array
    raises: Array
    calls: Array
    """Number of moves and raises in this round, and of calls since the last raise."""
    chips: Array
    """[2] chips that each player has put in."""
    turn: Array
    """Player to move, or `OVER`."""


class LeducPokerRules(DeviceGame):
    """Leduc poker for two players, with decks of any size.

    An observation consists of one-hot encodings of the player, its card, the public card, and the
    moves of both rounds in order.
    """

    is_binary: ClassVar[bool] = True

    num_ranks: int = eqx.field(static=True)
    num_suits: int = eqx.field(static=True)
    num_raises: int = eqx.field(static=True)
    first: int = eqx.field(static=True)
    labels: tuple[str, ...] = eqx.field(static=True)

    @classmethod
    def of(cls, game: LeducPoker) -> LeducPokerRules | None:
        """Return the rules of a game.

        Returns None unless it has two players and no `action_mapping`.
        """
        if game.players != 2 or game.action_mapping:
            return None
        # Cards that look the same have the same label.
        labels = tuple(dict.fromkeys(game.deck))
        return cls(len(game.ranks), game.num_suits, game.num_raises, game.starting_player, labels)

    @property
    def actions(self) -> tuple[str, ...]:
        """Fold, call and raise."""
        return ACTIONS

    @property
    def always_legal(self) -> tuple[str, ...]:
        """Call."""
        return ACTIONS[1:2]

    @property
    def moves_per_round(self) -> int:
        """Maximum number of moves in a round: a check, all raises, and a call."""
        return self.num_raises + 2

    @property
    def horizon(self) -> int:
        """Maximum number of decisions."""
        return 2 * self.moves_per_round

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        return 2 + 2 * len(self.labels) + self.horizon * len(ACTIONS)

    def init(self, key: Array) -> Table:
        """Deal a card to each player; both have put in one chip."""
        zero = jnp.zeros((), jnp.int32)
        return Table(
            cards=jax.random.permutation(key, self._num_cards)[:2].astype(jnp.int32),
            board=zero + NOT_YET,
            moves=jnp.full((2, self.moves_per_round), NOT_YET, jnp.int32),
            num_moves=zero,
            raises=zero,
            calls=zero,
            chips=jnp.ones(2, jnp.int32),
            turn=zero + self.first,
        )

    def actor(self, state: Table) -> Array:
        """Return the player whose turn it is."""
        return state.turn

    def legal(self, state: Table) -> Array:
        """Return that folding is legal after a raise, and raising up to the limit."""
        faces_raise = state.chips[0] != state.chips[1]
        return jnp.stack([faces_raise, jnp.bool_(True), state.raises < self.num_raises])

    def observe_all(self, state: Table) -> Array:
        """Return each player's card, the public card and the moves."""
        cards = one_hot(self._label(state.cards), len(self.labels))
        board = one_hot(self._label(state.board), len(self.labels))
        moves = one_hot(state.moves, len(ACTIONS)).reshape(-1)
        public = jnp.concatenate([board, moves])
        return jnp.concatenate([jnp.eye(2), cards, jnp.stack([public, public])], axis=1)

    def step(self, state: Table, action: Array, key: Array) -> tuple[Table, Array]:
        """Make a move; after the first round a public card is dealt, and at the end chips paid."""
        mover, has_board = state.turn, state.board != NOT_YET
        highest = state.chips.max()
        size = jnp.where(has_board, 4, 2)
        stake = jnp.where(action == RAISE, highest + size, highest)
        chips = state.chips.at[mover].set(jnp.where(action == FOLD, state.chips[mover], stake))
        raises = state.raises + (action == RAISE)
        calls = jnp.where(action == RAISE, 0, state.calls + (action == CALL))
        # Without a raise both players call; after a raise the other one does.
        ends_round = calls == jnp.where(raises > 0, 1, 2)
        folds = action == FOLD
        is_over = folds | (ends_round & has_board)
        deals = ends_round & ~has_board

        moves = state.moves.at[has_board.astype(jnp.int32), state.num_moves].set(action)
        turn = jnp.where(is_over, OVER, jnp.where(deals, self.first, 1 - mover))
        after = Table(
            cards=state.cards,
            board=jnp.where(deals, self._draw(state.cards, key), state.board),
            moves=moves,
            num_moves=jnp.where(deals, 0, state.num_moves + 1),
            raises=jnp.where(deals, 0, raises),
            calls=jnp.where(deals, 0, calls),
            chips=chips,
            turn=turn,
        )
        share = jnp.where(folds, jnp.where(mover == 0, 0.0, 1.0), self._share(state))
        won = chips.sum() * jnp.stack([share, 1.0 - share]) - chips
        return after, jnp.where(is_over, won, 0.0)

    @property
    def _num_cards(self) -> int:
        return self.num_ranks * self.num_suits

    def _label(self, cards: Array) -> Array:
        """Return the number of the label of each card; negative for cards not dealt."""
        return cards if len(self.labels) == self._num_cards else cards // self.num_suits

    def _draw(self, cards: Array, key: Array) -> Array:
        """Return a random card of those that are left."""
        left = jax.random.randint(key, (), 0, self._num_cards - 2)
        low, high = cards.min(), cards.max()
        # A number among the cards left becomes a card by skipping the dealt ones, lower first.
        left = left + (left >= low)
        return left + (left >= high)

    def _share(self, state: Table) -> Array:
        """Return the share of the pot that player 0 gets at a showdown."""
        ranks = state.cards // self.num_suits
        # A pair beats every rank.
        hands = jnp.where(ranks == state.board // self.num_suits, self._num_cards, ranks)
        return 0.5 * (1.0 + jnp.sign(hands[0] - hands[1]))

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the round, -1 before the deal, and by its number of moves."""
        labels, moves_per_round = self.labels, self.moves_per_round

        def advance(place: tuple[int, int], step: Step) -> tuple[tuple[int, int], tuple[int]]:
            number, turn = place
            if number < 0:
                return (0, 0), (2 + labels.index(str(step.private)),)
            if step.public not in ACTIONS:
                return (1, 0), (2 + len(labels) + labels.index(str(step.public)),)
            move = len(ACTIONS) * (number * moves_per_round + turn)
            move += ACTIONS.index(str(step.public))
            return (number, turn + 1), (2 + 2 * len(labels) + move,)

        return StepEncoder((-1, 0), advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding."""
        num_labels = len(self.labels)
        player = label_of(observation[:2], (0, 1))
        card, board = observation[2 : 2 + 2 * num_labels].reshape(2, num_labels)
        rounds = observation[2 + 2 * num_labels :].reshape(2, self.moves_per_round, len(ACTIONS))
        infostate = Infostate(player).extend(Step(None, label_of(card, self.labels), None))
        for number, moves in enumerate(rounds):
            if number and board.any():
                infostate = infostate.extend(Step(None, None, label_of(board, self.labels)))
            for turn, row in enumerate(moves[moves.any(axis=1)]):
                move = label_of(row, ACTIONS)
                is_own = (self.first + turn) % 2 == player
                infostate = infostate.extend(Step(move if is_own else None, None, move))
        return infostate
