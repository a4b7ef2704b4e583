"""Load a game of OpenSpiel and play it a little; run as a script in a process of its own.

OpenSpiel checks some parameters and crashes on others (a Hanabi of nine colours, poker for fifty);
a crash must not take the user's session with it. Reads JSON from the command line. Where OpenSpiel
says what is wrong, writes that and exits with `REFUSED`; where it crashes, exits by a signal.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

MAX_MOVES = 200
REFUSED = 3


def main() -> None:
    """Try the game that the argument describes: its parameters, its name among them."""
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
    """Return the names of a game and of the games inside it."""
    inner = (names_in(value) for value in parameters.values() if isinstance(value, dict))
    return {parameters["name"]}.union(*inner)


def play(game: Any, state: Any) -> None:
    """Play one fixed line of moves, asking for what a game is asked for."""
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
    """Return one of the choices, others at other turns."""
    if not choices:
        raise ValueError("the game has a position that is not final and has no move")
    return choices[turn * 7 % len(choices)]


if __name__ == "__main__":
    main()
