"""`infoset info`: size and properties of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.options import GameArgument, JsonOption
from infoset.cli.progress import live
from infoset.cli.screen import (
    number_text,
    print_json,
    print_table,
    say,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.front import GameInfo

STOPS = {
    "worlds": "there are more world states than the limit (--max-worlds)",
    "transitions": "stopped at ten transitions for each world state allowed (--max-worlds)",
    "memory": "stopped at the memory limit (--memory)",
    "seconds": "stopped at the time limit (--seconds)",
    "interrupted": "interrupted",
    "public": "counted from the public rules, because the public form is much faster than the tree",
    None: "there are too many histories to count",
}
"""What stopped the visit of the world states, or the building of the tree, in words."""

UNKNOWN = "values that need the tree are unknown (-)"
SEARCHERS_PLAY = (
    "without building the game, searchers can play it: "
    "infoset match GAME 'ismcts(milliseconds=50)' uniform --deals 2"
)


def run(game: GameArgument, as_json: JsonOption = False) -> None:
    """Report the size of a game: histories, infostates, sequences, and memory.

    For a game that is too large to build, ≥ marks lower bounds and - marks unknown values.
    Ctrl-C stops the count and prints lower bounds.
    """
    from infoset.front import info

    with live(game) as progress:
        found = info(game, progress=progress.building)
    if as_json:
        print_json(found.summary())
    else:
        _report(found)
    if found.stop == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _report(found: GameInfo) -> None:
    table = TextTable()
    for name, text in describe(found).items():
        table.add_row(name, text)
    print_table(table, title=found.game)
    for line in remarks(found):
        say(line)


def describe(found: GameInfo) -> dict[str, str]:
    """Return the sizes and properties of a game as text, by name."""
    from infoset.utils.text import format_bytes

    bound, solving = "" if found.is_exact else "≥ ", found.solving_bytes
    worlds, by_worlds = found.world_states, found.world_form_bytes
    return {
        "players": ": ".join(filter(None, (str(found.num_players), ", ".join(found.player_names)))),
        "world states": "-" if worlds is None else bound + number_text(worlds),
        "histories": bound + number_text(found.histories),
        "terminals": bound + number_text(found.terminals),
        "infostates": _by_player(found.infostates),
        "acting infostates": _by_player(found.acting_infostates),
        "sequences": _by_player(found.sequences),
        "public states": number_text(found.public_states),
        "two-player zero-sum": _yes_no(found.two_player_zero_sum),
        "constant sum": number_text(found.constant_sum),
        "perfect recall": _yes_no(found.perfect_recall),
        "observable rewards": _yes_no(found.observable_rewards),
        "memory to build": bound + format_bytes(found.forecast_bytes),
        "memory to solve": "-" if solving is None else format_bytes(solving),
        "public nodes": number_text(found.public_nodes),
        "hands": _by_player(found.public_hands),
        "public sequences": _by_player(found.public_sequences),
        "public form memory": _by_precision(found.public_form_memory),
        "world form memory": "-" if by_worlds is None else format_bytes(by_worlds),
        "search model": _searches(found.search_model),
    }


def remarks(found: GameInfo) -> list[str]:
    """Return remarks on missing or approximate numbers."""
    lines = list(found.notes)
    if not found.is_exact:
        lines.append(f"{STOPS[found.stop]}: ≥ marks lower bounds")
        if found.estimate is not None:
            lines.append(f"the game has {found.estimate}")
        lines.append(SEARCHERS_PLAY)
    elif not found.fits:
        limit = "the limit on world states" if found.stop == "worlds" else "the memory limit"
        lines.append(f"too large for {limit}: {UNKNOWN}")
        if found.public_form_fits and not found.solving_fits:
            lines.append(
                "infoset solve builds the public form instead; evaluate, respond, show, match and "
                "play use it, too, or the world form where that is faster"
            )
        elif found.world_form_fits and not found.solving_fits:
            lines.append(
                "infoset solve builds the world form instead; evaluate, respond, show, match and "
                "play use it, too"
            )
        elif found.solving_fits:
            lines.append(
                "infoset solve does not build the tree; it needs less memory, and may succeed"
            )
        else:
            lines.append(SEARCHERS_PLAY)
    elif found.stop is not None:
        lines.append(f"{STOPS[found.stop]}: {UNKNOWN}")
    return lines


def _searches(model: str | None) -> str:
    if model is None:
        return "-"
    return "by the rules (slow)" if model == "RulesModel" else f"compiled ({model})"


def _by_player(counts: tuple[int, ...] | None) -> str:
    """Format counts per player; a single number if all are equal."""
    if counts is None:
        return "-"
    if len(set(counts)) == 1 and len(counts) > 1:
        return f"{counts[0]:,} each"
    return ", ".join(map(number_text, counts))


def _by_precision(memory: dict[str, int] | None) -> str:
    """Format bytes by precision: double precision first, the others in parentheses."""
    from infoset.utils.text import format_bytes

    if memory is None:
        return "-"
    double, *others = ((name, format_bytes(number)) for name, number in memory.items())
    return f"{double[1]} ({', '.join(f'{name}: {number}' for name, number in others)})"


def _yes_no(value: bool | None) -> str:
    return {None: "-", True: "yes", False: "no"}[value]
