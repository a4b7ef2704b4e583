"""Finding infostates and actions by the names that users give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.tree import SequenceForm
from infoset.typing import Action, FloatArray, Player

__all__ = ["find_infostate", "numbers_by_action", "sequences_at"]


def find_infostate(form: SequenceForm, label: str, player: Player) -> int:
    """Return the position of an infostate among those where the player acts.

    Raises
    ------
    ParameterError
        If there is no such player.
    UnknownNameError
        If the player has no such infostate.
    """
    if not 0 <= player < form.num_players:
        raise ParameterError(
            f"there is no infostate of player {player}: {form.name} has {form.num_players} "
            "players, from 0 on"
        )
    labels = form.infostate_trees[player].acting_labels
    if label not in labels:
        raise UnknownNameError.of(f"infostate of player {player}", label, labels)
    return labels.index(label)


def sequences_at(form: SequenceForm, player: Player, infostate: int) -> slice:
    """Return where the sequences of an acting infostate are among those of the player."""
    plex = form.treeplexes[player]
    first = int(plex.first_sequence[infostate])
    return slice(first, first + int(plex.num_actions[infostate]))


def numbers_by_action(
    form: SequenceForm, player: Player, infostate: int, numbers: Mapping[Action, float]
) -> FloatArray:
    """Return numbers given by action at an acting infostate in its order, zero where none is.

    Raises
    ------
    UnknownNameError
        If there is no such action.
    """
    tree = form.infostate_trees[player]
    legal = tree.legal_actions(int(tree.acting[infostate]))
    for action in numbers:
        if action not in legal:
            label = tree.acting_labels[infostate]
            raise UnknownNameError.of(f"action at {label!r}", str(action), map(str, legal))
    return np.array([numbers.get(action, 0.0) for action in legal], dtype=np.float64)
