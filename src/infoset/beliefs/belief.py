"""Beliefs: distributions over histories, under assumed policies and limits on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import Final, TypeAlias, TypeVar

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import Game, History, Infostate
from infoset.policy import Policy, PolicyFunction, as_policy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player, World
from infoset.utils.arguments import (
    SUM_TOLERANCE,
    check_count,
    check_generator,
    check_number,
    check_type,
)

MAX_WORLDS: Final = 200_000
"""Maximum number of histories that are enumerated."""

NUM_SAMPLES: Final = 10_000
"""Default number of sampled histories if there are more than `MAX_WORLDS`."""

MODEL_NOISE: Final = 0.01
"""Default weight of uniform play where the assumed policies contradict the observations."""

AssumedPolicies: TypeAlias = (
    Policy | PolicyFunction | Sequence[Policy | PolicyFunction | None] | None
)
"""One policy or function for all players, or one per player; None to infer nothing from the
actions."""

GIVE_POLICIES = "one policy per player, None to infer nothing from the actions of a player"

Answer = TypeVar("Answer")

EXACT_METHODS = ("tree", "enumeration")


@dataclass(frozen=True, eq=False)
class Belief:
    """A distribution over the histories that an observer considers possible.

    Examples
    --------
    >>> from infoset.beliefs import private_belief
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> king = Infostate(0, (Step(None, "K", None),))
    >>> belief = private_belief(load_game("kuhn_poker"), king)
    >>> belief.method, belief.probability.tolist()
    ('enumeration', [0.5, 0.5])
    >>> {str(known): p for known, p in belief.infostate_probabilities(1).items()}
    {'[Q]': 0.5, '[J]': 0.5}
    """

    histories: Sequence[History] | IntArray
    """[K] the histories of positive probability: for a tree their indices, in increasing order; for
    a game a sequence of `History` objects that are created on access."""
    probability: FloatArray
    """[K] positive probability of each history. The sum is 1."""
    source: Game | GameTree = field(repr=False)
    """The game or tree of the histories."""
    method: str
    """How the belief was computed: `tree` and `enumeration` are exact; `samples` is a weighted
    sample; `rejection` is a weighted sample for which some draws were rejected."""
    model_noise: float = 0.0
    """Weight of uniform play in the assumed policies: 0 if they were used as they are. It is
    positive if they give probability zero to what was observed (see `private_belief`)."""

    def __post_init__(self) -> None:
        probability = np.array(self.probability, dtype=np.float64)
        if probability.shape != (len(self.histories),):
            raise ParameterError(
                f"got probabilities of shape {probability.shape} for {len(self.histories)} "
                "histories; give one probability per history"
            )
        total = float(probability.sum())
        if not (probability > 0).all() or not abs(total - 1) <= SUM_TOLERANCE:
            raise ParameterError(
                f"the probabilities have minimum {probability.min(initial=1)} and sum {total}; "
                "they must be positive and sum to 1"
            )
        probability.flags.writeable = False
        object.__setattr__(self, "probability", probability)

    def __len__(self) -> int:
        return len(self.histories)

    @property
    def is_exact(self) -> bool:
        """Whether all histories are included with exact probabilities."""
        return self.method in EXACT_METHODS

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """[K] the last world state of each history."""
        if isinstance(self.histories, HistoryBatch):
            return tuple(self.histories.worlds)
        if isinstance(self.histories, np.ndarray):
            tree = self._tree
            return tuple(tree.graph.worlds[at] for at in tree.world[self.histories].tolist())
        return tuple(history.world for history in self.histories)

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player at each history."""
        if isinstance(self.histories, HistoryBatch):
            return self.histories.rewards_so_far
        if isinstance(self.histories, np.ndarray):
            return self._tree.rewards_so_far[self.histories]
        return np.array([history.rewards_so_far for history in self.histories], np.float64)

    def infostates(self, player: Player) -> tuple[Infostate, ...]:
        """Return [K] the infostate of a player at each history."""
        values, place = self._infostates_of(player)
        return tuple(values[at] for at in place.tolist())

    def infostate_probabilities(self, player: Player) -> dict[Infostate, float]:
        """Return the probability of each possible infostate of a player."""
        values, place = self._infostates_of(player)
        total = np.bincount(place, weights=self.probability, minlength=len(values))
        return dict(zip(values, total.tolist(), strict=True))

    def sample(self, rng: np.random.Generator, size: int) -> LongArray:
        """Return [size] positions of histories, drawn independently from the belief."""
        check_count("size", size)
        drawn = rng.random(size) * self._cumulative[-1]
        found: LongArray = np.searchsorted(self._cumulative, drawn, side="right")
        return found

    @cached_property
    def _cumulative(self) -> FloatArray:
        return np.cumsum(self.probability)

    def _infostates_of(self, player: Player) -> tuple[list[Infostate], LongArray]:
        """Return a player's distinct infostates, and [K] which of them each history has."""
        if isinstance(self.histories, HistoryBatch):
            numbers, place = np.unique(self.histories.infostate[:, player], return_inverse=True)
            index = self.histories.infostate_indexes[player]
            return [index.value(number) for number in numbers.tolist()], place
        if isinstance(self.histories, np.ndarray):
            at = self._tree.infostate[self.histories, player]
            numbers, place = np.unique(at, return_inverse=True)
            states = self._tree.infostate_trees[player]
            return [states.infostate_at(number) for number in numbers.tolist()], place
        known = [history.infostates[player] for history in self.histories]
        values = list(dict.fromkeys(known))
        number = {value: at for at, value in enumerate(values)}
        return values, np.array([number[value] for value in known])

    @property
    def _tree(self) -> GameTree:
        if isinstance(self.source, GameTree):
            return self.source
        raise ParameterError(
            "the histories are indices, but the source is not a tree; give the GameTree as the "
            "source"
        )


@dataclass(frozen=True)
class SamplingLimits:
    """Limits on the number of histories that are enumerated or sampled."""

    rng: np.random.Generator | None = None
    """None if sampling is not allowed."""
    max_worlds: int = MAX_WORLDS
    num_samples: int = NUM_SAMPLES

    def __post_init__(self) -> None:
        if self.rng is not None:
            check_generator(self.rng)
        check_count("max_worlds", self.max_worlds, minimum=1)
        check_count("num_samples", self.num_samples, minimum=1)


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
        *earlier, last = self._weights
        for weight in earlier:
            with suppress(UnsupportedGameError):
                return compute(weight), weight
        return compute(last), last

    @property
    def _weights(self) -> tuple[float, ...]:
        """The weights to try in order, until the belief is defined."""
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
