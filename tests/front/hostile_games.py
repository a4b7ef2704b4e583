"""Games that are too large, endless, slow or greedy: every function must stop at its limits."""

from __future__ import annotations

from itertools import count, product
from typing import Any

from infoset.game import Game, Observation
from tests.support.function_game import FunctionGame, ladder

SPECS = (
    "goofspiel(num_cards=30)",
    "goofspiel(num_cards=100,players=10)",
    "leduc_poker(num_ranks=300)",
    "leduc_poker(players=10,num_ranks=100)",
    "leduc_poker(num_ranks=3333333333)",
    "liars_dice(dice_sides=400)",
    "liars_dice(numdice=5,dice_sides=12)",
    "liars_dice(dice_sides=100000)",
    "trade_comm(num_items=100)",
    "trade_comm(num_items=100000)",
    "trick_taking(num_cards=1000)",
    "kuhn_poker(players=10)",
    "battleship",
    "hanabi",
    "dark_hex(num_rows=100)",
    "phantom_ttt(num_rows=100)",
    "random_game(max_depth=100,max_histories=1000000)",
)


def endless(width: int = 1, **rules: Any) -> FunctionGame:
    """Return a game whose world states are counted up forever."""
    return FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,),
        legal_actions=lambda w, p: range(width),
        **{"transitions": lambda w, a: [(w + 1, 1)], **rules},
    )


def forever(*arguments: Any) -> Any:
    """Run without end."""
    while True:
        pass


def greedy(*arguments: Any) -> Any:
    """Fill the memory."""
    return [(bytes(10_000) + bytes([number % 256]), 0.0) for number in count()]


def simultaneous(players: int, actions: int) -> FunctionGame:
    """Return a game of one simultaneous move."""
    return FunctionGame(
        num_players=players,
        actors=lambda w: range(players) if w == "start" else (),
        legal_actions=lambda w, p: range(actions),
        transitions=lambda w, a: [(a, 1)] if w == "start" else [],
    )


class Stubborn:
    """A world state that takes part in a quadratic number of comparisons."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stubborn) and self.number == other.number


def custom() -> dict[str, Game]:
    """Return games by name."""
    return {
        "endless": endless(),
        "endless, eight actions": endless(8),
        "endless, a new world for every action": endless(
            2, transitions=lambda w, a: [(2 * w + 1 + a[0], 1)]
        ),
        "endless, new actions everywhere": FunctionGame(
            initial_world=lambda: 0,
            actors=lambda w: (0,),
            legal_actions=lambda w, p: (w,),
            transitions=lambda w, a: [(w + 1, 1)],
        ),
        "growing world states": FunctionGame(
            initial_world=lambda: "x", transitions=lambda w, a: [(w + w, 1)]
        ),
        "long observations": endless(observe=lambda w, a, x: Observation(bytes(10**6) + bytes(w))),
        "six players with a hundred actions": simultaneous(6, 100),
        "two players with 3,000 actions": simultaneous(2, 3_000),
        "a million actions": simultaneous(1, 10**6),
        "a billion actions": simultaneous(1, 10**9),
        "a million outcomes": FunctionGame(
            transitions=lambda w, a: [(n, 2.0**-20) for n in range(2**20)] if w == "start" else []
        ),
        "outcomes without end": FunctionGame(
            transitions=lambda w, a: ((n, 2.0**-30) for n in count())
        ),
        "one outcome without end": FunctionGame(
            transitions=lambda w, a: ((0, 0.0) for _ in count())
        ),
        "all hands of a thousand cards": FunctionGame(
            transitions=lambda w, a: ((hand, 2.0**-40) for hand in product(range(10), repeat=1000))
        ),
        "a list without end": FunctionGame(transitions=greedy),
        "an endless initial world": FunctionGame(initial_world=forever),
        "endless actors": FunctionGame(actors=forever),
        "endless legal actions": FunctionGame(actors=lambda w: (0,), legal_actions=forever),
        "endless rewards": FunctionGame(rewards=forever),
        "endless observations": FunctionGame(observe=forever),
        "quadratic comparisons": FunctionGame(
            initial_world=lambda: Stubborn(0),
            transitions=lambda w, a: [(Stubborn(w.number + 1), 1)],
        ),
        "more histories than can be printed": ladder(3, 5_000),
        "a trillion histories": ladder(10, 12),
        "a long cycle": FunctionGame(
            initial_world=lambda: 0, transitions=lambda w, a: [((w + 1) % 1_500, 1)]
        ),
    }


def hostile_games() -> dict[str, Any]:
    """Return all games; a game by name is loaded by whoever uses it."""
    return {**{spec: spec for spec in SPECS}, **custom()}


class Hostile(FunctionGame):
    """One of the custom games by its number, for the command line."""

    def __init__(self, number: int) -> None:
        game = list(custom().values())[number]
        assert isinstance(game, FunctionGame)
        super().__init__(game.num_players, **game.rules)
