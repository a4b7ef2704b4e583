"""Kernels that all learners share: the average of the policies played, kept lazily.

A policy changes only at infostates on the path of an episode. So what an infostate adds to the
average is counted when the next path crosses it, and at the end once for all: exact, in a time in
proportion to the length of the path. `mass` [S] has the sum over episodes of the own reach of each
sequence, `counted` [I] the mass of the parent that is already in it.
"""

from __future__ import annotations

from infoset.learning.simulation import Infostates, Paths
from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel, kernel


@inner_kernel
def count_infostate(
    infostates: Infostates, here: int, policy: FloatArray, mass: FloatArray, counted: FloatArray
) -> None:
    """Add to `mass` at an infostate what its parent has gained since it was counted, in place."""
    first_slot = infostates.first_slot[here]
    parent = mass[infostates.parent_slot[here]]
    gained = parent - counted[here]
    counted[here] = parent
    for slot in range(first_slot, first_slot + infostates.num_actions[here]):
        mass[slot] += gained * policy[slot]


@inner_kernel
def count_for_all(infostates: Infostates, mass: FloatArray) -> None:
    """Count one more episode of all players in the average, at the roots alone, in place."""
    for root_slot in infostates.root_slot:
        mass[root_slot] += 1.0


@inner_kernel
def count_path(
    infostates: Infostates,
    player: int,
    paths: Paths,
    policy: FloatArray,
    mass: FloatArray,
    counted: FloatArray,
) -> None:
    """Count one more episode of a player in the average, along its path, in place.

    To be done before the policy changes.
    """
    mass[infostates.root_slot[player]] += 1.0
    for step in range(paths.length[player]):
        count_infostate(infostates, paths.infostate[player, step], policy, mass, counted)


@kernel
def count_rest(
    infostates: Infostates, policy: FloatArray, mass: FloatArray, counted: FloatArray
) -> None:
    """Count at every infostate what is not counted yet, in place."""
    for here in range(len(infostates.first_slot)):
        count_infostate(infostates, here, policy, mass, counted)


@inner_kernel
def follow_baseline(
    place: int, loss: float, baseline_window: float, baseline: FloatArray, visits: FloatArray
) -> None:
    """Move the running mean of losses at a place on by one more, `baseline` and `visits` in place.

    The mean weighs recent losses more once `baseline_window` of them have been seen; with a window
    of 0 the baseline is constant. Call it after the loss was used: a baseline must not depend on
    the loss that it is subtracted from.
    """
    if baseline_window > 0.0:
        visits[place] += 1.0
        baseline[place] += (loss - baseline[place]) / min(visits[place], baseline_window)
