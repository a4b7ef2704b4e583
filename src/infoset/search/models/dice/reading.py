"""What an infostate of liar's dice comes to."""

from __future__ import annotations

from typing import NamedTuple

from infoset.game import Infostate
from infoset.games import LiarsDice
from infoset.games.liars_dice import LIAR, NO_BID
from infoset.search.models.refusals import not_to_act, unreachable
from infoset.typing import NOOP

__all__ = ["Held", "read_infostate"]


class Held(NamedTuple):
    """What a player knows when it is its turn.

    Attributes
    ----------
    hand : int
        Number of the own hand.
    call : int
        Number of the last bid, `NO_BID` before the first.
    num_moves : int
        How often the player has moved.
    """

    hand: int
    call: int
    num_moves: int


def read_infostate(game: LiarsDice, infostate: Infostate) -> Held:
    """Return what an infostate comes to.

    Raises
    ------
    ParameterError
        If its player does not act there.
    UnknownNameError
        If no play leads there.
    """
    if not infostate.steps:
        raise not_to_act(infostate)
    dealt, *called = infostate.steps
    hands = [hand for hand, _ in game.rolls]
    if (dealt.action, dealt.public) != (NOOP, None) or dealt.private not in hands:
        raise unreachable(game, infostate)
    call, mover = NO_BID, 0
    for action, private, public in called:
        if private is None and isinstance(public, tuple) and public[0] == LIAR:
            raise not_to_act(infostate)
        later = game.calls[call + 1 : -1]
        own = public if mover == infostate.player else NOOP
        if public not in later or action != own or private is not None:
            raise unreachable(game, infostate)
        call, mover = call + 1 + later.index(public), 1 - mover
    if mover != infostate.player:
        raise not_to_act(infostate)
    return Held(hands.index(dealt.private), call, (len(called) + 1 - infostate.player) // 2)
