"""A transcript of each game, and the rules of the model on all games."""

import pytest

from infoset.game import check_game, transcript
from infoset.games import load_game
from tests.games.game_walker import play


def cards(*dealt):
    return lambda world: world.cards == dealt


def board(card):
    return lambda world: world.board == card


def hands(*rolled):
    return lambda world: world.hands == rolled


def prize(value):
    return lambda world: world.prize == value


def items(*dealt):
    return lambda world: world.items == dealt


def draws(player, card):
    return lambda world: world.hands[player][-1] == card


def any_world(world):
    return True


def dealt(cards):
    return lambda world: world.state.dealt == cards


PLAYS = {
    "kuhn_poker(players=3)": (
        [
            cards("Q", "A", "J"),
            ("pass", None, None),
            (None, "bet", None),
            (None, None, "pass"),
            ("bet", None, None),
        ],
        """
1. chance         | player 0 sees Q | player 1 sees A | player 2 sees J
2. player 0: pass | all see pass
3. player 1: bet  | all see bet
4. player 2: pass | all see pass
5. player 0: bet  | all see bet,Q,A,-
end: player 0 gets -2, player 1 gets +3, player 2 gets -1""",
    ),
    "nolimit_endgame(board=Ks9d8h4s,ranges=[AhKd;QsQc])": (
        [
            any_world,
            ("check", None),
            (None, "bet 50"),
            ("call", None),
            dealt("2c"),
            ("bet 100", None),
            (None, "all-in"),
            ("fold", None),
        ],
        """
1. chance            | player 0 sees AhKd | player 1 sees QsQc
2. player 0: check   | all see check
3. player 1: bet 50  | all see bet 50
4. player 0: call    | all see call
5. chance            | all see 2c
6. player 0: bet 100 | all see bet 100
7. player 1: all-in  | all see all-in
8. player 0: fold    | all see fold
end: player 0 gets -200, player 1 gets +200""",
    ),
    "leduc_poker": (
        [
            cards("Js", "Kh"),
            ("call", None),
            (None, "raise"),
            ("call", None),
            board("Jh"),
            ("raise", None),
            (None, "raise"),
            ("call", None),
        ],
        """
1. chance          | player 0 sees Js | player 1 sees Kh
2. player 0: call  | all see call
3. player 1: raise | all see raise
4. player 0: call  | all see call
5. chance          | all see Jh
6. player 0: raise | all see raise
7. player 1: raise | all see raise
8. player 0: call  | all see call,Js,Kh
end: player 0 gets +11, player 1 gets -11""",
    ),
    "liars_dice(numdice=2)": (
        [hands((3, 4), (2, 6)), ("1-2", None), (None, "3-2"), ("liar", None)],
        """
1. chance         | player 0 sees 3,4 | player 1 sees 2,6
2. player 0: 1-2  | all see 1-2
3. player 1: 3-2  | all see 3-2
4. player 0: liar | all see liar,player 0 wins
end: player 0 gets +1, player 1 gets -1""",
    ),
    "goofspiel(imp_info=True,num_cards=3,returns_type=point_difference)": (
        [prize(2), ((3, 1), prize(3)), ((1, 2), prize(0))],
        """
1. chance                   | all see prize 2
2. player 0: 3, player 1: 1 | all see player 0 wins; prize 3 | player 0 gets +1, player 1 gets -1
3. player 0: 1, player 1: 2 | all see player 1 wins; last prize 1: player 1 wins | \
player 0 gets -2, player 1 gets +2
end: player 0 gets -1, player 1 gets +1""",
    ),
    "kuhn_poker_long": (
        [
            ("ante", None),
            (None, "ante"),
            lambda world: world.cards[0] == "Q",
            lambda world: world.cards[1] == "K",
            ("bet", None),
            (None, "call"),
            lambda world: True,
        ],
        """
1. player 0: ante | all see ante | player 0 gets -1
2. player 1: ante | all see ante | player 1 gets -1
3. chance         | all see card to player 0 | player 0 sees Q
4. chance         | all see card to player 1 | player 1 sees K
5. player 0: bet  | all see bet | player 0 gets -1
6. player 1: call | all see call | player 1 gets -1
7. chance         | all see Q,K | player 1 gets +4
end: player 0 gets -2, player 1 gets +2""",
    ),
    "trick_taking(num_cards=6,num_suits=2)": (
        [
            hands(0b001101, 0b110010),
            ("Ks", None),
            (None, "Qs"),
            ("Js", None),
            (None, "Qh"),
            ("Jh", None),
            (None, "Kh"),
        ],
        """
1. chance       | player 0 sees Js,Ks,Jh | player 1 sees Qs,Qh,Kh
2. player 0: Ks | all see Ks
3. player 1: Qs | all see Qs,player 0 takes the trick
4. player 0: Js | all see Js
5. player 1: Qh | all see Qh,player 0 takes the trick
6. player 0: Jh | all see Jh
7. player 1: Kh | all see Kh,player 1 takes the trick
end: player 0 gets +1, player 1 gets -1""",
    ),
    "battleship(board_width=2,board_height=2,ship_sizes=[1;2],ship_values=[1.0;2.0],num_shots=3)": (
        [
            ("h_0_0", None),
            (None, "h_1_0"),
            ("h_1_0", None),
            (None, "v_0_1"),
            ("1_0", None),
            (None, "1_1"),
            ("1_0", None),
            (None, "0_1"),
            ("0_1", None),
            (None, "0_0"),
        ],
        """
 1. player 0: h_0_0
 2. player 1: h_1_0
 3. player 0: h_1_0
 4. player 1: v_0_1
 5. player 0: 1_0   | all see 1_0,sunk
 6. player 1: 1_1   | all see 1_1,hit
 7. player 0: 1_0   | all see 1_0,sunk
 8. player 1: 0_1   | all see 0_1,water
 9. player 0: 0_1   | all see 0_1,hit
10. player 1: 0_0   | all see 0_0,sunk
end: player 0 gets 0, player 1 gets 0""",
    ),
    "cooperative_matching_pennies": (
        [lambda world: world.coin == "tails", ("tails", None), (None, "tails")],
        """
1. chance          | player 0 sees tails
2. player 0: tails | all see tails
3. player 1: tails | all see tails,coin tails
end: player 0 gets +1, player 1 gets +1""",
    ),
    "trade_comm(num_items=3)": (
        [items(2, 0), ("say 2", None), (None, "say 1"), ("2:1", None), (None, "0:2")],
        """
1. chance          | player 0 sees 2 | player 1 sees 0
2. player 0: say 2 | all see say 2
3. player 1: say 1 | all see say 1
4. player 0: 2:1
5. player 1: 0:2   | all see 2:1,0:2,no trade
end: player 0 gets 0, player 1 gets 0""",
    ),
    "tiny_bridge_2p": (
        [
            hands(("HK", "HJ"), ("SQ", "HA")),
            ("Pass", None),
            (None, "1H"),
            ("2H", None),
            (None, "Pass"),
        ],
        """
1. chance         | player 0 sees HKHJ | player 1 sees SQHA
2. player 0: Pass | all see Pass
3. player 1: 1H   | all see 1H
4. player 0: 2H   | all see 2H
5. player 1: Pass | all see Pass
end: player 0 gets +30, player 1 gets +30""",
    ),
    "hanabi(players=3,colors=2,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1)": (
        [
            hands(("R1",), ("Y1",), ("Y2",)),
            ("tell 1 Y", None, None),
            ((None, "play 0", None), draws(1, "R2")),
            ((None, None, "discard 0"), draws(2, "Y1")),
            (("play 0", None, None), draws(0, "R1")),
            (None, "tell 2 Y", None),
            (None, None, "play 0"),
        ],
        """
1. chance              | player 0 and player 1 see Y2 | player 0 and player 2 see Y1 | \
player 1 and player 2 see R1
2. player 0: tell 1 Y  | all see tell 1 Y: 0
3. player 1: play 0    | all see play 0: Y1 | player 0 and player 2 see R2 | \
player 0 gets +1, player 1 gets +1, player 2 gets +1
4. player 2: discard 0 | all see discard 0: Y2 | player 0 and player 1 see Y1
5. player 0: play 0    | all see play 0: R1 | player 1 and player 2 see R1 | \
player 0 gets +1, player 1 gets +1, player 2 gets +1
6. player 1: tell 2 Y  | all see tell 2 Y: 0
7. player 2: play 0    | all see play 0: Y1 | \
player 0 gets -2, player 1 gets -2, player 2 gets -2
end: player 0 gets 0, player 1 gets 0, player 2 gets 0""",
    ),
    "matrix_bos": (
        [("Bach", "Bach")],
        """
1. player 0: Bach, player 1: Bach | all see Bach,Bach
end: player 0 gets +3, player 1 gets +2""",
    ),
}


@pytest.mark.parametrize("spec", PLAYS)
def test_golden_transcript(spec):
    moves, text = PLAYS[spec]
    assert transcript(play(load_game(spec), *moves)) == spec + text


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn_poker(players=3)",
        "leduc_poker(num_ranks=2)",
        "leduc_poker(num_ranks=2,action_mapping=True,suit_isomorphism=True)",
        pytest.param("leduc_poker", marks=pytest.mark.long),
        pytest.param("leduc_poker(num_ranks=2,num_suits=3,num_raises=1)", marks=pytest.mark.long),
        "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=2,rake=0.05,"
        "ranges=['QhQd,AhQh:0.5,9h8d';'AhAd,9h9c:0.25,Td9c'])",
        "liars_dice(numdice=2,dice_sides=2,bidding_rule=reset-quantity)",
        "goofspiel(num_cards=3)",
        "goofspiel(num_cards=3,players=3,imp_info=True,points_order=ascending)",
        "kuhn_poker_long",
        "trick_taking(num_cards=6,num_suits=2,hand_size=2)",
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
        "battleship(board_width=3,board_height=1,ship_sizes=[2],ship_values=[1],num_shots=-1,"
        "allow_repeated_shots=False,payoff=win_loss)",
        "cooperative_matching_pennies",
        "trade_comm(num_items=2,num_messages=2)",
        "hanabi(colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1)",
        "hanabi(players=3,colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1,"
        "random_start_player=True,observation_type=seer)",
        "matrix_brps",
    ],
)
def test_no_rule_of_the_model_is_broken(spec):
    report = check_game(load_game(spec), max_histories=20_000, max_samples=2_000)
    assert report.is_complete
