"""A player's own infostate tree from a list of decisions, for games that are not built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, nearest_names
from infoset.forms import InfostateTree
from infoset.typing import Action, IntArray, Player
from infoset.utils.arguments import check_count, check_type

START = "(start)"
DECISION = 'Decision("high card", ["call", "fold"])'


class Decision(NamedTuple):
    """An infostate at which a player acts."""

    infostate: str
    """Name of the infostate."""
    actions: Sequence[Action]
    """The legal actions, in order."""
    after: tuple[str, Action] | None = None
    """The player's previous decision and the action taken there; None for the first."""


def make_own_tree(player: Player, decisions: Iterable[Decision]) -> InfostateTree:
    """Make a player's own infostate tree from a list of its decisions.

    Use it for learners that need their own tree, in a game that is not built.

    Parameters
    ----------
    decisions
        All decisions, each listed after the one that it follows.

    Raises
    ------
    ParameterError
        If there are no decisions, if a decision is listed twice, or if its actions are missing or
        repeated.
    UnknownNameError
        If a decision follows one that is not listed before it, or an unknown action.

    Examples
    --------
    >>> tree = make_own_tree(
    ...     0,
    ...     [
    ...         Decision("high card", ("bet", "pass")),
    ...         Decision("low card", ("bet", "pass")),
    ...         Decision(
    ...             "low card, raised", ("call", "fold"), after=("low card", "bet")
    ...         ),
    ...     ],
    ... )
    >>> tree.num_acting, tree.num_sequences
    (3, 7)
    """
    check_count("player", player)
    check_type("decisions", decisions, Iterable, f"a list of {DECISION}")
    number = {START: 0}
    listed: list[Decision] = []
    parent, taken = [-1], [-1]
    for decision in map(_checked, decisions):
        if decision.infostate in number:
            raise ParameterError(
                f"the decision {decision.infostate!r} is listed twice: list it once"
            )
        above, action = _place(decision, number, listed)
        number[decision.infostate] = len(number)
        listed.append(decision)
        parent.append(above)
        taken.append(action)
    if not listed:
        raise ParameterError(
            "there are no decisions: give at least one Decision(infostate, actions)"
        )
    actions = [tuple(decision.actions) for decision in listed]
    action_sets = tuple(dict.fromkeys(actions))
    nothing = np.zeros(len(parent), np.int32)
    return InfostateTree(
        player=player,
        parent=_array(parent),
        action=_array(taken),
        private_observation=nothing,
        public_observation=nothing.copy(),
        public_state=nothing.copy(),
        action_set=_array([-1, *map(action_sets.index, actions)]),
        action_sets=action_sets,
        observations=(None,),
        names=tuple(number),
    )


def _checked(decision: Decision) -> Decision:
    """Return a decision with its actions as a tuple, checked."""
    check_type("a decision", decision, Decision, DECISION)
    infostate, actions, after = decision
    check_type(
        f"actions of {infostate!r}", actions, (list, tuple), 'a list such as ["call", "fold"]'
    )
    actions = tuple(actions)
    if not actions or len(set(actions)) < len(actions):
        raise ParameterError(
            f"the decision {infostate!r} has the actions {list(actions)}: give at least one "
            "action, and no action twice"
        )
    return Decision(infostate, actions, after)


def _place(
    decision: Decision, number: dict[str, int], listed: Sequence[Decision]
) -> tuple[int, int]:
    """Return the number of the previous decision and the index of its action, or 0 and -1."""
    if decision.after is None:
        return 0, -1
    label, action = decision.after
    if label == START or label not in number:
        known = (before.infostate for before in listed)
        raise UnknownNameError(
            f"the decision {decision.infostate!r} follows {label!r}, which is not listed before "
            f"it; {nearest_names(label, known)}"
        )
    # Number 0 is the start, which is not listed.
    actions = listed[number[label] - 1].actions
    if action not in actions:
        raise UnknownNameError.of(f"action at {label}", str(action), map(str, actions))
    return number[label], actions.index(action)


def _array(values: Sequence[int]) -> IntArray:
    return np.array(values, np.int32)
