"""Goofspiel for two players, as a device game."""

from __future__ import annotations

import re
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
from infoset.games import Goofspiel
from infoset.games.goofspiel import TIE, news
from infoset.typing import Player

NOT_YET = -1
NEWS = re.compile(r"(?:bids (\d+),(\d+): )?(?:tie|player (\d) wins)(?:; prize (\d+))?")


class Round(NamedTuple):
    """State of a play; cards and prizes are numbered from 0."""

    hands: Array
    """[2, K] True for the cards that a player holds."""
    deck: Array
    """[K] True for the prizes that have not been revealed."""
    prize: Array
    """The prize to bid for."""
    lead: Array
    """Points of player 0 minus points of player 1."""
    number: Array
    """Number of completed rounds."""
    bids: Array
    """[2, R] bids by round; `NOT_YET` for later ones."""
    winners: Array
    """[R] winner of each round, 2 for a tie; `NOT_YET` for later ones."""
    prizes: Array
    """[R] prize of each round; `NOT_YET` for later ones."""


class GoofspielRules(DeviceGame):
    """Goofspiel for two players, with any number of cards and any order of prizes.

    An observation has a one-hot encoding of the player, and for each round one-hot encodings of the
    player's bid, of the prize if the order is random, and of what was announced: the winner (player
    0, player 1 or a tie), or the opponent's bid if all bids are shown.
    """

    is_binary: ClassVar[bool] = True

    num_cards: int = eqx.field(static=True)
    num_turns: int = eqx.field(static=True)
    order: str = eqx.field(static=True)
    returns: str = eqx.field(static=True)
    shows_bids: bool = eqx.field(static=True)

    @classmethod
    def of(cls, game: Goofspiel) -> GoofspielRules | None:
        """Return the rules of a game, or None unless it has two players."""
        if game.players != 2:
            return None
        shows_bids = not game.imp_info
        return cls(game.num_cards, game.turns, game.points_order, game.returns_type, shows_bids)

    @property
    def actions(self) -> tuple[int, ...]:
        """The cards."""
        return tuple(range(1, self.num_cards + 1))

    @property
    def num_rounds(self) -> int:
        """Number R of rounds with a choice; a last round with one card each has none."""
        return self.num_turns - self._has_forced_round

    @property
    def horizon(self) -> int:
        """Number of decisions."""
        return 2 * self.num_rounds

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        news_size = self.num_cards if self.shows_bids else 3
        prize_size = self.num_cards if self.is_random else 0
        return 2 + self.num_rounds * (self.num_cards + prize_size + news_size)

    @property
    def is_random(self) -> bool:
        """Whether chance draws the prizes."""
        return self.order == "random"

    def init(self, key: Array) -> Round:
        """Reveal the first prize."""
        cards = jnp.ones(self.num_cards, bool)
        prize = self._next_prize(cards, key)
        later = jnp.full(self.num_rounds, NOT_YET, jnp.int32)
        return Round(
            hands=jnp.stack([cards, cards]),
            deck=cards & (jnp.arange(self.num_cards) != prize),
            prize=prize,
            lead=jnp.zeros((), jnp.int32),
            number=jnp.zeros((), jnp.int32),
            bids=jnp.stack([later, later]),
            winners=later,
            prizes=jnp.where(jnp.arange(self.num_rounds) == 0, prize, later),
        )

    def actor(self, state: Round) -> Array:
        """Return player 0 until it has bid, then player 1."""
        has_bid = self._first_bid(state) != NOT_YET
        return jnp.where(state.number == self.num_rounds, OVER, has_bid.astype(jnp.int32))

    def legal(self, state: Round) -> Array:
        """Return the cards in the actor's hand."""
        # The card that player 0 has just bid remains in its hand until player 1 has bid.
        return state.hands[jnp.maximum(self.actor(state), 0)]

    def observe_all(self, state: Round) -> Array:
        """Return each player's bids, and the prizes and announcements."""
        own = one_hot(state.bids, self.num_cards)
        announced = one_hot(state.winners, 3)
        parts = [own, jnp.stack([announced, announced])]
        if self.shows_bids:
            is_complete = (state.winners != NOT_YET)[:, None]
            parts[1] = jnp.where(is_complete, own[::-1], 0.0)
        if self.is_random:
            prizes = one_hot(state.prizes, self.num_cards)
            parts.append(jnp.stack([prizes, prizes]))
        rows = [part.reshape(2, -1) for part in parts]
        return jnp.concatenate([jnp.eye(2), *rows], axis=1)

    def step(self, state: Round, action: Array, key: Array) -> tuple[Round, Array]:
        """Make the bid of one player; the bid of player 1 completes the round."""
        now = jnp.arange(self.num_rounds) == state.number
        first = self._first_bid(state)
        waits = first == NOT_YET
        mover = jnp.where(waits, 0, 1)
        bids = jnp.where(now & (jnp.arange(2)[:, None] == mover), action, state.bids)
        cards = jnp.arange(self.num_cards)
        hands = state.hands & ~jnp.stack([cards == first, cards == action])
        winner = self._winner(first, action)
        won = self._won(winner, state.prize)
        number = state.number + 1
        is_over = number == self.num_rounds
        if self._has_forced_round:
            # Each hand and the deck have one card left, which is the largest one.
            last = self._winner(_largest(hands[0]), _largest(hands[1]))
            won_last = self._won(last, _largest(state.deck))
        else:
            won_last = jnp.zeros((2,), jnp.int32)
        won = won + jnp.where(is_over, won_last, 0)
        prize = self._next_prize(state.deck, key)
        complete = Round(
            hands=hands,
            deck=state.deck & (cards != prize),
            prize=prize,
            lead=state.lead + won[0] - won[1],
            number=number,
            bids=bids,
            winners=jnp.where(now, winner, state.winners),
            prizes=jnp.where(jnp.arange(self.num_rounds) == number, prize, state.prizes),
        )
        pending = state._replace(bids=bids)
        # Both results are computed: there is no control flow on arrays.
        after = jax.tree.map(lambda a, b: jnp.where(waits, a, b), pending, complete)
        rewards = self._rewards(won.astype(jnp.float32), complete.lead, is_over)
        return after, jnp.where(waits, 0.0, rewards)

    @property
    def _has_forced_round(self) -> bool:
        return self.num_turns == self.num_cards > 1

    def _first_bid(self, state: Round) -> Array:
        """Return the bid of player 0 in this round, or `NOT_YET`."""
        now = jnp.arange(self.num_rounds) == state.number
        return jnp.where(now, state.bids[0], NOT_YET).max()

    def _next_prize(self, deck: Array, key: Array) -> Array:
        """Return the prize that is revealed next; 0 if the deck is empty."""
        cards = jnp.arange(self.num_cards, dtype=jnp.int32)
        if self.order == "descending":
            return jnp.where(deck, cards, 0).max()
        if self.order == "ascending":
            return jnp.where(deck, cards, self.num_cards - 1).min()
        place = jax.random.randint(key, (), 0, jnp.maximum(deck.sum(), 1))
        # The card at a random place among those in the deck.
        return jnp.argmax(deck & (jnp.cumsum(deck) == place + 1)).astype(jnp.int32)

    def _winner(self, first: Array, second: Array) -> Array:
        """Return the player with the higher bid, or 2 for a tie."""
        return jnp.where(first == second, 2, jnp.where(first > second, 0, 1)).astype(jnp.int32)

    def _won(self, winner: Array, prize: Array) -> Array:
        """Return [2] the points that each player wins."""
        return jnp.where(jnp.arange(2) == winner, prize + 1, 0)

    def _rewards(self, won: Array, lead: Array, is_over: Array) -> Array:
        if self.returns == "win_loss":
            sign = jnp.sign(lead).astype(jnp.float32)
            return jnp.where(is_over, jnp.stack([sign, -sign]), 0.0)
        return won - won.mean() if self.returns == "point_difference" else won

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the number of rounds; -1 before the first prize is revealed."""
        num_cards, shows_bids, is_random = self.num_cards, self.shows_bids, self.is_random
        size = num_cards if shows_bids else 3
        first_news = 2 + self.num_rounds * num_cards
        first_prize = first_news + self.num_rounds * size

        def advance(number: int, step: Step) -> tuple[int, list[int]]:
            if number < 0:
                prize = int(str(step.public).removeprefix("prize "))
                return 0, [first_prize + prize - 1]
            found = NEWS.fullmatch(str(step.public))
            assert found is not None
            assert isinstance(step.action, int)
            if shows_bids:
                announced = int(found[2 - player]) - 1
            else:
                announced = 2 if found[3] is None else int(found[3])
            places = [2 + number * num_cards + step.action - 1]
            places.append(first_news + number * size + announced)
            if is_random:
                places.append(first_prize + (number + 1) * num_cards + int(found[4]) - 1)
            return number + 1, places

        return StepEncoder(-1 if is_random else 0, advance)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding."""
        player, rounds = label_of(observation[:2], (0, 1)), self.num_rounds
        news_size = self.num_cards if self.shows_bids else 3
        sizes = np.cumsum([2, rounds * self.num_cards, rounds * news_size])
        own, announced, shown = (
            part.reshape(rounds, -1) for part in np.split(observation, sizes)[1:]
        )
        complete = int(announced.any(axis=1).sum())
        prizes = self._prizes(shown, complete)
        infostate = Infostate(player)
        if self.is_random:
            infostate = infostate.extend(Step(None, None, f"prize {prizes[0]}"))
        bids: tuple[int, ...]
        for number in range(complete):
            bid = label_of(own[number], self.actions)
            if self.shows_bids:
                other = label_of(announced[number], self.actions)
                bids = (bid, other) if player == 0 else (other, bid)
                winner = TIE if bid == other else int(bids[1] > bids[0])
            else:
                bids, winner = (), label_of(announced[number], (0, 1, TIE))
            public = news(bids, winner, prizes[number + 1]).public
            infostate = infostate.extend(Step(bid, None, public))
        return infostate

    def _prizes(self, shown: NDArray[np.float32], complete: int) -> list[int]:
        """Return the prizes up to that of the current round."""
        if self.is_random:
            return [label_of(row, self.actions) for row in shown[: complete + 1]]
        ascending = list(self.actions)
        return ascending if self.order == "ascending" else ascending[::-1]


def _largest(cards: Array) -> Array:
    """Return the number of the largest card of a set [K], from 0."""
    return jnp.where(cards, jnp.arange(len(cards)), 0).max()
