"""One small instance of every game in the registry."""

from __future__ import annotations

from infoset.games import GAMES

SMALLER = {
    "battleship": "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],"
    "num_shots=2)",
    "dark_hex": "dark_hex(board_size=2)",
    "goofspiel": "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "liars_dice": "liars_dice(dice_sides=3)",
    "matrix_game": "matrix_game(row_payoffs=[[1,0],[0,2]],column_payoffs=[[1,0],[0,2]])",
    "nolimit_endgame": "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=1,"
    "ranges=['AsAh,QdQc';'KdKc,JhJd'])",
    "nolimit_preflop": "nolimit_preflop(ranges=['AA,AKs,72o';'KK,AKo:0.5'])",
    "tiny_bridge_2p": "tiny_bridge_2p(abstracted=true)",
    "trade_comm": "trade_comm(num_items=3)",
    "trick_taking": "trick_taking(num_cards=6,hand_size=2)",
}
TOO_LARGE = ("phantom_ttt",)
"""Games that have no small instance."""

SMALL_GAMES = tuple(SMALLER.get(name, name) for name in GAMES if name not in TOO_LARGE)
