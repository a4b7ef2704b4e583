"""All histories of small games and random plays of larger ones, compared with OpenSpiel's."""

from itertools import product

import pytest

from infoset.game import parameter_text
from infoset.games import GAMES, MATRIX_GAMES
from tests.games.openspiel_lockstep import Lockstep

SMALL_SEA = "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2"
TWO_SHIPS = "battleship(board_width=2,board_height=2,ship_sizes=[1;2],ship_values=[1;2.5]"

ONE_TO_ONE = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    pytest.param("kuhn_poker(players=4)", marks=pytest.mark.long),
    pytest.param("leduc_poker", marks=pytest.mark.long),
    pytest.param("leduc_poker(starting_player=1)", marks=pytest.mark.long),
    "leduc_poker(suit_isomorphism=True,starting_player=1)",
    *(
        f"liars_dice(numdice={numdice},dice_sides={sides},bidding_rule={rule})"
        for (numdice, sides), rule in product(
            [(1, 1), (1, 2), (1, 3), (2, 2), (3, 1)], ["reset-face", "reset-quantity"]
        )
    ),
    *(
        f"goofspiel(num_cards=3,imp_info=True,points_order={order},returns_type={returns})"
        for order, returns in product(
            ["random", "descending", "ascending"],
            ["win_loss", "point_difference", "total_points"],
        )
    ),
    "goofspiel(num_cards=4,imp_info=True,points_order=ascending,returns_type=point_difference)",
    "goofspiel(num_cards=4,imp_info=True,points_order=random,num_turns=2)",
    "goofspiel(num_cards=3,imp_info=True,points_order=descending,num_turns=1,egocentric=True)",
    "goofspiel(num_cards=1,imp_info=True)",
    "goofspiel(num_cards=2,imp_info=True,egocentric=True)",
    *(
        f"goofspiel(num_cards=3,imp_info=True,points_order=descending,players=3,returns_type={returns})"
        for returns in ["win_loss", "point_difference", "total_points"]
    ),
    "trade_comm(num_items=1)",
    "trade_comm(num_items=2)",
    pytest.param("trade_comm(num_items=3)", marks=pytest.mark.long),
    *(
        f"hanabi(colors={colors},ranks={ranks},hand_size={size},max_information_tokens={tokens},"
        f"max_life_tokens={lives},players={players},observation_type={observation})"
        for colors, ranks, size, tokens, lives, players, observation in [
            (1, 2, 1, 1, 1, 2, "card_knowledge"),
            (1, 2, 1, 1, 2, 2, "minimal"),
            (1, 2, 2, 1, 1, 2, "card_knowledge"),
            (1, 2, 1, 1, 1, 3, "card_knowledge"),
            (1, 2, 1, 0, 2, 3, "minimal"),
            (1, 2, 1, 1, 1, 2, "seer"),
        ]
    ),
    f"{SMALL_SEA})",
    f"{SMALL_SEA},allow_repeated_shots=False)",
    pytest.param(
        f"{TWO_SHIPS},num_shots=2,allow_repeated_shots=False,loss_multiplier=1.5)",
        marks=pytest.mark.long,
    ),
    "battleship(board_width=2,board_height=1,ship_sizes=[2],ship_values=[3],num_shots=3,loss_multiplier=-1.0)",
    "battleship(board_width=3,board_height=1,ship_sizes=[1;2],ship_values=[1;1],num_shots=2)",
    *MATRIX_GAMES,
]


@pytest.mark.broad
@pytest.mark.parametrize("spec", ONE_TO_ONE)
def test_every_history_agrees(spec):
    both = Lockstep(spec)
    assert both.walk() > 1
    assert len(both.string_of) == len(both.infostate_of)


def test_openspiel_forgets_which_action_counted_as_a_call():
    both = Lockstep("leduc_poker(action_mapping=True,suit_isomorphism=True)", coarser="actions")
    both.walk()
    assert len(both.string_of) > len(both.infostate_of)


@pytest.mark.parametrize(
    "spec",
    [
        "goofspiel(num_cards=3,players=3,points_order=ascending)",
        "goofspiel(num_cards=3,returns_type=point_difference)",
        "goofspiel(num_cards=4,points_order=descending,returns_type=total_points,egocentric=True)",
    ],
)
def test_openspiel_forgets_the_order_of_open_bids(spec):
    Lockstep(spec, coarser="any").walk()


@pytest.mark.broad
@pytest.mark.parametrize(
    ("spec", "coarser", "num_plays"),
    [
        ("kuhn_poker(players=4)", "", 50),
        ("kuhn_poker(players=10)", "", 50),
        ("leduc_poker(players=3,starting_player=2)", "", 60),
        ("leduc_poker(players=5,suit_isomorphism=True,starting_player=3)", "", 50),
        pytest.param("leduc_poker(players=10)", "", 50, marks=pytest.mark.long),
        ("leduc_poker(players=3,action_mapping=True)", "actions", 60),
        ("liars_dice", "", 60),
        ("liars_dice(numdice=3,dice_sides=4,bidding_rule=reset-quantity)", "", 50),
        ("goofspiel", "any", 20),
        ("goofspiel(imp_info=True,num_cards=5)", "", 50),
        ("goofspiel(imp_info=True,num_cards=6,players=4,points_order=ascending)", "", 50),
        ("goofspiel(imp_info=True,num_cards=8,num_turns=4,returns_type=total_points)", "", 50),
        ("battleship", "", 3),
        (f"{TWO_SHIPS},num_shots=4,allow_repeated_shots=False)", "", 50),
        (
            "battleship(board_width=3,board_height=3,ship_sizes=[3;3;3],ship_values=[1;2;3],num_shots=12)",
            "",
            20,
        ),
        (
            "battleship(board_width=4,board_height=7,ship_sizes=[6;5],ship_values=[1;0],num_shots=28,"
            "allow_repeated_shots=False,loss_multiplier=2.0)",
            "",
            20,
        ),
        ("trade_comm", "", 25),
        ("tiny_bridge_2p", "", 30),
        ("tiny_bridge_2p(abstracted=True)", "", 30),
        ("hanabi", "", 5),
        ("hanabi(players=4,colors=3,ranks=4,observation_type=minimal)", "", 10),
        ("hanabi(players=5,colors=2,ranks=3,hand_size=2,max_life_tokens=1)", "", 20),
        ("hanabi(players=3,colors=2,ranks=3,hand_size=2,max_information_tokens=2)", "", 20),
        ("hanabi(colors=2,ranks=2,hand_size=2,observation_type=seer,seed=5)", "", 20),
    ],
)
def test_random_plays_agree(spec, coarser, num_plays):
    Lockstep(spec, coarser).sample(num_plays)


def as_openspiel(default):
    """Return a default as OpenSpiel declares it: lists as text."""
    return parameter_text(default) if isinstance(default, tuple) else default


def test_the_same_parameters_with_the_same_defaults():
    pyspiel = pytest.importorskip("pyspiel")
    for game_type in pyspiel.registered_games():
        rows = [row for row in GAMES.values() if row.openspiel_name == game_type.short_name]
        if not rows:
            assert not game_type.short_name.startswith("matrix_")
            continue
        ours = {
            parameter.name: as_openspiel(parameter.default)
            for parameter in rows[0].parameters
            if not parameter.is_addition
        }
        declared = dict(game_type.parameter_specification)
        if game_type.short_name == "dark_hex":  # takes board_size for those left out
            declared |= {"num_cols": -1, "num_rows": -1}
        if game_type.short_name == "hanabi":  # declares 0, False and nothing in place of defaults
            assert ours.keys() == declared.keys()
        else:
            assert ours == declared
