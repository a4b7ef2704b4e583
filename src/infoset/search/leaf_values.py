"""Leaf values: the worth of a position at which a search stops before the end of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError, UserFunctionError, show
from infoset.game import History, Infostate, play_out
from infoset.policy import Policy, UniformPolicy, checked_probabilities
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_type

LeafFunction: TypeAlias = Callable[[Sequence[History]], FloatArray]
"""A function that maps K histories to values [K, N]: the utility that each player expects at each
history, including its rewards so far. Equal histories must have equal values."""


@dataclass(frozen=True)
class Rollouts:
    """A leaf value: the mean utility of some plays from the leaf to the end.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.search import PIMC, search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> PIMC(kuhn, depth=1, leaf_value=Rollouts(num_rollouts=5)).settings()[
    ...     "leaf_value"
    ... ]
    'Rollouts(num_rollouts=5)'
    """

    policy: Policy | None = None
    """The policy of all players. None plays uniformly at random, compiled if the model is."""
    num_rollouts: int = 1
    """Number of plays from each leaf."""

    def __post_init__(self) -> None:
        if self.policy is not None:
            check_type("policy", self.policy, Policy, "a policy, or None for uniform random play")
        check_count("num_rollouts", self.num_rollouts, minimum=1)

    @property
    def is_uniform(self) -> bool:
        """Whether the plays are uniformly random, so that they need no histories."""
        return self.policy is None or isinstance(self.policy, UniformPolicy)


LeafValue: TypeAlias = Rollouts | Policy | LeafFunction
"""What a searcher accepts as `leaf_value`; a policy stands for `Rollouts(policy)`."""


def as_leaf_value(leaf_value: LeafValue | None) -> Rollouts | LeafFunction:
    """Return the rollouts or the function that a `leaf_value` stands for.

    Raises
    ------
    ParameterError
        If it is neither rollouts, nor a policy, nor a function.
    """
    if leaf_value is None or isinstance(leaf_value, Rollouts):
        return leaf_value or Rollouts()
    is_instance = not isinstance(leaf_value, type)
    if is_instance and isinstance(leaf_value, Policy):
        return Rollouts(leaf_value)
    if is_instance and callable(leaf_value):
        return leaf_value
    raise ParameterError(
        f"leaf_value={show(leaf_value)} is neither a policy nor a function; give a policy, "
        "Rollouts(num_rollouts=10), or a function that maps a list of histories to values with one "
        "row per history and one column per player"
    )


def check_depth(depth: int | None) -> None:
    """Raise unless a depth limit is a positive whole number, or None."""
    if depth is not None:
        check_count("depth", depth, minimum=1)


def leaf_value_name(leaf: Rollouts | LeafFunction | None) -> str | None:
    """Return the text that stands for a leaf value among a searcher's settings."""
    if leaf is None:
        return None
    if not isinstance(leaf, Rollouts):
        return str(getattr(leaf, "__qualname__", type(leaf).__name__))
    policy = "" if leaf.policy is None else f"policy={type(leaf.policy).__name__}, "
    return f"Rollouts({policy}num_rollouts={leaf.num_rollouts})"


def default_policy(
    leaf: Rollouts | LeafFunction | None, infostate: Infostate, legal_actions: Sequence[Action]
) -> FloatArray:
    """Return [A] what a search that had no time for anything plays: the policy of its rollouts.

    It is uniform if they are, and if leaf values are those of a function.
    """
    policy = leaf.policy if isinstance(leaf, Rollouts) else None
    return checked_probabilities(policy or UniformPolicy(), infostate, legal_actions)


def checked_leaf_values(function: LeafFunction, histories: Sequence[History]) -> FloatArray:
    """Return the values [K, N] of a leaf function, which must be finite.

    Raises
    ------
    UserFunctionError
        If the function raises an exception.
    """
    name, shape = leaf_value_name(function), (len(histories), histories[0].game.num_players)
    try:
        answer = function(histories)
    except Exception as error:
        of = f"for {len(histories)} histories, the first of which is {histories[0]}"
        UserFunctionError.check(error, function, "the leaf value", of)
        raise
    try:
        values = np.asarray(answer, np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != shape:
        found = f"an array of shape {values.shape}" if values.ndim and values.size else show(answer)
        raise ParameterError(
            f"the leaf value {name} returned {found} for {shape[0]} histories of a game of "
            f"{shape[1]} players; return an array of shape {shape}, with the utility that each "
            "player expects"
        )
    if not np.isfinite(values).all():
        worst = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ParameterError(
            f"the leaf value {name} returned {values[worst].tolist()} at the history "
            f"{histories[worst]}; return finite numbers"
        )
    return values


def rollout_values(
    histories: Sequence[tuple[History, tuple[Action, ...]]],
    rollouts: Rollouts,
    rng: np.random.Generator,
) -> FloatArray:
    """Return [K, N] the mean utilities of plays from K histories to the end.

    Parameters
    ----------
    histories
        Each history with the actions that its first actors have already chosen.
    """
    policy = UniformPolicy() if rollouts.policy is None else rollouts.policy
    values = np.zeros((len(histories), histories[0][0].game.num_players))
    for row, (history, chosen) in enumerate(histories):
        for _ in range(rollouts.num_rollouts):
            after = play_move(history, chosen, policy, rng) if chosen else history
            choose = [_chooser(policy, rng)] * history.game.num_players
            utility = play_out(after, choose, rng).rewards_so_far
            values[row] += np.array(utility, np.float64) / rollouts.num_rollouts
    return values


def play_move(
    history: History, chosen: Sequence[Action], policy: Policy, rng: np.random.Generator
) -> History:
    """Return a history extended by one transition, in which a policy chooses the missing actions.

    chosen : the actions of the first actors.
    """
    actors = sorted(history.actors)
    actions = dict(zip(actors, chosen, strict=False))
    choose = _chooser(policy, rng)
    for player in actors[len(chosen) :]:
        actions[player] = choose(history.infostates[player], history.legal_actions(player))
    return history.sample(history.joint(actions), rng)


def _chooser(
    policy: Policy, rng: np.random.Generator
) -> Callable[[Infostate, Sequence[Action]], Action]:
    def choose(infostate: Infostate, legal_actions: Sequence[Action]) -> Action:
        if len(legal_actions) == 1:
            return legal_actions[0]
        probabilities = checked_probabilities(policy, infostate, legal_actions)
        return legal_actions[int(rng.choice(len(legal_actions), p=probabilities))]

    return choose
