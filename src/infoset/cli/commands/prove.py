"""`infoset prove`: the value of a game as a fraction."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
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
    save: Annotated[
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
    from infoset.front import to_compiled
    from infoset.game import player_name
    from infoset.solvers import solve_exactly

    with live(game) as progress:
        compiled = to_compiled(game, progress=progress.building)
        proof = solve_exactly(compiled)
        if save is not None:
            _save(proof, compiled, save)
    tell_notes(compiled)
    bounds = {"value": proof.value, "lower": proof.lower, "upper": proof.upper}
    if as_json:
        saved = {} if save is None else {"certificate": str(save)}
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
    if save is not None:
        say(f"certificate saved in {save}; infoset verify {save} checks it")


def _save(proof: ValueProof, compiled: CompiledGame, path: Path) -> None:
    """Write the certificate of a proof, which is verified before."""
    from infoset.certificates import save_certificate
    from infoset.errors import CertificateError
    from infoset.evaluation import make_certificate
    from infoset.tree import GameTree

    if not isinstance(compiled, GameTree):
        raise CertificateError(
            f"{compiled} is a file, but a certificate names a registered game; leave out --save, "
            "or give a game that 'infoset games' lists"
        )
    save_certificate(make_certificate(proof, compiled), path)


def _json(bound: Fraction | None) -> Any:
    return None if bound is None else {"fraction": str(bound), "number": float(bound)}
