"""A small game whose players and private observations have names."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from infoset.game import Game, Observation

COSTS, PRICES = (1, 3), (2, 4)


@dataclass(frozen=True)
class Market(Game):
    """A seller with a private cost names a price; the buyer accepts or refuses."""

    num_players = 2
    player_names = ("seller", "buyer")

    def initial_world(self) -> Any:
        return ()

    def actors(self, world: Any) -> Any:
        return (len(world) - 1,) if 0 < len(world) < 3 else ()

    def legal_actions(self, world: Any, player: int) -> Any:
        return ("accept", "refuse") if player else PRICES

    def transitions(self, world: Any, joint_action: Any) -> Any:
        if not world:
            return [((cost,), Fraction(1, 2)) for cost in COSTS]
        return [] if len(world) == 3 else [((*world, joint_action[len(world) - 1]), 1)]

    def rewards(self, world: Any, joint_action: Any, next_world: Any) -> Any:
        if len(next_world) < 3 or next_world[-1] == "refuse":
            return (0, 0)
        cost, price, _ = next_world
        return (price - cost, cost - price)

    def observe(self, world: Any, joint_action: Any, next_world: Any) -> Any:
        if not world:
            return Observation(private={0: f"cost {next_world[0]}"})
        return Observation(public=next_world[-1])
