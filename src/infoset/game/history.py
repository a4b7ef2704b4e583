"""Playing a game: histories, and what each player knows along them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.errors import GameRuleError
from infoset.game.infostate import Infostate, PublicState, Step
from infoset.game.protocol import Game, Observation, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

__all__ = ["History", "initial_history", "play_out"]

NOTHING_SEEN = Observation()


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """A history w₀ a₀ w₁ …: where a play stands, and how it came there.

    Two histories are equal when they are of the same game and went through the same world
    states by the same joint actions.

    Attributes
    ----------
    game : Game
    world : World
        The world state it ends in.
    infostates : tuple[Infostate, ...]
        What each player knows, acting or not.
    rewards_so_far : tuple[float, ...]
        Sum of the rewards of each player; at a terminal history, its utility.
    parent : History or None
        The history one transition shorter; None at the root.
    joint_action : JointAction
        The joint action that led here from the parent.
    observation : Observation
        What that transition showed.
    """

    game: Game
    world: World
    infostates: tuple[Infostate, ...]
    rewards_so_far: tuple[float, ...]
    parent: History | None = None
    joint_action: JointAction = ()
    observation: Observation = NOTHING_SEEN

    @cached_property
    def actors(self) -> tuple[Player, ...]:
        """The players who act here."""
        return tuple(self.game.actors(self.world))

    @cached_property
    def chance_outcomes(self) -> tuple[tuple[World, Probability], ...]:
        """Nature's move where nobody acts; empty where somebody does, and at the end."""
        if self.actors:
            return ()
        return tuple(self.game.transitions(self.world, (NOOP,) * self.game.num_players))

    @cached_property
    def is_terminal(self) -> bool:
        """Whether the game is over: nobody acts, and nature has no move."""
        if self.actors:
            return False
        nobody = (NOOP,) * self.game.num_players
        return next(iter(self.game.transitions(self.world, nobody)), None) is None

    @property
    def public_state(self) -> PublicState:
        """What everybody knows."""
        return PublicState(
            tuple(
                history.observation.public for history in self.path() if history.parent is not None
            )
        )

    @property
    def depth(self) -> int:
        """The number of transitions so far."""
        return len(self.infostates[0].steps)

    def legal_actions(self, player: Player) -> tuple[Action, ...]:
        """Return the actions open to `player`; empty where it does not act."""
        return tuple(self.game.legal_actions(self.world, player)) if player in self.actors else ()

    def joint(self, actions: dict[Player, Action]) -> JointAction:
        """Return the joint action in which each actor takes the action given for it.

        Raises
        ------
        GameRuleError
            If an actor has none, or one that is not legal here.
        """
        for player in self.actors:
            legal = self.legal_actions(player)
            if player not in actions or actions[player] not in legal:
                raise GameRuleError(
                    "every actor takes one of its legal actions",
                    found=f"got {actions.get(player)!r}, legal are {list(legal)}",
                    world=self.world,
                    player=player,
                )
        return tuple(
            actions[player] if player in self.actors else NOOP
            for player in range(self.game.num_players)
        )

    def extend(self, joint_action: JointAction, next_world: World) -> History:
        """Return the history one transition longer."""
        seen = self.game.observe(self.world, joint_action, next_world)
        rewards = self.game.rewards(self.world, joint_action, next_world)
        infostates = tuple(
            infostate.extend(Step(joint_action[player], seen.seen_by(player), seen.public))
            for player, infostate in enumerate(self.infostates)
        )
        total = tuple(a + b for a, b in zip(self.rewards_so_far, rewards, strict=True))
        return replace(
            self,
            world=next_world,
            infostates=infostates,
            rewards_so_far=total,
            parent=self,
            joint_action=joint_action,
            observation=seen,
        )

    def sample(self, joint_action: JointAction, rng: np.random.Generator) -> History:
        """Return the history after a transition drawn from the game."""
        next_world = self.game.sample_transition(self.world, joint_action, rng)
        return self.extend(joint_action, next_world)

    def path(self) -> list[History]:
        """Return the histories from the root to this one."""
        path = [self]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        return path[::-1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return self.game == other.game and self._moves() == other._moves()

    def __hash__(self) -> int:
        return hash(tuple(self._moves()))

    def __repr__(self) -> str:
        return f"<History of {self.game}: {self.depth} steps, at {self.world!r}>"

    def _moves(self) -> list[tuple[JointAction, World]]:
        return [(history.joint_action, history.world) for history in self.path()]


def initial_history(game: Game) -> History:
    """Return the history in which no one has moved yet."""
    return History(
        game=game,
        world=game.initial_world(),
        infostates=tuple(Infostate(player) for player in range(game.num_players)),
        rewards_so_far=(0,) * game.num_players,
    )


Chooser = Callable[[Infostate, Sequence[Action]], Action]
"""Picks one of the legal actions at an infostate."""


def play_out(history: History, choose: Sequence[Chooser], rng: np.random.Generator) -> History:
    """Play to the end, actor `p` by `choose[p](infostate, legal_actions)`, nature by `rng`."""
    while not history.is_terminal:
        actions = {
            player: choose[player](history.infostates[player], history.legal_actions(player))
            for player in history.actors
        }
        history = history.sample(history.joint(actions), rng)
    return history
