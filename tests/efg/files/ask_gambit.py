"""Record what Gambit reads in the files of this folder and in the files that infoset writes.

The answers are saved in `gambit_answers.json`. The tests compare with this file and do not need
Gambit. After a change of the writer or of a file, update the answers in a separate environment:

    python -m venv gambit
    gambit/bin/pip install pygambit==16.7.0 -e .
    gambit/bin/python tests/efg/files/ask_gambit.py --write

pygambit has no wheel for most versions of Python. Then pip builds it, which needs a C++ compiler
and takes a few minutes. Without `--write` the answers are compared with the saved ones, and
differences are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = HERE / "gambit_answers.json"
FILES = sorted((HERE / "games").glob("*.efg"))
GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=2)",
    "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
    "matrix_rps",
    "matrix_pd",
    "kuhn_poker_long",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "trick_taking(num_cards=4)",
    "dark_hex(board_size=2)",
    "random_game(seed=1)",
    "random_game(seed=2,num_players=3)",
]
SOLVED = {
    "one_card_poker.efg",
    "share_of_ten.efg",
    "kuhn_poker",
    "kuhn_poker_long",
    "liars_dice(dice_sides=2)",
    "matrix_rps",
    "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
}
"""Two-player constant-sum games with perfect recall, solved by Gambit's linear program."""

LONGEST_KEPT = 4000
"""Characters up to which the file that Gambit writes after reading is kept."""


def texts() -> dict[str, str]:
    """Return the texts by name: the files, their texts as we write them, and texts of games."""
    from infoset.efg import format_efg, load_efg
    from infoset.games import load_game

    found = {}
    for path in FILES:
        found[path.name] = path.read_text(encoding="utf-8")
        found[f"{path.name}, written"] = format_efg(load_efg(path))
    found["strange_labels.efg, plain"] = plain_text(HERE / "games" / "strange_labels.efg")
    for spec in GAMES:
        found[spec] = format_efg(load_game(spec))
    return found


def plain_text(path: Path) -> str:
    from infoset.efg import format_efg, load_efg, plain_labels

    return format_efg(plain_labels(load_efg(path)))


def digest(text: str) -> str:
    """Return a hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def ask(name: str, text: str) -> dict[str, object]:
    """Return Gambit's answers about a text."""
    import pygambit

    try:
        game = pygambit.read_efg(io.BytesIO(text.encode()))
    except ValueError as error:
        return {"sha256": digest(text), "refused": str(error)}
    answer = {
        "sha256": digest(text),
        "title": game.title,
        "players": [player.label for player in game.players],
        "nodes": len(game.nodes),
        "infosets": [len(player.infosets) for player in game.players],
        "perfect_recall": game.is_perfect_recall,
        "constant_sum": game.is_const_sum,
        "payoffs": [str(game.min_payoff), str(game.max_payoff)],
    }
    if name.removesuffix(", written") in SOLVED:
        profile = pygambit.nash.lp_solve(game, rational=True).equilibria[0]
        answer["values"] = [str(profile.payoff(player)) for player in game.players]
    rewritten = game.to_efg()
    if len(rewritten) <= LONGEST_KEPT:
        answer["rewritten"] = rewritten
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="store the answers")
    write = parser.parse_args().write
    answers = {name: ask(name, text) for name, text in texts().items()}
    if write:
        text = json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
        ANSWERS.write_text(text, encoding="utf-8")
        return
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    different = [
        name for name in answers.keys() | stored.keys() if answers.get(name) != stored.get(name)
    ]
    print("\n".join(sorted(different)) or "all as stored")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
