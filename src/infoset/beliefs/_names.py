"""From numbers in a compiled tree to the values met in play, and back."""

from __future__ import annotations

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import PublicState
from infoset.tree import GameTree

__all__ = ["check_public_state", "find_public_state", "public_state_value"]


def check_public_state(tree: GameTree, public_state: int) -> None:
    """Refuse a number that is no public state of the tree."""
    last = tree.public_tree.num_public_states - 1
    if not 0 <= public_state <= last:
        raise ParameterError(
            f"there is no public state {public_state}; {tree.game} has public states 0 to {last}: "
            "tree.public_state[history] is that of a history, and find_public_state looks one up"
        )


def find_public_state(tree: GameTree, public_state: PublicState) -> int:
    """Return the number of a public state met in play.

    Raises
    ------
    UnknownNameError
        If no history of the game leads to it.

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
        children = (public_tree.parent == number).nonzero()[0].tolist()
        shown = [child for child in children if _observation(tree, child) == seen]
        if not shown:
            raise UnknownNameError(
                f"no play of {tree.game} leads to the public state {public_state}; after "
                f"{public_tree.label(number)!r} everybody can see "
                f"{[_observation(tree, child) for child in children]}"
            )
        number = shown[0]
    return number


def _observation(tree: GameTree, public_state: int) -> object:
    return tree.public_tree.observations[tree.public_tree.observation[public_state]]


def public_state_value(tree: GameTree, public_state: int) -> PublicState:
    """Return a public state as the value met in play."""
    observations = []
    while public_state > 0:
        observations.append(_observation(tree, public_state))
        public_state = int(tree.public_tree.parent[public_state])
    return PublicState(tuple(reversed(observations)))
