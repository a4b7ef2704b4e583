"""`infoset verify`: check a certificate by the rules of its game and exact arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.options import JsonOption, parse_count
from infoset.cli.screen import number_text, print_json, say

if TYPE_CHECKING:
    from infoset.certificates import Certificate

DEFAULT_HISTORIES = 2_000_000
DEFAULT_SECONDS = 600.0


def run(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Certificate written by 'infoset prove GAME --out FILE'; or a policy with a "
            "certificate in it, such as zoo:kuhn_poker.",
            show_default=False,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="Game that the certificate names, such as file.py:NAME, which executes the file; "
            "only for a game that 'infoset games' does not list.",
            show_default=False,
        ),
    ] = None,
    max_histories: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            parser=parse_count,
            help="Limit on the number of histories of the game.",
        ),
    ] = DEFAULT_HISTORIES,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0, help="Time limit in seconds.")
    ] = DEFAULT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate of a game's value, without a solver.

    The check visits every history by the rules of the game, and computes best responses to both
    policies in exact fractions. It stops at the first wrong claim, and reports where it is.
    """
    from infoset.cli.command_watch import CommandWatch
    from infoset.tree import allowed_memory

    # A file may name any registered game.
    memory = allowed_memory(None)
    watch = CommandWatch(f"infoset verify {file}", seconds, memory, options="--seconds")
    certificate = watch.end(lambda: _verified(file, game, max_histories))
    if as_json:
        print_json(
            {
                "game": certificate.game,
                "lower": str(certificate.lower),
                "upper": str(certificate.upper),
                "value": None if certificate.value is None else str(certificate.value),
                "histories": certificate.num_histories,
                "infostates": list(certificate.num_infostates),
            }
        )
        return
    say(certificate.game)
    if certificate.value is not None:
        say(
            f"value of player 0: {certificate.value}, about {number_text(float(certificate.value))}"
        )
    else:
        say(f"value of player 0: from {certificate.lower} to {certificate.upper}")
    counts = " and ".join(map(number_text, certificate.num_infostates))
    say(
        f"verified by the rules: {number_text(certificate.num_histories)} histories, policies at "
        f"{counts} infostates"
    )


def _verified(file: str, game: str | None, max_histories: int) -> Certificate:
    """Return the certificate in a file, after checking it."""
    from infoset.front import to_game

    rules = None if game is None else to_game(game)
    if file.startswith("zoo:") or file.lower().endswith(".parquet"):
        from infoset.benchmark import verify_policy_file

        return verify_policy_file(file, game=rules, max_histories=max_histories)[0]
    from infoset.certificates import verify_file

    return verify_file(file, game=rules, max_histories=max_histories)
