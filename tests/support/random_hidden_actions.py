"""Random two-player games in which an action may be legal with some hands only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from infoset.game import Game, Observation

LABELS = ("a", "b", "c")


@dataclass(frozen=True)
class HiddenActionsGame(Game):
    """A random zero-sum game, determined by its seed.

    Each player has a hand that it alone knows. The players act in turn, once or twice. The legal
    actions depend on the hand and on what was seen, and each has up to three random outcomes, with
    unequal probabilities. The action is public; its outcome is public in half of the games.
    """

    seed: int = 0

    name = "hidden_actions"
    num_players = 2

    def parameters(self):
        return {"seed": self.seed}

    def random(self, *key) -> Random:
        return Random(f"{self.seed} {key}")

    @property
    def num_moves(self):
        return self.random("moves").randint(2, 3)

    @property
    def shows_outcomes(self):
        return self.random("shown").random() < 0.5

    def initial_world(self):
        return ()

    def seen(self, world):
        """Return what is public: the actions, and their outcomes if these are shown."""
        return tuple(move if self.shows_outcomes else move[0] for move in world[1:])

    def actors(self, world):
        return (len(world) % 2,) if world and len(world) <= self.num_moves else ()

    def legal_actions(self, world, player):
        rng = self.random("legal", player, world[0][player], self.seen(world))
        return tuple(sorted(rng.sample(LABELS, rng.randint(1, 3))))

    def transitions(self, world, joint_action):
        if not world:
            count = self.random("hands").randint(2, 3)
            hands = [((i, j),) for i in range(count) for j in range(2)]
            return self.drawn(hands, "deal")
        if not self.actors(world):
            return []
        action = joint_action[len(world) % 2]
        count = self.random("outcomes", world[0], self.seen(world), action).randint(1, 3)
        return self.drawn([(*world, (action, k)) for k in range(count)], world, action)

    def drawn(self, worlds, *key):
        rng = self.random("weights", *key)
        weights = [rng.randint(1, 3) for _ in worlds]
        return [(w, Fraction(x, sum(weights))) for w, x in zip(worlds, weights, strict=True)]

    def rewards(self, world, joint_action, next_world):
        if not world or self.actors(next_world):
            return (0, 0)
        won = self.random("won", next_world).randint(-9, 9)
        return (won, -won)

    def observe(self, world, joint_action, next_world):
        if not world:
            return Observation(private=next_world[0])
        return Observation(public=self.seen(next_world)[-1])
