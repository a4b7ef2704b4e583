"""Payoffs of public forms with and without a composition, and their arrays for results."""

from __future__ import annotations

import numpy as np

from infoset.forms._public_payoff_kernels import Composition, PublicPayoffs

__all__ = ["no_composition", "with_own_results"]


def no_composition(precision: str) -> Composition:
    """Return the composition of a form that is not transformed."""
    numbers, indices = np.zeros(0, precision), np.zeros(0, np.uint32)
    return Composition(
        source=indices,
        weight=numbers,
        member=indices,
        scale=numbers,
        owner=indices,
        offset=numbers,
        transfer=numbers,
        plan=numbers,
        gradient=numbers,
    )


def with_own_results(payoffs: PublicPayoffs) -> PublicPayoffs:
    """Return payoffs with separate arrays for intermediate results."""
    return payoffs._replace(
        sums=payoffs.sums.copy(), reach=payoffs.reach.copy(), value=payoffs.value.copy()
    )
