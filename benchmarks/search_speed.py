"""Time searches and OpenSpiel's information-set tree search, alternately.

    python -m pip install -e '.[test]'
    python benchmarks/search_speed.py                # print
    python benchmarks/search_speed.py --write        # also update its page
    python benchmarks/search_speed.py --games leduc_poker

A search has 1000 simulations with OpenSpiel's constants, at the first decision of the game, with a
different hand each time. The belief at an infostate is computed once and reused; its time has its
own column. Times are processor times on one core, as minimums over the rounds, because other work
on the machine only increases them. Ratios are computed within one run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from typing import NamedTuple, TypeAlias

import numpy as np
import pyspiel
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset.beliefs import PublicPrivateBelief
from infoset.game import History, Infostate, initial_history
from infoset.games import load_game
from infoset.search import ISMCTS, RulesModel, SearchModel, search_model
from infoset.search.search_tree import SearchRoot

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
"""Games in which OpenSpiel can sample positions of an infostate."""
NUM_SIMULATIONS = 1000
EXPLORATION = 0.7
BY_THE_RULES = 100
"""Number of simulations in plain Python, which are slow."""
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
        Search with the private belief and with the public belief.
    belief : float
        Computation of the private belief.
    rules : float
        Search with `BY_THE_RULES` simulations on the rules in Python, with the private belief.
    openspiel : float or None
        Search by OpenSpiel's bot; None if it does not support the game.
    """

    private: float
    public: float
    belief: float
    rules: float
    openspiel: float | None


def main() -> None:
    """Measure, print, and update the page if requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--write", action="store_true", help="update the table of the page")
    arguments = parser.parse_args()
    found = {game: measure(game) for game in arguments.games}
    part = f"{times_table(found)}\n\n{environment_text(environment())}"
    print(part)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(page, "search_speed.py", part), encoding="utf-8")


def measure(name: str) -> Times:
    """Return the seconds of the searches in a game."""
    game = load_game(name)
    model, hands = search_model(game), first_hands(initial_history(game))
    raw = partial(ISMCTS, reward_scale=1.0)  # as in OpenSpiel
    sides = {
        "private": our_side(raw(model, num_simulations=NUM_SIMULATIONS), hands),
        "public": our_side(raw(model, belief=1.0, num_simulations=NUM_SIMULATIONS), hands),
        "belief": belief_side(model, hands),
        "rules": our_side(raw(RulesModel(game), num_simulations=BY_THE_RULES), hands),
    }
    if name in IN_OPENSPIEL:
        sides["openspiel"] = openspiel_side(name)
    return Times(**{"openspiel": None, **in_turns(sides)})


def in_turns(sides: dict[str, Run]) -> dict[str, float]:
    """Return the minimum seconds of each search over the rounds."""
    counts = {name: warm(run) for name, run in sides.items()}
    least = dict.fromkeys(sides, float("inf"))
    for _ in range(TURNS):
        for name, run in sides.items():
            least[name] = min(least[name], seconds_of(run, counts[name]) / counts[name])
    return least


def warm(run: Run) -> int:
    """Run until everything is compiled and cached; return the number of runs per round."""
    for _ in range(NUM_HANDS):
        run()
    return max(NUM_HANDS, int(TURN_SECONDS / seconds_of(run, NUM_HANDS) * NUM_HANDS))


def seconds_of(run: Run, count: int) -> float:
    """Return the processor seconds of some runs."""
    started = time.process_time()
    for _ in range(count):
        run()
    return time.process_time() - started


def first_hands(history: History) -> list[Infostate]:
    """Return some infostates at the first decision, for evenly spread deals."""
    layer = [history]
    while not layer[0].actors:
        spread = layer[0].chance_outcomes
        nobody = (None,) * layer[0].game.num_players
        step = -(-len(spread) // NUM_HANDS)
        layer = [layer[0].extend(nobody, world) for world, _ in spread[::step]]
    return [there.infostates[there.actors[0]] for there in layer]


def our_side(searcher: ISMCTS, hands: Sequence[Infostate]) -> Run:
    """Return a function that searches at the next infostate."""
    rng, turn = np.random.default_rng(0), cycle(hands)
    return lambda: searcher.search(next(turn), rng)


def belief_side(model: SearchModel, hands: Sequence[Infostate]) -> Run:
    """Return a function that computes the belief at the next infostate."""
    rng, turn, private = np.random.default_rng(0), cycle(hands), PublicPrivateBelief(0.0)
    return lambda: SearchRoot.at(model, private, next(turn), rng)


def openspiel_side(name: str) -> Run:
    """Return a function that searches the next deal by OpenSpiel's bot."""
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
    """Return the positions at the first decision."""
    if not state.is_chance_node():
        return [state]
    children = [state.child(outcome) for outcome, _ in state.chance_outcomes()]
    return [deal for child in children for deal in openspiel_deals(child)]


def times_table(found: dict[str, Times]) -> str:
    """Return the table of times and ratios to OpenSpiel's."""
    header = ["game", "private", "public", "belief, once", "100 by the rules", "OpenSpiel"]
    rows = [
        [GAMES[game], *(shown(t) for t in times[:4]), peer(times)] for game, times in found.items()
    ]
    return table(header, rows)


def peer(times: Times) -> str:
    """Return the cell with OpenSpiel's time and the ratio to ours."""
    if times.openspiel is None:
        return "-"
    return f"{shown(times.openspiel)}: ours {times.openspiel / times.private:.2g} times as fast"


if __name__ == "__main__":
    main()
