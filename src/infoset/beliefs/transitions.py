"""Transitions: what an observer sees of one, and the outcomes of chance, listed or sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from sys import maxsize
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.game import Game, Observation, Step
from infoset.game.answer_checks import check_form, check_outcomes, no_transitions_error
from infoset.game.broken_rules import rules_at
from infoset.typing import NOOP, JointAction, Player, World


class ObservedStep(NamedTuple):
    """The observation of one transition by a player, or by the public if `player` is None."""

    player: Player | None
    step: Step
    """For the public, the action is `NOOP` and the private observation is None."""

    def agrees(self, observation: Observation) -> bool:
        """Return whether an observation of the game agrees with this step."""
        if observation.public != self.step.public:
            return False
        return self.player is None or observation.seen_by(self.player) == self.step.private


class Successor(NamedTuple):
    """One transition out of a history of a batch."""

    origin: int
    """Position of the history in its batch."""
    joint_action: JointAction
    next_world: World
    probability: float
    """Chance probability, given the joint action."""
    seen: Observation


class TooManyWorldsError(Exception):
    """A transition has more next world states than may be enumerated. Internal to the package."""


Outcomes: TypeAlias = Callable[[Game, World, JointAction], Iterable[tuple[World, float]]]
"""A function that returns the next world states of a joint action, with probabilities, without
duplicates."""

USUAL = (int, float, Fraction)
"""Types of probabilities that need no closer look."""


def enumerated_outcomes(
    game: Game, world: World, joint_action: JointAction, limit: int = maxsize
) -> Iterable[tuple[World, float]]:
    """Return the next world states of positive probability.

    Raises
    ------
    TooManyWorldsError
        If there are more than `limit`.
    """
    with rules_at(game, world):
        answer = game.transitions(world, joint_action)
        check_form("transitions", answer, world, joint_action)
        # One more than the limit shows that there are too many, even if they never end.
        pairs = list(islice(answer, min(limit + 1, maxsize)))
        if len(pairs) > limit:
            raise TooManyWorldsError
        # Most transitions are moves, for which the checks would take longer than the rules.
        is_move = len(pairs) == 1 and type(pairs[0][1]) in USUAL and pairs[0][1] == 1
        if not is_move:
            check_outcomes(tuple(pairs), world, joint_action, len(pairs))
        if not pairs and any(action is not NOOP for action in joint_action):
            raise no_transitions_error(world, joint_action)
        if len(pairs) == 1:
            [(next_world, probability)] = pairs
            return [(next_world, float(probability))]
        merged: dict[World, float] = {}
        for next_world, probability in pairs:
            if probability:
                merged[next_world] = merged.get(next_world, 0.0) + float(probability)
        return merged.items()


@dataclass(frozen=True)
class SampledOutcomes:
    """Enumerates the outcomes of chance, and samples them if there are too many.

    Only games that define `sample_transition` are sampled; other games are always enumerated. If a
    game defines `sample_observed_transition`, only outcomes that agree with the observation are
    drawn.
    """

    limit: int
    """Maximum number of next world states that are enumerated."""
    num_draws: int
    """Number of draws if there are more."""
    observed: ObservedStep
    rng: np.random.Generator
    drawn: Counter[tuple[World, JointAction]] = field(default_factory=Counter)
    """Number of distinct next world states that were sampled, by the transition's start."""

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return the next world states with probabilities, or the sampled ones with weights."""
        if type(game).sample_transition is Game.sample_transition:
            return enumerated_outcomes(game, world, joint_action)
        with suppress(TooManyWorldsError):
            return enumerated_outcomes(game, world, joint_action, self.limit)
        weights: dict[World, float] = {}
        for _ in range(self.num_draws):
            next_world, weight = self._draw(game, world, joint_action)
            weights[next_world] = weights.get(next_world, 0.0) + weight / self.num_draws
        self.drawn[world, joint_action] += len(weights)
        return weights.items()

    def _draw(self, game: Game, world: World, joint_action: JointAction) -> tuple[World, float]:
        """Return a next world state, and its weight: the probability of the observation."""
        with rules_at(game, world):
            found = game.sample_observed_transition(world, joint_action, *self.observed, self.rng)
            # Without a draw that is known to agree, any draw is tried: its weight is 1, and it is
            # rejected if it contradicts the observation.
            return found or (game.sample_transition(world, joint_action, self.rng), 1.0)
