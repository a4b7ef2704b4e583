"""`infoset games`: list the games that can be loaded by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infoset.cli.options import JsonOption
from infoset.cli.screen import make_table, print_json, print_table, say

if TYPE_CHECKING:
    from infoset.games import GameEntry, ParameterEntry


def run(as_json: JsonOption = False) -> None:
    """List the games with their parameters and defaults."""
    from infoset.games import GAMES

    if as_json:
        print_json({"games": [_record(entry) for entry in GAMES.values()]})
        return
    table = make_table("game", "description and parameters")
    for entry in GAMES.values():
        parameters = ", ".join(map(_text, entry.parameters))
        table.add_row(entry.name, "\n".join(filter(None, [entry.summary, parameters])))
    print_table(table)
    say("* not a parameter of OpenSpiel's game of the same name")
    say("openspiel:NAME(...) loads any other game of OpenSpiel (optional extra)")


def _text(parameter: ParameterEntry) -> str:
    from infoset.game import parameter_text

    star = "*" if parameter.is_addition else ""
    default = "..." if parameter.is_required else parameter_text(parameter.default)
    return f"{parameter.name}={default}{star}"


def _record(entry: GameEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "aliases": entry.aliases,
        "openspiel_name": entry.openspiel_name or None,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "required": parameter.is_required,
                "allowed": None if parameter.domain is None else str(parameter.domain),
                "meaning": parameter.meaning,
                "addition": parameter.is_addition,
            }
            for parameter in entry.parameters
        ],
    }
