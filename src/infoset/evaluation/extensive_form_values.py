"""Expected utilities on an extensive form, with or without perfect recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from infoset.efg import ExtensiveForm, find_action_mismatch
from infoset.errors import ParameterError, UnknownNameError
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_type
from infoset.utils.text import distinct_labels

Behavior: TypeAlias = Mapping[tuple[str, Player], Mapping[Action, float]]
"""Action probabilities by information set; its key is a pair of name and player."""


def behavior_values(form: ExtensiveForm, behavior: Behavior | None = None) -> tuple[float, ...]:
    """Return the expected utility of each player under a behavioral policy.

    Perfect recall is not required: a player draws an action each time it acts, even if it acts
    twice in the same information set.

    Parameters
    ----------
    behavior : Mapping[tuple[str, Player], Mapping[Action, float]], optional
        Action probabilities by information set and player. A missing action has probability zero;
        play is uniform at a missing information set. If several actions have the same label, the
        second is called `label #2`, and so on.

    Raises
    ------
    ParameterError
        If `form` is not an extensive form, a player does not exist, probabilities are negative or
        do not sum to one, or the histories of an information set have different actions.

    Examples
    --------
    The absent-minded driver gets 4 at the second exit, but cannot tell the two crossings apart.

    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> second = decision(0, "crossing", {"exit": terminal(4), "go on": terminal(1)})
    >>> first = decision(0, "crossing", {"exit": terminal(0), "go on": second})
    >>> driver = extensive_form_from_nodes(first, players=1)
    >>> (value,) = behavior_values(
    ...     driver, {("crossing", 0): {"exit": 1 / 3, "go on": 2 / 3}}
    ... )
    >>> round(value * 3, 9)
    4.0
    """
    check_type(
        "form",
        form,
        ExtensiveForm,
        "an ExtensiveForm, such as infoset.efg.extensive_form_from_nodes(root)",
    )
    mismatch = find_action_mismatch(form)
    if mismatch is not None:
        raise ParameterError(f"{form.name} has no behavioral policies: {mismatch}")
    probability = _uniform(form) * form.chance_probability
    for (name, player), actions in (behavior or {}).items():
        _fill(form, probability, name, player, actions)
    reach = form.reach(probability)
    ends = form.terminals
    return tuple((reach[ends] @ form.utility[ends]).tolist())


def _uniform(form: ExtensiveForm) -> FloatArray:
    """Return [H] the probability of the action that leads to each history; 1 for chance."""
    drawn = np.where(form.actor >= 0, 1 / np.maximum(form.num_moves, 1), 1.0)[form.parent]
    drawn[0] = 1.0
    return np.asarray(drawn, np.float64)


def _fill(
    form: ExtensiveForm,
    probability: FloatArray,
    name: str,
    player: Player,
    actions: Mapping[Action, float],
) -> None:
    """Write the probabilities of one information set into `probability` [H]."""
    if not 0 <= player < form.num_players:
        raise ParameterError(
            f"the policy names player {player}, but {form.name} has players 0 to "
            f"{form.num_players - 1}; give probabilities only for these players"
        )
    known = form.infoset_numbers(player)
    if name not in known:
        raise UnknownNameError.of(f"information set of player {player}", name, known)
    histories = np.flatnonzero(form.acting_infoset[:, player] == known[name])
    labels = distinct_labels(form.legal_actions(int(histories[0])))
    for action in actions:
        if action not in labels:
            raise UnknownNameError.of(f"action at {name!r}", str(action), map(str, labels))
    values = np.array([actions.get(label, 0.0) for label in labels])
    if not (values >= 0).all() or abs(values.sum() - 1) > SUM_TOLERANCE:
        raise ParameterError(
            f"the probabilities at {name!r} of player {player} are {values.tolist()}; they must be "
            "nonnegative and sum to 1"
        )
    # The children of a history have the order of its actions.
    for position, value in enumerate(values):
        probability[form.first_child[histories] + position] = value
