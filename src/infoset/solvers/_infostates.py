"""Look-up of infostates and actions by their names."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Integral

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import SequenceForm
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_number, check_type

__all__ = ["find_infostate", "numbers_by_action", "sequences_at"]


def find_infostate(form: SequenceForm, key: tuple[str, Player]) -> int:
    """Return the index of an acting infostate, given its text and player.

    Raises
    ------
    ParameterError
        If the key is not a pair of text and player, or the player is unknown.
    UnknownNameError
        If the player has no such infostate.
    """
    _check_key(key)
    label, player = key
    if not 0 <= player < form.num_players:
        raise ParameterError(
            f"player {player} does not exist: the players of {form.name} are 0 to "
            f"{form.num_players - 1}"
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
        f"{key!r} does not identify an infostate: give a pair (text, player), such as ('[J]', 0)"
    )


def sequences_at(form: SequenceForm, player: Player, infostate: int) -> slice:
    """Return the range of the sequences of an acting infostate."""
    plex = form.treeplexes[player]
    first = int(plex.first_sequence[infostate])
    return slice(first, first + int(plex.num_actions[infostate]))


def numbers_by_action(
    form: SequenceForm, player: Player, infostate: int, numbers: Mapping[Action, float]
) -> FloatArray:
    """Return [A] the numbers given for the actions of an infostate, in order; 0 if not given.

    Raises
    ------
    UnknownNameError
        If an action is unknown.
    ParameterError
        If `numbers` is not a mapping from actions to numbers.
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
