"""Load OpenSpiel's games of imperfect information, and write the tables of the docs.

    python -m pip install -e '.[test]'
    python benchmarks/openspiel_games.py            # print
    python benchmarks/openspiel_games.py --write    # also update the tables in docs/openspiel.md

Every game that OpenSpiel classifies as one of imperfect information is tried, with the parameters
below or with its defaults. Each game has its own process and `MAX_SECONDS`, so that a game that
crashes or hangs only affects its own row. The full run takes about five minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyspiel
from report import DOCS, replace_part

import infoset
from infoset.errors import InfosetError
from infoset.interop import load_openspiel

PAGE = DOCS / "openspiel.md"

MAX_HISTORIES = 120_000
"""Maximum number of histories for a game with the parameters below.

For a game with its default parameters it is `MAX_BY_DEFAULT`.
"""
MAX_BY_DEFAULT = 20_000
MAX_SECONDS = 60.0

SMALL = """
kuhn_poker
kuhn_poker(players=3)
kuhn_poker(players=4)
leduc_poker
leduc_poker(suit_isomorphism=True)
leduc_poker(action_mapping=True)
repeated_leduc_poker(num_hands=1,suit_isomorphism=True)
coordinated_mp
goofspiel(imp_info=True,num_cards=3)
goofspiel(imp_info=True,num_cards=4,points_order=descending)
goofspiel(imp_info=True,num_cards=4)
goofspiel(imp_info=True,num_cards=3,players=3,points_order=descending)
liars_dice(dice_sides=3)
liars_dice(dice_sides=4)
liars_dice(numdice=2,dice_sides=2)
liars_dice_ir(dice_sides=3)
tiny_hanabi
tiny_bridge_2p
trade_comm(num_items=2)
lewis_signaling
first_sealed_auction(max_value=4)
first_sealed_auction(max_value=3,players=3)
battleship(board_height=2,board_width=2,ship_sizes=[1;2],ship_values=[1;2],num_shots=2)
sheriff
sheriff(max_items=2,max_bribe=2,num_rounds=2)
dark_hex(board_size=2)
dark_hex(board_size=2,gameversion=adh)
dark_hex_ir(board_size=2)
bargaining(max_turns=2,max_num_instances=3)
chat_game
go_fish(players=2,ranks=2,suits=2,initial_cards=1)
oh_hell(players=3,num_suits=1,num_cards_per_suit=4,num_tricks_fixed=1)
universal_poker(numRounds=1,blind=1 1,stack=2 2,firstPlayer=1,numSuits=1,numRanks=3,\
numBoardCards=0,bettingAbstraction=fullgame)
hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)
coin_game(columns=2,rows=2,episode_length=2,players=2,num_coins_per_color=1,\
num_extra_coin_colors=0)
coop_box_pushing(horizon=2)
laser_tag(horizon=1,fully_obs=False)
phantom_go(board_size=2,max_game_length=4)
deep_sea(size=4)
add_noise(game=kuhn_poker,epsilon=1.0,seed=1)
cached_tree(game=kuhn_poker)
coop_to_1p(game=tiny_hanabi)
misere(game=kuhn_poker)
restricted_nash_response(game=kuhn_poker)
start_at(game=kuhn_poker,history=0;1)
turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))
zerosum(game=tiny_hanabi)
python_kuhn_poker
python_liars_poker(hand_length=1,num_digits=2)
matrix_mp
matching_pennies_3p
blotto(coins=3)
""".strip().splitlines()


def specs() -> Iterator[tuple[str, int]]:
    """Yield the games to try and the maximum number of histories of each."""
    yield from ((spec, MAX_HISTORIES) for spec in SMALL)
    import_module("open_spiel.python.games")
    tried = {spec.partition("(")[0] for spec in SMALL}
    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    for game_type in pyspiel.registered_games():
        if game_type.information == hidden and game_type.short_name not in tried:
            yield game_type.short_name, MAX_BY_DEFAULT


def measure(spec: str, max_histories: int) -> dict[str, Any]:
    """Load a game and count its histories, or return the reason why this fails."""
    try:
        game = load_openspiel(spec)
        info = infoset.info(game, max_worlds=max_histories, max_seconds=MAX_SECONDS)
    except InfosetError as error:
        return {"failure": str(error).partition("; ")[0]}
    if info.acting_infostates is None:
        return {"more_than": rounded(info.histories)}
    return {
        "histories": info.histories,
        "acting": info.acting_infostates,
        "source": source(game),
        "notes": [
            word
            for word, text in (
                ("recall", "violate perfect recall"),
                ("time", "hide the number of moves"),
            )
            if any(text in note for note in info.notes)
        ],
    }


def rounded(count: int) -> int:
    """Return a count, rounded down to thousands if it is at least a thousand."""
    return count // 1000 * 1000 or count


def source(game: Any) -> str:
    """Return the kind of OpenSpiel's strings that the players of a game observe."""
    notes = " ".join(game.notes)
    if "observation strings after every move" in notes:
        return "observations"
    if "Players see OpenSpiel's information-state strings" in notes:
        return "strings"
    kinds = pyspiel.GameType.Information
    shown = game.pyspiel_game.get_type().information
    return "moves" if shown in (kinds.ONE_SHOT, kinds.PERFECT_INFORMATION) else "observers"


def measured_apart(spec: str, max_histories: int) -> dict[str, Any]:
    """Measure a game in a separate process."""
    command = [sys.executable, __file__, "--measure", spec, str(max_histories)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=2 * MAX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failure": f"one of its positions takes longer than {MAX_SECONDS:.0f} seconds"}
    if done.returncode:
        return {"failure": "OpenSpiel crashes while it is explored"}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def tables() -> str:
    """Return the games that were counted, those that are too large, and others with the reason."""
    counted, others = [], []
    too_large: dict[str, int] = {}
    for spec, max_histories in specs():
        row = measured_apart(spec, max_histories)
        sys.stderr.write(f"{spec}: {row}\n")
        if "failure" in row:
            others.append(f"| `{spec}` | {row['failure']} |")
        elif "more_than" in row:
            too_large[spec] = row["more_than"]
        else:
            acting = ", ".join(f"{number:,}" for number in row["acting"])
            counted.append(
                f"| `{spec}` | {row['histories']:,} | {acting} "
                f"| {row['source']} | {', '.join(row['notes'])} |".replace("|  |", "| |")
            )
    return "\n".join(
        [
            f"With OpenSpiel {version('open_spiel')}:\n",
            "| game | histories | acting infostates | seen by | notes |",
            "|---|---|---|---|---|",
            *counted,
            f"\nMore than {min(too_large.values()):,} histories, with OpenSpiel's defaults: "
            f"{', '.join(f'`{spec}`' for spec in too_large)}.\n",
            "The others:\n",
            "| game | what happens |",
            "|---|---|",
            *others,
            "",
        ]
    )


def main() -> None:
    """Print the tables, and write them if requested."""
    parser = argparse.ArgumentParser(description="The tables of docs/openspiel.md.")
    parser.add_argument("--write", action="store_true", help=f"replace the tables in {PAGE.name}")
    parser.add_argument(
        "--measure", nargs=2, metavar=("GAME", "HISTORIES"), help="measure only this game"
    )
    arguments = parser.parse_args()
    if arguments.measure:
        spec, max_histories = arguments.measure
        print(json.dumps(measure(spec, int(max_histories))))
        return
    text = tables()
    print(text)
    if arguments.write:
        page = replace_part(PAGE.read_text(encoding="utf-8"), Path(__file__).name, text)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
