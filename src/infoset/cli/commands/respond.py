"""`infoset respond`: compute a best response to a policy, and save it as a policy."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.options import (
    AnyPolicyArgument,
    JsonOption,
    OptionalGameArgument,
    folder_option,
    game_and_policy,
)
from infoset.cli.progress import live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    SEARCHER_NOTE,
    error_text,
    number_text,
    print_json,
    print_table,
    say,
    tell,
    tell_average,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.efg import ExtensiveForm
    from infoset.evaluation import BestResponse
    from infoset.game import Game
    from infoset.policy import TabularPolicy


def run(
    game: OptionalGameArgument = None,
    policy: AnyPolicyArgument = None,
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="Player who responds: its number, from 0, or its name.",
            show_default=True,
        ),
    ] = "0",
    out: Annotated[Path | None, folder_option("runs/GAME-response-PLAYER")] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute a best response of one player to a policy, and save it as a policy.

    The other players play as in POLICY, so that the result can be played against, shown, drawn and
    measured like any policy. A correlated policy is replaced by its average.
    """
    from infoset.evaluation import expected_values
    from infoset.experiments import check_writable, save_response
    from infoset.game import player_name
    from infoset.game.player_names import find_player

    check_writable(out)
    rules, path = game_and_policy(game, policy)
    tell_average(path)
    responder = find_player(rules, player)
    response, before = _respond(rules, path, responder)
    form = before.form
    value = float(expected_values(before)[responder])
    numbers = {
        "player": responder,
        "value": response.value,
        "gain": max(0.0, response.value - value),
    }
    name = game if game and policy else str(rules)

    def report(saved: Saved) -> None:
        if as_json:
            where = saved.record["folder"]
            print_json({"game": str(rules), "policy": path, **numbers, "folder": where})
            return
        table = TextTable()
        table.add_row("value of the policy", number_text(value))
        table.add_row("value of the best response", number_text(response.value))
        table.add_row("gain", error_text(numbers["gain"], form.rounding))
        whose = player_name(rules, responder)
        print_table(table, title=f"{rules}: best response of {whose} to {path}")
        saved.say(name)
        if saved.folder is None:
            return
        other = (responder + 1) % rules.num_players
        command = ["infoset", "play", name, "--player", str(other), "--against", str(saved.folder)]
        say(f"to play against it: {' '.join(map(quote, command))}")

    save_and_report(lambda to: save_response(response, to, game=rules), out, report)


def _respond(
    rules: Game | ExtensiveForm, path: str, player: int
) -> tuple[BestResponse, TabularPolicy]:
    """Return a best response, and the policy to which it responds."""
    from infoset.evaluation import best_response
    from infoset.front import (
        form_of_policies,
        is_policy_file,
        resolve_average,
        resolve_searcher,
        to_game,
    )

    with live(str(rules)) as progress:
        is_queried = path != "uniform" and not is_policy_file(path)
        policy = resolve_searcher(path, to_game(rules)) if is_queried else path
        form = form_of_policies(rules, path, progress=progress.building)
        if is_queried:
            tell(SEARCHER_NOTE)
        found = resolve_average(policy, form)
    return best_response(found, player), found
