"""What a search says of an infostate where it cannot begin."""

from __future__ import annotations

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Game, Infostate

__all__ = ["not_to_act", "unreachable"]


def unreachable(game: Game, infostate: Infostate) -> UnknownNameError:
    """Return the error for an infostate that no play leads to."""
    return UnknownNameError(
        f"no play of {game} leads player {infostate.player} to the infostate {infostate}; an "
        "infostate is met in play, as history.infostates[player] is"
    )


def not_to_act(infostate: Infostate) -> ParameterError:
    """Return the error for an infostate at which its player does not act."""
    return ParameterError(
        f"player {infostate.player} does not act at the infostate {infostate}; search where it does"
    )
