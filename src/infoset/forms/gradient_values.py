"""What players earn on any form, by the gradients of their utilities."""

from __future__ import annotations

from infoset.forms._plan_kernels import behavior_to_plan, normalize_behavior
from infoset.forms._value_kernels import best_response_sweep
from infoset.forms.form import Form
from infoset.forms.player_values import PlayerValues, plan_value
from infoset.typing import FloatArray

__all__ = ["values_by_gradient", "values_of_plans", "values_of_weights"]


def values_by_gradient(
    form: Form, probabilities: tuple[FloatArray, ...]
) -> tuple[PlayerValues, ...]:
    """Return what each player earns, given behavior policies [Q], from `form.gradient`."""
    plans = tuple(
        behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, own)
        for plex, own in zip(form.treeplexes, probabilities, strict=True)
    )
    return values_of_plans(form, plans)


def values_of_plans(form: Form, plans: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
    """Return what each player earns, given realization plans [Q], from `form.gradient`."""
    found = []
    for player, plex in enumerate(form.treeplexes):
        gradient = form.gradient(plans, player)
        value = plan_value(gradient, plans[player])
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        found.append(PlayerValues(value, float(gradient[0])))
    return tuple(found)


def values_of_weights(form: Form, weights: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
    """Return what each player earns by policies with given weights [Q], in order of position."""
    probabilities = tuple(
        normalize_behavior(plex.first_sequence, plex.num_actions, layout.to_sequences(own))
        for plex, layout, own in zip(form.treeplexes, form.layouts, weights, strict=True)
    )
    return form.player_values(probabilities)
