"""Time OpenSpiel's CFR+ on games of infoset, by each way in which OpenSpiel can get them.

    python benchmarks/openspiel_speed.py            # print the table
    python benchmarks/openspiel_speed.py --write    # also update docs/import-export.md

Every run makes the game from a game tree that is already built, runs `pyspiel.CFRPlusSolver`, and
measures the average policy by `pyspiel.nash_conv`. Runs of different ways alternate, and the
fastest counts. All ways must find the same NashConv. Simultaneous moves are made one after another
by OpenSpiel's `convert_to_turn_based`. On an idle machine of two cores, it takes five minutes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from math import isclose
from pathlib import Path
from typing import Any

import pyspiel
from report import DOCS, environment, environment_text, replace_part, shown, table, timed

from infoset.efg import save_efg
from infoset.games import load_game
from infoset.interop import to_openspiel
from infoset.tree import GameTree, build_tree

PAGE = DOCS / "import-export.md"
RESULTS = Path(__file__).parent / "results" / "openspiel_speed.json"
GAMES = ("leduc_poker", "liars_dice(dice_sides=5)", "goofspiel(num_cards=4,imp_info=True)")
ITERATIONS = 50
ROUNDS = 2


def sequential(game: Any) -> Any:
    """Return a game with its simultaneous moves made one after another."""
    is_joint = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if is_joint else game


def through_file(tree: GameTree) -> Any:
    """Return the game that OpenSpiel reads from an .efg file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.efg"
        save_efg(tree, path)
        return pyspiel.load_game("efg_game", {"filename": str(path)})


WAYS: dict[str, Callable[[GameTree], Any]] = {
    "OpenSpiel's own game": lambda tree: sequential(pyspiel.load_game(str(tree.game))),
    "`save_efg`, `efg_game`": through_file,
    "`to_openspiel(game)`": lambda tree: sequential(to_openspiel(tree)),
    "cached tree": lambda tree: pyspiel.convert_to_cached_tree(
        sequential(to_openspiel(tree, cached=False))
    ),
    "`to_openspiel(game, cached=False)`": lambda tree: sequential(to_openspiel(tree, cached=False)),
}
"""How OpenSpiel gets a game; names are headers of the table."""


def solve(game: Any) -> float:
    """Run CFR+ and return the NashConv of its average policy."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(ITERATIONS):
        solver.evaluate_and_update_policy()
    return float(pyspiel.nash_conv(game, solver.average_policy()))


def measured(name: str) -> dict[str, Any]:
    """Return the seconds of each way on a game."""
    tree = build_tree(load_game(name))
    best: dict[str, dict[str, float]] = {}
    values = []
    for _ in range(ROUNDS):
        for way, make in WAYS.items():
            game, making = timed(lambda make=make: make(tree))
            value, solving = timed(lambda game=game: solve(game))
            values.append(value)
            before = best.get(way, {"make": making, "solve": solving})
            best[way] = {
                "make": min(making, before["make"]),
                "solve": min(solving, before["solve"]),
            }
    if not all(isclose(value, values[0], rel_tol=1e-6) for value in values):
        raise RuntimeError(f"{name}: NashConv differs between the ways: {values}")
    return {"game": name, "histories": tree.num_histories, "seconds": best}


def page_part(found: dict[str, Any]) -> str:
    """Return the part of the page: the machine, and a table of the times."""
    rows = [
        [
            f"`{row['game']}`",
            f"{row['histories']:,}",
            *(
                f"{shown(row['seconds'][way]['make'] + row['seconds'][way]['solve'])}"
                for way in WAYS
            ),
        ]
        for row in found["games"]
    ]
    made = table(["game", "histories", *WAYS], rows)
    return f"{made}\n\n{environment_text(found['environment'])} OpenSpiel {found['openspiel']}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update the page and the results")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"environment": environment(), "openspiel": version("open-spiel")}
    found["games"] = [measured(name) for name in GAMES]
    print(page_part(found))
    if arguments.write:
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            replace_part(text, "openspiel_speed.py", page_part(found)), encoding="utf-8"
        )
