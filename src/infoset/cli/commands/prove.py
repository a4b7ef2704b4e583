"""`infoset prove`: the value of a game as a fraction."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.options import GameArgument, JsonOption
from infoset.cli.progress import live
from infoset.cli.screen import number_text, print_json, say, tell_notes

if TYPE_CHECKING:
    from infoset.evaluation import ValueProof
    from infoset.front import CompiledGame


def run(
    game: GameArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Certificate to write, which 'infoset verify FILE' checks."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute and prove the exact value of a small two-player constant-sum game.

    The value is a fraction. The proof consists of policies with rational
    probabilities and of best responses, all in exact arithmetic. Chance
    probabilities must be exact fractions.
    """
    from infoset.front import load, to_compiled, to_game
    from infoset.game import player_name
    from infoset.solvers import solve_exactly

    with live(game) as progress:
        # A certificate is about rules, even if a file describes the game as a tree.
        subject = load(game) if out is None else to_game(game)
        compiled = to_compiled(subject, progress=progress.building)
        proof = solve_exactly(compiled)
        if out is not None:
            _save(proof, compiled, out)
    tell_notes(compiled)
    bounds = {"value": proof.value, "lower": proof.lower, "upper": proof.upper}
    if as_json:
        saved = {} if out is None else {"certificate": str(out)}
        print_json(
            {"game": str(compiled), **{name: _json(bounds[name]) for name in bounds}, **saved}
        )
        return
    say(str(compiled))
    first = player_name(compiled, 0)
    shown = {f"value of {first}": proof.value}
    if proof.value is None:
        shown = {f"lower bound for {first}": proof.lower, f"upper bound for {first}": proof.upper}
    for name, bound in shown.items():
        if bound is not None:
            # Not in a table, which would break long fractions.
            say(f"{name}: {bound}, about {number_text(float(bound))}")
    if out is not None:
        say(f"certificate saved in {out}; {_how_to_verify(game, out)} checks it")


def _save(proof: ValueProof, compiled: CompiledGame, path: Path) -> None:
    """Write the certificate of a proof, which is verified before."""
    from infoset.certificates import save_certificate
    from infoset.evaluation import make_certificate
    from infoset.tree import GameTree

    assert isinstance(compiled, GameTree)
    save_certificate(make_certificate(proof, compiled), path)


def _how_to_verify(game: str, path: Path) -> str:
    """Return the command that checks a certificate; it names the code of an unregistered game."""
    from infoset.games import is_registered

    command = ["infoset", "verify", str(path), *([] if is_registered(game) else ["--game", game])]
    return " ".join(map(quote, command))


def _json(bound: Fraction | None) -> Any:
    return None if bound is None else {"fraction": str(bound), "number": float(bound)}
