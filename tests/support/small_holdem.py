"""A small poker game with hands of two cards and one public card, as public rules."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations

from infoset.game import PublicDeal, PublicEnd, PublicHand, PublicRules, PublicRulesGame
from infoset.tree import build_public_form

RANKS = "AKQJ"
SUITS = "hd"


class SmallHoldem(PublicRules):
    """Two rounds of betting with one bet each, and a public card between them.

    A public state is the sequence of events: k (check or call), b (bet or raise to 2 and 4 chips),
    f (fold), or a card. Three of a kind beats a pair, which beats high cards.
    """

    def __init__(self, ranks=RANKS, is_symmetric=False):
        self.is_symmetric = is_symmetric
        self.deck = tuple(rank + suit for rank in ranks for suit in SUITS)
        self.ranks = ranks

    def symmetries(self):
        swap = {"h": "d", "d": "h"}
        return [{card: card[0] + swap[card[1]] for card in self.deck}] if self.is_symmetric else []

    @cached_property
    def pairs(self):
        return [*combinations(self.deck, 2)]

    def hands(self, player):
        return [PublicHand("".join(pair), 1, pair) for pair in self.pairs]

    def initial_state(self):
        return ()

    def rounds(self, state):
        """Return the betting of the first round, the public card, and the second betting."""
        places = [place for place, event in enumerate(state) if len(event) == 2]
        if not places:
            return state, None, ()
        return state[: places[0]], state[places[0]], state[places[0] + 1 :]

    def actor(self, state):
        betting, card, after = self.rounds(state)
        current = after if card else betting
        if self.end(state) is not None or self.is_over(current):
            return None
        return len(current) % 2

    @staticmethod
    def is_over(betting):
        return betting in (("k", "k"), ("b", "k"), ("k", "b", "k"))

    def legal_actions(self, state):
        betting, card, after = self.rounds(state)
        return ("f", "k") if (after if card else betting)[-1:] == ("b",) else ("k", "b")

    def next_state(self, state, action):
        return (*state, action)

    def deals(self, state):
        chance = 1 / (len(self.deck) - 4)
        return [PublicDeal((*state, card), card, chance, (card,)) for card in self.deck]

    def chips(self, state):
        betting, _, after = self.rounds(state)
        return (
            1
            + 2 * (betting.count("b") and betting[-1] == "k")
            + 4 * (after.count("b") and after[-1] == "k")
        )

    def end(self, state):
        betting, card, after = self.rounds(state)
        if state and state[-1] == "f":
            folded = (len(after if card else betting) - 1) % 2
            lost = self.chips(state)
            return PublicEnd(((-lost, lost) if folded == 0 else (lost, -lost),))
        if card is None or not self.is_over(after):
            return None
        chips = self.chips(state)
        ranked = self.strengths(card)
        return PublicEnd(((-chips, chips), (0, 0), (chips, -chips)), (ranked, ranked))

    @cache  # noqa: B019, rules live as long as a test
    def strengths(self, card):
        """Return the strength of each hand with a public card."""
        return tuple(self.strength(pair, card) for pair in self.pairs)

    def strength(self, pair, card):
        """Return the strength of a hand with a public card: kind, then high cards."""
        values = sorted((self.ranks[::-1].index(c[0]) for c in (*pair, card)), reverse=True)
        counts = sorted(((values.count(v), v) for v in set(values)), reverse=True)
        found = counts[0][0] * 10_000
        for place, (_, value) in enumerate(counts):
            found += value * 20 ** (2 - place)
        return found


@cache
def small_holdem(is_symmetric=False):
    """Return the public form of the game, with 28 hands each; symmetric suits may be merged."""
    return build_public_form(
        PublicRulesGame(SmallHoldem(is_symmetric=is_symmetric), "small_holdem")
    )
