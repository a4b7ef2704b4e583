"""The command-line program: its commands and its handling of errors."""

from __future__ import annotations

import gc
import re
import signal
import sys
from collections.abc import Callable, Sequence
from functools import cache, wraps
from io import TextIOWrapper
from pathlib import Path
from shlex import quote
from traceback import extract_tb
from typing import Annotated, Any, NoReturn, cast

import typer

from infoset._version import __version__
from infoset.cli.build_options import with_build_limits
from infoset.cli.commands import (
    benchmark,
    check,
    compare,
    critic,
    draw,
    evaluate,
    explore,
    export,
    games,
    info,
    learn,
    match,
    play,
    plot,
    prove,
    report,
    reproduce,
    respond,
    show,
    solve,
    train,
    tune,
    verify,
    warm,
    zoo,
)
from infoset.cli.examples import help_end
from infoset.cli.exit_codes import DONE, INTERRUPTED, USER_ERROR, ended_by
from infoset.cli.interrupts import StopSignals, is_interrupt, pipe_signal
from infoset.cli.literal_help import LiteralCommand, LiteralGroup
from infoset.cli.saved_results import warnings_reported
from infoset.cli.screen import complain, say, tell
from infoset.errors import InfosetError, as_error, describe_exception
from infoset.utils.address_space import check_address_space
from infoset.utils.text import shortened

UsageError = cast(type[Exception], typer.BadParameter.__mro__[1])
"""The exception of typer for an invalid command line; it has no public name."""

LIBRARY = str(Path(__file__).parents[1])

MAX_USAGE = 400
"""Maximum number of characters of a message about the command line, which may quote it."""

PLAIN_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "give a whole number",
    "Input should be a valid number, unable to parse string as a number": "give a number",
    "Input should be greater than or equal to ": "it must be at least ",
}
"""Replacements for phrases of the parser that speak of strings and inputs."""

GIVEN_AS = {
    "--method": "a method",
    "--methods": "a method",
    "--policy": "a policy",
    "--against": "the other players",
}
"""Descriptions of the values that are often written without their options, by option."""

COUNTS = ("--iterations", "--episodes", "--steps", "--deals")
SYNONYMS = {
    **dict.fromkeys(("--iterations", "--episodes", "--steps", "--iters", "--epochs"), COUNTS),
    **dict.fromkeys(("--games", "--hands", "--matches"), ("--deals",)),
    **dict.fromkeys(("--output", "--output-dir", "--save", "--file", "-o"), ("--out",)),
    **dict.fromkeys(("--as", "--seat", "--position"), ("--player",)),
    **dict.fromkeys(("--contains", "--filter", "--grep", "--infostate"), ("--match",)),
    **dict.fromkeys(("--algorithm", "--algo", "--solver", "--learner"), ("--method", "--methods")),
    **dict.fromkeys(("--method",), ("--methods",)),
    **dict.fromkeys(("--time", "--timeout", "--max-seconds"), ("--seconds",)),
    **dict.fromkeys(("--opponent", "--policy"), ("--against",)),
    **dict.fromkeys(("--random-seed",), ("--seed",)),
    **dict.fromkeys(("--threads", "--jobs", "-j", "--processes"), ("--workers",)),
}
"""Options of other commands and other programs, and those of this program that they may mean."""

app = typer.Typer(
    name="infoset",
    cls=LiteralGroup,
    add_completion=True,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def overview(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Solve, measure and play games with hidden information.

    GAME is a name such as kuhn_poker, a quoted name with parameters such as
    'leduc_poker(num_ranks=4)', your own game as path/to/file.py:Class, or a
    file of Gambit (.efg, .nfg, .gbt) or LiteEFG (.game).
    """
    if version:
        say(f"infoset {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


def _ended_only_here(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that user code cannot end without a message, as by `SystemExit`."""

    @wraps(run)
    def command(*arguments: Any, **options: Any) -> Any:
        try:
            return run(*arguments, **options)
        except BaseException as error:
            raise as_error(error)  # noqa: B904

    return command


for module in (
    games,
    check,
    info,
    solve,
    learn,
    train,
    critic,
    tune,
    compare,
    plot,
    benchmark,
    prove,
    verify,
    zoo,
    evaluate,
    respond,
    show,
    draw,
    explore,
    play,
    match,
    export,
    report,
    reproduce,
    warm,
):
    name = module.__name__.rpartition(".")[2]
    add = app.command(name, cls=LiteralCommand, epilog=help_end(name))
    add(_ended_only_here(with_build_limits(name, module.run)))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its code.

    The exit codes are defined in `infoset.cli.exit_codes`.

    Parameters
    ----------
    arguments
        Arguments after the program name; by default those of this process.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    # A reader that has closed the output ends the program silently, as it ends other commands.
    with pipe_signal(signal.SIG_DFL), StopSignals(ends_process=arguments is None) as signals:
        code = _run(arguments)
    if code == INTERRUPTED and signals.last is not None:
        code = ended_by(signals.last)
        if signals.last != signal.SIGINT:
            tell(f"ended by {signals.last.name}")
    if arguments is None:
        gc.freeze()  # saves a quarter of a second of cleaning up at exit
    sys.exit(code)


@cache
def _parser() -> Any:
    """Return the parser of the command line, built once per process."""
    return typer.main.get_command(app)


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command, and turn what it raises into an exit code."""
    try:
        check_address_space()
        given = None if arguments is None else list(arguments)
        with warnings_reported():
            run = _parser()
            code = int(run(args=given, prog_name="infoset", standalone_mode=False) or DONE)
        sys.stdout.flush()
        return code
    except InfosetError as error:
        complain(str(error), _place_of(error.__cause__))
    except UsageError as error:
        complain(*_usage_text(error))
    except MemoryError:
        complain("out of memory; use smaller parameters, or a lower limit with --memory")
    except OSError as error:
        parts = error.strerror or str(error), error.filename and shortened(str(error.filename))
        complain(": ".join(filter(None, parts)))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if is_interrupt(error):
            return INTERRUPTED
        place = _place_of(error) or "run the same call in Python for the full traceback"
        complain(f"unexpected {describe_exception(error)}", place)
    return USER_ERROR


def _place_of(error: BaseException | None) -> str:
    """Return the last line of code outside the library that raised an exception, as a hint."""
    places = extract_tb(None if error is None else error.__traceback__)
    for place in reversed(places):  # the innermost frame of the user's code
        if not place.filename.startswith((LIBRARY, sys.prefix, sys.base_prefix, "<")):
            return f"raised in {place.name}, line {place.lineno} of {place.filename}: {place.line}"
    return ""


def _usage_text(error: BaseException) -> tuple[str, str]:
    """Return the message for an invalid command line, and a hint."""
    message = getattr(error, "format_message", error.__str__)()
    for theirs, ours in PLAIN_WORDS.items():
        message = message.replace(theirs, ours)
    context = getattr(error, "ctx", None)
    meant = _meant(error, context)
    if meant:
        message = f"{message.partition(' (')[0]}; {meant}"
    command = getattr(context, "command_path", "infoset")
    return shortened(message, MAX_USAGE), f"run {command} --help for usage"


def _meant(error: BaseException, context: typer.Context | None) -> str:
    """Return which option of the command was probably meant; empty if that is unknown."""
    if context is None:
        return ""
    options = {option for parameter in context.command.params for option in parameter.opts}
    if written := getattr(error, "option_name", None):
        meant = [option for option in SYNONYMS.get(str(written), ()) if option in options]
        return f"did you mean {meant[0]}?" if meant else ""
    extra = re.search(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", str(error))
    return _meant_by_value(extra[1], options, context) if extra else ""


def _meant_by_value(extra: str, options: set[str], context: typer.Context) -> str:
    """Return a hint about values without an option; empty if no option fits."""
    given = [own for own in context.command.params if _is_given(own, context)]
    written = {option for own in given for option in own.opts}
    if "--methods" in written:
        names = re.sub(r"[,\s]+", ",", f"{context.params['methods']} {extra}")
        return f"separate methods with commas, as in --methods {quote(names)}"
    if repeated := [own.opts[0] for own in given if getattr(own, "multiple", False)]:
        return f"write {repeated[0]} before each value, and put values with spaces in quotes"
    # "infoset solve GAME lp" means --method lp.
    option = next((own for own in GIVEN_AS if own in options - written), None)
    return f"give {GIVEN_AS[option]} as {option} {extra}" if option else ""


def _is_given(parameter: Any, context: typer.Context) -> bool:
    """Return whether a parameter is on the command line."""
    source = context.get_parameter_source(parameter.name)
    return source is not None and source.name == "COMMANDLINE"
