"""Look-up of infostates and actions by their names."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from infoset.errors import UnknownNameError
from infoset.forms.form import Form
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_number, check_type


def sequences_at(form: Form, player: Player, infostate: int) -> slice:
    """Return the range of the sequences of an acting infostate."""
    plex = form.treeplexes[player]
    first = int(plex.first_sequence[infostate])
    return slice(first, first + int(plex.num_actions[infostate]))


def numbers_by_action(
    form: Form, player: Player, infostate: int, numbers: Mapping[Action, float]
) -> FloatArray:
    """Return [A] the numbers given for the actions of an infostate, in order; 0 if not given."""
    check_type("probabilities", numbers, Mapping, "one for each action, such as {'bet': 1.0}")
    legal = form.actions_at(player, infostate)
    for action, number in numbers.items():
        check_number(str(action), number, minimum=-inf)
        if action not in legal:
            label = form.infostate_labels(player)[infostate]
            raise UnknownNameError.of(f"action at {label!r}", str(action), map(str, legal))
    return np.array([numbers.get(action, 0.0) for action in legal], dtype=np.float64)
