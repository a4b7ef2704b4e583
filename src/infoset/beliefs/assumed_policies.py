"""The policies that a belief assumes: reach under them, and uniform play where they err."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import log, prod
from typing import Final, TypeAlias, TypeVar

import numpy as np

from infoset.beliefs.belief import Histories
from infoset.beliefs.history_batches import InfostateIndex
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import InfostateTree
from infoset.policy import (
    Policy,
    PolicyFunction,
    as_policy,
    checked_probabilities,
    probabilities_at,
)
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_number, check_type

MODEL_NOISE: Final = 0.01
"""Default weight of uniform play where the assumed policies contradict the observations."""

AssumedPolicies: TypeAlias = (
    Policy | PolicyFunction | str | Sequence[Policy | PolicyFunction | str | None] | None
)
"""One policy, function or the word "uniform" for all players, or one per player; None to infer
nothing from the actions."""

GIVE_POLICIES = "one policy per player, None to infer nothing from the actions of a player"

Numbering: TypeAlias = InfostateIndex | InfostateTree
"""The infostates of a player by their numbers, of a batch or of a tree."""

Answer = TypeVar("Answer")


def policy_of_each(policies: AssumedPolicies, num_players: int) -> tuple[Policy | None, ...]:
    """Return the policy of each player.

    Raises
    ------
    ParameterError
        If there is not one policy per player, or an item is not a policy or a function.
    """
    if policies is None:
        return (None,) * num_players
    is_function = callable(policies) and not isinstance(policies, type)
    if is_function or isinstance(policies, Policy | str):
        return (as_policy(policies),) * num_players
    check_type("policies", policies, Sequence, GIVE_POLICIES)
    assert isinstance(policies, Sequence)
    if len(policies) != num_players:
        raise ParameterError(
            f"got {len(policies)} policies for {num_players} players; give {GIVE_POLICIES}"
        )
    return tuple(None if policy is None else as_policy(policy) for policy in policies)


class AssumedReach:
    """Reach of the players under the policies that a belief assumes.

    A policy may be a search. It is therefore asked once at each infostate of a batch or a tree, for
    all histories, steps of a filter and weights of uniform play, and not at all above an action
    that it excludes.
    """

    def __init__(self, policies: Sequence[Policy | None]) -> None:
        self.policies = policies
        """One per player; None for a player whose reach is left out."""
        self._answers: dict[tuple[Numbering, int], list[float]] = {}
        self._reaches: dict[tuple[Numbering, int], float] = {}

    def of(
        self, histories: Histories, without: Player | None = None, noise: float = 0.0
    ) -> FloatArray:
        """Return [K] the weight of histories times the reach of the players with policies.

        The factor of the player `without` is left out. With noise, the policies are mixed with
        uniform play, and the reach of each player is relative to its maximum.
        """
        reach = histories.weight
        for player, policy in enumerate(self.policies):
            if policy is None or player == without:
                continue
            # Histories share infostates, so that the reach of each is computed once.
            numbers, place = np.unique(histories.infostate[:, player], return_inverse=True)
            known = histories.infostate_indexes[player]
            if noise:
                # After many moves that the policies exclude, a product would underflow.
                paths = [self._path(known, number) for number in numbers.tolist()]
                logs = [
                    sum(log((1 - noise) * p + noise / num) for p, num in path) for path in paths
                ]
                own_reach = np.exp(np.array(logs) - max(logs))
            else:
                own_reach = np.array([self._own_reach(known, at) for at in numbers.tolist()])
            reach = reach * own_reach[place]
        return reach

    def ranges(self, histories: Histories, player: Player, numbers: Sequence[int]) -> FloatArray:
        """Return [S] a player's own reach of some infostates; its policy is called once for all."""
        policy = self.policies[player]
        if policy is None:
            return np.ones(len(numbers))
        moves = [[*histories.infostate_indexes[player].own_moves(number)] for number in numbers]
        # A dictionary, to ask once where the paths to several infostates meet, in a fixed order.
        asked = dict.fromkeys((known, at) for path in moves for known, at, _ in path)
        new = [place for place in asked if place not in self._answers]
        infostates = [known.infostate_at(at) for known, at in new]
        legal = [known.legal_actions(at) for known, at in new]
        for place, answer in zip(new, probabilities_at(policy, infostates, legal), strict=True):
            self._answers[place] = answer.tolist()
        # In the order of play, in which realization plans are multiplied: rounding depends on it.
        answers = self._answers
        products = [prod(answers[own, at][k] for own, at, k in reversed(path)) for path in moves]
        return np.array(products, np.float64)

    def _own_reach(self, known: Numbering, number: int) -> float:
        """Return the reach of an infostate by its player's own actions."""
        if (known, number) not in self._reaches:
            reach = 1.0
            for probability, _ in self._path(known, number):
                reach *= probability
                if not reach:
                    break  # the policy is not asked about earlier actions
            self._reaches[known, number] = reach
        return self._reaches[known, number]

    def _path(self, known: Numbering, number: int) -> Iterator[tuple[float, int]]:
        """Yield the probability of each own action before an infostate, last first.

        With each comes the number of legal actions.
        """
        policy = self.policies[known.player]
        assert policy is not None
        for before, at, action in known.own_moves(number):
            if (before, at) not in self._answers:
                infostate, legal = before.infostate_at(at), before.legal_actions(at)
                answer = checked_probabilities(policy, infostate, legal)
                self._answers[before, at] = answer.tolist()  # a copy: it may use the array again
            chances = self._answers[before, at]
            yield chances[action], len(chances)


@dataclass(frozen=True)
class ModelNoise:
    """The mixture of assumed policies with uniform play.

    The policy of each player becomes `(1 - weight) * policy + weight * uniform`; by default only if
    the unmixed policies give the observations probability zero. If histories must be sampled and no
    sample from the mixture agrees with the observations, the weight becomes 1.
    """

    weight: float = MODEL_NOISE
    """From 0, which never mixes, to 1."""
    is_always: bool = False
    """Whether the policies are always mixed."""

    def __post_init__(self) -> None:
        check_number("model_noise", self.weight, maximum=1)
        check_type("always_noisy", self.is_always, bool, "True or False")

    def attempt(self, compute: Callable[[float], Answer]) -> tuple[Answer, float]:
        """Return the result of a function of the weight, and the weight that was used.

        Raises
        ------
        UnsupportedGameError
            If the function raises it for the last weight that may be used.
        """
        if not self.weight:
            return compute(0.0), 0.0
        for weight in (self.weight,) if self.is_always else (0.0, self.weight):
            with suppress(UnsupportedGameError):
                return compute(weight), weight
        return compute(1.0), 1.0


def unreached_error(game: object, player: Player | None) -> UnsupportedGameError:
    """Return the error for an observation of probability zero under the assumed policies."""
    whose = "the public" if player is None else f"player {player}'s"
    return UnsupportedGameError(
        f"under the assumed policies, {whose} observations of {game} have probability zero, so the "
        "belief is undefined; give a positive model_noise, assume policies with positive "
        "probabilities, or None"
    )
