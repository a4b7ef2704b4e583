"""The coin toss of Brown and Sandholm (2017), a small game in which gifts matter."""

from __future__ import annotations

from collections.abc import Sequence

from infoset.game import Game, Observation
from infoset.typing import Action, JointAction, Player

SIDES = ("heads", "tails")
PRICE = {"heads": 0.5, "tails": -0.5}


class CoinToss(Game):
    """Player 0 sees a coin and sells it, or plays; then player 1 wins 1 if it guesses the coin.

    A world is the side of the coin and the moves so far.
    """

    num_players = 2

    def initial_world(self) -> tuple[str, ...]:
        return ()

    def actors(self, world: tuple[str, ...]) -> Sequence[Player]:
        if len(world) == 1:
            return (0,)
        return (1,) if len(world) == 2 and world[1] == "play" else ()

    def legal_actions(self, world: tuple[str, ...], player: Player) -> Sequence[Action]:
        return ("sell", "play") if player == 0 else SIDES

    def transitions(
        self, world: tuple[str, ...], joint_action: JointAction
    ) -> list[tuple[tuple[str, ...], float]]:
        if not world:
            return [((side,), 0.5) for side in SIDES]
        actors = self.actors(world)
        return [((*world, joint_action[actors[0]]), 1.0)] if actors else []

    def rewards(
        self, world: tuple[str, ...], joint_action: JointAction, next_world: tuple[str, ...]
    ) -> Sequence[float]:
        won = 0.0
        if next_world[-1] == "sell":
            won = PRICE[next_world[0]]
        elif len(next_world) == 3:
            won = -1.0 if next_world[2] == next_world[0] else 1.0
        return won, -won

    def observe(
        self, world: tuple[str, ...], joint_action: JointAction, next_world: tuple[str, ...]
    ) -> Observation:
        return Observation(next_world[1:], {0: next_world[0]})
