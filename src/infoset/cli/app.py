"""The commands in one program, and what it does with errors."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Annotated, NoReturn, cast

import typer

from infoset._version import __version__
from infoset.cli.commands import (
    compare,
    draw,
    evaluate,
    export,
    games,
    info,
    learn,
    match,
    play,
    prove,
    reproduce,
    show,
    solve,
)
from infoset.cli.exit_codes import DONE, INTERRUPTED, USER_ERROR
from infoset.cli.screen import complain, say
from infoset.errors import InfosetError

__all__ = ["app", "main"]

UsageError = cast(type[Exception], typer.BadParameter.__mro__[1])
"""What typer raises for a command line that it cannot read; it has no public name."""

app = typer.Typer(
    name="infoset",
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def overview(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Games with hidden information: solve, measure, play.

    A GAME is a name, or a name with parameters, quoted: 'leduc_poker(num_ranks=4)',
    a game of your own: path/to/file.py:Class, or a file of Gambit: path/to/game.efg
    """
    if version:
        say(f"infoset {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


for module in (
    games,
    info,
    solve,
    learn,
    compare,
    prove,
    evaluate,
    show,
    draw,
    play,
    match,
    export,
    reproduce,
):
    app.command(module.__name__.rpartition(".")[2])(module.run)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its code.

    The codes are those of `infoset.cli.exit_codes`.

    Parameters
    ----------
    arguments : Sequence[str], optional
        What follows the program's name; by default that of this process.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    with _quiet_on_broken_pipe():
        code = _run(arguments)
    if arguments is None:
        gc.freeze()  # spares the end of the process a quarter of a second of tidying up
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command, and turn what it raises into an exit code."""
    try:
        given = None if arguments is None else list(arguments)
        code = int(app(args=given, prog_name="infoset", standalone_mode=False) or DONE)
        sys.stdout.flush()
        return code
    except InfosetError as error:
        complain(str(error))
    except UsageError as error:
        complain(*_usage_text(error))
    except MemoryError:
        complain("out of memory; try smaller parameters, or allow less with --memory")
    except OSError as error:
        complain(": ".join(filter(None, [error.strerror or str(error), error.filename])))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return USER_ERROR


def _usage_text(error: BaseException) -> tuple[str, str]:
    """Return what is wrong with the command line, and where to look."""
    message = getattr(error, "format_message", error.__str__)()
    command = getattr(getattr(error, "ctx", None), "command_path", "infoset")
    return message, f"see {command} --help"


@contextmanager
def _quiet_on_broken_pipe() -> Iterator[None]:
    """End without a word when the reader of our output is gone, as other commands do."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)
