"""Evaluation of policies on public forms, in the order in which CFR stores sequences."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from infoset.evaluation._public_evaluation_kernels import best_response_value, normalize_weights
from infoset.forms import (
    Layout,
    PublicForm,
    PublicPayoffs,
    game_layouts,
    public_gradient,
    public_payoffs,
    realize_policy,
    with_own_results,
)
from infoset.typing import FloatArray

__all__ = ["PlayerValues", "values_of_policies", "values_of_weights"]


class PlayerValues(NamedTuple):
    """What a player earns by its policy, and by a best response to the opponent's."""

    value: float
    best: float


class _Arrays(NamedTuple):
    """The layouts of both players, and the payoffs in their order."""

    layouts: tuple[Layout, ...]
    payoffs: tuple[PublicPayoffs, PublicPayoffs]


_ARRAYS: WeakKeyDictionary[PublicForm, _Arrays] = WeakKeyDictionary()


def _arrays_of(form: PublicForm) -> _Arrays:
    if form not in _ARRAYS:
        layouts = game_layouts(form)
        positions = [layout.position for layout in layouts]
        first, second = (public_payoffs(form, player, positions) for player in range(2))
        _ARRAYS[form] = _Arrays(layouts, (first, second))
    return _ARRAYS[form]


def values_of_policies(
    form: PublicForm, probabilities: tuple[FloatArray, ...]
) -> tuple[PlayerValues, PlayerValues]:
    """Return what both players earn, given their policies.

    Parameters
    ----------
    form : PublicForm
    probabilities : tuple[FloatArray, ...]
        Per player, [Q] the probability of the last action of each sequence.
    """
    arrays = _arrays_of(form)
    pairs = zip(arrays.layouts, probabilities, strict=True)
    return _values(arrays, [layout.to_positions(values) for layout, values in pairs], None)


def values_of_weights(
    form: PublicForm, weights: tuple[FloatArray, ...], workspace: FloatArray | None = None
) -> tuple[PlayerValues, PlayerValues]:
    """Return what both players earn by the policies with given weights.

    The result has the bits of `values_of_policies` for `PublicPolicy.from_weights`.

    Parameters
    ----------
    form : PublicForm
    weights : tuple[FloatArray, ...]
        Per player, [Q] nonnegative weights of sequences in float64, in order of position; they
        become the realization plans.
    workspace : FloatArray, optional
        An array for gradients, at least as long as those of weights.
    """
    arrays = _arrays_of(form)
    for layout, values in zip(arrays.layouts, weights, strict=True):
        values[0] = 1.0
        normalize_weights(layout.groups, values)
    return _values(arrays, [*weights], workspace)


def _values(
    arrays: _Arrays, probabilities: list[FloatArray], workspace: FloatArray | None
) -> tuple[PlayerValues, PlayerValues]:
    """Return what both players earn; probabilities in order of position become their plans."""
    for layout, values in zip(arrays.layouts, probabilities, strict=True):
        realize_policy(layout.groups, layout.parent, values, values)
    if workspace is None:
        workspace = np.empty(max(map(len, probabilities)))
    first, second = (_of_player(arrays, probabilities, player, workspace) for player in range(2))
    return first, second


def _of_player(
    arrays: _Arrays, plans: list[FloatArray], player: int, workspace: FloatArray
) -> PlayerValues:
    layout, gradient = arrays.layouts[player], workspace[: len(plans[player])]
    # Several threads may measure at the same time.
    public_gradient(with_own_results(arrays.payoffs[player]), plans[1 - player], gradient)
    value = float(np.einsum("i,i", gradient, plans[player]))
    return PlayerValues(value, best_response_value(layout.groups, layout.parent, gradient))
