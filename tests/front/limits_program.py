"""Call functions on all hostile games under a limit on address space, and print how each ended."""

from __future__ import annotations

import json
import resource
import sys

import infoset
from infoset.errors import InfosetError
from infoset.utils import watchdog
from tests.front.hostile_games import hostile_games

MEMORY = 60_000_000
SPACE = 1_500_000_000
"""Bytes of address space that all games together may use beyond what the libraries take."""

VERBS = {
    "info": infoset.info,
    "solve": lambda game, memory: infoset.solve(game, "cfr+", iterations=2, memory=memory),
    "check": lambda game, memory: infoset.check_game(
        infoset.load(game) if isinstance(game, str) else game, max_histories=50, max_seconds=0.015
    ),
}


def ending(verb: str, game: object) -> str:
    """Return how a call ended: `answered`, or the name of the error."""
    try:
        with infoset.build_limits(max_worlds=2_000, max_seconds=0.015):
            VERBS[verb](game, memory=MEMORY)
    except InfosetError as error:
        name = type(error).__name__
        return f"{name}: {error}"[:1000] if name == "GameRuleError" else name
    return "answered"


def main() -> None:
    """Print one JSON object: the endings by game and verb, and the peak memory in bytes."""
    watchdog.LOOK_SECONDS = 0.01  # type: ignore[misc]
    for verb in VERBS:
        ending(verb, "kuhn_poker")  # loads all libraries and kernels
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = watchdog.psutil.Process().memory_info().vms
    resource.setrlimit(resource.RLIMIT_AS, (taken + SPACE, taken + SPACE))
    endings = {
        name: {verb: ending(verb, game) for verb in VERBS} for name, game in hostile_games().items()
    }
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    json.dump({"endings": endings, "grown": grown * 1024}, sys.stdout)


if __name__ == "__main__":
    main()
