"""Python files with a game, as users write them."""

PENNIES = '''
from __future__ import annotations
from dataclasses import dataclass
from infoset import Game, Observation

@dataclass(frozen=True)
class Pennies(Game):
    """The chooser wins where both pennies match."""

    stake: int = 1
    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return () if world else (0, 1)

    def legal_actions(self, world, player):
        return ("heads", "tails")

    def transitions(self, world, joint_action):
        return [] if world else [(joint_action, 1)]

    def rewards(self, world, joint_action, next_world):
        sign = 1 if next_world[0] == next_world[1] else -1
        return (sign * self.stake, -sign * self.stake)

    def observe(self, world, joint_action, next_world):
        return Observation(public=next_world)
'''
