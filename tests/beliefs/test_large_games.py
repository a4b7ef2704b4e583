"""Beliefs in games that are too large to build, against independent counts and probabilities."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.game import Infostate, PublicState, Step, initial_history, play_out
from infoset.games import LiarsDice, TrickTaking, load_game
from infoset.games.liars_dice import orders

BIG_DICE = LiarsDice(numdice=4)
HANDS = list(combinations_with_replacement(range(1, 7), 4))
HAND = (1, 2, 6, 6)


def holding(player, hand, *calls):
    """Return the infostate of a player after some calls, the first of them by player 0."""
    known = Infostate(player, (Step(None, hand, None),))
    for number, call in enumerate(calls):
        known = known.extend(Step(call if number % 2 == player else None, None, call))
    return known


def test_four_dice_each_leave_126_hands():
    belief = private_belief(BIG_DICE, holding(1, HAND, "1-2", "2-2", "3-1"))
    assert belief.method == "enumeration"
    posterior = {
        known.steps[0].private: p for known, p in belief.infostate_probabilities(0).items()
    }
    assert posterior == pytest.approx({hand: orders(hand) / 6**4 for hand in HANDS})
    assert {world.hands[1] for world in belief.worlds} == {HAND}
    assert {world.call for world in belief.worlds} == {BIG_DICE.calls.index("3-1")}


def test_half_of_the_public_belief_stays_with_the_own_hand():
    belief = PublicPrivateBelief(0.5).at(BIG_DICE, holding(1, HAND, "1-2"))
    assert len(belief) == 126**2
    own = belief.infostate_probabilities(1)
    expected = 0.5 + 0.5 * orders(HAND) / 6**4
    assert own[holding(1, HAND, "1-2")] == pytest.approx(expected)
    assert sum(own.values()) == pytest.approx(1)


def test_after_the_highest_bid_only_liar_is_left():
    """The highest face is wild, so a bid on it counts only this face."""
    dice = LiarsDice(numdice=2, dice_sides=3)
    top = dice.calls[-2]
    belief = public_belief(dice, PublicState((None, top)))
    assert all(dice.legal_actions(world, 1) == ("liar",) for world in belief.worlds)
    called = public_belief(dice, PublicState((None, top, ("liar", "player 0 wins"))))
    assert [world.hands for world in called.worlds] == [((3, 3), (3, 3))]
    assert called.rewards_so_far.tolist() == [[1, -1]]
    assert "liar" not in dice.legal_actions(belief.histories[0].path()[1].world, 0)


CARDS = load_game("trick_taking(num_cards=8,num_suits=3,hand_size=3)")


def deals(game):
    """Return all deals as two sets of cards."""
    for first in combinations(game.deck, game.num_tricks):
        rest = [card for card in game.deck if card not in first]
        for second in combinations(rest, game.num_tricks):
            yield frozenset(first), frozenset(second)


ALL_DEALS = list(deals(CARDS))


def could_be(hands, played):
    """Return whether two hands contain the played cards and have followed suit."""
    hands = [set(hand) for hand in hands]
    led = None
    for player, card in played:
        if card not in hands[player]:
            return False
        follows = led is None or card[-1] == led[-1]
        if not follows and any(held[-1] == led[-1] for held in hands[player]):
            return False
        hands[player].remove(card)
        led = card if led is None else None
    return True


@given(st.integers(0, 2**32))
def test_deals_agree_with_cards_and_voids_shown(seed):
    rng = np.random.default_rng(seed)
    choosers = [lambda infostate, legal: legal[int(rng.integers(len(legal)))]] * 2
    end = play_out(initial_history(CARDS), choosers, rng)
    played = []
    for stop in end.path()[1:]:
        player = stop.parent.actors[0] if stop.parent.actors else None
        if player is not None:
            played.append((player, stop.joint_action[player]))
    cut = int(rng.integers(2, len(played) + 1))
    history = end.path()[1 + cut]
    possible = {hands for hands in ALL_DEALS if could_be(hands, played[:cut])}
    belief = public_belief(CARDS, history.public_state)
    assert set(dealt(belief)) == possible
    assert len(belief) == len(possible)
    assert np.allclose(belief.probability, 1 / len(possible))
    for player in (0, 1):
        own = history.infostates[player]
        held = frozenset(own.steps[0].private)
        believed = dealt(private_belief(CARDS, own))
        assert set(believed) == {hands for hands in possible if hands[player] == held}


def dealt(belief):
    known = [belief.infostates(player) for player in (0, 1)]
    return [
        tuple(frozenset(infostate.steps[0].private) for infostate in pair)
        for pair in zip(*known, strict=True)
    ]


@pytest.mark.long
def test_twenty_cards_leave_all_deals_that_agree():
    game = TrickTaking(num_cards=20)
    deal = public_belief(game, PublicState((None,)))
    assert len(deal) == 184_756
    lead = deal.histories[0].legal_actions(0)[0]
    assert len(public_belief(game, PublicState((None, lead)))) == 92_378
    assert len(private_belief(game, deal.histories[5].infostates[1])) == 1


def test_listing_twice_is_the_same():
    """Cached parts of earlier beliefs do not change later ones."""
    known = holding(0, (1, 3), "1-2", "1-3")
    once = private_belief(LiarsDice(numdice=2), known, max_worlds=441)
    public_belief(LiarsDice(numdice=2), known.public_state, max_worlds=441)
    again = private_belief(LiarsDice(numdice=2), known, max_worlds=441)
    assert once.worlds == again.worlds
    assert once.probability.tobytes() == again.probability.tobytes()


class ShyDice(LiarsDice):
    """Liar's dice that does not declare its bids as public."""

    public_actions = False


@given(st.integers(0, 2**32))
def test_saying_that_actions_are_seen_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    choosers = [lambda infostate, legal: legal[int(rng.integers(len(legal)))]] * 2
    end = play_out(initial_history(LiarsDice(numdice=2, dice_sides=3)), choosers, rng)
    history = end.path()[int(rng.integers(1, end.depth + 1))]
    for player in (0, 1):
        first, second = (
            private_belief(kind(numdice=2, dice_sides=3), history.infostates[player])
            for kind in (LiarsDice, ShyDice)
        )
        assert first.worlds == second.worlds
        assert first.probability.tobytes() == second.probability.tobytes()


def test_probabilities_of_the_roll_are_exact():
    belief = private_belief(LiarsDice(numdice=2), holding(0, (6, 6)))
    wanted = {(a, b): Fraction(1 if a == b else 2, 36) for a in range(1, 7) for b in range(a, 7)}
    found = {world.hands[1]: p for world, p in zip(belief.worlds, belief.probability, strict=True)}
    assert found == pytest.approx({hand: float(p) for hand, p in wanted.items()})
