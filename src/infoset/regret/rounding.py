"""What rounding leaves of a regret that is 0 in exact arithmetic."""

from __future__ import annotations

import numpy as np

from infoset.forms import (
    Form,
    FormPayoffs,
    absolute_payoffs,
    best_response_sweep,
    pair_gradient,
    terminal_gradient,
)
from infoset.typing import FloatArray

ROUNDINGS = 64
"""Rounding errors, of half a unit in the last place each, up to which a regret counts as 0.

Opponents that play fewer actions than the uniform policy reach an infostate more often than it
does, and rounding errors are larger by this factor.
"""


def regret_tolerances(
    form: Form, payoffs: FormPayoffs, plans: tuple[FloatArray, ...]
) -> tuple[FloatArray, ...]:
    """Return per player [I] the regret that counts as 0 at each infostate, in its layout's order.

    Regret matching plays an action with any positive regret, however small. Where the regrets of an
    infostate are 0 in exact arithmetic, what rounding leaves of them would determine the whole
    policy, which may then differ from that of the algorithm in all later iterations. A tolerance of
    δ adds at most δ to the cumulative regret of an infostate.

    The rounding error of a counterfactual value is relative to the absolute values of its terms,
    whose sum may be large where the value itself is 0. The tolerance is `ROUNDINGS` roundings of
    this sum, if others play uniformly and the player plays to make it large.

    Parameters
    ----------
    payoffs
        The payoffs that gradients are computed from. If they change between iterations, as those of
        leaf functions do, the tolerances are those of the initial ones.
    plans
        Per player [Q] the realization plan of the uniform policy, in the order of the layouts.
    """
    precision = plans[0].dtype
    unit = ROUNDINGS * float(np.finfo(precision).eps) / 2
    tolerances = []
    for player, (layout, plex) in enumerate(zip(form.layouts, form.treeplexes, strict=True)):
        gradient = np.zeros_like(plans[player])
        if len(plans) == 2:
            pair_gradient(absolute_payoffs(payoffs.pairs[player]), plans[1 - player], gradient)
        else:
            payoff = np.abs(payoffs.payoff)
            terminal_gradient(player, payoffs.sequence, payoff, plans, gradient)
        values = layout.to_sequences(np.asarray(gradient, np.float64))
        shape = (plex.parent_sequence, plex.first_sequence, plex.num_actions)
        best = best_response_sweep(*shape, values)
        tolerances.append((unit * values[best][layout.infostate]).astype(precision))
    return tuple(tolerances)
