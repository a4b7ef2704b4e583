"""Finding infostates and actions by the names that users give."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Integral

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.tree import SequenceForm
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_number, check_type

__all__ = ["find_infostate", "numbers_by_action", "sequences_at"]


def find_infostate(form: SequenceForm, key: tuple[str, Player]) -> int:
    """Return the position of an infostate, given as text and player, where that player acts.

    Raises
    ------
    ParameterError
        If the key is not such a pair, or the player is unknown.
    UnknownNameError
        If the player has no such infostate.
    """
    _check_key(key)
    label, player = key
    if not 0 <= player < form.num_players:
        raise ParameterError(
            f"there is no infostate of player {player}: {form.name} has {form.num_players} "
            "players, from 0 on"
        )
    labels = form.infostate_trees[player].acting_labels
    if label not in labels:
        raise UnknownNameError.of(f"infostate of player {player}", label, labels)
    return labels.index(label)


def _check_key(key: object) -> None:
    match key:
        case (str(), Integral()):
            return
    raise ParameterError(
        f"{key!r} is not an infostate, as text, and its player: write it as ('[J]', 0)"
    )


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
        If an action is unknown.
    ParameterError
        If they are not numbers by action.
    """
    check_type("probabilities", numbers, Mapping, "one for each action, such as {'bet': 1.0}")
    tree = form.infostate_trees[player]
    legal = tree.legal_actions(int(tree.acting[infostate]))
    for action, number in numbers.items():
        check_number(str(action), number, minimum=-inf)
        if action not in legal:
            label = tree.acting_labels[infostate]
            raise UnknownNameError.of(f"action at {label!r}", str(action), map(str, legal))
    return np.array([numbers.get(action, 0.0) for action in legal], dtype=np.float64)
