"""The functions through which searches play a game, and their dispatch to models in kernels.

A search is written once, in terms of the functions of this file. In a compiled kernel, a call is
dispatched to the function registered for the model's arrays (`implement`). In plain Python
(`py_func` of a kernel), it is dispatched to the method of a model object, so that the same search
also runs on rules that cannot be compiled. Helper functions that take a model are marked `inlined`,
so that they too can run in both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba.extending import overload, register_jitable

from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE
from infoset.typing import FloatArray, LongArray
from infoset.utils.splitmix import Stream, next_uniform

# World graphs and searches use the same negative codes, so that `GraphNodes` need not translate.
CHANCE_MOVE = CHANCE_NODE
END = TERMINAL_NODE

SUM_UNIT = 2.0**40
"""Unit in which searches sum utilities over simulations and worlds, so that no sum overflows.
Division by a power of two changes no digit."""

Function = TypeVar("Function", bound=Callable[..., object])

INLINED: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}
"""Numba options of the dispatched functions. `_nrt` is off because reference counts of the arrays
would take ten times as long as the functions themselves."""


def inlined(function: Function) -> Function:
    """Mark a helper: inlined where a kernel calls it, and plain Python in a `py_func`.

    The helper must neither allocate arrays nor assign to slices.
    """
    # Numba compiles the helper into each kernel that calls it; outside kernels it is unchanged.
    return register_jitable(**INLINED)(function)


class Position(NamedTuple):
    """The current position of a simulated play. Moves change its arrays in place."""

    state: LongArray
    """[L] the model's encoding of the position. Positions with equal states have equal futures."""
    rewards_so_far: FloatArray
    """[N] sum of the rewards of each player so far; at the end of the game, the utilities."""
    observations: LongArray
    """[N] an integer code of what each player observed at the last transition, including its own
    action. Different observations have different codes."""


def actor(model: Any, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` when all actors have chosen, or `END`.

    Simultaneous actors choose one after another.
    """
    # This body and those below run in plain Python only. In kernels, the overloads at the end of
    # the file take their place.
    return int(_ask("actor", model, position))


def num_actions(model: Any, position: Position) -> int:
    """Return the number of legal actions of the actor."""
    return int(_ask("num_actions", model, position))


def choose_action(model: Any, position: Position, action: int) -> None:
    """Record the choice of the actor, in place. No player observes it before the transition."""
    _ask("choose_action", model, position, action)


def num_outcomes(model: Any, position: Position) -> int:
    """Return the number of possible transitions once all actors have chosen."""
    return int(_ask("num_outcomes", model, position))


def outcome_probability(model: Any, position: Position, outcome: int) -> float:
    """Return the probability of a transition."""
    return float(_ask("outcome_probability", model, position, outcome))


def apply_outcome(model: Any, position: Position, outcome: int) -> None:
    """Apply a transition, in place: set the state, add the rewards, and set the observations."""
    _ask("apply_outcome", model, position, outcome)


def draw_outcome(model: Any, position: Position, stream: Stream) -> None:
    """Draw a transition and apply it, in place; a single transition uses no random number.

    The transition is the first whose cumulative probability exceeds a uniform number. A model may
    register a faster implementation with the same result.
    """
    # Unlike the other functions, this one has a default, which calls the others.
    functions: dict[str, Callable[..., Any]] = _IMPLEMENTATIONS.get(type(model), {})
    answer: Callable[..., Any] = functions.get("draw_outcome", draw_by_inversion)
    answer(model, position, stream)


def value_leaf(model: Any, position: Position, stream: Stream) -> None:
    """Write the value of a position at which a search stops to its rewards, in place.

    By default it is the utility of a uniformly random play to the end.
    """
    # A model in plain Python may value leaves itself.
    own = None if type(model) in _IMPLEMENTATIONS else getattr(model, "value_leaf", None)
    if own is None:
        play_out(model, position, stream)
    else:
        own(position, stream)


@inlined
def draw_by_inversion(model: Any, position: Position, stream: Stream) -> None:
    """Draw a transition by inverting the cumulative distribution, one outcome after another."""
    last = num_outcomes(model, position) - 1
    outcome = 0
    # A deterministic transition uses no random number.
    if last > 0:
        uniform = next_uniform(stream)
        cumulative = outcome_probability(model, position, 0)
        # `outcome < last`: by rounding, the probabilities may sum to less than `uniform`.
        while outcome < last and uniform >= cumulative:
            outcome += 1
            cumulative += outcome_probability(model, position, outcome)
    apply_outcome(model, position, outcome)


_IMPLEMENTATIONS: dict[type, dict[str, Callable[..., Any]]] = {}


def implement(arrays: type, *functions: Callable[..., Any]) -> None:
    """Register the kernels that implement the functions above for a named tuple of arrays.

    Parameters
    ----------
    arrays
        The named tuple that is the `arrays` of a `SearchModel`.
    *functions : Callable
        One for each function above, with the same name; `draw_outcome` is optional.
    """
    # The dispatch is by type, at compile time: no call of a function pointer in a kernel.
    _IMPLEMENTATIONS[arrays] = {function.__name__: function for function in functions}


def _ask(question: str, model: Any, *arguments: Any) -> Any:
    functions = _IMPLEMENTATIONS.get(type(model))
    if functions is None:
        # A model in plain Python implements the function as a method.
        return getattr(model, question)(*arguments)
    # The named tuple of arrays of a compiled model, in an interpreted kernel: its registered
    # functions run as plain Python too.
    return functions[question](model, *arguments)


def _implementation(
    question: str, model: Any, default: Callable[..., Any] | None = None
) -> Callable[..., Any] | None:
    # Numba passes the Numba type of the named tuple, which refers to its Python class.
    kind = getattr(model, "instance_class", None)
    return _IMPLEMENTATIONS[kind].get(question, default) if kind in _IMPLEMENTATIONS else None


# How Numba compiles a call of each dispatched function: `overload` returns the function to inline.
# It returns None for a model without kernels, for which Numba then reports a typing error.


@overload(actor, strict=False, jit_options=INLINED)
def _actor(model: Any, position: Any) -> Any:
    return _implementation("actor", model)


@overload(num_actions, strict=False, jit_options=INLINED)
def _num_actions(model: Any, position: Any) -> Any:
    return _implementation("num_actions", model)


@overload(choose_action, strict=False, jit_options=INLINED)
def _choose_action(model: Any, position: Any, action: Any) -> Any:
    return _implementation("choose_action", model)


@overload(num_outcomes, strict=False, jit_options=INLINED)
def _num_outcomes(model: Any, position: Any) -> Any:
    return _implementation("num_outcomes", model)


@overload(outcome_probability, strict=False, jit_options=INLINED)
def _outcome_probability(model: Any, position: Any, outcome: Any) -> Any:
    return _implementation("outcome_probability", model)


@overload(apply_outcome, strict=False, jit_options=INLINED)
def _apply_outcome(model: Any, position: Any, outcome: Any) -> Any:
    return _implementation("apply_outcome", model)


@overload(draw_outcome, strict=False, jit_options=INLINED)
def _draw_outcome(model: Any, position: Any, stream: Any) -> Any:
    return _implementation("draw_outcome", model, draw_by_inversion)


@inlined
def play_out(model: Any, position: Position, stream: Stream) -> None:
    """Play uniformly at random to the end, in place.

    Each choice between several actions and each random transition uses one random number.
    """
    while True:
        who = actor(model, position)
        if who == END:
            return
        if who == CHANCE_MOVE:
            draw_outcome(model, position, stream)
        else:
            # A forced action uses no random number, so that models that skip forced moves draw the
            # same plays.
            count = num_actions(model, position)
            choose_action(model, position, int(next_uniform(stream) * count) if count > 1 else 0)


@overload(value_leaf, strict=False, jit_options=INLINED)
def _value_leaf(model: Any, position: Any, stream: Any) -> Any:
    return play_out


@inlined
def copy_position(target: Position, source: Position) -> None:
    """Copy a position into another, in place."""
    # Loops instead of slices: inlined helpers must not assign to slices (see `inlined`).
    for entry in range(len(target.state)):
        target.state[entry] = source.state[entry]
    for player in range(len(target.rewards_so_far)):
        target.rewards_so_far[player] = source.rewards_so_far[player]
        target.observations[player] = source.observations[player]


@register_jitable
def empty_position(size: int, num_players: int) -> Position:
    """Return a position of zeros for a model whose states have length `size`."""
    # This function allocates, so that it is compiled with reference counts and not as `inlined`.
    return Position(
        np.zeros(size, np.int64), np.zeros(num_players), np.zeros(num_players, np.int64)
    )
