"""Time what the page of `infoset explore` asks, on games that are built.

    python benchmarks/explorer_speed.py             # print
    python benchmarks/explorer_speed.py --page      # also until Chromium has drawn the page

Nothing is written. For each game: the time to build it, the values of a first policy (reach,
beliefs, values and regrets of all states at once), and then what a page asks when a public state is
opened: the state, its children, the infostates of each player and the belief matrix, as JSON. Times
are processor times on one core; times until the page is drawn are times on the clock (extra
`browser`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from report import environment, environment_text, shown, table

import infoset
from infoset.policy import TabularPolicy, uniform_policy
from infoset.tree import GameTree
from infoset.views import Explorer, PolicyValues
from infoset.web.server import json_text

GAMES = {
    "leduc_poker": "leduc_poker",
    "liar's dice": "liars_dice",
    "goofspiel 5": "goofspiel(num_cards=5,imp_info=True,points_order=descending)",
    "battleship 3x2": (
        "battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1],num_shots=3)"
    ),
}
NUM_STATES = 200
CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--page", action="store_true", help="also draw the page in Chromium")
    parser.add_argument("--games", nargs="*", choices=GAMES, default=list(GAMES))
    asked = parser.parse_args()
    header = ["game", "histories", "public states", "build", "values of a policy"]
    header += ["a state: median", "worst", "largest answer", *(["page drawn"] * asked.page)]
    print(table(header, [row(name, asked.page) for name in asked.games]))
    print("\n" + environment_text(environment()))


def row(name: str, with_page: bool = False) -> list[str]:
    """Return the row of a game."""
    kuhn = infoset.build_tree("kuhn_poker")
    seconds_of_values(kuhn, uniform_policy(kuhn.sequence_form))  # compile
    started = time.process_time()
    tree = infoset.build_tree(GAMES[name])
    build = time.process_time() - started
    policy = uniform_policy(tree.sequence_form)
    values = seconds_of_values(tree, policy)
    explorer = Explorer(tree, {"uniform": policy})
    opened(explorer, 0)
    times, sizes = zip(*(opened(explorer, state) for state in some_states(tree)), strict=True)
    return [
        name,
        f"{tree.num_histories:,}",
        f"{tree.public_tree.num_public_states:,}",
        shown(build),
        shown(values),
        shown(float(np.median(times))),
        shown(max(times)),
        f"{max(sizes) / 1000:,.0f} kB",
        *([shown(seconds_until_drawn(explorer))] if with_page else []),
    ]


def some_states(tree: GameTree) -> list[int]:
    """Return public states: some drawn uniformly, which are mostly late, and one before each."""
    rng, parent = np.random.default_rng(0), tree.public_tree.parent
    late = rng.integers(len(parent), size=NUM_STATES // 2).tolist()
    states = []
    for state in late:
        path = [state]
        while parent[path[-1]] >= 0:
            path.append(int(parent[path[-1]]))
        states += [state, path[int(rng.integers(len(path)))]]
    return states


def seconds_of_values(tree: GameTree, policy: TabularPolicy) -> float:
    """Return the seconds that all arrays of a policy take."""
    values = PolicyValues(tree, policy)
    started = time.process_time()
    for name in ("state_reach", "infostate_reach", "own_reach", "infostate_values"):
        getattr(values, name)
    _ = values.action_values, values.evaluation
    return time.process_time() - started


def opened(explorer: Explorer, state: int) -> tuple[float, int]:
    """Return the seconds that the answers about a state take, and the bytes of the largest."""
    started, largest = time.process_time(), 0
    for question in questions(explorer, state):
        largest = max(largest, len(json_text(explorer.ask(question)).encode()))
    return time.process_time() - started, largest


def questions(explorer: Explorer, state: int) -> Iterator[dict[str, Any]]:
    """Yield what the page asks when a public state is opened."""
    at = {"policy": 0, "state": state}
    yield {"ask": "state", **at}
    yield {"ask": "children", **at, "start": 0}
    for player in range(explorer.game.num_players):
        yield {"ask": "infostates", **at, "player": player, "start": 0}
    yield {"ask": "beliefs", **at, "row": 0, "column": 1}


def seconds_until_drawn(explorer: Explorer) -> float:
    """Return the time until Chromium has drawn the tree and a public state of a page."""
    from playwright.sync_api import sync_playwright

    from infoset.web import Exploration

    with Exploration(explorer) as page, sync_playwright() as playwright:
        page.start()
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        tab = browser.new_page()
        started = time.perf_counter()
        tab.goto(page.url)
        tab.get_by_role("treeitem").first.wait_for()
        tab.get_by_role("table").first.wait_for()
        taken = time.perf_counter() - started
        browser.close()
    return taken


if __name__ == "__main__":
    main()
