"""Minimum action probabilities: one number, or a mapping from infostates, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import Form, numbers_by_action, sequences_at
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_number

MinProbabilities: TypeAlias = float | Mapping[tuple[str, Player], float | Mapping[Action, float]]
"""One number for all actions; or a mapping from infostates, as pairs of text and player, to one
number for all actions there or to a mapping from actions to numbers. The default is 0."""


def check_min_probabilities(min_probability: object) -> None:
    """Raise unless the value is a number that is at most 1, or a mapping.

    Raises
    ------
    ParameterError
        If the value is neither.
    """
    if isinstance(min_probability, Mapping):
        return
    check_number("min_probability", min_probability, minimum=-inf)
    if cast(float, min_probability) > 1:
        raise ParameterError(
            f"min_probability={min_probability} is more than 1, but the minimum probabilities at "
            "an infostate must sum to at most 1: give a small number such as 0.01"
        )


def minimums_by_sequence(form: Form, min_probability: MinProbabilities) -> tuple[FloatArray, ...]:
    """Return per player [Q] the minimum probability of the last action of each sequence.

    The entry of the empty sequence is 0.

    Raises
    ------
    ParameterError
        If the value is neither a number nor a mapping, if a player is unknown, if a number is
        negative, or if the numbers at an infostate sum to more than 1.
    """
    check_min_probabilities(min_probability)
    if isinstance(min_probability, Mapping):
        minimums = _by_infostate(form, min_probability)
    else:
        minimums = tuple(
            np.r_[0.0, np.full(plex.num_sequences - 1, float(min_probability))]
            for plex in form.treeplexes
        )
    for player in range(form.num_players):
        _check_minimums(form, player, minimums[player])
    return minimums


def _by_infostate(
    form: Form, given: Mapping[tuple[str, Player], float | Mapping[Action, float]]
) -> tuple[FloatArray, ...]:
    minimums = tuple(np.zeros(plex.num_sequences) for plex in form.treeplexes)
    for key, numbers in given.items():
        player, infostate = form.look_up(key)
        label = form.infostate_labels(player)[infostate]
        if not isinstance(numbers, Mapping):
            check_number(f"the minimum probability at {label!r}", numbers, minimum=-inf)
        minimums[player][sequences_at(form, player, infostate)] = (
            numbers_by_action(form, player, infostate, numbers)
            if isinstance(numbers, Mapping)
            else numbers
        )
    return minimums


def _check_minimums(form: Form, player: Player, minimum: FloatArray) -> None:
    """Raise unless policies with these minimum probabilities exist."""
    plex, labels = form.treeplexes[player], form.infostate_labels(player)
    for first, count, label in zip(plex.first_sequence, plex.num_actions, labels, strict=True):
        here = minimum[first : first + count]
        if not (here >= 0).all() or not here.sum() <= 1 + SUM_TOLERANCE:
            raise ParameterError(
                f"the minimum probabilities at {label!r} of player {player} are {here.tolist()}; "
                "give numbers that are not negative and sum to at most 1: a single number for "
                f"the {count} actions can be at most {1 / count:.6g}"
            )
