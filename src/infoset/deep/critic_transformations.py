"""Which transformations a critic learns by default, and the sets that have a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from infoset.deep.device_games import DeviceGame
from infoset.errors import UnknownNameError
from infoset.policy import (
    TRANSFORMATIONS,
    Transformation,
    check_transformations,
    constant_transformations,
)

TRANSFORMATION_SETS: Final[Mapping[str, str]] = {
    "constants": "the policy itself, and one that always plays an action, for each action",
    "all": "22 transformations for actions that have an order (infoset.policy.TRANSFORMATIONS)",
}
"""Sets of transformations by name, each with its description."""

FEW_ACTIONS: Final = 3
"""Actions in a phase of a game up to which constants are the default: fold, call and raise.

Constants then include every action at each infostate. Where a search stops, the opponent takes the
best column, and with it the largest of their errors. Where there are so few actions, most of the 22
transformations differ little, and only add errors."""


def default_transformations(device: DeviceGame) -> tuple[Transformation, ...]:
    """Return constants if no infostate has more than three actions, as in poker; otherwise all 22.

    Counted are the actions of a phase, which contains all actions of its infostates. Constants are
    not used if there are more of them than of the others.
    """
    constants = _constants(device)
    is_few = int(np.max(device.phase_sizes)) <= FEW_ACTIONS
    return constants if is_few and len(constants) < len(TRANSFORMATIONS) else TRANSFORMATIONS


def chosen_transformations(
    chosen: Sequence[Transformation] | str | None, device: DeviceGame
) -> tuple[Transformation, ...]:
    """Return transformations that are given, named, or the default for a game.

    Raises
    ------
    UnknownNameError
        If there is no set of this name.
    """
    if chosen is None:
        return default_transformations(device)
    if isinstance(chosen, str):
        if chosen not in TRANSFORMATION_SETS:
            raise UnknownNameError.of("set of transformations", chosen, TRANSFORMATION_SETS)
        return _constants(device) if chosen == "constants" else TRANSFORMATIONS
    check_transformations(chosen)
    return tuple(chosen)


def _constants(device: DeviceGame) -> tuple[Transformation, ...]:
    """Return the constants of all actions; the fallback is one that is legal everywhere."""
    always = device.always_legal
    fallback = always[0] if always and len(always) < device.num_actions else None
    return constant_transformations(device.actions, fallback)
