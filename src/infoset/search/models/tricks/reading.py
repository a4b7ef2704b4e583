"""What an infostate of the trick-taking game comes to."""

from __future__ import annotations

from typing import NamedTuple

from infoset.game import Infostate, Step
from infoset.games import TrickTaking
from infoset.games.trick_taking import bit_set
from infoset.search.models.refusals import not_to_act, unreachable
from infoset.search.models.tricks.deals import Unseen, num_deals
from infoset.typing import NOOP, Player

__all__ = ["Seen", "read_infostate"]


class Seen(NamedTuple):
    """What one player saw of a play; sets of cards are bit sets, and a card is one bit.

    Attributes
    ----------
    game : TrickTaking
    player : Player
    hand : int
        Its cards at the deal.
    played : tuple[int, int]
        The cards that each player has played.
    voids : tuple[int, int]
        The cards of the suits that each player has failed to follow.
    led : int
        The card to follow, 0 between tricks.
    mover : Player
    tricks : tuple[int, int]
        How many each player has taken.
    """

    game: TrickTaking
    player: Player
    hand: int
    played: tuple[int, int] = (0, 0)
    voids: tuple[int, int] = (0, 0)
    led: int = 0
    mover: Player = 0
    tricks: tuple[int, int] = (0, 0)

    @property
    def own(self) -> int:
        """The cards that the player still has."""
        return self.hand & ~self.played[self.player]

    @property
    def suit_led(self) -> int:
        """The cards of the suit to follow; none between tricks."""
        return self.game.suit_sets[self.led.bit_length() - 1] if self.led else 0

    def legal_cards(self) -> int:
        """Return the cards that the one to move may play, as far as the player knows."""
        if self.mover != self.player:
            return self._others
        return (self.own & self.suit_led) or self.own

    @property
    def unseen(self) -> Unseen:
        """The cards that the player has not seen, which only the other one may hold."""
        size = self._sizes[1 - self.player]
        if self.player == 0:
            return Unseen(0, self._others, 0, (0, size))
        return Unseen(self._others, 0, 0, (size, 0))

    @property
    def unseen_by_all(self) -> Unseen:
        """The cards that nobody has played, by who may hold them."""
        left = self._deck & ~(self.played[0] | self.played[1])
        return Unseen.between(left, self.voids, self._sizes)

    def after(self, card: int) -> Seen:
        """Return what is seen when one more card is played."""
        player, suit = self.mover, self.suit_led
        played = _with(self.played, player, self.played[player] | card)
        if not self.led:
            return self._replace(played=played, led=card, mover=1 - player)
        voids = self.voids
        if not card & suit:
            voids = _with(voids, player, voids[player] | suit)
        winner = player if card & suit and card > self.led else 1 - player
        tricks = _with(self.tricks, winner, self.tricks[winner] + 1)
        return self._replace(played=played, voids=voids, led=0, mover=winner, tricks=tricks)

    @property
    def _deck(self) -> int:
        return (1 << self.game.num_cards) - 1

    @property
    def _others(self) -> int:
        """The cards that the other player may hold."""
        other = 1 - self.player
        return self._deck & ~(self.hand | self.played[other] | self.voids[other])

    @property
    def _sizes(self) -> tuple[int, int]:
        first, second = (self.game.num_tricks - cards.bit_count() for cards in self.played)
        return first, second


def read_infostate(game: TrickTaking, infostate: Infostate) -> Seen:
    """Return what an infostate comes to.

    Raises
    ------
    ParameterError
        If its player does not act there.
    UnknownNameError
        If no play leads there.
    """
    seen = _dealt(game, infostate)
    for step in infostate.steps[1:]:
        seen = _played(seen, step, infostate)
    if num_deals(seen.unseen) == 0:
        raise unreachable(game, infostate)
    if seen.mover != infostate.player or not seen.own:
        raise not_to_act(infostate)
    return seen


def _dealt(game: TrickTaking, infostate: Infostate) -> Seen:
    """Return what a player sees of the deal."""
    if not infostate.steps:
        raise not_to_act(infostate)
    shown = infostate.steps[0].private
    hand = shown if isinstance(shown, tuple) else ()
    cards = [number for number, card in enumerate(game.deck) if card in hand]
    if len(cards) != game.num_tricks or infostate.steps[0] != Step(NOOP, _names(game, cards), None):
        raise unreachable(game, infostate)
    return Seen(game, infostate.player, bit_set(cards))


def _played(seen: Seen, step: Step, infostate: Infostate) -> Seen:
    """Return what is seen after one more step."""
    shown = step.public
    name = shown[0] if isinstance(shown, tuple) and shown else shown
    card = 1 << seen.game.deck.index(name) if name in seen.game.deck else 0
    if not card & seen.legal_cards():
        raise unreachable(seen.game, infostate)
    after = seen.after(card)
    public = (name, f"player {after.mover} takes the trick") if seen.led else name
    if step != Step(name if seen.mover == seen.player else NOOP, None, public):
        raise unreachable(seen.game, infostate)
    return after


def _with(pair: tuple[int, int], player: Player, value: int) -> tuple[int, int]:
    """Return a pair in which one number is another."""
    return (value, pair[1]) if player == 0 else (pair[0], value)


def _names(game: TrickTaking, cards: list[int]) -> tuple[str, ...]:
    return tuple(game.deck[card] for card in cards)
