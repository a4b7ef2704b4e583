"""The outcomes of chance after a joint action, listed by the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from sys import maxsize
from typing import Protocol

from infoset.game import Game, Probability
from infoset.game.answer_checks import check_form, check_outcomes, no_transitions_error
from infoset.game.broken_rules import rules_at
from infoset.typing import NOOP, JointAction, World


class TooManyWorldsError(Exception):
    """A transition has more next world states than may be enumerated. Internal to the package."""


class Outcomes(Protocol):
    """A function that returns the next world states of a joint action, with probabilities."""

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return pairs of next world state and probability, without duplicates."""
        ...


USUAL = (int, float, Fraction)
"""Types of probabilities that need no closer look."""


@dataclass(frozen=True)
class EnumeratedOutcomes:
    """Enumerates the outcomes of chance."""

    limit: int
    """Maximum number of next world states."""

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
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
            pairs = list(islice(answer, min(self.limit + 1, maxsize)))
            if len(pairs) <= self.limit:
                is_move = len(pairs) == 1 and type(pairs[0][1]) in USUAL and pairs[0][1] == 1
                if not is_move:
                    check_outcomes(tuple(pairs), world, joint_action, len(pairs))
                if not pairs and any(action is not NOOP for action in joint_action):
                    raise no_transitions_error(world, joint_action)
                return self._merged(pairs)
        raise TooManyWorldsError

    def _merged(self, pairs: Sequence[tuple[World, Probability]]) -> Iterable[tuple[World, float]]:
        if len(pairs) == 1:
            [(next_world, probability)] = pairs
            return [(next_world, float(probability))]
        merged: dict[World, float] = {}
        for next_world, probability in pairs:
            if probability:
                merged[next_world] = merged.get(next_world, 0.0) + float(probability)
        return merged.items()
