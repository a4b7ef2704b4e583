"""Regrets that count as 0, so that rounding errors do not decide between equal actions."""

from __future__ import annotations

import numpy as np

from infoset.forms import Form, FormPayoffs, PublicDivision, absolute_payoffs, fill_gradient
from infoset.typing import FloatArray

TOLERANCES = {"float64": 2.0**-37, "float32": 2.0**-18}
"""Per precision, the regret that counts as 0, relative to the terms that it sums.

These are 65,536 and 64 rounding errors. They have to be more than one, because opponents that play
fewer actions than the uniform policy reach an infostate more often than it does, and because errors
in one regret change policies, and through them other regrets. In single precision, a wider
tolerance would be coarser than what rounding does to policies in any case.
"""


def divided_tolerances(division: PublicDivision, precision: str) -> tuple[FloatArray, FloatArray]:
    """Return, per player, [R] the largest of `regret_tolerances` at each public decision."""
    one, other = (own.absolute() for own in division.payoffs(precision))
    first, second = division.best_values((one, other))
    for own in (first, second):
        own *= own.dtype.type(TOLERANCES[precision])
    return first, second


def regret_tolerances(
    form: Form, payoffs: FormPayoffs, plans: tuple[FloatArray, ...]
) -> tuple[FloatArray, ...]:
    """Return per player [I] the regret that counts as 0 at each infostate, in its layout's order.

    Regret matching plays an action with any positive regret, however small. Where the regrets of an
    infostate are 0 in exact arithmetic, their rounding errors would determine the whole policy,
    which may then differ from that of the algorithm in all later iterations. A tolerance of δ adds
    at most δ to the cumulative regret of an infostate.

    The rounding error of a counterfactual value is relative to the absolute values of its terms,
    whose sum may be large where the value itself is 0. The tolerance is a fraction of this sum
    (`TOLERANCES`), if others play uniformly and the player maximizes it.

    Parameters
    ----------
    payoffs
        The payoffs that gradients are computed from. If they change between iterations, as those of
        leaf functions do, the tolerances are those of the initial ones.
    plans
        Per player [Q] the realization plan of the uniform policy, in the order of the layouts.
    """
    precision = plans[0].dtype
    fraction = TOLERANCES[precision.name]
    sizes, tolerances = absolute_payoffs(payoffs), []
    for player, (layout, plex) in enumerate(zip(form.layouts, form.treeplexes, strict=True)):
        gradient = np.zeros_like(plans[player])
        fill_gradient(player, sizes.by_player, plans, gradient)
        tolerances.append((fraction * layout.best_values(plex, gradient)).astype(precision))
    return tuple(tolerances)
