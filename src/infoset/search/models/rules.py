"""The search model that calls a game's rules in plain Python, for games too large to explore."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief, private_belief
from infoset.errors import UnsupportedGameError
from infoset.game import Game, History, Infostate, Probability, Step
from infoset.game.broken_rules import check_num_players
from infoset.game.checked_rules import (
    checked_actors,
    checked_legal_actions,
    checked_observation,
    checked_outcomes,
    checked_rewards,
)
from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position
from infoset.search.models.model import (
    RootPositions,
    SearchModel,
    action_indices_in,
)
from infoset.typing import NOOP, Action, JointAction, LongArray, Player, World
from infoset.utils.arguments import check_type

NUM_PROBES = (1, 10, 100, 1000)
"""Numbers of histories sampled, until one agrees, to find the legal actions at an infostate."""


class PartialChoice(NamedTuple):
    """A world state and the actions that its first actors have chosen."""

    world: World
    chosen: tuple[Action, ...] = ()


class RulesModel(SearchModel):
    """The search model of any game: it calls the rules and caches their results.

    Parameters
    ----------
    max_positions
        Maximum size of the cache, which is cleared before the next search if it is larger.
    known_range
        Bounds on the utilities of all players; by default those that the game declares.
    """

    state_size = 1

    def __init__(
        self,
        game: Game,
        *,
        max_positions: int = 200_000,
        known_range: tuple[float, float] | None = None,
    ) -> None:
        check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
        check_num_players(game)
        self.game = game
        self.arrays = self
        self.max_positions = max_positions
        self._known_range = known_range
        self._clear()

    def _clear(self) -> None:
        self._positions: list[PartialChoice] = []
        self._number_of: dict[PartialChoice, int] = {}
        self._actors_of: dict[World, tuple[Player, ...]] = {}
        self._legal_of: dict[int, tuple[Action, ...]] = {}
        self._outcomes_of: dict[int, list[tuple[World, Probability]]] = {}
        self._step_number: dict[Step, int] = {}
        self._legal_at: dict[Infostate, tuple[Action, ...]] = {}

    @property
    def known_range(self) -> tuple[float, float] | None:
        """Bounds on the utilities of all players; None if they are unknown."""
        return self._known_range or self.game.utility_range

    @property
    def is_zero_sum(self) -> bool:
        """Always False, because the rules do not say whether the game is zero-sum."""
        return False

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate, which are the same at all its histories."""
        if infostate not in self._legal_at:
            history = self._any_history(infostate)
            self._legal_at[infostate] = tuple(history.legal_actions(infostate.player))
        return self._legal_at[infostate]

    def _any_history(self, infostate: Infostate) -> History:
        """Return a history of an infostate, from a small sample if there are many."""
        rng = np.random.default_rng(0)
        for number in NUM_PROBES:
            with suppress(UnsupportedGameError):
                sample = private_belief(
                    self.game, infostate, rng=rng, max_worlds=10 * number, num_samples=number
                )
                return sample.histories[0]
        return private_belief(self.game, infostate, rng=rng).histories[0]

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief."""
        if len(self._positions) > self.max_positions:
            self._clear()
        held = belief.at(self.game, infostate, rng=rng)
        numbers = [[self._number(PartialChoice(world))] for world in held.worlds]
        return RootPositions(
            np.array(numbers, np.int64),
            held.rewards_so_far.copy(),  # searches write to theirs
            held.infostate_numbers(infostate),
            held.probability,
            held.model_noise,
        )

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] for each root, the index of each of the infostate's legal actions."""
        player = infostate.player
        # The rules are asked once per infostate, because a large belief has thousands of roots.
        _, first, place = np.unique(
            roots.infostates[:, player], return_index=True, return_inverse=True
        )
        worlds = [self._positions[number].world for number in roots.states[first, 0].tolist()]
        offered = [
            checked_legal_actions(self.game, world, player) if player in self._actors(world) else ()
            for world in worlds
        ]
        return action_indices_in(offered, self.legal_actions(infostate))[place]

    # The functions of `_model_kernels` as methods: searches on this model run uncompiled.

    def actor(self, position: Position) -> int:
        """Return the player to act, `CHANCE_MOVE` or `END`."""
        at = self._at(position)
        actors = self._actors(at.world)
        if len(at.chosen) < len(actors):
            return actors[len(at.chosen)]
        return CHANCE_MOVE if self._outcomes(position) else END

    def num_actions(self, position: Position) -> int:
        """Return the number of legal actions of the actor."""
        return len(self._legal(position))

    def choose_action(self, position: Position, action: int) -> None:
        """Record the action of the actor."""
        at = self._at(position)
        chosen = (*at.chosen, self._legal(position)[action])
        position.state[0] = self._number(PartialChoice(at.world, chosen))

    def num_outcomes(self, position: Position) -> int:
        """Return the number of possible next world states."""
        return len(self._outcomes(position))

    def outcome_probability(self, position: Position, outcome: int) -> float:
        """Return the probability of a next world state."""
        return float(self._outcomes(position)[outcome][1])

    def apply_outcome(self, position: Position, outcome: int) -> None:
        """Move to a next world state."""
        at, joint = self._at(position), self._joint_action(position)
        world = self._outcomes(position)[outcome][0]
        rewards = checked_rewards(self.game, at.world, joint, world)
        _, parts = checked_observation(self.game, at.world, joint, world)
        position.rewards_so_far[:] += np.asarray(rewards, np.float64)
        for player, action in enumerate(joint):
            step = Step(action, parts.private[player], parts.public)
            number = self._step_number.setdefault(step, len(self._step_number))
            position.observations[player] = number
        position.state[0] = self._number(PartialChoice(world))

    def _at(self, position: Position) -> PartialChoice:
        return self._positions[int(position.state[0])]

    def _number(self, at: PartialChoice) -> int:
        number = self._number_of.setdefault(at, len(self._positions))
        if number == len(self._positions):
            self._positions.append(at)
        return number

    def _actors(self, world: World) -> tuple[Player, ...]:
        if world not in self._actors_of:
            self._actors_of[world] = tuple(sorted(checked_actors(self.game, world)))
        return self._actors_of[world]

    def _legal(self, position: Position) -> tuple[Action, ...]:
        number = int(position.state[0])
        if number not in self._legal_of:
            at = self._at(position)
            player = self._actors(at.world)[len(at.chosen)]
            self._legal_of[number] = checked_legal_actions(self.game, at.world, player)
        return self._legal_of[number]

    def _joint_action(self, position: Position) -> JointAction:
        at = self._at(position)
        actions = dict(zip(self._actors(at.world), at.chosen, strict=True))
        return tuple(actions.get(player, NOOP) for player in range(self.num_players))

    def _outcomes(self, position: Position) -> list[tuple[World, Probability]]:
        number = int(position.state[0])
        if number not in self._outcomes_of:
            world, joint = self._at(position).world, self._joint_action(position)
            pairs = checked_outcomes(self.game, world, joint)
            self._outcomes_of[number] = [pair for pair in pairs if pair[1] > 0]
        return self._outcomes_of[number]
