"""Time what the page of `infoset explore` asks, at the client, on games that are built.

    python benchmarks/explorer_speed.py             # print
    python benchmarks/explorer_speed.py --page      # also until Chromium has drawn the page
    python benchmarks/explorer_speed.py --page --write   # also update docs/explore.md

For each game, the page is served by a process of its own. It reports the processor time of building
the game and of the values of a first policy (reach, beliefs, values and regrets of all states at
once). Then this process asks over HTTP what a page asks when a public state is opened: the state,
its children, the infostates of each player and what a player who acts believes, one after the other
on one connection. These times, and those until the page is drawn (extra `browser`), are times on
the clock from the question to the end of the answer.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from report import DOCS, environment, environment_text, replace_part, shown, table

import infoset
from infoset.policy import TabularPolicy, uniform_policy
from infoset.tree import GameTree
from infoset.views import TreePlaces
from infoset.web import Exploration, make_explorer
from infoset.web.guard import TOKEN_HEADER

PAGE = DOCS / "explore.md"
RESULTS = Path(__file__).parent / "results" / "explorer_speed.json"
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
    """Measure, print and, if asked, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--page", action="store_true", help="also draw the page in Chromium")
    parser.add_argument("--games", nargs="*", choices=GAMES, default=list(GAMES))
    parser.add_argument("--write", action="store_true", help="update the page and the results")
    parser.add_argument("--serve", metavar="GAME", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.serve)
        return
    rows = [row(name, asked.page) for name in asked.games]
    found = {"environment": environment(), "load": os.getloadavg()[0], "rows": rows}
    print(page_part(found))
    if asked.write:
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(text, "explorer_speed.py", page_part(found)), encoding="utf-8")


def page_part(found: dict[str, Any]) -> str:
    """Return the part of the page: the machine, and a table of the games."""
    header = ["game", "histories", "public states", "build", "values of a policy"]
    header += ["a question: median", "a state: median", "95 %", "largest answer", "page drawn"]
    lines = [
        [
            one["game"],
            f"{one['histories']:,}",
            f"{one['public_states']:,}",
            *(shown(one[name]) for name in ("build", "values", "question", "median", "late")),
            f"{one['bytes'] / 1000:,.0f} kB",
            "-" if one["drawn"] is None else shown(one["drawn"]),
        ]
        for one in found["rows"]
    ]
    load = f"The load of the machine was {found['load']:.1f}."
    return f"{environment_text(found['environment'])} {load}\n\n{table(header, lines)}"


def row(name: str, with_page: bool = False) -> dict[str, Any]:
    """Return the measurements of a game."""
    with served(name) as about, closing(Client(about["url"])) as client:
        opened = [client.open(state) for state in about["states"]]
        drawn = seconds_until_drawn(about["url"]) if with_page else None
    states = [sum(times) for times, _ in opened]
    return {
        "game": name,
        **{key: about[key] for key in ("histories", "public_states", "build", "values")},
        "question": float(np.median([time for times, _ in opened for time in times])),
        "median": float(np.median(states)),
        "late": float(np.percentile(states, 95)),
        "bytes": max(size for _, size in opened),
        "drawn": drawn,
    }


@contextmanager
def served(name: str) -> Iterator[dict[str, Any]]:
    """Serve a game in a process of its own while the block runs, and yield what it reports."""
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", name]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()  # ends its input, at which it ends


def serve(name: str) -> None:
    """Build a game, serve its page, and report until the input ends."""
    for _ in range(2):  # the first time also loads compiled kernels
        started = time.process_time()
        tree = infoset.build_tree(GAMES[name])
        build = time.process_time() - started
        policy = uniform_policy(tree.sequence_form)
        values = seconds_of_values(tree, policy)
    report = {
        "histories": tree.num_histories,
        "public_states": tree.public_tree.num_public_states,
        "states": [[*questions(tree, state)] for state in some_states(tree)],
        "build": build,
        "values": values,
    }
    with Exploration(make_explorer(tree, {"uniform": policy})) as page:
        page.start()
        print(json.dumps({"url": page.url, **report}), flush=True)
        sys.stdin.read()


class Client:
    """A page's connection to its server, as a browser holds it."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.netloc)
        self._headers = {TOKEN_HEADER.decode(): address.fragment}
        self.ask({"ask": "state", "policy": 0, "state": 0})  # connect, and fill caches

    def ask(self, question: dict[str, Any]) -> tuple[float, int]:
        """Return the seconds until an answer has arrived, and its bytes."""
        body, started = json.dumps(question), time.perf_counter()
        self._connection.request("POST", "/ask", body, self._headers)
        answer = self._connection.getresponse()
        size = len(answer.read())
        taken = time.perf_counter() - started
        if answer.status != http.HTTPStatus.OK:
            raise ValueError(f"{question} was answered with {answer.status}")
        return taken, size

    def open(self, questions: list[dict[str, Any]]) -> tuple[list[float], int]:
        """Return the seconds of the answers about a state, and the bytes of the largest."""
        times, sizes = zip(*map(self.ask, questions), strict=True)
        return [*times], max(sizes)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


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
    values = TreePlaces(tree, policy)
    started = time.process_time()
    for name in ("state_reach", "infostate_reach", "own_reach", "infostate_values"):
        getattr(values, name)
    _ = values.action_values, values.evaluation
    return time.process_time() - started


def questions(tree: GameTree, state: int) -> Iterator[dict[str, Any]]:
    """Yield what the page asks when a public state is opened."""
    players = range(tree.num_players)
    at = {"policy": 0, "state": state}
    yield {"ask": "state", **at}
    yield {"ask": "children", **at, "start": 0}
    for player in players:
        yield {"ask": "infostates", **at, "player": player, "start": 0}
    for player, own in enumerate(tree.infostate_trees):
        acting = own.acting[own.public_state[own.acting] == state].tolist()
        if acting:  # the first infostate of the first player who acts is chosen
            about = {"player": player, "infostate": acting[0]}
            for other in players:
                if other != player:
                    yield {"ask": "player_belief", **at, **about, "other": other}
            break


def seconds_until_drawn(url: str) -> float:
    """Return the time until Chromium has drawn the tree and a public state of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        tab = browser.new_page()
        started = time.perf_counter()
        tab.goto(url)
        tab.get_by_role("treeitem").first.wait_for()
        tab.get_by_role("table").first.wait_for()
        taken = time.perf_counter() - started
        browser.close()
    return taken


if __name__ == "__main__":
    main()
