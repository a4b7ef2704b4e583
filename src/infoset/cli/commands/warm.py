"""`infoset warm`: compile kernels ahead of their first use."""

from __future__ import annotations

from typing import Annotated

import typer

from infoset.cli.options import JsonOption
from infoset.cli.screen import duration_text, error_console, print_json, say

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...",
        help="Methods, learners, searchers and team methods, such as cfr+ or pimc.",
        show_default="all",
    ),
]


def run(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """Compile the kernels of methods once, so that later commands start fast.

    Compiled kernels are stored on disk. Without this command, each is compiled when it is
    first called. Set NUMBA_CACHE_DIR to choose the folder.
    """
    from infoset.front import compile_kernels
    from infoset.utils.clocks import compiling_seconds

    with error_console().status("compiling") as status:
        compiled = compile_kernels(
            names or None, callback=lambda name: status.update(f"compiling the kernels of {name}")
        )
    seconds = compiling_seconds()
    if as_json:
        print_json({"names": compiled, "compile_seconds": seconds})
    else:
        say(f"compiled or loaded the kernels of {', '.join(compiled)} in {duration_text(seconds)}")
