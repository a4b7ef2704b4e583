"""The ranges of utilities that games declare, compared with those of all plays."""

from __future__ import annotations

import pytest

from infoset.games import load_game
from infoset.tree import build_world_graph
from infoset.tree.counting import utility_range

EXACT = [
    "kuhn_poker(players=3)",
    "leduc_poker(num_ranks=2)",
    "leduc_poker(players=3,num_ranks=4,num_raises=0)",
    "liars_dice(dice_sides=2)",
    "goofspiel(num_cards=3)",
    "goofspiel(num_cards=4,num_turns=2,returns_type=point_difference)",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[3],num_shots=2)",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[3],num_shots=2,"
    "loss_multiplier=2,payoff=win_loss)",
    "dark_hex(board_size=2)",
    "trick_taking(num_cards=6)",
    "hanabi(colors=1,ranks=2,hand_size=2)",
]
WIDER = [
    # Nobody wins the last prizes, because the last bids are equal.
    "goofspiel(num_cards=3,returns_type=total_points)",
    "goofspiel(num_cards=3,players=3,returns_type=point_difference,points_order=descending)",
    "nolimit_preflop(ranges=AA,stack=[9;20],ante=[1;2],dead=3)",  # all-ins pay expected values
]
LARGE = {
    "hanabi": (0, 25),
    "phantom_ttt": (-1, 1),
    "dark_hex": (-1, 1),
    "goofspiel": (-1, 1),
    "battleship": (-5, 5),
    "trick_taking": (-1, 1),
    "nolimit_endgame(board=Ks9d8h,pot=5)": (-202.5, 202.5),
    "nolimit_endgame(board=Ks9d8h,pot=5,dead=3)": (-201, 204),
    "nolimit_preflop(dead=3)": (-10, 13),
}


@pytest.mark.broad
@pytest.mark.parametrize("name", EXACT + WIDER)
def test_the_declared_range_is_that_of_all_plays(name):
    game = load_game(name)
    declared, (low, high) = game.utility_range, utility_range(build_world_graph(game))
    assert declared[0] <= low + 1e-9
    assert high - 1e-9 <= declared[1]
    assert name in WIDER or declared == pytest.approx((low, high))


def test_games_too_large_to_explore_declare_their_range():
    assert {name: load_game(name).utility_range for name in LARGE} == LARGE
