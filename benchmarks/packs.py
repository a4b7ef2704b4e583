"""Compute the table of the packs, and the policies of the zoo.

    python benchmarks/packs.py --pack small         # the games of one pack: half a minute
    python benchmarks/packs.py --only leduc_poker   # one game (repeatable)

The script replaces rows of `src/infoset/games/packs.csv`, and files in `src/infoset/policy/zoo/` of
games whose policies are installed with the library. Games, recipes and sources are in the list
below. `infoset zoo check --pack NAME` compares the table with what it computes, and writes nothing.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from infoset.benchmark import measure_pack_entry, pack_table
from infoset.games import PACK_SIZES, PackEntry, load_pack
from infoset.policy import save_policy

SOURCE = Path(__file__).parents[1] / "src" / "infoset"
TABLE = SOURCE / "games" / "packs.csv"
ZOO = SOURCE / "policy" / "zoo"

KUHN = "game and value: Kuhn (1950)"
LEDUC = "game: Southey et al. (2005)"
DICE = "game: Lanctot (2013)"
GOOFSPIEL = "game: Lanctot (2013)"
BATTLESHIP = "game: Farina et al. (2019)"
OURS = "game: OpenSpiel"
LIBRARY = "game: this library"

SMALL_BATTLESHIP = "board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0]"

GAMES = (
    ("matrix_mp", "matrix_mp", "small", "exact", True, OURS),
    ("matrix_rps", "matrix_rps", "small", "exact", True, OURS),
    ("matrix_brps", "matrix_brps", "small", "exact", True, OURS),
    ("matrix_rpsw", "matrix_rpsw", "small", "exact", True, OURS),
    ("kuhn_poker", "kuhn_poker", "small", "exact", True, KUHN),
    ("kuhn_poker_long", "kuhn_poker_long", "small", "exact", True, KUHN),
    ("leduc_poker_2", "leduc_poker(num_ranks=2)", "small", "exact", True, LEDUC),
    ("leduc_poker", "leduc_poker", "small", "exact", True, LEDUC),
    ("liars_dice_1x2", "liars_dice(dice_sides=2)", "small", "exact", True, DICE),
    ("liars_dice_1x3", "liars_dice(dice_sides=3)", "small", "exact", True, DICE),
    ("liars_dice_1x4", "liars_dice(dice_sides=4)", "small", "exact", True, DICE),
    ("liars_dice_1x5", "liars_dice(dice_sides=5)", "small", "exact", True, DICE),
    ("goofspiel_3", "goofspiel(num_cards=3,imp_info=True)", "small", "exact", True, GOOFSPIEL),
    (
        "goofspiel_4",
        "goofspiel(num_cards=4,imp_info=True)",
        "small",
        "exact",
        True,
        GOOFSPIEL,
    ),
    (
        "goofspiel_4_descending",
        "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
        "small",
        "exact",
        True,
        GOOFSPIEL,
    ),
    ("dark_hex_2", "dark_hex(board_size=2)", "small", "exact", True, OURS),
    (
        "battleship_2x2_2",
        f"battleship({SMALL_BATTLESHIP},num_shots=2)",
        "small",
        "exact",
        True,
        BATTLESHIP,
    ),
    (
        "battleship_2x2_3",
        f"battleship({SMALL_BATTLESHIP},num_shots=3)",
        "small",
        "exact",
        True,
        BATTLESHIP,
    ),
    ("liars_dice_1x6", "liars_dice", "medium", "exact", False, DICE),
    ("liars_dice_2x3", "liars_dice(numdice=2,dice_sides=3)", "medium", "exact", False, DICE),
    ("leduc_poker_4", "leduc_poker(num_ranks=4)", "medium", "exact", False, LEDUC),
    ("leduc_poker_6", "leduc_poker(num_ranks=6)", "medium", "exact", False, LEDUC),
    (
        "goofspiel_5",
        "goofspiel(num_cards=5,imp_info=True,points_order=random,returns_type=point_difference)",
        "medium",
        "pcfr+ 10000",
        False,
        GOOFSPIEL,
    ),
    ("liars_dice_1x7", "liars_dice(dice_sides=7)", "medium", "dcfr 20000", False, DICE),
    (
        "battleship_3x2_3",
        "battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1.0],num_shots=3)",
        "medium",
        "pdcfr+ 3000",
        False,
        BATTLESHIP,
    ),
    ("liars_dice_1x8", "liars_dice(dice_sides=8)", "large", "dcfr 10000", False, DICE),
    ("trick_taking", "trick_taking", "large", "pcfr+ 3000", False, LIBRARY),
)
"""Name, game, pack, recipe, whether it is installed, and source."""


def main() -> None:
    """Compute the games that the command line chooses, and write their rows and files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", choices=PACK_SIZES)
    parser.add_argument("--only", action="append", default=[])
    chosen = parser.parse_args()
    known = {entry.name: entry for pack in PACK_SIZES for entry in load_pack(pack)}
    for name, game, pack, recipe, in_wheel, source in GAMES:
        if name in known:
            known[name] = replace(known[name], in_wheel=in_wheel, source=source)
        if chosen.pack not in (None, pack) or (chosen.only and name not in chosen.only):
            continue
        began = time.process_time()
        known[name], made = measure_pack_entry(
            name, game, pack, recipe, in_wheel=in_wheel, source=source
        )
        if in_wheel:
            save_policy(made.policy, ZOO / f"{name}.parquet", made.metadata())
        write(known)
        seconds = time.process_time() - began
        print(f"{name:24} {known[name].exploitability:10.3g} {seconds:7.1f} s", flush=True)
    write(known)


def write(known: dict[str, PackEntry]) -> None:
    """Write the table, in the order of the list."""
    entries = [known[row[0]] for row in GAMES if row[0] in known]
    TABLE.write_text(pack_table(entries), encoding="utf-8")


if __name__ == "__main__":
    main()
