"""`infoset evaluate`: value and exploitability of a policy."""

from __future__ import annotations

from typing import Annotated

import typer

from infoset.cli.options import GameArgument, JsonOption, MemoryOption
from infoset.cli.progress import live
from infoset.cli.screen import (
    SEARCHER_NOTE,
    make_table,
    number_text,
    print_json,
    print_table,
    tell,
    tell_notes,
)


def run(
    game: GameArgument,
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="Policy: uniform, a policy file, a searcher such as pimc, or file.py:NAME.",
            show_default=False,
        ),
    ],
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a policy exactly: values, gains of best responses, NashConv, exploitability."""
    from infoset.front import evaluate, is_policy_file, load, resolve_players, to_game

    rules = load(game)
    with live(str(rules)) as progress:
        if policy != "uniform" and not is_policy_file(policy):
            (searcher,) = resolve_players([policy], to_game(rules))
            tell(SEARCHER_NOTE)
            found = evaluate(rules, searcher, memory=memory, progress=progress.building)
        else:
            found = evaluate(rules, policy, memory=memory, progress=progress.building)
    tell_notes(rules)
    if as_json:
        numbers = {
            "values": found.values,
            "nash_conv": found.nash_conv,
            "exploitability": found.exploitability,
            "gains": found.gains,
            "security_levels": found.security_levels,
            "rounding": found.rounding,
        }
        print_json({"game": str(rules), "policy": policy, **numbers})
        return
    table = make_table("player", ">value", ">gain of a best response")
    for player, (value, gain) in enumerate(zip(found.values, found.gains, strict=True)):
        table.add_row(str(player), number_text(value), number_text(gain))
    table.add_section()
    table.add_row("NashConv", "", number_text(found.nash_conv))
    table.add_row("exploitability", "", number_text(found.exploitability))
    print_table(table, title=str(rules))
