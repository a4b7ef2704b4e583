"""One play of each game, as people read it, and the rules of the model on all of them."""

import pytest
from game_walker import play

from infoset.game import check_game, transcript
from infoset.games import load_game


def cards(*dealt):
    return lambda world: world.cards == dealt


def board(card):
    return lambda world: world.board == card


def hands(*rolled):
    return lambda world: world.hands == rolled


def prize(value):
    return lambda world: world.prize == value


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
1. nature         | player 0 sees Q | player 1 sees A | player 2 sees J
2. player 0: pass | all see pass
3. player 1: bet  | all see bet
4. player 2: pass | all see pass
5. player 0: bet  | all see bet,Q,A,-
end: player 0 gets -2, player 1 gets +3, player 2 gets -1""",
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
1. nature          | player 0 sees Js | player 1 sees Kh
2. player 0: call  | all see call
3. player 1: raise | all see raise
4. player 0: call  | all see call
5. nature          | all see Jh
6. player 0: raise | all see raise
7. player 1: raise | all see raise
8. player 0: call  | all see call,Js,Kh
end: player 0 gets +11, player 1 gets -11""",
    ),
    "liars_dice(numdice=2)": (
        [hands((3, 4), (2, 6)), ("1-2", None), (None, "3-2"), ("liar", None)],
        """
1. nature         | player 0 sees 3,4 | player 1 sees 2,6
2. player 0: 1-2  | all see 1-2
3. player 1: 3-2  | all see 3-2
4. player 0: liar | all see liar,player 0 wins
end: player 0 gets +1, player 1 gets -1""",
    ),
    "goofspiel(imp_info=True,num_cards=3,returns_type=point_difference)": (
        [prize(2), ((3, 1), prize(3)), ((1, 2), prize(0))],
        """
1. nature                   | all see prize 2
2. player 0: 3, player 1: 1 | all see player 0 wins; prize 3 | player 0 gets +1, player 1 gets -1
3. player 0: 1, player 1: 2 | all see player 1 wins; last prize 1: player 1 wins | \
player 0 gets -2, player 1 gets +2
end: player 0 gets -1, player 1 gets +1""",
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
        "leduc_poker",
        "leduc_poker(action_mapping=True,suit_isomorphism=True)",
        "leduc_poker(num_ranks=2,num_suits=3,num_raises=1)",
        "liars_dice(numdice=2,dice_sides=2,bidding_rule=reset-quantity)",
        "goofspiel(num_cards=3)",
        "goofspiel(num_cards=3,players=3,imp_info=True,points_order=ascending)",
        "matrix_brps",
    ],
)
def test_no_rule_of_the_model_is_broken(spec):
    report = check_game(load_game(spec), max_histories=20_000, max_samples=5_000)
    assert report.is_complete
