"""`infoset explore`: show a game in the browser."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.options import GameArgument
from infoset.cli.progress import live
from infoset.cli.screen import say

if TYPE_CHECKING:
    from infoset.runs import Callback

MAX_PORT = 65535


def run(
    game: GameArgument,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY",
            help="Policy to show: a policy file, the folder of a run, uniform, or a method, which "
            "then solves the game; can be repeated.",
            show_default="uniform",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Another player to play against, such as pimc or ismcts; can be repeated.",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            metavar="PORT",
            min=0,
            max=MAX_PORT,
            help="Port on this machine.",
            show_default="a free one",
        ),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Save the page as one file that needs no server, and exit.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="With --out: maximum number of public observations of an included public state.",
        ),
    ] = None,
) -> None:
    """Show a game in the browser: its public states, policies and beliefs.

    The page compares policies, shows how methods converge, and plays against you. It is served only
    on this machine, until Ctrl-C. A game that is too large for a tree is shown as
    a public form if it has public rules; otherwise it can only be played.
    """
    from infoset.front import load
    from infoset.runs import Budget
    from infoset.web import Exploration, make_explorer, save_page

    if depth is not None and out is None:
        raise typer.BadParameter(
            "--depth needs --out; the served page loads public states as you open them"
        )
    rules = load(game)
    with live(str(rules)) as progress:

        def solving(method: str) -> Callback:
            progress.solving(method, Budget())
            return progress.measured

        explorer = make_explorer(
            rules,
            policy or (),
            against or (),
            progress=progress.building,
            solving=solving,
        )
        if out is not None:
            save_page(explorer, out, depth=depth)
    if out is not None:
        say(f"saved in {out}")
        return
    with Exploration(explorer, port) as page:
        page.start()
        say(f"{rules} is shown at {page.url} (Ctrl-C ends it)")
        if browser:
            import webbrowser

            webbrowser.open(page.url)
        while True:
            time.sleep(3600)
