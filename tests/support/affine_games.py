"""A game with rescaled and shifted payoffs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from infoset.game import Game, Observation, Probability
from infoset.typing import Action, JointAction, Player, World


class AffineGame(Game):
    """A game whose rewards are multiplied, with a constant added to each player's utility.

    The constants are rewards of the first transition.

    Parameters
    ----------
    game : Game
        A game whose initial world is not terminal.
    scale : float
        Factor of all rewards.
    shift : Sequence[float]
        Constant of each player, in the new units.
    """

    def __init__(self, game: Game, scale: float = 1.0, shift: Sequence[float] = ()) -> None:
        self.game = game
        self.num_players = game.num_players
        self.public_actions = game.public_actions
        self.scale = scale
        self.shift = tuple(shift) or (0.0,) * game.num_players

    def initial_world(self) -> World:
        return self.game.initial_world()

    def actors(self, world: Any) -> Sequence[Player]:
        return self.game.actors(world)

    def legal_actions(self, world: Any, player: Player) -> Sequence[Action]:
        return self.game.legal_actions(world, player)

    def transitions(
        self, world: Any, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        return self.game.transitions(world, joint_action)

    def rewards(self, world: Any, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        rewards = [self.scale * r for r in self.game.rewards(world, joint_action, next_world)]
        if world == self.game.initial_world():
            rewards = [own + added for own, added in zip(rewards, self.shift, strict=True)]
        return rewards

    def observe(self, world: Any, joint_action: JointAction, next_world: Any) -> Observation:
        return self.game.observe(world, joint_action, next_world)

    def __str__(self) -> str:
        return str(self.game)
