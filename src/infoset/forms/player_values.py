"""What players earn by their policies, and by best responses to those of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms._payoff_kernels import fill_gradient
from infoset.forms._plan_kernels import realize_policy
from infoset.forms._value_kernels import best_response_value
from infoset.forms.layout import Layout
from infoset.forms.payoffs import FormPayoffs
from infoset.typing import FloatArray

__all__ = ["PlayerValues", "plan_value", "values_by_payoffs"]


class PlayerValues(NamedTuple):
    """What a player earns by its policy, and by a best response to the others."""

    value: float
    best: float


def plan_value(gradient: FloatArray, plan: FloatArray) -> float:
    """Return the inner product of a gradient [Q] and a plan [Q]: the value of the plan.

    The product does not use BLAS: on a busy machine its threads cost more than the product, and its
    rounding depends on the number of threads.
    """
    return float(np.einsum("i,i", gradient, plan))


def values_by_payoffs(
    layouts: tuple[Layout, ...],
    payoffs: FormPayoffs,
    behavior: list[FloatArray],
    workspace: FloatArray | None = None,
) -> tuple[PlayerValues, ...]:
    """Return what each player earns by behavior policies [Q], by the kernels of the methods.

    Parameters
    ----------
    layouts : tuple[Layout, ...]
    payoffs : FormPayoffs
        With arrays for intermediate results that nobody else uses.
    behavior : list[FloatArray]
        Per player, [Q] behavior policies in order of position, which become the realization plans.
    workspace : FloatArray, optional
        An array for gradients, at least as long as the longest policy.
    """
    for layout, values in zip(layouts, behavior, strict=True):
        realize_policy(layout.groups, layout.parent, values, values)
    if workspace is None:
        workspace = np.empty(max(map(len, behavior)))
    found, plans = [], tuple(behavior)
    for player, layout in enumerate(layouts):
        gradient = workspace[: len(plans[player])]
        if payoffs.refresh is not None:
            payoffs.refresh(player, plans)
        fill_gradient(player, payoffs.pairs, payoffs.sequence, payoffs.payoff, plans, gradient)
        value = plan_value(gradient, plans[player])
        best = best_response_value(layout.groups, layout.parent, gradient)
        found.append(PlayerValues(value, best))
    return tuple(found)
