"""Script that loads an OpenSpiel game and plays some moves, run in a separate process.

OpenSpiel checks some parameters and crashes on others (Hanabi with nine colors, poker with fifty
players). A crash must not end the user's session. The script reads JSON from the command line. If
OpenSpiel raises an error, the script prints the message and exits with `REFUSED`. If OpenSpiel
crashes, a signal ends the script.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

MAX_MOVES = 200
REFUSED = 3


def main() -> None:
    """Try the game whose name and parameters are in the argument."""
    pyspiel = import_module("pyspiel")
    wanted = json.loads(sys.argv[1])
    if not names_in(wanted) <= set(pyspiel.registered_names()):
        import_module("open_spiel.python.games")
    try:
        game = pyspiel.load_game(wanted.pop("name"), wanted)
        play(game, game.new_initial_state())
    except Exception as error:
        sys.stdout.write(str(error))
        sys.exit(REFUSED)


def names_in(parameters: dict[str, Any]) -> set[str]:
    """Return the names of a game and of its nested games."""
    inner = (names_in(value) for value in parameters.values() if isinstance(value, dict))
    return {parameters["name"]}.union(*inner)


def play(game: Any, state: Any) -> None:
    """Play one fixed sequence of moves, with the same queries as the library."""
    strings = game.get_type().provides_information_state_string
    for turn in range(MAX_MOVES):
        if state.is_terminal():
            return
        if strings:
            [state.information_state_string(player) for player in range(game.num_players())]
        if state.is_simultaneous_node():
            players = range(game.num_players())
            state.apply_actions([pick(state.legal_actions(p) or [0], turn) for p in players])
        elif state.is_chance_node():
            state.apply_action(pick(state.chance_outcomes(), turn)[0])
        else:
            state.apply_action(pick(state.legal_actions(), turn))


def pick(choices: list[Any], turn: int) -> Any:
    """Return one of the choices, which depends on the turn."""
    if not choices:
        raise ValueError("the game has a nonterminal position without a move")
    return choices[turn * 7 % len(choices)]


if __name__ == "__main__":
    main()
