"""Endgames in hand histories, compared with pokerkit along random hands and in published ones."""

from __future__ import annotations

import sys
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from pokerkit import Automation, HandHistory, NoLimitTexasHoldem

import infoset
from infoset.errors import (
    AssumedRangesWarning,
    GameFileError,
    MissingExtraError,
    ParameterError,
    UnknownNameError,
)
from infoset.games import NoLimitEndgame, parse_spot
from infoset.games.holdem_hands import DECK
from infoset.games.nolimit_parameters import listed
from infoset.utils import extras

AUTOMATIONS = tuple(
    one for one in Automation if one.name not in ("HOLE_DEALING", "BOARD_DEALING", "CARD_BURNING")
)
STREETS = {3: "flop", 4: "turn", 5: "river"}

DWAN_IVEY = """\
# A big pot between Dwan and Ivey.
variant = "NT"
antes = [500, 500, 500]
blinds_or_straddles = [1000, 2000, 0]
min_bet = 2000
starting_stacks = [1125600, 2000000, 553500]
actions = [
  # Pre-flop
  "d dh p1 Ac2d",  # Ivey
  "d dh p2 ????",  # Antonius
  "d dh p3 7h6h",  # Dwan
  "p3 cbr 7000",
  "p1 cbr 23000",
  "p2 f",
  "p3 cc",
  "d db Jc3d5c",
  "p1 cbr 35000",
  "p3 cc",
  "d db 4h",
  "p1 cbr 90000",
  "p3 cbr 232600",
  "p1 cbr 1067100 # All-in",
  "p3 cc",
  "p1 sm Ac2d",
  "p3 sm 7h6h",
  "d db Jh",
]
players = ["Phil Ivey", "Patrik Antonius", "Tom Dwan"]
year = 2009
"""
"""The first example of the format's documentation."""

PLURIBUS = """\
variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0, 0, 0, 0]
blinds_or_straddles = [50, 100, 0, 0, 0, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000, 10000, 10000, 10000]
actions = ['d dh p1 Qh5c', 'd dh p2 9h6h', 'd dh p3 KcJh', 'd dh p4 8hQc', 'd dh p5 7hKh', \
'd dh p6 Ks3c', 'p3 cbr 210', 'p4 f', 'p5 f', 'p6 f', 'p1 f', 'p2 cc', 'd db 7s9cTc', 'p2 cc', \
'p3 cbr 235', 'p2 cc', 'd db 2c', 'p2 cc', 'p3 cbr 600', 'p2 f']
hand = 1
"""
"""A hand of the data set of Pluribus."""


class RandomHand:
    """A random hand of pokerkit, and copies of its state at the start of each street."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.unit = Decimal(str(rng.choice(["1", "1", "0.01", "0.25"])))
        self.cards = [DECK[place] for place in rng.permutation(len(DECK))]
        self.dealt = {}
        self.starts = {}
        count = int(rng.integers(2, 7))
        blind = int(rng.integers(1, 20))
        blinds = [blind, 2 * blind, *[0] * (count - 2)]
        if count > 3 and rng.random() < 0.3:
            blinds[int(rng.choice([2, count - 1]))] = 4 * blind  # under the gun, or of the button
        antes = [0] * count
        kind = rng.choice(["none", "uniform", "big blind", "button"])
        if kind == "uniform":
            antes = [int(rng.integers(1, blind + 1))] * count
        elif kind != "none":
            antes[1 if kind == "big blind" else count - 1] = 2 * blind
        stacks = rng.integers(6 * blind, 400 * blind, count).tolist()
        game = NoLimitTexasHoldem(
            AUTOMATIONS,
            is_trimmed := bool(rng.integers(2)),
            self._amounts(antes),
            self._amounts(blinds),
            2 * blind * self.unit,
            divmod=lambda amount, number: (amount / number, 0),
        )
        self.state = game(self._amounts(stacks), count)
        self._play()
        trimmed = {"ante_trimming_status": is_trimmed}
        self.text = HandHistory.from_game_state(game, self.state, **trimmed).dumps()

    def _amounts(self, numbers):
        return [number * self.unit for number in numbers]

    def _play(self):
        """Play to the end; the state before the first action of each street is copied."""
        state = self.state
        while state.status:
            if state.can_burn_card():
                state.burn_card("??")
            elif state.can_deal_hole():
                player = state.hole_dealee_index
                self.dealt[player] = self.cards.pop() + self.cards.pop()
                state.deal_hole(self.dealt[player])
            elif state.can_deal_board():
                state.deal_board(
                    "".join(self.cards.pop() for _ in range(state.board_dealing_count))
                )
                street = STREETS[sum(map(len, state.board_cards))]
                self.starts[street] = deepcopy(state), list(self.cards)
            elif state.can_show_or_muck_hole_cards():
                state.show_or_muck_hole_cards(True)
            else:
                self._act()

    def _act(self):
        state, rng = self.state, self.rng
        draw = rng.random()
        if draw < 0.25 and state.checking_or_calling_amount:
            state.fold()
        elif draw > 0.8 and state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            steps = int((high - low) / self.unit)
            more = int(rng.integers(0, steps + 1)) if rng.random() < 0.1 else min(steps, 3)
            state.complete_bet_or_raise_to(low + more * self.unit)
        else:
            state.check_or_call()

    def load(self, street, players):
        ranges = tuple(self.dealt[player] for player in players)
        given = {"street": street, "ranges": ranges, "bets": "33%, 120%, a", "raises": "50%, a"}
        return parse_spot(self.text, parameters=given)

    def complete(self, game, street, players):
        """Play the endgame to a random end, here and in pokerkit, and compare what they pay."""
        other, cards = self.starts[street]
        put_in = [other.starting_stacks[own] - other.stacks[own] for own in players]
        rules = game.public_rules()
        state = rules.initial_state()
        while rules.end(state) is None:
            actor = rules.actor(state)
            if actor is None:
                card = cards.pop()
                other.burn_card("??")
                other.deal_board(card)
                (deal,) = (one for one in rules.deals(state) if one.cards == (card,))
                state = deal.next_state
                continue
            assert players[actor] == other.actor_index
            legal = rules.legal_actions(state)
            action = legal[int(self.rng.integers(len(legal)))]
            if action == "fold":
                other.fold()
            elif action in ("check", "call"):
                other.check_or_call()
            else:
                total = Decimal(str(action.partition(" ")[2] or game.effective_stack))
                before = state.betting.before * Decimal(str(float(game.smallest_chip)))
                if action == "all-in":
                    # Chips that the shorter stack cannot call are returned.
                    least = other.min_completion_betting_or_raising_to_amount
                    total = max(total - before, least)
                other.complete_bet_or_raise_to(total)
            state = rules.next_state(state, action)
        while other.can_show_or_muck_hole_cards():
            other.show_or_muck_hole_cards(True)
        assert not other.status
        end, outcome = rules.end(state), 0
        if end.strengths is not None:
            first, second = (own[0] for own in end.strengths)
            outcome = 1 + (first > second) - (first < second)
        # What only one player has put in before the street is lost whatever happens.
        sunk = [float(own - min(put_in)) for own in put_in]
        found = np.subtract(end.utilities[outcome], sunk)
        expected = [float(other.payoffs[player]) for player in players]
        assert found == pytest.approx(expected, abs=1e-9)
        return bool(sum(sunk))


def check_hand(seed):
    """Compare every street of a random hand; return what occurred."""
    hand = RandomHand(seed)
    seen = set()
    endgames = [
        street
        for street, (state, _) in hand.starts.items()
        if sum(state.statuses) == 2 and state.actor_index is not None
    ]
    for street, (state, _) in hand.starts.items():
        players = [player for player, is_in in enumerate(state.statuses) if is_in]
        if street not in endgames:
            with pytest.raises(GameFileError, match=r"does not begin an endgame .*: (\d pl|a pl)"):
                hand.load(street, players)
            seen.add(f"{len(players)} players")
            continue
        game = hand.load(street, players)
        pot = sum(state.starting_stacks) - sum(state.stacks)
        assert game.pot == pytest.approx(float(pot))
        assert game.board == "".join(map(repr, [card for (card,) in state.board_cards]))
        stacks = listed(game, "stack", 2, "player")
        assert stacks == pytest.approx([float(state.stacks[player]) for player in players])
        assert game.min_bet == float(state.streets[0].min_completion_betting_or_raising_amount)
        assert (Fraction(hand.unit) / game.smallest_chip).denominator == 1
        folded = [own for own in range(len(state.statuses)) if own not in players]
        assert game.dead >= float(
            sum(state.starting_stacks[own] - state.stacks[own] for own in folded)
        )
        seen |= {street, f"of {len(state.statuses)}", f"unit {hand.unit}"}
        if hand.complete(game, street, players):
            seen.add("sunk")
        else:
            seen.add("even")
    if endgames:
        last = parse_spot(hand.text, parameters={"ranges": "any"})
        assert len(last.board) == len(hand.load(endgames[-1], (0, 1)).board)
    return seen


ALL_KINDS = {
    *("flop", "turn", "river", "sunk", "even", "unit 1", "unit 0.01", "unit 0.25"),
    *(f"of {number}" for number in range(2, 7)),
    *(f"{number} players" for number in range(2, 7)),
}


@pytest.mark.parametrize(
    ("seed", "number"), [(0, 40), pytest.param(1, 400, marks=pytest.mark.broad)]
)
def test_random_hands_equal_those_of_pokerkit(seed, number):
    seen = set().union(*(check_hand((seed, hand)) for hand in range(number)))
    assert seen >= (ALL_KINDS if number > 100 else {"flop", "turn", "river", "sunk", "even"})


def test_published_hands():
    """The pot and the stacks are sums by hand; an ante and the big blind of a player are dead."""
    given = {"ranges": ("7h6h", "any"), "bets": "50%"}
    assert parse_spot(DWAN_IVEY, parameters=given) == NoLimitEndgame(
        "Jc3d5c4h",
        pot=3 * 500 + 2_000 + 2 * 23_000 + 2 * 35_000,
        stack=(1_067_100, 495_000),
        min_bet=2_000,
        dead=2_500,
        ranges=("7h6h", "any"),
        bets="50%",
    )
    flop = parse_spot(DWAN_IVEY, parameters={**given, "street": "flop"})
    assert (flop.board, flop.pot, flop.stack) == ("Jc3d5c", 49_500, (1_102_100, 530_000))
    # The big blind is out of position; the small blind has folded.
    assert parse_spot(PLURIBUS, parameters={"ranges": "any"}) == NoLimitEndgame(
        "7s9cTc2c", pot=2 * (210 + 235) + 50, stack=9_555, min_bet=100, dead=50
    )


HEADS_UP = """\
variant = "NT"
antes = [0, 0.25]
blinds_or_straddles = [0.25, 0.5]
min_bet = 0.5
starting_stacks = [100, 40]
actions = [
  "d dh p1 ????", "d dh p2 ????", "p2 cc", "p1 cc", "d db KsTh7s", "p1 cc", "p2 cbr 1", "p1 cc",
  "d db 4d", "p1 cc", "p2 cc", "d db 2s",
]
"""


def test_two_players():
    """The blinds and antes are reversed: the first player has the big blind, and the ante."""
    river = parse_spot(HEADS_UP, parameters={"ranges": "any"})
    assert river == NoLimitEndgame(
        "KsTh7s4d2s", pot=3.25, stack=(98.25, 38.5), min_bet=0.5, dead=0.25, chip=0.01
    )
    # Whole amounts at the start of a street are cents, too, if other amounts of the hand are.
    turn = HEADS_UP.replace("0.25", "0").replace("0.5", "1").replace("cbr 1", "cbr 1.005")
    assert parse_spot(turn, parameters={"street": "flop", "ranges": "any"}).chip == 0.001
    tenths = HEADS_UP.replace("0.25", "0")
    assert parse_spot(tenths, parameters={"ranges": "any"}).chip == 0.01
    # Cards may be dealt one by one, and a file may have tables of its own.
    other = HEADS_UP.replace('"d db KsTh7s"', '"d db Ks", "d db Th", "d db 7s"')
    assert parse_spot(f"{other}[_notes]\ntable = 1", parameters={"ranges": "any"}) == river
    flop = other.partition('"d db 4d"')[0] + "]"
    assert parse_spot(flop, parameters={"ranges": "any"}).board == "KsTh7s"
    reordered = f"antes = [\n  0,\n  0.25,\n]\n{HEADS_UP.replace('antes = [0, 0.25]', '')}"
    assert parse_spot(reordered, parameters={"ranges": "any"}) == river
    # A stack that is unknown is no limit.
    for stacks, stack in (("[inf, 40]", 38.5), ("[100, inf]", 98.25)):
        text = HEADS_UP.replace("[100, 40]", stacks)
        assert parse_spot(text, parameters={"ranges": "any"}).stack == stack


def test_all_hands_are_assumed_with_a_warning():
    with pytest.warns(AssumedRangesWarning, match="hand.phh is a hand history without ranges"):
        game = parse_spot(HEADS_UP, name="hand.phh")
    assert game == parse_spot(HEADS_UP, parameters={"ranges": "any"})


def test_files_take_parameters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ranges = ["AA", "KK"]
    expected = parse_spot(HEADS_UP, parameters={"street": "turn", "ranges": ranges, "pot": 7})
    several = "".join(f"[{number}]\n{HEADS_UP.replace('100', number)}\n" for number in ("80", "90"))
    for name in ("hand.phh", "hand (1).phh", "hand(pot=3)", "folder/hand.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HEADS_UP)
        assert infoset.load(f"{name}(street=turn, ranges=[AA;KK], pot=7)") == expected
        assert infoset.load(f"{name}(street=turn)", ranges=ranges, pot=7) == expected
        assert infoset.load(name, ranges=ranges).board == "KsTh7s4d2s"
    (tmp_path / "hands.phhs").write_text(several)
    assert infoset.load("hands.phhs(hand=90,ranges=any)").stack == (88.25, 38.5)
    (tmp_path / "hand.phh").write_text(several.partition("[90]")[0])
    assert infoset.load("hand.phh(ranges=any)").stack == (78.25, 38.5)
    with pytest.raises(UnknownNameError, match="has no parameter 'stret'; did you mean street"):
        infoset.load("hand.phh(stret=turn)")
    with pytest.raises(UnknownNameError, match="unknown street 'preflop'"):
        infoset.load("hand.phh(street=preflop)")
    with pytest.raises(ParameterError, match="cannot read the game 'spot"):
        infoset.load("hand.phh(turn)")
    with pytest.raises(GameFileError, match=r"there is no file or folder missing\.phh"):
        infoset.load("missing.phh(street=turn)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            DWAN_IVEY.replace('"NT"', '"PO"'),
            "the variant is 'PO', but only 'NT', no-limit Texas",
        ),
        (DWAN_IVEY.replace("antes =", "ante ="), "the field antes is missing; required fields: "),
        (
            DWAN_IVEY.replace("[500, ", "["),
            "antes is not a list with one number for each start",
        ),
        (
            DWAN_IVEY.replace("[500,", "[-500,"),
            "antes has '-500'; give numbers from 0 to 1,000,000,000,000",
        ),
        (
            DWAN_IVEY.replace("[500,", "[nan,"),
            "antes has 'NaN'; give numbers from 0 to 1,000,000,000,000",
        ),
        (
            DWAN_IVEY.replace("[500,", "[true,"),
            "antes has 'True'; give numbers from 0 to 1,000,000,000,000",
        ),
        (DWAN_IVEY.replace("[500,", "[1e13,"), "antes has '1E+13'; give numbers from 0 to 1,0"),
        (DWAN_IVEY.replace("[500, 500, 500]", "500"), "antes is not a list with one number"),
        (
            DWAN_IVEY.replace("[500,", "[inf,"),
            "antes has 'inf'; only starting_stacks may be",
        ),
        (
            DWAN_IVEY.replace("min_bet = 2000", "min_bet = 0"),
            "min_bet is '0'; give a number above 0",
        ),
        (DWAN_IVEY.replace('"p2 f"', "2"), "actions is not a list of strings such as 'p1 cbr 300'"),
        (DWAN_IVEY.replace('"p2 f"', '"p2 f'), "the hand history is not valid TOML: "),
        (DWAN_IVEY.replace("1125600", "0"), "the hand cannot be dealt: Non-positive"),
        (DWAN_IVEY.replace('"p2 f"', '"p3 f"'), "action 6, 'p3 f', is invalid: "),
        (DWAN_IVEY.replace("p1 cbr 23000", "p1 cbr 9000"), "'p1 cbr 9000', is invalid"),
        (
            DWAN_IVEY.replace("p1 cbr 23000", "p1 cbr x"),
            "action 5, 'p1 cbr x', is invalid",
        ),
        (DWAN_IVEY.replace("p1 cbr 23000", "p1 raises"), "'p1 raises', is invalid"),
        (DWAN_IVEY.replace("p1 cbr 23000", "q"), "action 5, 'q', is invalid"),
        (DWAN_IVEY.replace("Jc3d5c", "Jc3d"), "'p1 cbr 35000', is invalid"),
        (DWAN_IVEY.replace("Jc3d5c", "Jc3d3d"), "action 8, 'd db Jc3d3d', deals a card twice"),
        (DWAN_IVEY.replace("Jc3d5c", "Jc3d7h"), "action 8, 'd db Jc3d7h', deals a card twice"),
        (
            DWAN_IVEY.replace("Jc3d5c", "Jc3d??"),
            "(flop, turn: the board has unknown cards; river: a ",
        ),
        (
            PLURIBUS.replace("p1 f", "p1 cc").partition(", 'p2 cc', 'p3 cbr 235'")[0] + "]",
            "(flop: 3 players are in the hand; turn, river: the hand ends earlier)",
        ),
        (DWAN_IVEY.partition('  "d db')[0] + "]", "(flop, turn, river: the hand ends earlier)"),
        (
            DWAN_IVEY.replace("p3 cbr 7000", "p3 f")
            .replace("p1 cbr 23000", "p1 f")
            .partition('"p2')[0]
            + "]",
            "(flop, turn, river: all players but one have folded)",
        ),
        (
            DWAN_IVEY.replace("p1 cbr 23000", "p1 cbr 1125100"),
            "two players (flop, turn, river: a player is all-in); choose another hand",
        ),
        (
            DWAN_IVEY.replace("1125600", "inf").replace("553500", "inf"),
            "(flop, turn: both stacks are unknown: add them to starting_stacks; river: ",
        ),
        (f"[1]\n{PLURIBUS}\n[2]\n{PLURIBUS}", "the file has 2 hands; choose one, as in hand=1"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(GameFileError) as caught:
        parse_spot(text, name="hand.phh")
    assert str(caught.value).startswith("hand.phh: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"street": "river"},
            "the river does not begin an endgame of two players: a player is all-in; give ",
        ),
        ({"street": "river"}, "give street=flop or street=turn"),
        ({"hand": 3}, "the file has a single hand; omit the parameter hand"),
    ],
)
def test_choices_that_do_not_exist(given, message):
    with pytest.raises(GameFileError) as caught:
        parse_spot(DWAN_IVEY, parameters=given)
    assert message in str(caught.value)
    with pytest.raises(GameFileError, match="does not contain hand 3; its hands are 1 to 2"):
        parse_spot(f"[1]\n{PLURIBUS}\n[2]\n{PLURIBUS}", parameters={"hand": 3})


def test_pokerkit_is_optional(monkeypatch):
    monkeypatch.setattr(extras, "_installed_version", lambda package: None)
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(MissingExtraError, match="reading a hand history needs pokerkit") as caught:
        parse_spot(PLURIBUS)
    assert caught.value.extra == "pokerkit"
