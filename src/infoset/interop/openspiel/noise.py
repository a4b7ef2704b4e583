"""The noise that OpenSpiel's `add_noise` adds to the utilities of a game."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, Final

from infoset.interop.openspiel.states import CachedState, Move

MAX_POSITIONS: Final = 200_000
"""Maximum number of visited positions, which take a few seconds."""

PARTLY_DRAWN: Final = (
    "OpenSpiel's add_noise draws the noise of an end at its first visit; only the first "
    f"{MAX_POSITIONS:,} positions were visited depth first, as by OpenSpiel's algorithms, so that "
    "other utilities may differ from theirs"
)


def draw_noise(game: Any) -> bool:
    """Draw the noise of a game in the order in which OpenSpiel's algorithms visit its ends.

    `add_noise` draws the noise of an end when its utilities are first requested. Another order of
    visits would therefore give another game. No other game of OpenSpiel draws in this way, except
    those that sample chance moves, which cannot be loaded.

    Parameters
    ----------
    game : pyspiel.Game
        Any game.

    Returns
    -------
    bool
        Whether all noise was drawn.
    """
    if not re.search(r"\badd_noise\(", str(game)):
        return True
    root = CachedState(game.new_initial_state())
    path = [(root, _moves(root))]  # keeps parents alive: some states break without them
    for _ in range(MAX_POSITIONS):
        while path and not path[-1][1]:
            path.pop()
        if not path:
            return True
        node, moves = path[-1]
        after = CachedState(node.child(moves.pop()))
        if after.is_terminal:
            after.state.returns()
        else:
            path.append((after, _moves(after)))
    return False


def _moves(node: CachedState) -> list[Move]:
    """Return the moves at a state, the first one last."""
    state = node.state
    moves: list[Move] = []
    if node.is_chance:
        moves += [move for move, _ in node.outcomes]
    elif node.is_simultaneous:
        # As in OpenSpiel's conversion to turns, the action of the last player changes first.
        players = range(state.num_players())
        moves += product(*(state.legal_actions(player) or [0] for player in players))
    else:
        moves += state.legal_actions()
    return moves[::-1]
