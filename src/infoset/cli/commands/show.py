"""`infoset show`: print a policy by infostate."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.options import GameArgument, JsonOption, MemoryOption, PolicyArgument
from infoset.cli.progress import live
from infoset.cli.screen import print_json, say

if TYPE_CHECKING:
    from infoset.policy import PolicyRow

SMALLEST_SHOWN = 0.0005


def run(
    game: GameArgument,
    policy: PolicyArgument,
    as_csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print comma-separated values: a row for each infostate and action."
        ),
    ] = False,
    as_json: JsonOption = False,
    memory: MemoryOption = None,
) -> None:
    """Print the action probabilities of a policy at every infostate.

    Own reach is the probability that the player's own actions lead to the infostate.
    """
    from infoset.front import load, read_policy_metadata, resolve_policy, to_form
    from infoset.policy import save_policy_csv

    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json cannot be combined; give only one of them")
    rules = load(game)
    with live(str(rules)) as progress:
        form = to_form(rules, memory=memory, progress=progress.building)
        found = resolve_policy(policy, form)
        about = read_policy_metadata(policy)
    if as_json:
        rows = [_record(row) for row in found.rows()]
        print_json({"game": str(rules), "policy": policy, "metadata": about, "infostates": rows})
    elif as_csv:
        save_policy_csv(found, sys.stdout)
    else:
        method = "" if about is None else f", by {about.get('method')}"
        say(f"{rules}: {policy}{method}")
        _print_text(found.rows())


def _record(row: PolicyRow) -> dict[str, Any]:
    return {
        "player": row.player,
        "infostate": row.infostate,
        "own_reach": row.own_reach,
        "actions": row.actions,
        "probabilities": row.probabilities,
    }


def _print_text(rows: Iterable[PolicyRow]) -> None:
    for player, group in groupby(rows, key=attrgetter("player")):
        of_player = list(group)
        width = max(len(row.infostate) for row in of_player)
        say()
        say(f"player {player}: {len(of_player):,} infostates")
        say(f"own reach  {'infostate':<{width}}  policy")
        for row in of_player:
            say(f"{row.own_reach:9.3f}  {row.infostate:<{width}}  {_policy_text(row)}")
    say()
    say(f"actions with probability below {SMALLEST_SHOWN:g} are omitted; --csv prints all")


def _policy_text(row: PolicyRow) -> str:
    pairs = zip(row.actions, row.probabilities.tolist(), strict=True)
    return "  ".join(
        f"{action} {probability:.3f}"
        for action, probability in pairs
        if probability >= SMALLEST_SHOWN
    )
