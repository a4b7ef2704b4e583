"""Sizes of bets, by hand."""

import pytest

from infoset.games import NoLimitEndgame


def rules(**parameters):
    return NoLimitEndgame("Ks9d8h4s2c", **parameters).public_rules()


def after(found, *actions):
    state = found.initial_state()
    for action in actions:
        state = found.next_state(state, action)
    return state


def legal(found, *actions):
    return found.legal_actions(after(found, *actions))


def test_sizes_are_shares_of_the_pot_after_a_call():
    found = rules(pot=100, stack=5000, bets=[0.5, 1], raises=[0.5, 1])
    assert legal(found) == ("check", "bet 50", "bet 100", "all-in")
    assert legal(found, "check") == ("check", "bet 50", "bet 100", "all-in")
    # After a call of 50 the pot is 200.
    assert legal(found, "bet 50") == ("fold", "call", "raise 150", "raise 250", "all-in")
    # Player 1 checked back nothing: the same for the other player.
    assert legal(found, "check", "bet 50") == legal(found, "bet 50")
    # After a call of 250 the pot is 600.
    assert legal(found, "bet 50", "raise 250") == (
        "fold",
        "call",
        "raise 550",
        "raise 850",
        "all-in",
    )
    assert found.actor(after(found, "bet 50", "raise 250")) == 0


def test_sizes_are_rounded_to_whole_chips_and_halves_up():
    assert legal(rules(pot=5, stack=100, bets=[0.5, 0.3]))[1:3] == ("bet 2", "bet 3")
    # In binary, 0.145 * 100 is below 14.5, and 0.55 * 100 above 55.
    assert legal(rules(pot=100, stack=500, bets=[0.145]))[1] == "bet 15"
    assert legal(rules(pot=100, stack=100, bets=[0.55], all_in=0.55)) == ("check", "all-in")
    assert legal(rules(pot=3750, stack=18125, bets=[1 / 3]))[1] == "bet 1250"


def test_equal_amounts_are_one_action():
    assert legal(rules(pot=10, stack=100, bets=[0.5, 0.51, 0.5])) == ("check", "bet 5", "all-in")


def test_small_sizes_become_the_minimum():
    found = rules(pot=100, stack=5000, bets=[0.05, 1], raises=[0.1], min_bet=20)
    assert legal(found) == ("check", "bet 20", "bet 100", "all-in")
    # A raise of 0.1 * 140 is below the minimum of 20, and one of 0.1 * 300 below the bet of 100.
    assert legal(found, "bet 20") == ("fold", "call", "raise 40", "all-in")
    assert legal(found, "bet 100") == ("fold", "call", "raise 200", "all-in")
    # The minimum is the amount of the last raise, not the whole bet.
    found = rules(pot=100, stack=5000, bets=[1], raises=[0.5, 0.001])
    assert legal(found, "bet 100", "raise 250") == (
        "fold",
        "call",
        "raise 400",
        "raise 550",
        "all-in",
    )


def test_all_in_replaces_large_sizes():
    assert legal(rules(pot=100, stack=200, bets=[1, 1.8, 2, 3])) == ("check", "bet 100", "all-in")
    assert legal(rules(pot=100, stack=200, bets=[1.79])) == ("check", "bet 179", "all-in")
    assert legal(rules(pot=100, stack=200, bets=[1, 1.9], all_in=1)) == (
        "check",
        "bet 100",
        "bet 190",
        "all-in",
    )
    # The share is that of the chips behind: player 1 has put nothing in, player 0 has 50.
    found = rules(pot=100, stack=300, bets=[0.5], raises=[1], all_in=0.8)
    assert legal(found, "bet 50") == ("fold", "call", "all-in")
    found = rules(pot=100, stack=300, bets=[0.5], raises=[1])
    assert legal(found, "bet 50") == ("fold", "call", "raise 250", "all-in")


def test_all_in_is_legal_below_the_minimum():
    assert legal(rules(pot=100, stack=7, bets=[1], min_bet=20)) == ("check", "all-in")
    found = rules(pot=100, stack=150, bets=[1], raises=[1])
    assert legal(found, "bet 100") == ("fold", "call", "all-in")
    assert legal(found, "bet 100", "all-in") == ("fold", "call")


def test_the_number_of_raises_is_limited():
    found = rules(pot=10, stack=10_000, bets=[1], raises=[1], max_raises=2)
    assert legal(found, "bet 10", "raise 40") == ("fold", "call")
    assert legal(found, "check", "bet 10", "raise 40") == ("fold", "call")
    assert legal(rules(max_raises=0)) == ("check",)
    assert legal(rules(max_raises=0), "check") == ("check",)


@pytest.mark.parametrize(
    ("actions", "utilities"),
    [
        (("check", "check"), ((-50, 50), (0, 0), (50, -50))),
        (("bet 50", "fold"), ((50, -50),)),
        (("bet 50", "call"), ((-100, 100), (0, 0), (100, -100))),
        (("bet 50", "raise 250", "fold"), ((-100, 100),)),
        (("check", "all-in", "fold"), ((-50, 50),)),
        (("check", "all-in", "call"), ((-350, 350), (0, 0), (350, -350))),
    ],
)
def test_utilities_count_half_of_the_pot(actions, utilities):
    found = rules(pot=100, stack=300, bets=[0.5], raises=[1])
    assert found.end(after(found, *actions)).utilities == utilities


@pytest.mark.parametrize(
    ("actions", "cap", "rake"),
    [
        (("check", "check"), -1, 10),
        (("bet 50", "fold"), -1, 10),  # the bet is returned
        (("bet 50", "call"), -1, 20),
        (("bet 50", "raise 250", "fold"), -1, 20),  # 200 of the raise are returned
        (("bet 50", "call"), 15, 15),
        (("bet 50", "call"), 0, 0),
    ],
)
def test_the_rake_is_taken_from_every_pot(actions, cap, rake):
    found = rules(pot=100, stack=300, bets=[0.5], raises=[1], rake=0.1, rake_cap=cap)
    without = rules(pot=100, stack=300, bets=[0.5], raises=[1])
    end, free = (each.end(after(each, *actions)).utilities for each in (found, without))
    for paid, earned in zip(end, free, strict=True):
        assert sum(paid) == pytest.approx(-rake)
        assert min(paid) == pytest.approx(min(earned) - (rake / 2 if earned == (0, 0) else 0))


# --- streets -----------------------------------------------------------------------------------


def test_each_card_that_a_pair_of_hands_can_see_is_as_likely():
    for board, unseen in (("Ks9d8h4s", 44), ("Ks9d8h", 45)):
        found = NoLimitEndgame(board, bets=[1], stack=100).public_rules()
        state = after(found, "check", "check")
        assert found.actor(state) is None
        assert found.end(state) is None
        deals = found.deals(state)
        assert len(deals) == 52 - len(board) // 2
        assert {deal.probability * unseen for deal in deals} == {1}
        assert not {deal.observation for deal in deals} & {
            board[at : at + 2] for at in range(0, 8, 2)
        }


def test_player_0_acts_first_in_every_street_with_the_chips_left():
    found = NoLimitEndgame("Ks9d8h4s", pot=100, stack=300, bets=[1], raises=[1]).public_rules()
    turn = after(found, "bet 100", "call")
    river = found.deals(turn)[0].next_state
    assert found.actor(river) == 0
    # The pot is 300 and each player has 200 left.
    assert found.legal_actions(river) == ("check", "all-in")
    called = after(found, "all-in", "call")
    assert found.actor(called) is None
    river = found.deals(called)[0].next_state
    assert found.actor(river) is None
    assert len(found.end(river).utilities) == 3


def test_both_players_share_the_strengths_of_a_board():
    found = NoLimitEndgame("Ks9d8h", bets=[1], stack=100, ranges="TT+").public_rules()
    state = after(found, "all-in", "call")
    one = next(d for d in found.deals(state) if d.observation == "2c").next_state
    other = next(d for d in found.deals(state) if d.observation == "3c").next_state
    ends = [
        found.end(next(d for d in found.deals(at) if d.observation == card).next_state)
        for at, card in ((one, "3c"), (other, "2c"))
    ]
    assert ends[0].strengths is ends[1].strengths
    assert ends[0].strengths[0] is ends[0].strengths[1]
