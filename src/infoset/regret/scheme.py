"""The CFR family as rows of data over one kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType

import numpy as np

from infoset.typing import FloatArray

__all__ = ["SCHEMES", "RegretScheme"]


@dataclass(frozen=True)
class RegretScheme:
    """How regrets are kept and plans averaged: one member of the CFR family.

    With `q` the counterfactual value of an action and `v` that of its infostate, iteration t
    sets `R ← max(R + q − v, regret_floor)`, plays in proportion to `max(R, 0)` (uniformly where
    that is zero), and adds the plan it began with to the average, weighted by
    `t ** average_exponent`.

    Attributes
    ----------
    name : str
        What `solve` knows it by.
    description : str
        One line, with the source.
    regret_floor : float
        0 for regret matching+, −∞ for regret matching.
    average_exponent : float
        0 for the uniform average, 1 for the linear one.
    alternating : bool
        Whether each player answers what the players before it have just played, or all answer
        the iteration before.

    Examples
    --------
    A variant is a row: `solve(game, replace(SCHEMES["cfr+"], name="mine", average_exponent=2))`.
    """

    name: str
    description: str
    regret_floor: float = -inf
    average_exponent: float = 0.0
    alternating: bool = True

    def schedule(self, first: int, count: int) -> FloatArray:
        """Return [count, 7] the kernel's numbers for `count` iterations from the `first` on.

        Columns: weight of the instantaneous regret, discounts of positive and of negative
        regret, floor, discount and weight of the prediction, weight in the average.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        one = np.ones(count)
        floor = np.full(count, self.regret_floor)
        return np.stack([one, one, one, floor, one, 0 * one, t**self.average_exponent], axis=1)


_ROWS = (
    RegretScheme("cfr", "counterfactual regret minimisation (Zinkevich et al. 2007)"),
    RegretScheme("cfr-simultaneous", "CFR with all players updated at once", alternating=False),
    RegretScheme(
        "cfr+",
        "CFR+: regret matching+, linear averaging (Tammelin 2014)",
        regret_floor=0.0,
        average_exponent=1.0,
    ),
    RegretScheme(
        "cfr+-simultaneous",
        "CFR+ with all players updated at once",
        regret_floor=0.0,
        average_exponent=1.0,
        alternating=False,
    ),
)

SCHEMES: Mapping[str, RegretScheme] = MappingProxyType({row.name: row for row in _ROWS})
"""The rows by name."""
