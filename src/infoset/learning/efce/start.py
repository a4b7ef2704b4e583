"""The arrays of learners of deviations before their first episode."""

from __future__ import annotations

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs, enumerate_trigger_pairs
from infoset.learning.balance import balanced_reach, layer_policies
from infoset.learning.efce.deviation import TriggerState, fill_pair_weights, refresh
from infoset.learning.efce.fixed_point import solve_all
from infoset.learning.simulation import Infostates, uniform_slots
from infoset.typing import FloatArray, IntArray

__all__ = ["begin_deviations"]


def begin_deviations(
    numbers: FloatArray, infostates: Infostates, depth: IntArray, num_slots: int, game: str
) -> tuple[TriggerPairs, TriggerState]:
    """Return the pairs of players, and their arrays; `numbers` [N, 3] are η, γ and XA of each.

    `game` is what it is called in messages.

    Raises
    ------
    GameTooLargeError
        If there are too many pairs.
    """
    pairs, num_pairs = enumerate_trigger_pairs(
        infostates.parent_slot, infostates.first_slot, infostates.num_actions, num_slots, game
    )
    most = int(infostates.num_actions.max(initial=1))
    state = TriggerState(
        behavior=np.zeros(num_pairs),
        estimates=np.zeros(num_pairs),
        exponent=np.full(num_slots, -np.inf),
        pair_weight=pair_weights(infostates, depth, pairs, num_pairs),
        weight=balanced_reach(infostates, depth),
        policy=uniform_slots(infostates, num_slots),
        flow=np.zeros(num_pairs),
        inflow=np.ones(num_slots),
        log_rate=np.full(num_slots, -np.inf),
        jumps=np.zeros((most, most)),
        mass=np.zeros(num_slots),
        counted=np.zeros(len(depth)),
    )
    refresh(numbers, 1.0, infostates, pairs, state)
    solve_all(infostates, pairs, state)
    return pairs, state


def pair_weights(
    infostates: Infostates, depth: IntArray, pairs: TriggerPairs, num_pairs: int
) -> FloatArray:
    """Return [P] μ*ʰ from the infostate of a trigger to a sequence, both included.

    h is the layer of the sequence.
    """
    weights = np.ones(num_pairs)
    for layer, policy in enumerate(layer_policies(infostates, depth)):
        fill_pair_weights(infostates, pairs, layer, depth, policy, weights)
    return weights
