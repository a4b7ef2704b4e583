"""`infoset draw`: draw a game."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from infoset.cli.options import GameArgument, JsonOption, PictureOption
from infoset.cli.screen import print_json, say, tell_average

ViewOption: TypeAlias = Annotated[
    str,
    typer.Option(metavar="VIEW", help="View: history, infostate, public, all, payoffs, or policy."),
]
PolicyOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="Policy to draw, or whose probabilities label the edges: uniform or a policy file.",
    ),
]


def run(
    game: GameArgument,
    out: PictureOption,
    view: ViewOption = "history",
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER", help="Player of the infostate view: its number, from 0, or its name."
        ),
    ] = "0",
    policy: PolicyOption = None,
    line: Annotated[
        str | None,
        typer.Option(
            metavar="LINE",
            help="For hands of two cards in the view policy: the public observations after which "
            "they are drawn, such as 'check / bet 50'.",
            show_default="the start",
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="Maximum number of steps from the root.")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of nodes per view, or of rows per player in the view policy.",
            show_default="150; 24 rows",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the histories of a game, the infostates of a player, or the public states.

    A large tree is truncated at a depth, and the picture shows how many nodes are omitted. The view
    payoffs is the payoff table of a two-player game with few strategies. The view policy shows the
    action probabilities of a policy.
    """
    from infoset.plotting import check_target, draw

    check_target(out)
    if policy is not None:
        tell_average(policy)
    drawing = draw(
        game,
        view,
        player=player,
        policy=policy,
        line=line,
        depth=depth,
        max_nodes=max_nodes,
    )
    drawing.save(out)
    if as_json:
        pictures = [
            {
                "view": picture.kind,
                "title": picture.title,
                "nodes": len(picture.nodes),
                "omitted": picture.remark or None,
            }
            for picture in drawing.pictures
        ]
        print_json({"game": game, "view": view, "file": str(out), "pictures": pictures})
        return
    for picture in drawing.pictures:
        say(picture.title)
        if picture.remark:
            say(picture.remark)
    if any(picture.remark for picture in drawing.pictures):
        say("to draw more, raise --max-nodes or --depth")
    say(f"saved in {out}")
