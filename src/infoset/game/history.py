"""Histories of a game, with the infostates along them, and random playouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from infoset.errors import CyclicGameError, GameRuleError, show
from infoset.game.answer_checks import check_form, check_world
from infoset.game.broken_rules import check_num_players, rules_at
from infoset.game.checked_rules import (
    checked_actors,
    checked_initial_world,
    checked_legal_actions,
    checked_observation,
    checked_outcomes,
    checked_rewards,
)
from infoset.game.infostate import Infostate, PublicState, Step
from infoset.game.observation import Observation
from infoset.game.protocol import Game, Probability
from infoset.game.public_moves import PublicMove, PublicWorlds
from infoset.typing import NOOP, Action, JointAction, Player, World

NOTHING_SEEN = Observation()

MAX_STEPS: Final = 10_000
"""Maximum number of transitions of a play. The infostates of all its histories together have a
quadratic number of steps."""
STEPS_PER_CHECK: Final = 1000
"""Number of transitions between two looks for a repeated world state."""


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """A history w₀ a₀ w₁ …: the world states and joint actions of a play so far.

    Two histories are equal if they belong to the same game and have the same world states and
    joint actions.
    """

    game: Game
    world: World
    """The last world state."""
    infostates: tuple[Infostate, ...]
    """The infostate of each player, including players who do not act."""
    rewards_so_far: tuple[float, ...]
    """Per player, the sum of its rewards; its utility if the history is terminal."""
    parent: History | None = None
    """The history without its last transition; None at the root."""
    joint_action: JointAction = ()
    """The joint action of the last transition."""
    observation: Observation = NOTHING_SEEN
    """The observation of the last transition."""

    @cached_property
    def actors(self) -> tuple[Player, ...]:
        """The players who act here."""
        return checked_actors(self.game, self.world)

    @cached_property
    def chance_outcomes(self) -> tuple[tuple[World, Probability], ...]:
        """Next worlds and probabilities of a chance move; empty elsewhere."""
        if self.actors:
            return ()
        return self.outcomes((NOOP,) * self.game.num_players)

    @cached_property
    def is_terminal(self) -> bool:
        """Whether the game is over, that is, nobody acts and there are no transitions."""
        if self.actors:
            return False
        nobody = (NOOP,) * self.game.num_players
        with rules_at(self.game, self.world):
            listed = self.game.transitions(self.world, nobody)
            check_form("transitions", listed, self.world, nobody)
            return next(iter(listed), None) is None  # without listing all chance outcomes

    def outcomes(self, joint_action: JointAction) -> tuple[tuple[World, Probability], ...]:
        """Return the next worlds and probabilities of a joint action."""
        return checked_outcomes(self.game, self.world, joint_action)

    @property
    def public_state(self) -> PublicState:
        """The public state: the public observations so far."""
        return PublicState(
            tuple(
                history.observation.public for history in self.path() if history.parent is not None
            )
        )

    @property
    def public_move(self) -> PublicMove:
        """Common knowledge of the last transition: who acted, and which actions are public."""
        return self._public_worlds.move

    @cached_property
    def _public_worlds(self) -> PublicWorlds:
        """The world states that agree with the public observations so far."""
        if self.parent is None:
            return PublicWorlds.at_start(self.world)
        if "_public_worlds" not in vars(self.parent):
            for before in self.path()[:-1]:  # from the root on, to avoid a deep recursion
                _ = before._public_worlds
        known = self.parent._public_worlds
        return known.after(self.game, self.joint_action, self.observation.public)

    @property
    def depth(self) -> int:
        """Number of transitions so far."""
        return len(self.infostates[0].steps)

    def legal_actions(self, player: Player) -> tuple[Action, ...]:
        """Return the legal actions of `player`; an empty tuple if the player does not act."""
        if player not in self.actors:
            return ()
        return checked_legal_actions(self.game, self.world, player)

    def joint(self, actions: dict[Player, Action]) -> JointAction:
        """Return the joint action of the actors' `actions`; other players get `NOOP`.

        Raises
        ------
        GameRuleError
            If an action of an actor is missing or illegal.
        """
        for player in self.actors:
            legal = self.legal_actions(player)
            if player not in actions or actions[player] not in legal:
                raise GameRuleError(
                    "every actor takes one of its legal actions",
                    found=f"got action {show(actions.get(player))}; legal actions are "
                    f"{show(list(legal))}",
                    world=self.world,
                    player=player,
                )
        return tuple(
            actions[player] if player in self.actors else NOOP
            for player in range(self.game.num_players)
        )

    def extend(self, joint_action: JointAction, next_world: World) -> History:
        """Return this history extended by one transition.

        Raises
        ------
        GameRuleError
            If the game breaks a rule, or a play does not end after 10,000 transitions.
        CyclicGameError
            If a play of 1,000 or more transitions has visited a world state twice.
        """
        # The look costs linear time, so it is not made at every transition.
        if self.depth and self.depth % STEPS_PER_CHECK == 0:
            self._check_length()
        seen, parts = checked_observation(self.game, self.world, joint_action, next_world)
        rewards = checked_rewards(self.game, self.world, joint_action, next_world)
        infostates = tuple(
            infostate.extend(Step(joint_action[player], parts.private[player], parts.public))
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
        """Return this history extended by a transition drawn with `sample_transition`."""
        with rules_at(self.game, self.world):
            next_world = self.game.sample_transition(self.world, joint_action, rng)
            check_world(next_world, "a next world", self.world)
        return self.extend(joint_action, next_world)

    def _check_length(self) -> None:
        """Raise if the play has visited a world state twice, or is too long."""
        worlds = [history.world for history in self.path()]
        with rules_at(self.game, self.world):
            visited: dict[World, int] = {}
            for place, world in enumerate(worlds):
                if visited.setdefault(world, place) < place:
                    raise CyclicGameError(worlds[visited[world] : place])
        if self.depth >= MAX_STEPS:
            raise GameRuleError(
                f"every play ends, after at most {MAX_STEPS:,} transitions; in a terminal world "
                "state nobody acts, and the list of transitions is empty",
                found=f"a play has not ended after {self.depth:,} transitions",
                world=self.world,
            )

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
    """Return the initial history of a game.

    Raises
    ------
    GameRuleError
        If the game has no valid initial world state or number of players. Later, a rule violation
        that a history meets is reported in the same way, with the world state.
    """
    num_players = check_num_players(game)
    return History(
        game=game,
        world=checked_initial_world(game),
        infostates=tuple(Infostate(player) for player in range(num_players)),
        rewards_so_far=(0,) * num_players,
    )


Chooser = Callable[[Infostate, Sequence[Action]], Action]
"""Function that chooses one of the legal actions at an infostate."""


def play_out(history: History, choose: Sequence[Chooser], rng: np.random.Generator) -> History:
    """Play to the end: player p takes `choose[p](infostate, legal_actions)`; chance uses `rng`."""
    while not history.is_terminal:
        actions = {
            player: choose[player](history.infostates[player], history.legal_actions(player))
            for player in history.actors
        }
        history = history.sample(history.joint(actions), rng)
    return history
