"""Draw a small instance of each game for its page, except Kuhn poker, which other pages draw.

    python docs/games/draw_games.py

The pictures are `infoset draw` with these games, views and depths.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from infoset.plotting import draw

FOLDER = Path(__file__).parent


class Shown(NamedTuple):
    """What a picture shows."""

    game: str
    view: str = "history"
    depth: int | None = None


PICTURES = {
    "bandit_tree": Shown("bandit_tree(depth=2,branching=2)"),
    "battleship": Shown(
        "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=1)"
    ),
    "cooperative_matching_pennies": Shown("cooperative_matching_pennies"),
    "dark_hex": Shown("dark_hex(board_size=2)", depth=2),
    "goofspiel": Shown(
        "goofspiel(num_cards=3,imp_info=True,points_order=descending)", depth=1
    ),
    "hanabi": Shown(
        "hanabi(players=2,colors=1,ranks=2,hand_size=1,max_information_tokens=1)",
        depth=3,
    ),
    "kuhn_poker_long": Shown("kuhn_poker_long", "public"),
    "leduc_poker": Shown("leduc_poker", "public", 3),
    "liars_dice": Shown("liars_dice(dice_sides=2)"),
    "matrix_games": Shown("matrix_rps", "payoffs"),
    "phantom_ttt": Shown(
        "phantom_ttt(num_rows=2,num_cols=2,line_length=2)", depth=2
    ),
    "random_game": Shown("random_game(seed=3,num_players=2,max_histories=20)"),
    "tiny_bridge_2p": Shown("tiny_bridge_2p(abstracted=True)", "public", 3),
    "trade_comm": Shown("trade_comm(num_items=2,num_messages=1)", depth=3),
    "trick_taking": Shown("trick_taking(num_cards=4,num_suits=2)", depth=3),
}


def main() -> None:
    """Write the pictures beside the pages."""
    for name, shown in PICTURES.items():
        drawing = draw(shown.game, shown.view, depth=shown.depth, max_nodes=60)
        drawing.save(FOLDER / f"{name}.svg")


if __name__ == "__main__":
    main()
