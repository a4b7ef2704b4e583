"""Time how fast the histories of public states are found: by the rules, and as games list them.

    python benchmarks/listed_histories.py                # print

Nothing is written. A first table is about public states whose histories can be listed. By the
rules, they are filtered step by step from the initial history, once trying all legal actions and
once only those of `actions_as_seen`. The other columns are parts of what a belief takes if the game
lists its histories: the list alone (`histories_as_seen`); with infostates, numbered for each
player; and with world states. A second table is about histories that the game draws, because there
are too many. Times are minimums of processor times over the rounds, on one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from report import environment, environment_text, shown, table

from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import HistoryFilter, Information
from infoset.beliefs.history_sources import SamplingLimits, drawn_histories
from infoset.game import Game, PublicState
from infoset.game.hooks import histories_as_seen
from infoset.games import Battleship, Goofspiel

MAX_HISTORIES = 200_000
NUM_DRAWN = 300
ROUNDS = 3


class RulesFilter(HistoryFilter):
    """The filter without the lists of the game."""

    def listed(self, information: Information) -> HistoryBatch | None:
        """Return the histories if they are cached."""
        return self._recall(information)


class PlainBattleship(Battleship):
    """Battleship without the targets of its shots."""

    def actions_as_seen(self, player: int, public: object) -> None:
        """Restrict nothing."""


def main() -> None:
    """Measure and print."""
    small, large = battleship(3, (2, 2)), battleship(5, (3, 2, 2))
    placed = PublicState((None,) * 4)
    shots = [("1_1", "water"), ("1_1", "hit"), ("0_1", "hit"), ("0_0", "water")]
    rows = [
        listed_row("goofspiel, 8 cards", goofspiel(8), rounds(8, 4)),
        listed_row("goofspiel, 13 cards", goofspiel(13), rounds(13, 3)),
        listed_row("battleship 3x3, placed", small, placed),
        listed_row("battleship 3x3, 1 shot", small, after(placed, shots[:1])),
        listed_row("battleship 3x3, 4 shots", small, after(placed, shots)),
    ]
    header = ["public state", "histories", "rules", "public actions", "list"]
    print(table([*header, "with infostates", "with worlds"], rows))
    drawn = [
        drawn_row("goofspiel, 13 cards, 6 rounds", goofspiel(13), rounds(13, 6)),
        drawn_row("battleship 5x5, placed", large, PublicState((None,) * 6)),
        drawn_row("battleship 5x5, 4 shots", large, after(PublicState((None,) * 6), shots)),
    ]
    print("\n" + table(["public state", f"{NUM_DRAWN} drawn, infostates", "with worlds"], drawn))
    print("\n" + environment_text(environment()))


def goofspiel(num_cards: int) -> Game:
    """Return goofspiel with hidden bids and prizes in descending order."""
    return Goofspiel(num_cards=num_cards, imp_info=True, points_order="descending")


def rounds(num_cards: int, number: int) -> PublicState:
    """Return the public state after rounds that player 0, nobody and player 1 won in turn."""
    winners = ("player 0 wins", "tie", "player 1 wins")
    won = [f"{winners[at % 3]}; prize {num_cards - 1 - at}" for at in range(number)]
    return PublicState(tuple(won))


def battleship(size: int, ships: tuple[int, ...]) -> Battleship:
    """Return battleship on a square board, without repeated shots."""
    return Battleship(**battleship_rules(size, ships))


def battleship_rules(size: int, ships: tuple[int, ...]) -> dict[str, Any]:
    """Return the parameters of the game."""
    return {
        "board_width": size,
        "board_height": size,
        "ship_sizes": ships,
        "ship_values": (1.0,) * len(ships),
        "num_shots": -1,
        "allow_repeated_shots": False,
    }


def after(public_state: PublicState, shots: list[tuple[str, str]]) -> PublicState:
    """Return the public state after some shots."""
    return PublicState((*public_state.observations, *shots))


def listed_row(name: str, game: Game, public_state: PublicState) -> list[str]:
    """Return the row of a public state in the first table."""
    found: dict[str, int] = {}

    def by_rules(of: Game) -> Callable[[], object]:
        return lambda: RulesFilter(of, MAX_HISTORIES).enumerated(public_state)

    def as_listed() -> HistoryBatch:
        batch = HistoryFilter(game, MAX_HISTORIES).listed(public_state)
        assert batch is not None
        found["histories"] = len(batch)
        return batch

    plain: Game = game
    if isinstance(game, Battleship):
        plain = PlainBattleship(**{key: getattr(game, key) for key in battleship_rules(1, ())})
    seconds = [
        seconds_of(by_rules(plain)),
        seconds_of(by_rules(game)) if plain is not game else None,
        seconds_of(lambda: histories_as_seen(game, public_state, MAX_HISTORIES)),
        seconds_of(as_listed),
        seconds_of(lambda: list(as_listed().worlds)),
    ]
    number = found["histories"]
    return [name, f"{number:,}", *(cell(number, taken) for taken in seconds)]


def drawn_row(name: str, game: Game, public_state: PublicState) -> list[str]:
    """Return the row of a public state in the second table."""
    root = HistoryBatch.root(game)

    def draw() -> HistoryBatch:
        limits = SamplingLimits(np.random.default_rng(0), MAX_HISTORIES, NUM_DRAWN)
        batch = drawn_histories(root, public_state, limits)
        assert batch is not None
        return batch

    return [name, shown(seconds_of(draw)), shown(seconds_of(lambda: list(draw().worlds)))]


def cell(number: int, seconds: float | None) -> str:
    """Return a time, and the number of histories in a second."""
    return "-" if seconds is None else f"{shown(seconds)}, {number / seconds:,.0f}/s"


def seconds_of(run: Callable[[], object]) -> float:
    """Return the minimum processor seconds of a run over the rounds, after a first one."""
    run()
    least = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        run()
        least = min(least, time.process_time() - started)
    return least


if __name__ == "__main__":
    main()
