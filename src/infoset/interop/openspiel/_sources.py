"""What players see of a game of OpenSpiel's: from its observers, or else from its strings."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from infoset.interop.openspiel._nodes import Sources, Watch
from infoset.interop.openspiel._spec import import_pyspiel
from infoset.typing import Player

NO_PUBLIC = "OpenSpiel offers no public observations of {name}"
DISAGREE = "OpenSpiel's observers of {name} do not agree with its strings and are not used"
ONLY_TIME = ": public states tell no more than the number of moves made"
OWN_TURN = (
    "Players see OpenSpiel's information-state strings, each where it is to act and at the end of "
    "the game"
)
EVERY_MOVE = (
    "OpenSpiel offers no information-state strings either: players see its observation strings "
    "after every move"
)


class Candidate(NamedTuple):
    """A way to observe a game, and what to say of it."""

    sources: Sources
    notes: tuple[str, ...]


def candidates(game: Any) -> list[Candidate]:
    """Return the ways in which OpenSpiel says what players see, the most telling first."""
    game_type, information = game.get_type(), import_pyspiel().GameType.Information
    if game_type.information in (information.PERFECT_INFORMATION, information.ONE_SHOT):
        return [Candidate(Sources(moves=True), ())]
    found, missing = [], NO_PUBLIC
    public, private = observers(game)
    if public is not None and private is not None:
        is_kept = private(game.new_initial_state(), 0) != ""
        found = [Candidate(Sources(public=public, private=private, is_kept=is_kept), ())]
        missing = DISAGREE
    missing = missing.format(name=game_type.short_name) + ONLY_TIME
    if game_type.provides_information_state_string:
        found.append(Candidate(Sources(own_turn=information_string), (missing, OWN_TURN)))
    elif game_type.provides_observation_string:
        found.append(Candidate(Sources(private=observation_string), (missing, EVERY_MOVE)))
    return found


def information_string(state: Any, player: Player) -> str:
    """Return OpenSpiel's information-state string."""
    return str(state.information_state_string(player))


def observation_string(state: Any, player: Player) -> str:
    """Return OpenSpiel's observation string."""
    return str(state.observation_string(player))


def observers(game: Any) -> tuple[Watch | None, Watch | None]:
    """Return OpenSpiel's public and private observers, each None where it has no such strings."""
    pyspiel = import_pyspiel()
    kind, seen = pyspiel.IIGObservationType, pyspiel.PrivateInfoType
    public = kind(perfect_recall=False, public_info=True, private_info=seen.NONE)
    private = kind(perfect_recall=False, public_info=False, private_info=seen.SINGLE_PLAYER)
    return observer(game, public), observer(game, private)


def observer(game: Any, kind: Any) -> Watch | None:
    """Return what an observer of OpenSpiel's shows; None where it has none that writes strings."""
    make = import_module("open_spiel.python.observation").make_observation
    try:
        made = make(game, kind)
        text = None if made is None else made.string_from(game.new_initial_state(), 0)
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return None
    if made is None or text is None:
        return None
    watch: Watch = made.string_from
    return watch
