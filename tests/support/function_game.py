"""Small custom games for tests: their rules are passed as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from infoset.game import Game, Observation


class FunctionGame(Game):
    """A game whose rules are given as functions; by default, one flip of a fair coin."""

    def __init__(self, num_players: int = 1, **rules: Callable[..., Any]) -> None:
        self.num_players = num_players
        self.rules = rules

    def call(self, rule: str, default: Any, *args: Any) -> Any:
        return self.rules[rule](*args) if rule in self.rules else default

    def initial_world(self) -> Any:
        return self.call("initial_world", "start")

    def actors(self, world: Any) -> Any:
        return self.call("actors", (), world)

    def legal_actions(self, world: Any, player: int) -> Any:
        return self.call("legal_actions", ("left", "right"), world, player)

    def transitions(self, world: Any, joint_action: Any) -> Any:
        default = [("heads", 0.5), ("tails", 0.5)] if world == "start" else []
        return self.call("transitions", default, world, joint_action)

    def rewards(self, world: Any, joint_action: Any, next_world: Any) -> Any:
        return self.call("rewards", (0,) * self.num_players, world, joint_action, next_world)

    def observe(self, world: Any, joint_action: Any, next_world: Any) -> Any:
        return self.call("observe", Observation(next_world), world, joint_action, next_world)


def ladder(width: int, height: int) -> FunctionGame:
    """Return a game with few world states and very many histories."""
    return FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,) if w < height else (),
        legal_actions=lambda w, p: range(width),
        transitions=lambda w, a: [(w + 1, 1)] if w < height else [],
    )
