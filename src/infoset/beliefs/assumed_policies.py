"""Assumed policies of players, and the reach of infostates and histories under them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import log
from typing import Final, TypeAlias, TypeVar

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.policy import Policy, PolicyFunction, as_policy
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_number, check_type

__all__ = [
    "MODEL_NOISE",
    "AssumedPolicies",
    "ModelNoise",
    "PolicyFunction",
    "batch_reach",
    "policy_of_each",
    "reach_of_each",
    "unreached_error",
]

MODEL_NOISE: Final = 0.01
"""Default weight of uniform play where the assumed policies contradict what was observed."""

AssumedPolicies: TypeAlias = (
    Policy | PolicyFunction | Sequence[Policy | PolicyFunction | None] | None
)
"""One policy or function for all players, or one per player; None to infer nothing from the
actions."""

GIVE_POLICIES = "one policy per player, None to infer nothing from the actions of a player"

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
    if isinstance(policies, Policy) or (callable(policies) and not isinstance(policies, type)):
        return (as_policy(policies),) * num_players
    check_type("policies", policies, Sequence, GIVE_POLICIES)
    assert isinstance(policies, Sequence)
    if len(policies) != num_players:
        raise ParameterError(
            f"got {len(policies)} policies for {num_players} players; give {GIVE_POLICIES}"
        )
    return tuple(None if policy is None else as_policy(policy) for policy in policies)


@dataclass(frozen=True)
class ModelNoise:
    """The mixture of assumed policies with uniform play.

    The policy of each player becomes `(1 - weight) * policy + weight * uniform`: by default only
    where the policies as they are give probability zero to what was observed. If histories must be
    sampled and no sample from the mixture agrees with it, the weight becomes 1.

    Attributes
    ----------
    weight : float
        From 0, which never mixes, to 1.
    is_always : bool
        Whether the policies are always mixed.

    Raises
    ------
    ParameterError
        If `weight` is not a number from 0 to 1, or `is_always` is not a bool.
    """

    weight: float = MODEL_NOISE
    is_always: bool = False

    def __post_init__(self) -> None:
        check_number("model_noise", self.weight, maximum=1)
        check_type("always_noisy", self.is_always, bool, "True or False")

    def attempt(self, compute: Callable[[float], Answer]) -> tuple[Answer, float]:
        """Return the answer of a function of the weight to use, and that weight.

        Raises
        ------
        UnsupportedGameError
            If the function raises it for the last weight that may be used.
        """
        *earlier, last = self._weights
        for weight in earlier:
            with suppress(UnsupportedGameError):
                return compute(weight), weight
        return compute(last), last

    @property
    def _weights(self) -> tuple[float, ...]:
        """The weights to use, in order; each only if the belief is undefined for those before."""
        if not self.weight:
            return (0.0,)
        return (self.weight, 1.0) if self.is_always else (0.0, self.weight, 1.0)


def unreached_error(game: object, player: Player | None) -> UnsupportedGameError:
    """Return the error for an observation of probability zero under the assumed policies."""
    whose = "the public" if player is None else f"player {player}'s"
    return UnsupportedGameError(
        f"under the assumed policies, {whose} observations of {game} have probability zero, so the "
        "belief is undefined; give a positive model_noise, assume policies with positive "
        "probabilities, or None"
    )


def batch_reach(
    batch: HistoryBatch,
    policies: Sequence[Policy | None],
    without: Player | None = None,
    noise: float = 0.0,
) -> FloatArray:
    """Return [K] the chance reach of the histories of a batch times the reach of the players.

    The factor is 1 for a player without a policy and for the player `without`. With noise, the
    policies are mixed with uniform play, and the reach of each player is relative to its maximum.
    """
    reach = batch.weight
    for player, policy in enumerate(policies):
        if policy is not None and player != without:
            numbers, place = np.unique(batch.infostate[:, player], return_inverse=True)
            index = batch.infostate_indexes[player]
            paths = [index.own_probabilities(policy, number) for number in numbers.tolist()]
            reach = reach * reach_of_each(paths, noise)[place]
    return reach


def _reach_of(path: Iterable[tuple[float, int]]) -> float:
    """Return the product of the probabilities on a path, up to the first zero."""
    reach = 1.0
    for probability, _ in path:
        reach *= probability
        if not reach:
            break
    return reach


def reach_of_each(paths: Sequence[Iterable[tuple[float, int]]], noise: float) -> FloatArray:
    """Return [S] the reach at the end of each path of probabilities and numbers of actions.

    With noise, it is relative to the maximum.
    """
    if not noise:
        return np.array([_reach_of(path) for path in paths])
    # After many moves that the policies exclude, a product of probabilities would underflow.
    logs = np.array(
        [sum(log((1 - noise) * chance + noise / number) for chance, number in p) for p in paths]
    )
    relative: FloatArray = np.exp(logs - logs.max())
    return relative
