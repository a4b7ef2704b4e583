"""Calls of the optional methods of a game that describe what its rules already determine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameRuleError, show
from infoset.game.answer_checks import SHAPES
from infoset.game.broken_rules import rules_at
from infoset.game.history import History
from infoset.game.infostate import Infostate, PublicState
from infoset.game.protocol import Game, has_hook
from infoset.typing import Action, FloatArray, Player

Moves: TypeAlias = NDArray[np.integer[Any]]
"""[K, T, N] histories as positions in lists of legal actions; -1 for a player who does not act."""


def public_observations(information: Infostate | PublicState) -> tuple[Hashable, ...]:
    """Return the public observation of each transition."""
    if isinstance(information, Infostate):
        return information.public_state.observations
    return information.observations


def histories_as_seen(
    game: Game, information: Infostate | PublicState, max_histories: int
) -> Moves | None:
    """Return the histories that a game lists; None if it does not list them.

    Raises
    ------
    GameRuleError
        If the answer is not an array of histories of the right length, or there are too many.
    """
    if not has_hook(game, "histories_as_seen") or _has_private_part(information):
        return None
    with rules_at(game):
        moves = game.histories_as_seen(information, max_histories)
        if moves is None:
            return None
        if len(_checked("histories_as_seen", moves, game, information)) > max_histories:
            found = f"it returned {len(moves)} histories, with max_histories={max_histories}"
            raise GameRuleError(SHAPES["histories_as_seen"], found=found)
    return moves


def sample_histories_as_seen(
    game: Game,
    information: Infostate | PublicState,
    num_histories: int,
    rng: np.random.Generator,
) -> tuple[Moves | Sequence[History], FloatArray] | None:
    """Return histories that a game draws, and their weights; None if it does not draw them.

    Raises
    ------
    GameRuleError
        If the answer is not a pair of drawn histories of the right form and an array of their
        weights, or a weight is not positive.
    """
    name = "sample_histories_as_seen"
    if not has_hook(game, name):
        return None
    with rules_at(game):
        answer = game.sample_histories_as_seen(information, num_histories, rng)
        if answer is None:
            return None
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise GameRuleError(SHAPES[name], found=f"it returned {show(answer)}")
        drawn, weight = answer[0], np.asarray(answer[1])
        if isinstance(drawn, list | tuple) and all(isinstance(one, History) for one in drawn):
            _check_histories(drawn, game, information)
        else:
            _checked(name, drawn, game, information)
            if _has_private_part(information):
                return None
        is_weight = weight.dtype.kind == "f" and weight.shape == (len(drawn),)
        if not (is_weight and np.isfinite(weight).all() and (weight > 0).all()):
            found = f"it returned {len(drawn)} histories with the weights {show(answer[1])}"
            raise GameRuleError(SHAPES[name], found=found)
    return drawn, weight.astype(np.float64)


def actions_as_seen(game: Game, player: Player, public: Hashable) -> tuple[Action, ...] | None:
    """Return the actions of a player that, according to the game, agree with an observation.

    Raises
    ------
    GameRuleError
        If the answer is not a sequence.
    """
    if not has_hook(game, "actions_as_seen"):
        return None
    with rules_at(game):
        answer = game.actions_as_seen(player, public)
        if answer is None:
            return None
        if isinstance(answer, str) or not isinstance(answer, Sequence):
            raise GameRuleError(SHAPES["actions_as_seen"], found=f"it returned {show(answer)}")
        return tuple(answer)


def _has_private_part(information: Infostate | PublicState) -> bool:
    """Return whether a player observed something privately, which is impossible in such games."""
    steps = information.steps if isinstance(information, Infostate) else ()
    return any(step.private is not None for step in steps)


def _check_histories(
    drawn: Sequence[History], game: Game, information: Infostate | PublicState
) -> None:
    """Raise if a drawn history is one of another game, or of another length."""
    num_steps = len(public_observations(information))
    for history in drawn:
        if history.depth != num_steps:
            found = f"it returned a history of {history.depth} transitions, not {num_steps}"
            raise GameRuleError(SHAPES["sample_histories_as_seen"], found=found)
        if history.game is not game and history.game != game:
            found = f"it returned a history of the game {history.game}"
            raise GameRuleError(SHAPES["sample_histories_as_seen"], found=found)


def _checked(name: str, moves: object, game: Game, information: Infostate | PublicState) -> Moves:
    """Return the array of histories if it has the right type and shape."""
    if not isinstance(moves, np.ndarray) or moves.dtype.kind not in "iu":
        kind = moves.dtype if isinstance(moves, np.ndarray) else type(moves).__name__
        raise GameRuleError(SHAPES[name], found=f"it returned an array or object of type {kind}")
    if moves.min(initial=-1) < -1:
        raise GameRuleError(SHAPES[name], found=f"it returned an array with {moves.min()}")
    shape = (len(public_observations(information)), game.num_players)
    if moves.shape[1:] != shape:
        found = f"it returned an array of shape {moves.shape}; [T, N] is {list(shape)} here"
        raise GameRuleError(SHAPES[name], found=found)
    return moves
