"""Script that loads an OpenSpiel game and plays some moves, run in a separate process.

OpenSpiel checks some parameters and crashes on others (Hanabi with nine colors, poker with fifty
players), and some observers crash when they are made (those of `restricted_nash_response` on a game
that has none). A crash must not end the user's session. The script reads JSON from the command
line. It prints `PLAYED` after a play without observers, and then plays once more with them. If
OpenSpiel raises an error in the first play, the script prints the message and exits with `REFUSED`.
If OpenSpiel crashes, a signal ends the script.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

MAX_MOVES = 200
REFUSED = 3
PLAYED = "played\n"


def main() -> None:
    """Try the game whose name and parameters are in the argument."""
    pyspiel = import_module("pyspiel")
    wanted = json.loads(sys.argv[1])
    if not names_in(wanted) <= set(pyspiel.registered_names()):
        import_module("open_spiel.python.games")
    try:
        game = pyspiel.load_game(wanted.pop("name"), wanted)
        play(game, ask_strings)
    except Exception as error:
        sys.stdout.write(str(error))
        sys.exit(REFUSED)
    sys.stdout.write(PLAYED)
    sys.stdout.flush()
    for kind in observation_kinds(pyspiel):
        try:
            if game.make_observer(kind, {}) is not None:
                play(game, observer_strings(game, kind))
        except Exception:  # a missing observer is not a crash
            continue


def names_in(parameters: dict[str, Any]) -> set[str]:
    """Return the names of a game and of its nested games."""
    inner = (names_in(value) for value in parameters.values() if isinstance(value, dict))
    return {parameters["name"]}.union(*inner)


def observation_kinds(pyspiel: Any) -> tuple[Any, Any]:
    """Return OpenSpiel's descriptions of public and of private observations of one moment."""
    kind, seen = pyspiel.IIGObservationType, pyspiel.PrivateInfoType
    public = kind(perfect_recall=False, public_info=True, private_info=seen.NONE)
    private = kind(perfect_recall=False, public_info=False, private_info=seen.SINGLE_PLAYER)
    return public, private


def observer_strings(game: Any, kind: Any) -> Callable[[Any], None]:
    """Return a function that asks an observer for the strings of all players at a state."""
    made = import_module("open_spiel.python.observation").make_observation(game, kind)

    def ask(state: Any) -> None:
        for player in range(state.num_players()):
            made.string_from(state, player)

    return ask


def ask_strings(state: Any) -> None:
    """Ask for the strings of all players and for the returns, without observers."""
    game_type = state.get_game().get_type()
    for player in range(state.num_players()):
        if game_type.provides_information_state_string:
            state.information_state_string(player)
        elif game_type.provides_observation_string:
            state.observation_string(player)
    rewards = import_module("pyspiel").GameType.RewardModel.REWARDS
    if state.is_terminal() or game_type.reward_model == rewards:
        state.returns()


def play(game: Any, ask: Callable[[Any], None]) -> None:
    """Play one fixed sequence of moves, and ask at every state."""
    states = [game.new_initial_state()]  # kept: some states break when their parents are deleted
    for turn in range(MAX_MOVES):
        state = states[-1]
        ask(state)
        if state.is_terminal():
            return
        states.append(next_state(state, turn))


def next_state(state: Any, turn: int) -> Any:
    """Return the state after moves that depend on the turn."""
    if state.is_simultaneous_node():
        players = range(state.num_players())
        moves = [pick(labelled(state, p, state.legal_actions(p)) or [0], turn) for p in players]
        after = state.clone()
        after.apply_actions(moves)
        return after
    mover = state.current_player()
    if state.is_chance_node():
        actions = [action for action, _ in state.chance_outcomes()]
    else:
        actions = state.legal_actions(mover)
    return state.child(pick(labelled(state, mover, actions), turn))


def labelled(state: Any, player: int, actions: list[int]) -> list[int]:
    """Return some actions, after asking for their labels."""
    for action in actions:
        state.action_to_string(player, action)
    return actions


def pick(choices: list[Any], turn: int) -> Any:
    """Return one of the choices, which depends on the turn."""
    if not choices:
        raise ValueError("the game has a nonterminal position without a move")
    return choices[turn * 7 % len(choices)]


if __name__ == "__main__":
    main()
