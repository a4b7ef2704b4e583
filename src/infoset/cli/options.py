"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

import typer

from infoset.cli.interrupts import pipe_signal

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from infoset.efg import ExtensiveForm
    from infoset.game import Game


UNITS: Final = {
    "": 1,
    **{f"{prefix}b": 1000**power for power, prefix in enumerate(["", "k", "m", "g", "t"])},
    **{f"{prefix}ib": 1024**power for power, prefix in enumerate(["k", "m", "g", "t"], start=1)},
}


def parse_memory(text: str) -> int:
    """Parse an amount of memory such as `500MB`, `4GB`, `1.5GiB` or `4000000000`.

    Raises
    ------
    typer.BadParameter
        If the text is not a positive number with a known unit.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    unit = None if match is None else UNITS.get(match[2].lower())
    if match is None or unit is None or float(match[1]) == 0:
        raise typer.BadParameter(
            f"{text!r} is not an amount of memory; give one such as 500MB, 4GB or 1.5GiB, "
            "or a number of bytes"
        )
    return int(float(match[1]) * unit)


def parse_count(text: str | int) -> int:
    """Parse a whole number such as `100000`, `100_000`, `100,000` or `1e5`.

    Raises
    ------
    typer.BadParameter
        If the text is not a whole number.
    """
    try:
        # Read as a float, so that 1e5 is accepted; a fraction is then refused.
        value = float(str(text).replace("_", "").replace(",", ""))
        count = int(value)
    except (ValueError, OverflowError):
        value, count = 0.5, 0
    if value != count:
        raise typer.BadParameter(f"{text!r} is not a whole number; give one such as 10000 or 1e4")
    return count


def folder_option(default: str) -> Any:
    """Return the option for the folder of a result, with its default as shown in help."""
    return typer.Option(
        metavar="DIR",
        help="New folder for the result; if it exists, a number is appended to the name.",
        show_default=default,
    )


def complete_game(incomplete: str) -> list[str]:
    """Return the names of games that begin with a text, for completion in a shell."""
    from infoset.games import GAMES

    return [name for name in GAMES if name.startswith(incomplete)]


GameArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="Game, such as kuhn_poker or 'leduc_poker(num_ranks=4)'; 'infoset games' lists them.",
        show_default=False,
        autocompletion=complete_game,
    ),
]
OptionalGameArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="[GAME]",
        help="Game; not needed if the policy file names a game that 'infoset games' lists.",
        show_default=False,
    ),
]
PolicyArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="POLICY",
        help="Policy: a file (.parquet, .csv or .npz), the folder of a run, or uniform.",
        show_default=False,
    ),
]
AnyPolicyArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="POLICY",
        help="Policy: uniform, a policy file, the folder of a run, a searcher such as pimc, or "
        "file.py:NAME.",
        show_default=False,
    ),
]
PictureOption: TypeAlias = Annotated[
    Path,
    typer.Option(
        metavar="FILE",
        help="Output file; its extension selects the format: .svg, .png or .pdf.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object and nothing else.", is_eager=True)
]
"""Eager, because some other options print a list, for which they need this value, and exit."""
MemoryOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="BYTES",
        parser=parse_memory,
        help="Memory limit for building the game, such as 4GB.",
        show_default="70% of the free memory",
    ),
]
MaxWorldsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-worlds",
        metavar="NUMBER",
        parser=parse_count,
        help="Limit on the world states visited in building the game.",
        show_default="2000000",
    ),
]
BuildSecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--build-seconds",
        help="Time limit for building the game, excluding compilation.",
    ),
]
OnlyBuildSecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--build-seconds",
        "--seconds",
        help="Time limit in seconds, excluding compilation.",
    ),
]
CacheOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Folder in which to save the world graph and the world form, and from which to load "
        "them later.",
    ),
]
TargetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NUMBER",
        help="Exploitability (or NashConv) at which to stop, such as 0.01, 0.1% (of the payoff "
        "range), or 0.1%pot (of the initial pot).",
    ),
]
IterationsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        metavar="NUMBER",
        parser=parse_count,
        help="Maximum number of iterations.",
    ),
]
SecondsOption: TypeAlias = Annotated[
    float | None, typer.Option("--seconds", help="Time limit in seconds.")
]
CheckpointOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Save the run in FILE, and resume from it if it exists."),
]
CheckpointSecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Seconds between saves.", show_default="60"),
]
FormOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="FORM",
        help="Form of the game: sequence, public, world, or auto: the first of these that fits.",
    ),
]
WorkersOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER", help="Number of simultaneous runs.", show_default="number of cores"
    ),
]

OnOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="EXECUTOR",
        help="Where to run: threads[:N], processes[:N], dask:ADDRESS, ray:ADDRESS or "
        "slurm:OPTIONS; cannot be combined with --workers.",
        show_default="threads or processes of this machine",
    ),
]


class Stops(NamedTuple):
    """The limits of a run."""

    target: str | None
    iterations: int | None
    seconds: float | None


def game_and_policy(first: str | None, second: str | None) -> tuple[Game | ExtensiveForm, str]:
    """Return the game and the policy of a command with the arguments `[GAME] POLICY`.

    Raises
    ------
    typer.BadParameter
        If nothing or only a game is given.
    InfosetError
        As raised by `load` and `game_of_policy`.
    """
    from infoset.efg import is_game_file_name, split_parameters
    from infoset.front import game_of_policy, is_policy_file, load, policy_path
    from infoset.front.python_files import is_python_file
    from infoset.games import is_registered
    from infoset.utils.paths import looks_like_path, no_such_path

    if first is None:
        raise typer.BadParameter("the policy is missing: give GAME POLICY, or a policy file")
    if second is not None:
        return load(first), second
    if (Path(first) / "results.json").is_file():
        raise typer.BadParameter(
            f"{first} is the folder of a comparison, which has no policies; solve the game "
            "with one method, and give the folder of that run"
        )
    is_game = is_registered(first) or is_python_file(first)
    path, given = split_parameters(first)
    if is_game or given or (is_game_file_name(path) and os.path.exists(path)):
        raise typer.BadParameter(
            f"the policy is missing: give GAME POLICY, such as {quote(first)} uniform; {first} is "
            "a game: 'infoset info' describes it, and 'infoset solve' computes and saves a policy"
        )
    if is_policy_file(first):
        return game_of_policy(first), first
    if looks_like_path(first):
        policy_path(first)  # raises
    give = "the policy is missing: give GAME POLICY, or the file of a policy alone"
    raise typer.BadParameter(no_such_path(first, give))


@contextmanager
def executor_of(on: str | None, workers: int | None = None) -> Iterator[Executor | None]:
    """Provide the executor that `--on` names; None without this option.

    Raises
    ------
    typer.BadParameter
        If `--workers` is given, too.
    InfosetError
        As raised by `open_executor`.
    """
    from infoset.runs import open_executor

    if on is None:
        yield None
        return
    if workers is not None:
        raise typer.BadParameter(
            f"--on and --workers cannot be combined; to run on {workers} processes of this "
            f"machine, give --on processes:{workers}"
        )
    # A worker that has ended is an error of its task, and must not end the program, as a reader of
    # the output that has gone does.
    with pipe_signal(signal.SIG_IGN), open_executor(on) as executor:
        yield executor


def checkpoint_options(checkpoint: Path | None, seconds: float | None) -> dict[str, Any]:
    """Return the checkpoint options of a run, checked before any work is done.

    Raises
    ------
    typer.BadParameter
        If an interval is given without a file.
    ParameterError
        As raised by `Checkpointing`.
    """
    from infoset.runs import Checkpointing

    if checkpoint is None and seconds is not None:
        raise typer.BadParameter("--checkpoint-seconds needs --checkpoint FILE")
    if checkpoint is None:
        return {}
    kept = Checkpointing(checkpoint) if seconds is None else Checkpointing(checkpoint, seconds)
    return {"checkpoint": kept.path, "checkpoint_seconds": kept.seconds}
