"""Calls of the rules with checks of each answer, for code that does not build the whole game.

A broken rule, and an exception that a method raises, is reported as by `check_game`.
"""

from __future__ import annotations

from infoset.game._world_checks import LONGEST_LIST
from infoset.game.answer_checks import (
    ObservationParts,
    Transition,
    check_actors,
    check_form,
    check_legal_actions,
    check_observation,
    check_outcomes,
    check_rewards,
    check_world,
    form_error,
    no_transitions_error,
)
from infoset.game.broken_rules import check_num_players, rules_at
from infoset.game.observation import Observation
from infoset.game.outcome_lists import ended
from infoset.game.protocol import Game, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World


class CheckedGame(Game):
    """A game with checks of each answer, for games that are derived from its rules."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.num_players = check_num_players(game)

    def initial_world(self) -> World:
        """Return the initial world state."""
        return checked_initial_world(self.game)

    def actors(self, world: World) -> tuple[Player, ...]:
        """Return the players who act."""
        return checked_actors(self.game, world)

    def legal_actions(self, world: World, player: Player) -> tuple[Action, ...]:
        """Return the legal actions of a player who acts."""
        return checked_legal_actions(self.game, world, player)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> tuple[tuple[World, Probability], ...]:
        """Return the next worlds and their probabilities."""
        return checked_outcomes(self.game, world, joint_action)

    def rewards(
        self, world: World, joint_action: JointAction, next_world: World
    ) -> tuple[float, ...]:
        """Return the rewards of a transition."""
        return checked_rewards(self.game, world, joint_action, next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: World) -> Observation:
        """Return the observation of a transition."""
        return checked_observation(self.game, world, joint_action, next_world)[0]

    def is_over(self, world: World) -> bool:
        """Return whether nobody acts, and there are no transitions."""
        nobody = (NOOP,) * self.num_players
        return not self.actors(world) and not self.transitions(world, nobody)


def checked_initial_world(game: Game) -> World:
    """Return the initial world state of a game with a valid number of players."""
    check_num_players(game)
    with rules_at(game):
        return check_world(game.initial_world(), "initial_world()", None)


def checked_actors(game: Game, world: World) -> tuple[Player, ...]:
    """Return the players who act at a world state."""
    with rules_at(game, world):
        answer = game.actors(world)
        check_form("actors", answer, world)
        return check_actors(tuple(answer), world, game.num_players)


def checked_legal_actions(game: Game, world: World, player: Player) -> tuple[Action, ...]:
    """Return the legal actions of a player who acts at a world state."""
    with rules_at(game, world):
        answer = game.legal_actions(world, player)
        check_form("legal_actions", answer, world, player)
        if len(answer) > LONGEST_LIST:  # copying a range of a billion numbers cannot be interrupted
            problem = f"a list of more than {LONGEST_LIST:,} items"
            raise form_error("legal_actions", problem, (world, player))
        return check_legal_actions(tuple(answer), world, player)


def checked_outcomes(
    game: Game, world: World, joint_action: JointAction
) -> tuple[tuple[World, Probability], ...]:
    """Return the next worlds and probabilities of a joint action, as `transitions` lists them."""
    with rules_at(game, world):
        answer = game.transitions(world, joint_action)
        check_form("transitions", answer, world, joint_action)
        outcomes = tuple(ended(answer, world, joint_action))
        check_outcomes(outcomes, world, joint_action, len(outcomes))
        if not outcomes and any(action is not NOOP for action in joint_action):
            raise no_transitions_error(world, joint_action)
        return outcomes


def checked_rewards(
    game: Game, world: World, joint_action: JointAction, next_world: World
) -> tuple[float, ...]:
    """Return the rewards of a transition."""
    transition = Transition(world, joint_action, next_world)
    with rules_at(game, world):
        answer = game.rewards(*transition)
        check_form("rewards", answer, *transition)
        return check_rewards(tuple(answer), transition, game.num_players)


def checked_observation(
    game: Game, world: World, joint_action: JointAction, next_world: World
) -> tuple[Observation, ObservationParts]:
    """Return the observation of a transition, and its parts."""
    transition = Transition(world, joint_action, next_world)
    with rules_at(game, world):
        seen = game.observe(*transition)
        return seen, check_observation(seen, transition, game.num_players)
