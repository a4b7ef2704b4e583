"""A small game with suits, in which cards that no player can tell apart are exchangeable."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, product

from infoset.game import PublicDeal, PublicEnd, PublicHand, PublicRules

SUITS = "abc"


class SuitedPoker(PublicRules):
    """Poker with suits and up to two public cards, each followed by one bet.

    A hand beats another by the number of its cards with the suit of the last public card, then by
    ranks. A public state is (public cards, line of this round, chips of each player).

    Parameters
    ----------
    num_ranks : int
    board : tuple[str, ...]
        Public cards from the start.
    num_deals : int
        Number of public cards to be dealt.
    num_cards : int
        Number of cards in a hand, 1 or 2.
    weights : Mapping[str, int]
        Weights of hands by label; 1 for others.
    """

    def __init__(self, num_ranks=2, board=(), num_deals=2, num_cards=1, weights=None):
        self.board, self.num_deals = tuple(board), num_deals
        self.deck = ["".join(card) for card in product("123456789"[:num_ranks], SUITS)]
        rest = [card for card in self.deck if card not in board]
        self._hands = [
            PublicHand("".join(cards), (weights or {}).get("".join(cards), 1), cards)
            for cards in combinations(rest, num_cards)
        ]
        self._strengths: dict[tuple[str, ...], tuple[tuple[int, ...], ...]] = {}

    def hands(self, player: int) -> Sequence[PublicHand]:
        return self._hands

    def initial_state(self) -> Hashable:
        return (self.board, "", 1)

    def _is_closed(self, line: str) -> bool:
        return line in ("cc", "bc", "cbc")

    def actor(self, state) -> int | None:
        _, line, _ = state
        return None if self._is_closed(line) or self.end(state) else len(line) % 2

    def legal_actions(self, state) -> Sequence[str]:
        return ("c", "f") if "b" in state[1] else ("c", "b")

    def next_state(self, state, action) -> Hashable:
        board, line, pot = state
        line += action
        return (board, line, pot + 1 if line in ("bc", "cbc") else pot)

    def deals(self, state) -> Sequence[PublicDeal]:
        board, _, pot = state
        held = 2 * len(self._hands[0].cards)
        left = [card for card in self.deck if card not in board]
        return [
            PublicDeal(((*board, card), "", pot), card, 1 / (len(left) - held), (card,))
            for card in left
        ]

    def end(self, state) -> PublicEnd | None:
        board, line, pot = state
        if line.endswith("f"):
            won = pot if len(line) % 2 else -pot
            return PublicEnd(((-won, won),))
        if self._is_closed(line) and len(board) == len(self.board) + self.num_deals:
            outcomes = ((-pot, pot), (0, 0), (pot, -pot))
            return PublicEnd(outcomes, self._by_strength(board))
        return None

    def _by_strength(self, board):
        if board not in self._strengths:
            own = tuple(
                100 * sum(card[1] == board[-1][1] for card in hand.cards)
                + sum(int(card[0]) for card in hand.cards)
                + 10 * sum(card[0] == other[0] for card in hand.cards for other in board)
                for hand in self._hands
            )
            self._strengths[board] = own, own
        return self._strengths[board]

    def symmetries(self) -> Sequence[Mapping[str, str]]:
        """Exchange the suits that the board has with the same ranks."""
        ranks = {suit: {card[0] for card in self.board if card[1] == suit} for suit in SUITS}
        return [
            {f"{rank}{one}": f"{rank}{other}" for rank in "123456789" for one, other in swap}
            for swap in (((a, b), (b, a)) for a, b in combinations(SUITS, 2))
            if ranks[swap[0][0]] == ranks[swap[0][1]]
        ]
