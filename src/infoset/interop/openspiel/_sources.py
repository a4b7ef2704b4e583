"""What players see of a game of OpenSpiel's: from its observers, or else from its strings."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from infoset.errors import UnsupportedGameError
from infoset.interop.openspiel._nodes import Sources, Watch
from infoset.interop.openspiel._spec import import_pyspiel
from infoset.typing import Player

NO_PUBLIC = (
    "OpenSpiel offers no public observations of {name}: public states tell no more than the number "
    "of moves made"
)
OWN_TURN = (
    "players see OpenSpiel's information-state strings, each where the player is to act and at the "
    "end of the game"
)
EVERY_MOVE = (
    "OpenSpiel offers no information-state strings either: players see its observation strings "
    "after every move"
)
COARSE = (
    "OpenSpiel's observers of {name} do not tell players all that its {strings} strings do: "
    "players see these too, where they are to act and at the end of the game"
)


def sources_of(game: Any) -> tuple[Sources, tuple[str, ...]]:
    """Choose what a game's observations are made of, and say what is missing.

    Raises
    ------
    UnsupportedGameError
        If the game hides something and OpenSpiel does not say what a player sees.
    """
    game_type, information = game.get_type(), import_pyspiel().GameType.Information
    name = game_type.short_name
    if game_type.information in (information.PERFECT_INFORMATION, information.ONE_SHOT):
        return Sources(moves=True), ()
    public, private = observers(game)
    if public is not None and private is not None:
        nothing = private(game.new_initial_state(), 0) == ""
        return Sources(public=public, private=private, keeps_private=not nothing), ()
    if game_type.provides_information_state_string:
        return Sources(own_turn=information_string), (NO_PUBLIC.format(name=name), OWN_TURN)
    if game_type.provides_observation_string:
        return Sources(private=observation_string), (NO_PUBLIC.format(name=name), EVERY_MOVE)
    raise UnsupportedGameError(
        f"OpenSpiel's {name} hides something from its players and offers neither observers nor "
        "strings that say what they see"
    )


def refined(sources: Sources, game: Any) -> tuple[Sources, tuple[str, ...]]:
    """Add OpenSpiel's strings to observers that show too little, and say so."""
    game_type = game.get_type()
    watch, strings = information_string, "information-state"
    if not game_type.provides_information_state_string:
        watch, strings = observation_string, "observation"
    note = COARSE.format(name=game_type.short_name, strings=strings)
    return replace(sources, own_turn=watch), (note,)


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
