"""Public states of a compiled tree: lookup by value, histories, and infostates."""

from __future__ import annotations

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import PublicState
from infoset.tree import GameTree
from infoset.typing import IntArray

__all__ = ["check_public_state", "find_public_state", "histories_at", "infostates_at"]


def check_public_state(tree: GameTree, public_state: int) -> None:
    """Raise an error if an index is not that of a public state of the tree.

    Raises
    ------
    ParameterError
        If the index is out of range.
    """
    last = tree.public_tree.num_public_states - 1
    if not 0 <= public_state <= last:
        raise ParameterError(
            f"{tree.game} has public states 0 to {last}, not {public_state}; "
            "get an index from tree.public_state[history], or from find_public_state(tree, "
            "public_state)"
        )


def find_public_state(tree: GameTree, public_state: PublicState) -> int:
    """Return the index of a public state in a tree.

    Raises
    ------
    UnknownNameError
        If no history of the game leads to the public state.

    Examples
    --------
    >>> from infoset.game import PublicState
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> kuhn.public_tree.label(find_public_state(kuhn, PublicState((None, "bet"))))
    '. / bet'
    """
    public_tree = tree.public_tree
    number = 0
    for seen in public_state.observations:
        children = public_tree.children(number).tolist()
        shown = [child for child in children if _observation(tree, child) == seen]
        if not shown:
            raise UnknownNameError(
                f"no history of {tree.game} leads to the public state {public_state}; the public "
                f"observations after {public_tree.label(number)!r} are "
                f"{[_observation(tree, child) for child in children]}"
            )
        number = shown[0]
    return number


def _observation(tree: GameTree, public_state: int) -> object:
    return tree.public_tree.observations[tree.public_tree.observation[public_state]]


def histories_at(tree: GameTree, public_state: int) -> IntArray:
    """Return [R] the histories of a public state, in increasing order."""
    histories, first = tree.public_state_histories
    return histories[first[public_state] : first[public_state + 1]]


def infostates_at(tree: GameTree, public_state: int) -> tuple[IntArray, ...]:
    """Return each player's [S_p] infostates at a public state, in increasing order."""
    return tuple(
        numbers[first[public_state] : first[public_state + 1]]
        for numbers, first in zip(
            tree.public_tree.infostates, tree.public_tree.first_infostate, strict=True
        )
    )
