"""No searcher, in any game, plays what depends on what its player cannot see."""

from __future__ import annotations

from functools import cache

import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import UnsupportedGameError
from infoset.games import GAMES, load_game
from infoset.searchers import Epimc, IsMcts, Pimc, search_model

SMALL = {
    "battleship": "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],"
    "num_shots=2)",
    "dark_hex": "dark_hex(board_size=2)",
    "goofspiel": "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "trade_comm": "trade_comm(num_items=3)",
    "trick_taking": "trick_taking(num_cards=8,hand_size=3)",
}
LONG = ("phantom_ttt",)
GAME_NAMES = [
    pytest.param(name, marks=[pytest.mark.long] if name in LONG else [])
    for name in GAMES
    if name == "matrix_rps" or not name.startswith("matrix")
]
TOO_LONG_TO_SOLVE = ("phantom_ttt", "tiny_bridge_2p")
"""Where the worlds of one decision are solved in minutes."""


@cache
def model_of(name):
    return search_model(load_game(SMALL.get(name, name)))


def check_searcher(make_searcher, name):
    """Look for leaks under the private belief and under a mixture."""
    model = model_of(name)
    for share in (0.0, 0.4):

        def make(share=share):
            belief = PublicPrivateBelief(share, max_worlds=1000, num_samples=25)
            return make_searcher(model, belief).search

        assert find_leak(model.game, make(), seed=1, num_plays=2, make_search=make) is None


@pytest.mark.parametrize("name", GAME_NAMES)
def test_tree_search_plays_what_its_player_knows(name):
    check_searcher(lambda model, belief: IsMcts(model, belief=belief, num_simulations=10), name)


@pytest.mark.parametrize(
    "name", [game for game in GAME_NAMES if game.values[0] not in TOO_LONG_TO_SOLVE]
)
@pytest.mark.parametrize("kind", [Pimc, Epimc])
def test_searching_worlds_plays_what_its_player_knows(name, kind):
    try:
        check_searcher(lambda model, belief: kind(model, belief=belief, num_worlds=5), name)
    except UnsupportedGameError as refused:
        pytest.skip(str(refused))
