"""Script that loads OpenSpiel games one by one, run in a process that may crash.

It reads a task and a list of games as JSON from the command line, and prints one line of JSON for
each game.
"""

import json
import sys
from itertools import islice

import pyspiel

import infoset
from infoset.errors import InfosetError
from infoset.interop import OpenSpielGame, load_openspiel
from tests.interop.openspiel_walk import all_histories, walk_openspiel, walk_ours

WRAPPED = "pyspiel:"
"""Prefix of games that are loaded by OpenSpiel and then wrapped, without a trial at load."""
SOME_HISTORIES = 100


def load(spec):
    if spec.startswith(WRAPPED):
        return OpenSpielGame(pyspiel.load_game(spec.removeprefix(WRAPPED)))
    return load_openspiel(spec)


def value(walk):
    """Return the expected utilities under uniform play."""
    players = len(next(iter(walk.outcomes)))
    return [sum(u[p] * chance for u, chance in walk.outcomes.items()) for p in range(players)]


def compared(spec):
    """Return counts and values under uniform play, here and in a walk by OpenSpiel only."""
    game = load(spec)
    ours, theirs = walk_ours(game), walk_openspiel(game.pyspiel_game)
    return {
        "observers": game._sources.public is not None,
        "notes": list(game.notes),
        "ours": [ours.histories, value(ours)],
        "theirs": [theirs.histories, value(theirs)],
    }


def begun(spec):
    """Walk the beginning of a game that may be large."""
    try:
        return {"seen": sum(1 for _ in islice(all_histories(load(spec)), SOME_HISTORIES))}
    except (InfosetError, MemoryError) as error:  # OpenSpiel asks for too much memory
        return {"refused": str(error)}


def solved(spec):
    """Solve a game by a linear program."""
    return {"values": list(infoset.solve(spec, "lp").values)}


if __name__ == "__main__":
    task = {"compared": compared, "begun": begun, "solved": solved}[sys.argv[1]]
    for spec in json.loads(sys.argv[2]):
        print(json.dumps(task(spec)), flush=True)
