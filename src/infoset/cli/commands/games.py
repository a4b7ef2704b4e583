"""`infoset games`: list the games that can be loaded by name, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.options import JsonOption
from infoset.cli.screen import print_json, print_table, say
from infoset.cli.tables import NEW_LINE, TextTable

if TYPE_CHECKING:
    from infoset.games import GameEntry, ParameterEntry


def run(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Game to describe; by default all are listed.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the games with their parameters and defaults, or describe one game."""
    from infoset.games import GAMES, get_game_entry

    if name is not None:
        _describe(get_game_entry(name), as_json)
        return
    if as_json:
        print_json({"games": [_record(entry) for entry in GAMES.values()]})
        return
    table = TextTable("game", "description and parameters")
    for entry in GAMES.values():
        parameters = ", ".join(map(_text, entry.parameters))
        table.add_row(entry.name, NEW_LINE.join(filter(None, [entry.summary, parameters])))
    print_table(table)
    say("* not a parameter of OpenSpiel's game of the same name")
    say("openspiel:NAME(...) loads any other game of OpenSpiel (optional extra)")


def _describe(entry: GameEntry, as_json: bool) -> None:
    """Print the rules, names and parameters of a game."""
    from functools import partial
    from inspect import getdoc

    if as_json:
        print_json({"games": [_record(entry)]})
        return
    say(f"{entry.name}: {entry.summary}")
    # A matrix game is a function with arguments, whose docstring does not describe the game.
    text = "" if isinstance(entry.loader, partial) else getdoc(entry.loader) or ""
    for line in text.partition("\nParameters\n")[0].splitlines()[1:]:
        say(line)
    if entry.aliases:
        say(f"other names: {', '.join(entry.aliases)}")
    if entry.parameters:
        table = TextTable("parameter", "default", "allowed", "meaning")
        for parameter in entry.parameters:
            allowed = "" if parameter.domain is None else str(parameter.domain)
            table.add_row(parameter.name, _default_text(parameter), allowed, parameter.meaning)
        print_table(table)
    required = ",".join(f"{p.name}=..." for p in entry.parameters if p.is_required)
    game = f'"{entry.name}({required})"' if required else entry.name
    say(f"for example: infoset info {game}; infoset play {game}")


def _text(parameter: ParameterEntry) -> str:
    star = "*" if parameter.is_addition else ""
    return f"{parameter.name}={_default_text(parameter)}{star}"


def _default_text(parameter: ParameterEntry) -> str:
    from infoset.game import parameter_text

    return "..." if parameter.is_required else parameter_text(parameter.default)


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
