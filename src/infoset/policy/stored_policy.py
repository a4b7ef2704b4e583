"""Policies stored as the weights that a run has computed, in its order and precision."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.forms import AnyForm, FormT, PackedRows, PlanWeights, PlayerValues, averaged
from infoset.policy.tabular import TabularPolicy, check_weights
from infoset.typing import FloatArray, LongArray, Player


class StoredPolicy(TabularPolicy[FormT]):
    """A tabular policy whose probabilities are computed from weights on demand.

    In a large game, a policy in double precision takes more memory than the run that found it.
    Values, files and single infostates are computed without storing all probabilities, and equal
    those of `TabularPolicy.from_weights` bit for bit.

    Parameters
    ----------
    form : Form
    weights
        Per player, [Q] nonnegative weights in the order of `form.layouts`; see `Layout.normalize`.
        They must not be changed afterwards.

    Raises
    ------
    ParameterError
        If a weight is negative or not finite.
    """

    _weights: tuple[PlanWeights, ...]

    def __init__(self, form: FormT, weights: tuple[PlanWeights, ...]) -> None:
        vars(self).update(form=form, _weights=weights)
        if not all(map(_are_clearly_valid, weights)):
            self._check()

    @classmethod
    def uniform(cls, form: AnyForm) -> StoredPolicy[AnyForm]:
        """Return the uniform policy; its weights are zeros, for which no memory is allocated."""
        precision = "float32"
        weights = tuple(np.zeros(layout.num_sequences, precision) for layout in form.layouts)
        for own in weights:
            own[0] = 1.0
        return StoredPolicy(form, weights)

    def _check(self) -> None:
        """Raise as `TabularPolicy.from_weights` does."""
        pairs = zip(self.form.layouts, self._weights, strict=True)
        check_weights([layout.to_sequences(averaged(own, own)) for layout, own in pairs])
        TabularPolicy(self.form, self.probabilities)

    @cached_property
    def probabilities(self) -> tuple[FloatArray, ...]:
        """Per player, [Q] the probability of the last action of each sequence."""
        return tuple(map(self.probabilities_of, range(self.form.num_players)))

    def probabilities_of(self, player: Player) -> FloatArray:
        """Return [Q] `probabilities[player]`, without storing them."""
        if "probabilities" in vars(self):
            return self.probabilities[player]
        found = self.form.layouts[player].probabilities(self._weights[player])
        found.flags.writeable = False
        return found

    def player_values(self) -> tuple[PlayerValues, ...]:
        """Return the players' values; see `TabularPolicy.player_values`."""
        return self.form.values_of_weights(self._weights)

    def at_sequences(self, player: Player, sequences: LongArray) -> FloatArray:
        """Return [A, n] the probabilities of the A actions of some infostates, by sequence."""
        weights = self._weights[player]
        positions = self.form.layouts[player].positions(sequences.ravel())
        found = (weights[positions] / np.float64(weights[0])).reshape(sequences.shape)
        # Added in the order of the actions, as kernels do.
        total = np.zeros(sequences.shape[1:])
        for row in found:
            total += row
        probabilities = np.full(found.shape, 1.0 / len(found))
        np.divide(found, total, out=probabilities, where=total > 0.0)
        return probabilities


def _are_clearly_valid(weights: PlanWeights) -> bool:
    """Return whether weights are nonnegative, and no sums of them overflow."""
    if isinstance(weights, PackedRows):
        return True
    scale, low, high = (float(number) for number in (weights[0], weights.min(), weights.max()))
    return scale > 0.0 and low >= 0.0 and high < LARGEST * scale


LARGEST = 1e100
"""Weights up to this, relative to that of the empty sequence, are not checked one by one."""
