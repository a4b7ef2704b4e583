"""Goofspiel, the game of pure strategy, for two to ten players."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from infoset.game import Game, Infostate, Observation, Probability, PublicState
from infoset.game.hooks import Moves, public_observations
from infoset.games.parameters import check_parameters, choice, flag, integer, parameter_error
from infoset.games.ranked_histories import RankedHistories
from infoset.typing import NOOP, FloatArray, JointAction, Player

if TYPE_CHECKING:
    from infoset.games.goofspiel_bids import HiddenBids


NO_PRIZE = 0
TIE = -1

Bids = tuple[Any, ...]
Points = tuple[float, ...]


class Round(NamedTuple):
    """The prize being bid for, and the cards that remain, as bit sets.

    `prize` is `NO_PRIZE` before the first prize is drawn and at the end. `deck` contains the prizes
    that have not been drawn yet. `points` is used only for `win_loss`: each player's lead over the
    player with the fewest points.
    """

    prize: int
    deck: int
    hands: tuple[int, ...]
    points: tuple[float, ...]


OVER = Round(NO_PRIZE, 0, (), ())


class Settlement(NamedTuple):
    """The hands after the bids, the winner of this round, and the winner of the forced last round.

    `forced_winner` is meaningful only if everybody has one card left.
    """

    hands: tuple[int, ...]
    winner: Player
    forced_winner: Player


@dataclass(frozen=True)
class Goofspiel(Game):
    """Goofspiel: bid cards for prizes simultaneously.

    Each player holds the cards 1 to `num_cards`, and there is one prize of each of these values. A
    prize is revealed, all players simultaneously bid one of their cards, and the highest bid wins
    it. In a tie nobody wins the prize. The bids are discarded. The last round, in which everybody
    has one card left, is played in the same transition as the round before.

    Parameters
    ----------
    imp_info
        Whether only the winner of each prize is observed, not the bids.
    egocentric
        Has no effect. In OpenSpiel it orders the players in tensors; observations in this library
        name the players instead.
    num_cards
        Number of bid cards of each player, and of prizes.
    num_turns
        Number of rounds; -1 for one round per card.
    players
        Number of players.
    points_order
        Order of the prizes: `random`, `descending` or `ascending`.
    returns_type
        How rewards are computed. `win_loss`: the players with the most points share 1, the others
        share -1, and all get 0 in a full tie. `point_difference`: a player's points minus the
        average of all players. `total_points`: a player's points.

    Notes
    -----
    Source: M. Lanctot, "Monte Carlo sampling and regret minimization for equilibrium computation
    and decision-making in large extensive form games", PhD thesis, 2013, Section 3.1.4. Same
    game as OpenSpiel's, with each prize drawn in the step that settles the bids before it.
    Differs from OpenSpiel: with `num_turns` one less than `num_cards` the game ends after that
    many rounds; OpenSpiel's plays one more round and then never ends.
    """

    name: ClassVar[str] = "goofspiel"

    imp_info: bool = flag(False)
    egocentric: bool = flag(False)
    num_cards: int = integer(13, low=1, high=100)
    num_turns: int = integer(-1, low=1, special=-1)
    players: int = integer(2, low=2, high=10)
    points_order: str = choice("random", "descending", "ascending")
    returns_type: str = choice("win_loss", "point_difference", "total_points")
    num_players: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        if self.num_turns > self.num_cards:
            rule = f"must be at most num_cards, which is {self.num_cards}"
            raise parameter_error(self, "num_turns", rule, self.num_cards)

    @cached_property
    def turns(self) -> int:
        """Number of rounds."""
        return self.num_cards if self.num_turns == -1 else self.num_turns

    @cached_property
    def _everybody(self) -> tuple[Player, ...]:
        return tuple(range(self.players))

    @cached_property
    def _nothing(self) -> tuple[float, ...]:
        return (0,) * self.players

    @cached_property
    def _cards_at_last_bid(self) -> int:
        """Number of cards in hand when the last bid is made."""
        # The bid with the last card is forced; it is settled together with the bid before it.
        return max(min(2, self.num_cards), self.num_cards - self.turns + 1)

    @cached_property
    def _has_forced_round(self) -> bool:
        """Whether the last bid is followed by a round in which nobody has a choice."""
        return self.turns == self.num_cards > 1

    @cached_property
    def _share(self) -> dict[tuple[Player, int], tuple[float, ...]]:
        """The points that each player gets, by winner and prize."""
        average = 1 / self.players if self.returns_type == "point_difference" else 0
        share: dict[tuple[Player, int], tuple[float, ...]] = {}
        for prize in range(1, self.num_cards + 1):
            share[TIE, prize] = self._nothing
            for winner in self._everybody:
                share[winner, prize] = tuple(
                    ((player == winner) - average) * prize for player in self._everybody
                )
        return share

    def initial_world(self) -> Round:
        """Return the first round; if the order is random, a chance move draws its prize."""
        cards = (1 << self.num_cards) - 1
        points = (0,) * self.players if self.returns_type == "win_loss" else ()
        hands = (cards,) * self.players
        if self.points_order == "random":
            return Round(NO_PRIZE, cards, hands, points)
        return next_rounds(cards, hands, points, self.points_order)[0][0]

    def actors(self, world: Round) -> Sequence[Player]:
        """Return all players if there is a prize to bid for."""
        return self._everybody if world.prize else ()

    def legal_actions(self, world: Round, player: Player) -> Sequence[int]:
        """Return the cards in hand, in increasing order."""
        return cards_of(world.hands[player])

    def transitions(
        self, world: Round, joint_action: JointAction
    ) -> Iterable[tuple[Round, Probability]]:
        """Return the next round for each prize that may be drawn."""
        if not world.prize:
            return next_rounds(*world[1:], self.points_order) if world.deck else []
        if world.hands[0].bit_count() == self._cards_at_last_bid:
            return [(OVER, 1)]
        result, points = settle(world.hands, joint_action), world.points
        if points:
            # Only leads decide who wins, so that states with the same leads are one.
            points = ahead(points, self._share[result.winner, world.prize])
        return next_rounds(world.deck, result.hands, points, self.points_order)

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from losing to winning, or from no points to those of the highest prizes."""
        if self.returns_type == "win_loss":
            return (-1, 1)
        points = sum(range(self.num_cards - self.turns + 1, self.num_cards + 1))
        if self.returns_type == "total_points":
            return (0, points)
        return (-points / self.players, points * (1 - 1 / self.players))

    def rewards(
        self, world: Round, joint_action: JointAction, next_world: Round
    ) -> Sequence[float]:
        """Return the points just won, or the result at the end, as `returns_type` specifies."""
        if not world.prize or (world.points and next_world.prize):
            return self._nothing
        result = settle(world.hands, joint_action)
        won = self._share[result.winner, world.prize]
        if self._has_forced_round and not next_world.prize:
            won = added(won, self._share[result.forced_winner, last_card(world.deck)])
        return win_loss(added(world.points, won)) if world.points else won

    def observe(self, world: Round, joint_action: JointAction, next_world: Round) -> Observation:
        """Show the winner of the prize or all bids, and the next prize."""
        if not world.prize:
            return Observation(public=f"prize {next_world.prize}")
        result = settle(world.hands, joint_action)
        bids = () if self.imp_info else joint_action
        if self._has_forced_round and not next_world.prize:
            return news(bids, result.winner, last_card(world.deck), result.forced_winner)
        return news(bids, result.winner, next_world.prize)

    def histories_as_seen(
        self, information: Infostate | PublicState, max_histories: int
    ) -> Moves | None:
        """List the bids that agree with the winners, if two players bid in secret."""
        ranked = self._ranked_histories(information)
        return None if ranked is None else ranked.listed(max_histories)

    def sample_histories_as_seen(
        self,
        information: Infostate | PublicState,
        num_histories: int,
        rng: np.random.Generator,
    ) -> tuple[Moves, FloatArray] | None:
        """Draw bids that agree with the winners, if two players bid in secret."""
        ranked = self._ranked_histories(information)
        return None if ranked is None else ranked.drawn(num_histories, rng)

    def _ranked_histories(self, information: Infostate | PublicState) -> RankedHistories | None:
        """Return the histories that agree with some information; None if they are unknown."""
        if not self.imp_info or self.players != 2:
            return None
        public = public_observations(information)
        winners, own, player = self._winners_as_seen(public), None, 0
        if winners is None:
            return None
        if isinstance(information, Infostate):
            own, player = self._own_bids(information, len(winners)), information.player
            if own is None:
                return None
        # Other parts of the library do not need the compiled functions of this module.
        from infoset.games.goofspiel_bids import HiddenBids

        bids = HiddenBids(self.num_cards, winners, player, own)
        if not bids.is_countable:
            return None
        return RankedHistories(bids.total, partial(self._moves_at_ranks, bids, len(public)))

    def _moves_at_ranks(self, bids: HiddenBids, num_steps: int, ranks: FloatArray) -> Moves:
        """Return bids as [K, T, N] moves, with the first draw (-1) and without forced bids."""
        moves = np.full((len(ranks), num_steps, 2), -1, np.int8)
        num_bids = num_steps - self._num_draws
        moves[:, self._num_draws :] = bids.at_ranks(ranks)[:, :num_bids]
        return moves

    def _winners_as_seen(self, public: Sequence[Hashable]) -> list[Player] | None:
        """Return the winners that are announced, the forced round included; None if impossible."""
        world, winners = self.initial_world(), []
        for seen in public:
            found = next((one for one in self._announcements(world) if one[0] == seen), None)
            if found is None:
                return None
            _, more, world = found
            winners += more
        return winners

    def _announcements(self, world: Round) -> Iterator[tuple[Hashable, list[Player], Round]]:
        """Yield the possible announcements, the winners that they name, and the next rounds.

        World states lack the hands here, of which a deck shows the size.
        """
        results = (TIE, *self._everybody)
        if not world.prize:
            for following, _ in next_rounds(world.deck, (), (), self.points_order):
                yield f"prize {following.prize}", [], following
        elif world.deck.bit_count() + 1 > self._cards_at_last_bid:
            for following, _ in next_rounds(world.deck, (), (), self.points_order):
                for winner in results:
                    yield news((), winner, following.prize).public, [winner], following
        elif self._has_forced_round:
            for winner, forced in product(results, results):
                text = news((), winner, last_card(world.deck), forced).public
                yield text, [winner, forced], OVER
        else:
            for winner in results:
                yield news((), winner, NO_PRIZE).public, [winner], OVER

    def _own_bids(self, infostate: Infostate, num_rounds: int) -> list[int] | None:
        """Return the player's bids, the forced one included; None if they are impossible."""
        actions = [step.action for step in infostate.steps]
        draws, bids = actions[: self._num_draws], actions[self._num_draws :]
        cards = range(1, self.num_cards + 1)
        played = [card for bid in bids for card in cards if card == bid]
        if len(set(played)) != len(bids) or any(action is not NOOP for action in draws):
            return None
        # If the forced round is announced, the only card that is left was bid in it.
        left = [card for card in cards if card not in played]
        return played + left if num_rounds > len(played) else played

    @property
    def _num_draws(self) -> int:
        """Number of transitions before the first bid: one if the first prize is drawn."""
        return int(self.points_order == "random")


# The functions below cache their results, because the same bids are made for many prizes.


@lru_cache(maxsize=1 << 16)
def settle(hands: tuple[int, ...], bids: Bids) -> Settlement:
    """Return what the bids decide, whatever the prize is."""
    # Card c is bit c - 1; a shift binds more closely than ^.
    left = tuple([hand ^ 1 << (bid - 1) for hand, bid in zip(hands, bids, strict=True)])
    return Settlement(left, round_winner(bids), round_winner([last_card(hand) for hand in left]))


def last_card(cards: int) -> int:
    """Return the highest card of a bit set, which is the last one if there are no others."""
    return cards.bit_length()


@lru_cache(maxsize=1 << 16)
def cards_of(cards: int) -> tuple[int, ...]:
    """Return the cards of a bit set, in increasing order; bit 0 is card 1."""
    return tuple(card for card in range(1, cards.bit_length() + 1) if cards >> (card - 1) & 1)


@lru_cache(maxsize=1 << 16)
def next_rounds(
    deck: int, hands: tuple[int, ...], points: Points, points_order: str
) -> tuple[tuple[Round, Probability], ...]:
    """Return the next round for each prize that may be drawn, with its probability."""
    prizes = cards_of(deck)
    if points_order != "random":
        prizes = prizes[-1:] if points_order == "descending" else prizes[:1]
    chance = equal_chance(len(prizes))
    rounds = (Round(prize, deck ^ 1 << (prize - 1), hands, points) for prize in prizes)
    return tuple((following, chance) for following in rounds)


@lru_cache(maxsize=1 << 10)
def equal_chance(number: int) -> Probability:
    """Return the probability of each of several outcomes."""
    return Fraction(1, number) if number > 1 else 1


def round_winner(bids: Sequence[int]) -> Player:
    """Return the player with the highest bid; `TIE` if there are several."""
    highest = max(bids)
    return bids.index(highest) if bids.count(highest) == 1 else TIE


@lru_cache(maxsize=1 << 16)
def news(
    bids: Bids, winner: Player, next_prize: int, forced_winner: Player | None = None
) -> Observation:
    """Return the announcement after a round: the bids, if they are shown, and its winner.

    With `forced_winner`, the next prize is the last one, which this player wins.
    """
    text = f"bids {','.join(map(str, bids))}: " if bids else ""
    text += won_by(winner)
    if forced_winner is not None:
        text += f"; last prize {next_prize}: {won_by(forced_winner)}"
    elif next_prize:
        text += f"; prize {next_prize}"
    return Observation(public=text)


def won_by(player: Player) -> str:
    """Return who wins a prize, in words."""
    return "tie" if player == TIE else f"player {player} wins"


@lru_cache(maxsize=1 << 16)
def added(points: Points, more: Points) -> Points:
    """Return the sum of points of each player."""
    return tuple([a + b for a, b in zip(points, more, strict=True)])


@lru_cache(maxsize=1 << 16)
def ahead(points: Points, more: Points) -> Points:
    """Return the lead of each player over the player with the fewest points."""
    total = added(points, more)
    fewest = min(total)
    return tuple([value - fewest for value in total])


@lru_cache(maxsize=1 << 16)
def win_loss(points: Points) -> Points:
    """Return the utilities: the leaders share 1 and the others -1; all get 0 in a full tie."""
    highest = max(points)
    winners = [value == highest for value in points]
    losers = len(points) - sum(winners)
    if not losers:
        return (0,) * len(points)
    return tuple(1 / sum(winners) if won else -1 / losers for won in winners)
