"""Time searches, beside OpenSpiel's information-set tree search, interleaved.

    python -m pip install -e '.[test]'
    python benchmarks/search_speed.py                # print
    python benchmarks/search_speed.py --write        # also replace its part of its page
    python benchmarks/search_speed.py --games leduc_poker

A search has 1000 simulations, with OpenSpiel's constants, at the first decision of the game, of one
hand after another. The belief of an infostate is computed once and reused, and has its own column.
Times are of the processor, one core, the smallest of the rounds, since all else that a machine does
only adds to them; the ratios are those of one run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import NamedTuple, TypeAlias

import numpy as np
import pyspiel
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.beliefs import PublicPrivateBelief
from infoset.game import History, Infostate, initial_history
from infoset.games import load_game
from infoset.search import ISMCTS, RulesModel, SearchModel, search_model
from infoset.search.ismcts import SearchRoot

PAGE = DOCS / "search" / "ismcts.md"
GAMES = {
    "kuhn_poker": "Kuhn poker",
    "leduc_poker": "Leduc poker",
    "goofspiel(num_cards=4)": "goofspiel, 4 cards",
    "liars_dice": "liar's dice 1×6",
    "liars_dice(numdice=5)": "liar's dice 5×6",
    "trick_taking(num_cards=20)": "trick-taking, 20 cards",
}
IN_OPENSPIEL = ("kuhn_poker", "leduc_poker")
"""Games whose positions it can deal again."""
NUM_SIMULATIONS = 1000
EXPLORATION = 0.7
BY_THE_RULES = 100
"""Simulations in plain Python: fewer, since they are slow."""
NUM_HANDS = 12
TURN_SECONDS = 0.05
TURNS = 7

Run: TypeAlias = Callable[[], object]
"""One search."""


class Times(NamedTuple):
    """The seconds of a search.

    Attributes
    ----------
    private, public : float
        From what the player and from what everybody believes.
    belief : float
        Of finding the private one.
    rules : float
        Of `BY_THE_RULES` simulations on rules that were never compiled, private.
    openspiel : float or None
        None where it cannot.
    """

    private: float
    public: float
    belief: float
    rules: float
    openspiel: float | None


def main() -> None:
    """Measure, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--write", action="store_true", help="replace the table of the page")
    arguments = parser.parse_args()
    found = {game: measure(game) for game in arguments.games}
    part = f"{times_table(found)}\n\n{environment_text(environment())}"
    print(part)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(page, "search_speed.py", part), encoding="utf-8")


def measure(name: str) -> Times:
    """Return the seconds of searches in a game."""
    game = load_game(name)
    model, hands = search_model(game), first_hands(initial_history(game))
    sides = {
        "private": our_side(ISMCTS(model, num_simulations=NUM_SIMULATIONS), hands),
        "public": our_side(ISMCTS(model, belief=1.0, num_simulations=NUM_SIMULATIONS), hands),
        "belief": belief_side(model, hands),
        "rules": our_side(ISMCTS(RulesModel(game), num_simulations=BY_THE_RULES), hands),
    }
    if name in IN_OPENSPIEL:
        sides["openspiel"] = openspiel_side(name)
    return Times(**{"openspiel": None, **in_turns(sides)})


def in_turns(sides: dict[str, Run]) -> dict[str, float]:
    """Return the seconds of each, the smallest of its rounds."""
    counts = {name: warm(run) for name, run in sides.items()}
    least = dict.fromkeys(sides, float("inf"))
    for _ in range(TURNS):
        for name, run in sides.items():
            least[name] = min(least[name], seconds_of(run, counts[name]) / counts[name])
    return least


def warm(run: Run) -> int:
    """Run until all is compiled and kept; return how many runs make a turn."""
    for _ in range(NUM_HANDS):
        run()
    return max(NUM_HANDS, int(TURN_SECONDS / seconds_of(run, NUM_HANDS) * NUM_HANDS))


def seconds_of(run: Run, count: int) -> float:
    """Return the seconds that as many runs take of the processor."""
    started = time.process_time()
    for _ in range(count):
        run()
    return time.process_time() - started


def first_hands(history: History) -> list[Infostate]:
    """Return some infostates of whoever decides first, the deals spread evenly."""
    layer = [history]
    while not layer[0].actors:
        spread = layer[0].chance_outcomes
        nobody = (None,) * layer[0].game.num_players
        step = -(-len(spread) // NUM_HANDS)
        layer = [layer[0].extend(nobody, world) for world, _ in spread[::step]]
    return [there.infostates[there.actors[0]] for there in layer]


def our_side(searcher: ISMCTS, hands: Sequence[Infostate]) -> Run:
    """Return searches at one infostate after another."""
    rng, turn = np.random.default_rng(0), cycle(hands)
    return lambda: searcher.search(next(turn), rng)


def belief_side(model: SearchModel, hands: Sequence[Infostate]) -> Run:
    """Return what is done at an infostate when it is first met."""
    rng, turn, private = np.random.default_rng(0), cycle(hands), PublicPrivateBelief(0.0)
    return lambda: SearchRoot.at(model, private, next(turn), rng)


def openspiel_side(name: str) -> Run:
    """Return searches by OpenSpiel's bot, one deal after another."""
    game = pyspiel.load_game(name)
    bot = pyspiel.ISMCTSBot(
        0,
        pyspiel.RandomRolloutEvaluator(1, 0),
        EXPLORATION,
        NUM_SIMULATIONS,
        -1,
        pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
        False,
        False,
    )
    turn = cycle(openspiel_deals(game.new_initial_state()))
    return lambda: bot.get_policy(next(turn))


def openspiel_deals(state: pyspiel.State) -> list[pyspiel.State]:
    """Return the positions at which somebody decides first."""
    if not state.is_chance_node():
        return [state]
    children = [state.child(outcome) for outcome, _ in state.chance_outcomes()]
    return [deal for child in children for deal in openspiel_deals(child)]


def times_table(found: dict[str, Times]) -> str:
    """Return the times of searches, and how they compare with OpenSpiel's."""
    header = ["game", "private", "public", "belief, once", "100 by the rules", "OpenSpiel"]
    rows = [
        [GAMES[game], *(shown(t) for t in times[:4]), peer(times)] for game, times in found.items()
    ]
    return table(header, rows)


def peer(times: Times) -> str:
    """Return OpenSpiel's time, and how many times as fast ours is."""
    if times.openspiel is None:
        return "-"
    return f"{shown(times.openspiel)}: ours {times.openspiel / times.private:.2g} times as fast"


if __name__ == "__main__":
    main()
