"""Solve no-limit hold'em spots with published trees and figures.

    python benchmarks/published_spots.py               # the spots that take seconds
    python benchmarks/published_spots.py --all         # all spots; half an hour, and 6 GB of memory
    python benchmarks/published_spots.py --spot TEXT   # only spots whose name contains TEXT
    python benchmarks/published_spots.py --write       # also update the results and the page

`published_spots.toml` lists the spots: source, tree, evidence that the tree is the same, and
published figures. Results of spots that are not solved do not change.

The method is `auto`. Flops are solved in single precision to a target in the file, other spots in
double precision to a millionth of the pot. Exploitability is measured in double precision.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from report import DOCS, replace_part, table

import infoset
from infoset.evaluation import PublicValues
from infoset.games import HOLE_CARDS, NoLimitEndgame, parse_range, parse_spot
from infoset.games.nolimit_betting import Betting
from infoset.tree import build_public_form

FILE = Path(__file__).with_suffix(".toml")
PAGE = DOCS / "solvers" / "published_spots.md"
RESULTS = Path(__file__).parent / "results" / "published_spots.json"
MEMORY = 12_000_000_000
TARGET = 1e-6
"""Default target for exploitability, as a share of the pot."""
MAX_ITERATIONS = 200_000
FREQUENCY_WITHIN = 0.01
"""Maximum difference of a frequency that is the same in all equilibria."""
START = "(start)"
COUNTS = {"decisions": "decision nodes", "chance": "chance nodes", "nodes": "nodes"}


def load_spots() -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the spots, and the published figures whose trees cannot be matched."""
    known = tomllib.loads(FILE.read_text("utf-8"))
    return known["spot"], known["gap"]


def game_of(spot: Mapping[str, Any]) -> NoLimitEndgame:
    """Return the game of a spot."""
    text = spot["tree"].strip()
    is_game = text.startswith(NoLimitEndgame.name)
    return infoset.load(text) if is_game else parse_spot(text, name=spot["name"])


def count_nodes(game: NoLimitEndgame) -> Counter[str]:
    """Return the numbers of decision nodes, chance nodes and all nodes, without merging suits.

    Each betting line is visited once, and counted once for every deal of cards before it.
    """
    rules = game.rules.betting
    dealt = len(game.board) // 2
    found: Counter[str] = Counter()

    def visit(betting: Betting) -> None:
        boards = 1
        for street in range(betting.street):
            boards *= 52 - dealt - street
        is_showdown = betting.street == len(rules.streets) - 1
        if betting.turn is not None:
            found["decisions"] += boards
            for after in rules.actions(betting).values():
                visit(after)
        elif betting.folded is None and not is_showdown:
            found["chance"] += boards
            visit(rules.next_street(betting))
        found["nodes"] += boards

    visit(game.rules.initial_state().betting)
    return found


def solved(spot: Mapping[str, Any]) -> dict[str, Any]:
    """Return infoset's results for a spot: the exploitability, and a number for each figure."""
    game = game_of(spot)
    form = build_public_form(game, memory=MEMORY)
    precision = "float32" if "target" in spot else "float64"
    target = spot.get("target", TARGET) * game.pot
    result = infoset.solve(form, target=target, precision=precision, iterations=MAX_ITERATIONS)
    values = PublicValues(result.policy)
    figures = [computed(figure, game, values) for figure in spot["figures"]]
    return {"exploitability": result.exploitability, "figures": figures}


def computed(figure: Mapping[str, Any], game: NoLimitEndgame, values: PublicValues) -> float:
    """Return infoset's number for a published figure."""
    form, what = values.public_form, figure["what"]
    if what in COUNTS:
        return count_nodes(game)[what]
    if what == "iterations":
        return infoset.solve(form, "dcfr", iterations=figure["iterations"]).exploitability
    node = form.find_line(figure.get("line", START))[0]
    player = int(form.player[node])
    weights = values.belief(node, player)
    if "hand" in figure:
        chosen = dict(zip(HOLE_CARDS, parse_range(figure["hand"]), strict=True))
        weights = weights * [chosen[str(hand)] for hand in form.hands[player]]
        weights /= weights.sum()
    if what == "frequency":
        action = form.legal_actions(node).index(figure["action"])
        return float(values.policy.at_node(node)[action] @ weights)
    share = game.pot / 2 if figure.get("with_pot") else 0.0
    return float(values.values(node, 0) @ weights) + share


def allowed(figure: Mapping[str, Any], exploitability: float) -> float | None:
    """Return the maximum difference from a published figure; None if it is not checked.

    A player's value in a profile differs from that of the game by at most the larger gain of a best
    response, and this is at most twice the exploitability. Half a unit of the last digit is added.
    """
    if figure.get("free"):
        return None
    if figure["what"] in COUNTS:
        return 0.0
    if figure["what"] == "frequency":
        return FREQUENCY_WITHIN
    digit = 10.0 ** int(Decimal(repr(figure["published"])).as_tuple().exponent)
    return figure.get("within", 2 * (figure.get("exploitability", 0) + exploitability) + digit / 2)


def page_part(results: Mapping[str, Any]) -> str:
    """Return the tables of the page: figures, and spots that cannot be matched."""
    spots, gaps = load_spots()
    rows = []
    for spot in spots:
        name = f"[{spot['name']}]({spot['url']})" if "url" in spot else spot["name"]
        found = results.get(spot["name"], {"figures": [None] * len(spot["figures"])})
        pot = game_of(spot).pot
        for figure, number in zip(spot["figures"], found["figures"], strict=True):
            theirs, ours = published_text(figure), "not solved"
            if number is not None:
                ours = number_text(figure, number)
                if figure["what"] == "value":
                    ours += error_text(found["exploitability"], pot)
            if "exploitability" in figure:
                theirs += error_text(figure["exploitability"], pot)
            rows.append([name, figure_text(figure), theirs, ours])
            name = ""
    header = ["spot", "figure", "published", "infoset"]
    lacking = [[f"[{gap['name']}]({gap['url']})", gap["published"], gap["missing"]] for gap in gaps]
    return f"{table(header, rows)}\n\n{table(['not matched', 'published', 'missing'], lacking)}"


def figure_text(figure: Mapping[str, Any]) -> str:
    """Return the description of a figure."""
    what = figure["what"]
    if what == "iterations":
        text = f"exploitability, {figure['iterations']:,} iterations"
    elif what == "frequency":
        text = " ".join(filter(None, (figure.get("hand"), figure["action"])))
        text += f" after `{figure['line']}`" if "line" in figure else ""
    else:
        text = COUNTS.get(what, what)
        text += f" of {figure['hand']}" if "hand" in figure else ""
    return f"{text} ({figure['by']})" if "by" in figure else text


def published_text(figure: Mapping[str, Any]) -> str:
    """Return a published figure as the source prints it."""
    return figure.get("printed", f"{figure['published']:,}").replace("-", "−")


def number_text(figure: Mapping[str, Any], number: float) -> str:
    """Return infoset's number with about as many digits as the published one."""
    if figure["what"] in COUNTS:
        return f"{number:,}"
    text = f"{number:.5f}" if figure["what"] == "value" else f"{number:.4f}"
    return text.replace("-", "−")


def error_text(exploitability: float, pot: float) -> str:
    """Return an exploitability in percent of the pot, in parentheses."""
    percent = 100 * exploitability / pot
    return " (<0.001%)" if percent < 0.001 else f" ({percent:.2g}%)"


def load_results() -> dict[str, Any]:
    """Return the stored results by spot."""
    return json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}


def main() -> None:
    """Solve spots, print the tables, and update the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="solve all spots")
    parser.add_argument("--spot", help="solve the spots whose name contains this text")
    parser.add_argument("--write", action="store_true", help="update the results and the page")
    arguments = parser.parse_args()
    results = load_results()
    for spot in load_spots()[0]:
        is_named = arguments.spot is not None and arguments.spot in spot["name"]
        if is_named or arguments.all or (arguments.spot is None and spot["cost"] != "long"):
            results[spot["name"]] = solved(spot)
            if arguments.write:
                RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(page_part(results))
    if arguments.write:
        page = replace_part(PAGE.read_text("utf-8"), "published_spots.py", page_part(results))
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
