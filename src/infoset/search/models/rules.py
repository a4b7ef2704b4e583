"""Searching by the rules alone, in plain Python: for games that cannot be explored."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief, private_belief
from infoset.errors import UnsupportedGameError
from infoset.game import Game, History, Infostate, Probability, Step
from infoset.search.models._kernels import CHANCE_MOVE, END, Position
from infoset.search.models._numbering import number_actions, number_infostates, reward_rows
from infoset.search.models.model import RootPositions, SearchModel
from infoset.typing import NOOP, Action, JointAction, LongArray, Player, World
from infoset.utils.arguments import check_type

__all__ = ["RulesModel"]

FEW = 100
"""Histories that are drawn to see what is legal."""


class Choosing(NamedTuple):
    """A world state, and the actions that its first actors have chosen."""

    world: World
    chosen: tuple[Action, ...] = ()


class RulesModel(SearchModel):
    """The rules of a game, asked as a search goes; it keeps the world states it has met.

    Parameters
    ----------
    game : Game
    max_kept : int
        After a search that leaves more positions than this, all are forgotten.
    """

    state_size = 1

    def __init__(self, game: Game, *, max_kept: int = 200_000) -> None:
        check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
        self.game = game
        self.arrays = self
        self.max_kept = max_kept
        self._forget()

    def _forget(self) -> None:
        self._positions: list[Choosing] = []
        self._number_of: dict[Choosing, int] = {}
        self._actors_of: dict[World, tuple[Player, ...]] = {}
        self._outcomes_of: dict[int, list[tuple[World, Probability]]] = {}
        self._step_number: dict[Step, int] = {}
        self._legal_at: dict[Infostate, tuple[Action, ...]] = {}

    @property
    def is_zero_sum(self) -> bool:
        """False: rules do not say so."""
        return False

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the actions at an infostate, which are the same at each history that agrees."""
        if infostate not in self._legal_at:
            history = self._any_history(infostate)
            self._legal_at[infostate] = tuple(history.legal_actions(infostate.player))
        return self._legal_at[infostate]

    def _any_history(self, infostate: Infostate) -> History:
        """Return a history that agrees; where they are drawn, from as few as will do."""
        rng = np.random.default_rng(0)
        with suppress(UnsupportedGameError):
            few = private_belief(
                self.game, infostate, rng=rng, max_worlds=10 * FEW, num_samples=FEW
            )
            return few.histories[0]
        return private_belief(self.game, infostate, rng=rng).histories[0]

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions that a player believes in."""
        if len(self._positions) > self.max_kept:
            self._forget()
        held = belief.at(self.game, infostate, rng=rng)
        numbers = [[self._number(Choosing(world))] for world in held.worlds]
        return RootPositions(
            np.array(numbers, np.int64),
            reward_rows(held),
            number_infostates(held, infostate),
            held.probability,
        )

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the number, at each root, of each action that is legal at an infostate."""
        player = infostate.player
        worlds = [self._positions[number].world for number in roots.states[:, 0].tolist()]
        offered = [
            self.game.legal_actions(world, player) if player in self._actors(world) else ()
            for world in worlds
        ]
        return number_actions(offered, self.legal_actions(infostate))

    def actor(self, position: Position) -> int:
        """Return the player to decide, `CHANCE_MOVE` or `END`."""
        at = self._at(position)
        actors = self._actors(at.world)
        if len(at.chosen) < len(actors):
            return actors[len(at.chosen)]
        return CHANCE_MOVE if self._outcomes(position) else END

    def num_actions(self, position: Position) -> int:
        """Return how many actions the actor has."""
        return len(self._legal(self._at(position)))

    def choose(self, position: Position, action: int) -> None:
        """Let the actor take an action."""
        at = self._at(position)
        chosen = (*at.chosen, self._legal(at)[action])
        position.state[0] = self._number(Choosing(at.world, chosen))

    def num_outcomes(self, position: Position) -> int:
        """Return how many next worlds there may be."""
        return len(self._outcomes(position))

    def outcome_probability(self, position: Position, outcome: int) -> float:
        """Return the probability of a next world."""
        return float(self._outcomes(position)[outcome][1])

    def follow(self, position: Position, outcome: int) -> None:
        """Go to a next world."""
        at, joint = self._at(position), self._joint(position)
        world = self._outcomes(position)[outcome][0]
        position.rewards_so_far[:] += np.asarray(
            self.game.rewards(at.world, joint, world), np.float64
        )
        shown = self.game.observe(at.world, joint, world)
        for player, action in enumerate(joint):
            step = Step(action, shown.seen_by(player), shown.public)
            position.observations[player] = self._step_number.setdefault(
                step, len(self._step_number)
            )
        position.state[0] = self._number(Choosing(world))

    def _at(self, position: Position) -> Choosing:
        return self._positions[int(position.state[0])]

    def _number(self, at: Choosing) -> int:
        number = self._number_of.setdefault(at, len(self._positions))
        if number == len(self._positions):
            self._positions.append(at)
        return number

    def _actors(self, world: World) -> tuple[Player, ...]:
        if world not in self._actors_of:
            self._actors_of[world] = tuple(sorted(self.game.actors(world)))
        return self._actors_of[world]

    def _legal(self, at: Choosing) -> tuple[Action, ...]:
        player = self._actors(at.world)[len(at.chosen)]
        return tuple(self.game.legal_actions(at.world, player))

    def _joint(self, position: Position) -> JointAction:
        at = self._at(position)
        actions = dict(zip(self._actors(at.world), at.chosen, strict=True))
        return tuple(actions.get(player, NOOP) for player in range(self.num_players))

    def _outcomes(self, position: Position) -> list[tuple[World, Probability]]:
        number = int(position.state[0])
        if number not in self._outcomes_of:
            pairs = self.game.transitions(self._at(position).world, self._joint(position))
            self._outcomes_of[number] = [pair for pair in pairs if pair[1] > 0]
        return self._outcomes_of[number]
