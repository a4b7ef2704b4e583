"""Rules of games in which everything after the deal is public: public states and hands apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Final, NamedTuple

from infoset.typing import Action, Player


class PublicHand(NamedTuple):
    """A hand of one player."""

    label: Hashable
    """What the player observes at the deal."""
    weight: float | Fraction = 1
    """The probability of a pair of hands is proportional to the product of their weights, or 0 if
    they share a card. Only the ratios of a player's weights matter."""
    cards: tuple[Hashable, ...] = ()
    """At most two cards. Hands without cards never block each other."""


EXTREME_WEIGHT: Final = 1e100
"""Only larger weights, or those below the inverse, are divided by the largest of their player."""


def scaled_hands(hands: Iterable[PublicHand]) -> tuple[PublicHand, ...]:
    """Return the hands of a player, with weights whose products and sums do not overflow.

    Only the ratios of a player's weights matter.

    Examples
    --------
    >>> [
    ...     hand.weight
    ...     for hand in scaled_hands([PublicHand("A", 1e308), PublicHand("K", 5e307)])
    ... ]
    [1.0, 0.5]
    """
    found = tuple(hands)
    largest = max((hand.weight for hand in found), default=1)
    is_number = not isinstance(largest, float) or isfinite(largest)
    if not (is_number and largest) or 1 / EXTREME_WEIGHT <= largest <= EXTREME_WEIGHT:
        return found
    # In exact numbers: integers may be beyond floats.
    whole = Fraction(largest)
    return tuple(hand._replace(weight=float(Fraction(hand.weight) / whole)) for hand in found)


class PublicDeal(NamedTuple):
    """One outcome of a public chance move."""

    next_state: Hashable
    observation: Hashable
    """The public observation; those of one chance move differ."""
    probability: float | Fraction
    """The probability given any pair of hands that have none of the cards. Given other pairs it is
    0, so the probabilities of one chance move may sum to more than 1."""
    cards: tuple[Hashable, ...] = ()
    """The cards that the outcome deals."""


class PublicEnd(NamedTuple):
    """What the players earn at an end."""

    utilities: tuple[tuple[float, float], ...]
    """Sums of the rewards of both players: one pair for all hands; with `strengths`, three pairs,
    for a weaker, an equal and a stronger hand of player 0; with `equities`, two pairs, for an
    equity of 0 and of 1."""
    strengths: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Per player, the strength of each hand in the order of `hands`. Return the same object where
    strengths are the same."""
    equities: tuple[tuple[float, ...], ...] | None = None
    """By the hands of player 0 and then of player 1, the equity of player 0, from 0 to 1: the
    weight of the second pair of utilities. The first pair has the remaining weight."""

    def earned(self, hands: tuple[int, int]) -> tuple[float, float]:
        """Return the utilities of a pair of hands, given their positions in `hands`."""
        first, second = hands
        if self.equities is not None:
            equity = self.equities[first][second]
            lost, won = self.utilities
            return (
                (1 - equity) * lost[0] + equity * won[0],
                (1 - equity) * lost[1] + equity * won[1],
            )
        if self.strengths is None:
            return self.utilities[0]
        own, other = self.strengths[0][first], self.strengths[1][second]
        return self.utilities[1 + (own > other) - (own < other)]  # lost, equal, won


STATE_RULES: Final = ("initial_state", "actor", "legal_actions", "next_state", "end", "deals")
"""The methods of `PublicRules` that describe play at a public state."""


class PublicRules(ABC):
    """Rules of a two-player game in which everything after the deal is public.

    A game that has such rules returns them from `Game.public_rules`. The public form is then built
    from them, and no world state or history is listed. Public states are immutable and hashable;
    each is a decision, a chance move, or an end. Several lines may lead to the same state: what
    follows depends on the state only, and players remember the line.
    """

    @abstractmethod
    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the hands of a player."""

    def pair_weights(self) -> Sequence[Sequence[float | Fraction]] | None:
        """Return the weight of each pair, by the hands of player 0 and then of player 1.

        The probability of a pair is proportional to its weight. Override this method if weights of
        pairs are not products, as for classes of hands; hands then have no cards, and their own
        weights do not matter. None means the product of the weights of two hands, or 0 if they
        share a card.
        """
        return None

    @abstractmethod
    def initial_state(self) -> Hashable:
        """Return the public state after the deal."""

    @abstractmethod
    def actor(self, state: Any) -> Player | None:
        """Return who acts; None at chance moves and ends."""

    @abstractmethod
    def legal_actions(self, state: Any) -> Sequence[Action]:
        """Return the legal actions at a decision."""

    @abstractmethod
    def next_state(self, state: Any, action: Action) -> Hashable:
        """Return the public state after an action."""

    @abstractmethod
    def end(self, state: Any) -> PublicEnd | None:
        """Return what the players earn at an end; None at decisions and chance moves."""

    def deals(self, state: Any) -> Sequence[PublicDeal]:
        """Return the outcomes of a chance move. Games without later chance need not override it."""
        return ()

    def symmetries(self) -> Sequence[Mapping[Any, Any]]:
        """Return permutations of the cards under which the game remains the same.

        Each is a mapping from the cards that it moves to those that take their places, such as
        those of two suits that the board treats alike. The public form merges what they exchange:
        lines that differ only by such cards, and hands that differ only by them. Weights of hands,
        strengths, and probabilities of later chance must remain the same, which is checked; and so
        must public states after chance, which `check_public_rules` compares along random plays.
        """
        return ()

    def without_cards(self, state: Any) -> Hashable:
        """Return a public state without the cards that chance has dealt.

        Override it only if these cards change nothing else in the public tree: who acts, how many
        actions are legal, which states follow, where the game ends, and how the cards dealt so far
        limit later ones. This state and the cards in the order of their deals must determine the
        public state. Counting the size of the form then takes a fraction of the time. The method
        is ignored if it is inherited from a class with other rules.
        """
        whole: Hashable = state
        return whole

    def observation(self, state: Any, action: Action) -> Hashable:
        """Return the public observation of an action that does not end the game."""
        return action
