"""What searches ask of a game, in kernels: the same questions for every model.

A search is written once, against the functions below. Compiled, they are those that the arrays of
a model were registered with by `implement`; in plain Python (`py_func` of a kernel) they are the
methods of a model object, so that the same search runs on rules that were never compiled. What
takes a model and is called by kernels is made with `inlined`, for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba.extending import overload, register_jitable

from infoset.typing import FloatArray, LongArray
from infoset.utils.splitmix import Stream, next_uniform

CHANCE_MOVE = -1
END = -2

Function = TypeVar("Function", bound=Callable[..., object])

INLINED: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}
"""How Numba compiles questions: without counting the users of arrays, which takes ten times as long
as the questions themselves."""


def inlined(function: Function) -> Function:
    """Make a function part of the kernels that call it; in their `py_func` it is plain Python.

    It must neither make arrays nor assign to slices.
    """
    return register_jitable(**INLINED)(function)


class Position(NamedTuple):
    """Where a play stands, on arrays that moves change in place.

    Attributes
    ----------
    state : LongArray
        [L] what the model needs to know; equal rows have equal futures.
    rewards_so_far : FloatArray
        [N] sum of the rewards of each player; at the end, its utility.
    observations : LongArray
        [N] what the last transition showed each player, its own action included: a number that
        tells apart all that it may be shown there.
    """

    state: LongArray
    rewards_so_far: FloatArray
    observations: LongArray


def actor(model: Any, position: Position) -> int:
    """Return the player to decide, `CHANCE_MOVE` where all have, or `END`.

    Players who act at once decide one after another.
    """
    return int(_ask("actor", model, position))


def num_actions(model: Any, position: Position) -> int:
    """Return how many actions the actor has."""
    return int(_ask("num_actions", model, position))


def choose(model: Any, position: Position, action: int) -> None:
    """Let the actor take the action of a number, in place; nobody sees it yet."""
    _ask("choose", model, position, action)


def num_outcomes(model: Any, position: Position) -> int:
    """Return how many transitions there may be, all decisions made; one where nature has none."""
    return int(_ask("num_outcomes", model, position))


def outcome_probability(model: Any, position: Position, outcome: int) -> float:
    """Return the probability of a transition."""
    return float(_ask("outcome_probability", model, position, outcome))


def follow(model: Any, position: Position, outcome: int) -> None:
    """Make a transition, in place; `observations` then holds what it showed."""
    _ask("follow", model, position, outcome)


def draw(model: Any, position: Position, stream: Stream) -> None:
    """Make a transition drawn by nature, in place; no number is used up where there is one.

    It is the first for which the sum of the probabilities so far exceeds the number drawn. A model
    may answer itself, where there is a faster way to find it.
    """
    functions: dict[str, Callable[..., Any]] = _IMPLEMENTATIONS.get(type(model), {})
    answer: Callable[..., Any] = functions.get("draw", draw_by_asking)
    answer(model, position, stream)


@inlined
def draw_by_asking(model: Any, position: Position, stream: Stream) -> None:
    """Answer `draw` by the probabilities of one transition after another."""
    last = num_outcomes(model, position) - 1
    outcome = 0
    if last > 0:
        place = next_uniform(stream)
        below = outcome_probability(model, position, 0)
        while outcome < last and place >= below:
            outcome += 1
            below += outcome_probability(model, position, outcome)
    follow(model, position, outcome)


_IMPLEMENTATIONS: dict[type, dict[str, Callable[..., Any]]] = {}


def implement(arrays: type, *functions: Callable[..., Any]) -> None:
    """Register the functions, named as those above, that answer for a named tuple of arrays.

    `draw` may be left out.
    """
    _IMPLEMENTATIONS[arrays] = {function.__name__: function for function in functions}


def _ask(question: str, model: Any, *arguments: Any) -> Any:
    functions = _IMPLEMENTATIONS.get(type(model))
    if functions is None:
        return getattr(model, question)(*arguments)
    return functions[question](model, *arguments)


def _implementation(
    question: str, model: Any, otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any] | None:
    kind = getattr(model, "instance_class", None)
    return _IMPLEMENTATIONS[kind].get(question, otherwise) if kind in _IMPLEMENTATIONS else None


@overload(actor, strict=False, jit_options=INLINED)
def _actor(model: Any, position: Any) -> Any:
    return _implementation("actor", model)


@overload(num_actions, strict=False, jit_options=INLINED)
def _num_actions(model: Any, position: Any) -> Any:
    return _implementation("num_actions", model)


@overload(choose, strict=False, jit_options=INLINED)
def _choose(model: Any, position: Any, action: Any) -> Any:
    return _implementation("choose", model)


@overload(num_outcomes, strict=False, jit_options=INLINED)
def _num_outcomes(model: Any, position: Any) -> Any:
    return _implementation("num_outcomes", model)


@overload(outcome_probability, strict=False, jit_options=INLINED)
def _outcome_probability(model: Any, position: Any, outcome: Any) -> Any:
    return _implementation("outcome_probability", model)


@overload(follow, strict=False, jit_options=INLINED)
def _follow(model: Any, position: Any, outcome: Any) -> Any:
    return _implementation("follow", model)


@overload(draw, strict=False, jit_options=INLINED)
def _draw(model: Any, position: Any, stream: Any) -> Any:
    return _implementation("draw", model, draw_by_asking)


@inlined
def play_out(model: Any, position: Position, stream: Stream) -> None:
    """Let everybody act at random until the end, in place.

    Each choice between several actions, and each transition drawn, uses up one number.
    """
    while True:
        who = actor(model, position)
        if who == END:
            return
        if who == CHANCE_MOVE:
            draw(model, position, stream)
        else:
            count = num_actions(model, position)
            choose(model, position, int(next_uniform(stream) * count) if count > 1 else 0)


@inlined
def put(target: Position, source: Position) -> None:
    """Make a position the same as another, in place."""
    for place in range(len(target.state)):
        target.state[place] = source.state[place]
    for player in range(len(target.rewards_so_far)):
        target.rewards_so_far[player] = source.rewards_so_far[player]
        target.observations[player] = source.observations[player]


@register_jitable
def empty_position(size: int, num_players: int) -> Position:
    """Return room for a position of a model with states [size]."""
    return Position(
        np.zeros(size, np.int64), np.zeros(num_players), np.zeros(num_players, np.int64)
    )
