"""Betting, payoffs and hand rankings of endgames equal those of pokerkit, along random lines."""

import numpy as np
import pytest
from pokerkit import Automation, NoLimitTexasHoldem, StandardHighHand

from infoset.games import NoLimitEndgame
from infoset.games.holdem_hands import DECK, hand_strengths

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
"""Everything but the deals and the actions of the players."""


class RandomEndgame:
    """A random endgame with random hands, here and in pokerkit."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        cards = [DECK[place] for place in rng.permutation(len(DECK))[:9]]
        self.hands, self.board = ("".join(cards[:2]), "".join(cards[2:4])), cards[4:]
        dealt = int(rng.integers(3, 6))
        rake = float(rng.choice([0, 0.05]))
        pot = 2 * int(rng.integers(1, 300))
        self.game = NoLimitEndgame(
            "".join(self.board[:dealt]),
            pot=pot,
            stack=int(rng.integers(1, 10 * pot)),
            bets=self._sizes("10%", "33%", "250%", "7c", "e", "a", word="donk"),
            raises=self._sizes("10%", "100%", "2.1x", "4x", "2e", "a", word="reraise"),
            max_raises=int(rng.integers(1, 6)),
            min_bet=int(rng.integers(1, 20)),
            all_in=float(rng.choice([0.5, 0.9, 1])),
            all_in_pot=float(rng.choice([0, 0.2])),
            add_all_in=float(rng.choice([0, 1])),
            merge=float(rng.choice([0, 0.2])),
            rake=rake,
            rake_cap=int(rng.choice([-1, 3])) if rake else -1,
            ranges=self.hands,
        )
        self.rules = self.game.public_rules()
        self.state = self.rules.initial_state()
        self.other = self._other_state()

    def _sizes(self, *sizes, word):
        """Return a list of shares, or a text with rules for players, streets and exceptions."""
        if self.rng.random() < 0.3:
            return self.rng.choice([0.1, 0.33, 0.5, 1, 2.5], int(self.rng.integers(1, 4))).tolist()
        drawn = (
            ", ".join(self.rng.choice(sizes, int(self.rng.integers(1, 4)), replace=False))
            for _ in range(4)
        )
        return "{}; ip: {}; river: {}; {word}: {}".format(*drawn, word=word)

    def _other_state(self):
        """Return pokerkit's state after antes of half the pot, and checks up to the start."""
        game = self.game
        half = game.pot // 2
        other = NoLimitTexasHoldem.create_state(
            AUTOMATIONS,
            True,
            half,
            (0, 0),
            game.min_bet,
            half + game.stack,
            2,
            divmod=lambda amount, number: (amount / number, 0),
            rake=self._rake,
        )
        for hand in self.hands:
            other.deal_hole(hand)
        for street in range(len(game.board) // 2 - 2):
            other.check_or_call()
            other.check_or_call()
            first = 0 if street == 0 else street + 2
            other.burn_card("??")
            other.deal_board("".join(self.board[first : street + 3]))
        return other

    def _rake(self, amount, state):
        taken = self.game.rake * amount
        if self.game.rake_cap != -1:
            taken = min(taken, self.game.rake_cap)
        return taken, amount - taken

    def play(self):
        """Play to the end, and compare every step."""
        kinds = set()
        while self.rules.end(self.state) is None:
            actor = self.rules.actor(self.state)
            assert actor == self.other.actor_index
            kinds.add(self._deal() if actor is None else self._act(actor))
        assert not self.other.status
        end = self.rules.end(self.state)
        outcome = 0
        if end.strengths is not None:
            first, second = (own[0] for own in end.strengths)
            outcome = 1 + (first > second) - (first < second)
        expected = [float(chips) for chips in self.other.payoffs]
        put_in = self.state.betting.put_in
        matched = self.game.pot + 2 * min(put_in)
        rake = self._rake(matched, None)[0]
        if end.strengths is None and min(put_in) > self.state.betting.before:
            # After a fold, pokerkit rakes the pot without the chips with which the winner called or
            # raised in the street. The game rakes them, as card rooms do.
            expected[1 - self.state.betting.folded] = matched / 2 - rake
        assert list(end.utilities[outcome]) == pytest.approx(expected, abs=1e-9)
        assert sum(end.utilities[outcome]) == pytest.approx(-rake, abs=1e-9)
        kinds.add("fold" if end.strengths is None else ("lost", "split", "won")[outcome])
        return kinds

    def _deal(self):
        card = self.board[(len(self.game.board) + len(self.state.dealt)) // 2]
        (deal,) = (deal for deal in self.rules.deals(self.state) if deal.cards == (card,))
        self.state = deal.next_state
        self.other.burn_card("??")
        self.other.deal_board(card)
        return "deal"

    def _act(self, actor):
        other, betting = self.other, self.state.betting
        legal = self.rules.legal_actions(self.state)
        to_call = other.checking_or_calling_amount
        assert ("fold" in legal) == ("call" in legal) == (to_call > 0)
        assert ("check" in legal) == (to_call == 0)
        totals = {a: self._total(a) for a in legal if a not in ("fold", "check", "call")}
        may_raise = other.can_complete_bet_or_raise_to() and self._may_raise(betting)
        assert bool(totals) == may_raise
        if totals:
            smallest = other.min_completion_betting_or_raising_to_amount
            largest = other.max_completion_betting_or_raising_to_amount
            assert smallest <= min(totals.values())
            assert totals.get("all-in", largest) == largest
            minimum = max(betting.put_in) + max(self.game.min_bet, betting.last_raise)
            assert smallest == min(minimum - betting.before, largest)
        for action, total in totals.items():
            assert other.can_complete_bet_or_raise_to(total), action
            assert action == "all-in" or action.startswith("raise" if to_call else "bet")
        action = legal[int(self.rng.integers(len(legal)))]
        if action == "fold":
            other.fold()
        elif action in totals:
            other.complete_bet_or_raise_to(totals[action])
        else:
            other.check_or_call()
        self.state = self.rules.next_state(self.state, action)
        return "all-in" if action == "all-in" else action.partition(" ")[0]

    def _may_raise(self, betting):
        return betting.raises < self.game.max_raises

    def _total(self, action):
        """Return what a player has put in during the street after a bet or raise."""
        if action == "all-in":
            return self.game.stack - self.state.betting.before
        return int(action.partition(" ")[2])


ALL_KINDS = {"deal", "fold", "check", "call", "bet", "raise", "all-in", "lost", "won", "split"}


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        (0, 60),
        pytest.param(1, 1_000, marks=pytest.mark.broad),
        pytest.param(2, 10_000, marks=pytest.mark.long),
    ],
)
def test_random_lines_equal_those_of_pokerkit(seed, number):
    kinds = set().union(*(RandomEndgame((seed, line)).play() for line in range(number)))
    assert kinds == ALL_KINDS if number > 100 else kinds >= ALL_KINDS - {"split"}


@pytest.mark.parametrize("number", [40, pytest.param(2_000, marks=pytest.mark.broad)])
def test_hands_are_ranked_as_by_pokerkit(number):
    rng = np.random.default_rng(number)
    for _ in range(number):
        cards = [DECK[place] for place in rng.permutation(len(DECK))[:9]]
        board, hands = "".join(cards[4:]), ("".join(cards[:2]), "".join(cards[2:4]))
        first, second = hand_strengths(cards[4:], hands)
        ours = (first > second) - (first < second)
        one, two = (StandardHighHand.from_game(hand, board) for hand in hands)
        assert ours == (one > two) - (one < two), (hands, board)
