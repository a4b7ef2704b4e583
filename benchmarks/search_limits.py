"""Measure how far searches exceed a time limit in games that are too long for it.

    python benchmarks/search_limits.py               # print
    python benchmarks/search_limits.py --write       # also update its page

Each search starts at a decision of one uniformly random play. Times are wall-clock times without
compilation and preparation, so that other work on the machine increases them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.errors import ShortSearchWarning, UnsupportedGameError
from infoset.game import History, Infostate, initial_history, play_out
from infoset.games import load_game
from infoset.search import SearchModel, TreeSearchRecord, make_searcher, search_model

PAGE = DOCS / "search" / "depth_limits.md"
MILLISECONDS = 200
GAMES = (
    "battleship",
    "hanabi",
    "goofspiel(num_cards=13)",
)
SEARCHERS = ("pimc", "ismcts")
DECISIONS = (6,)
"""Numbers of the decisions from which searches start; shorter plays have fewer."""
COLUMNS = ("game", "searcher", "decision", "belief", "whole search", "done", "valued actions")


def decisions(history: History) -> list[Infostate]:
    """Return the infostates at which a player has a choice along a uniformly random play."""
    rng = np.random.default_rng(0)
    choose = [lambda _, legal: legal[int(rng.integers(len(legal)))]] * history.game.num_players
    path = play_out(history, choose, rng).path()
    first = [(stop, stop.actors[0]) for stop in path if stop.actors]
    return [h.infostates[player] for h, player in first if len(h.legal_actions(player)) > 1]


def rows(model: SearchModel, infostates: list[Infostate]) -> Iterator[list[str]]:
    """Yield a row of the table for each searcher and decision."""
    for text in SEARCHERS:
        searcher = make_searcher(text, model, milliseconds=MILLISECONDS)
        for number in filter(lambda number: number < len(infostates), DECISIONS):
            known = infostates[number]
            start = [str(model.game), text, str(number)]
            try:
                searcher.search(known, np.random.default_rng(number))
                record = searcher.last_search
            except UnsupportedGameError as error:
                yield [*start, "", "", str(error).partition(",")[0], ""]
                break
            is_tree = isinstance(record, TreeSearchRecord)
            done = f"{record.num_simulations if is_tree else record.num_worlds:,}"
            how = "simulations" if is_tree else "samples" if record.is_fallback else "worlds"
            times = shown(record.belief_seconds), shown(record.seconds)
            num_valued = int((~np.isnan(record.values)).sum())
            valued = f"{num_valued} of {len(record.actions)}"
            yield [*start, *times, f"{done} {how}", valued]


def warm_up(model: SearchModel, first: Infostate) -> None:
    """Compile the searches at the first decision, which is not measured."""
    for text in SEARCHERS:
        with suppress(UnsupportedGameError):
            searcher = make_searcher(text, model, milliseconds=MILLISECONDS)
            searcher.search(first, np.random.default_rng(0))


def main() -> None:
    """Run the searches and print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="update the page")
    options.add_argument("--games", nargs="+", default=GAMES)
    chosen = options.parse_args()
    warnings.simplefilter("ignore", ShortSearchWarning)
    found: list[list[str]] = []
    for name in chosen.games:
        game = load_game(name)
        model, infostates = search_model(game), decisions(initial_history(game))
        warm_up(model, infostates[0])
        for row in rows(model, infostates):
            print(*row, flush=True)
            found.append(row)
    text = f"{table(COLUMNS, found)}\n\n{environment_text(environment())}"
    print(text)
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(page, "search_limits.py", text), encoding="utf-8")


if __name__ == "__main__":
    main()
