"""Schemes whose rows differ from one iteration to the next."""

from dataclasses import dataclass

import numpy as np

from infoset.regret import RegretScheme
from infoset.regret._cfr_kernels import PREDICTION_DISCOUNT, PREDICTION_WEIGHT, TOLERANCE_WEIGHT


@dataclass(frozen=True)
class Uneven(RegretScheme):
    """A scheme whose policies depend strongly on the row of the last iteration."""

    tolerance: float = 1e4

    def schedule(self, first, count):
        rows, t = super().schedule(first, count), np.arange(first, first + count)
        rows[:, PREDICTION_DISCOUNT] = 1 / (3 + t % 4)
        rows[:, TOLERANCE_WEIGHT] = self.tolerance * (1 + t % 3)
        return rows


class Predicting(RegretScheme):
    """A scheme that predicts in some iterations only, and not by its parameters."""

    def schedule(self, first, count):
        rows = super().schedule(first, count)
        rows[:, PREDICTION_WEIGHT] = np.arange(first, first + count) > 3
        return rows


UNEVEN = Uneven("uneven", "discounts and tolerances that change", regret_floor=0.0)
PREDICTING = Predicting("predicting", "predictions after the first run", regret_floor=0.0)
