"""Arguments and options that several commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import typer

__all__ = [
    "CheckpointOption",
    "CheckpointSecondsOption",
    "GameArgument",
    "IterationsOption",
    "JsonOption",
    "MemoryOption",
    "PolicyArgument",
    "SecondsOption",
    "Stops",
    "TargetOption",
    "WorkersOption",
    "checkpoint_options",
    "folder_option",
    "parse_memory",
]

UNITS: Final = {
    "": 1,
    **{f"{prefix}b": 1000**power for power, prefix in enumerate(["", "k", "m", "g", "t"])},
    **{f"{prefix}ib": 1024**power for power, prefix in enumerate(["k", "m", "g", "t"], start=1)},
}


def parse_memory(text: str) -> int:
    """Return a number of bytes from text such as `500MB`, `4GB`, `1.5GiB` or `4000000000`.

    Raises
    ------
    typer.BadParameter
        If it is not a positive number with a known unit.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    unit = None if match is None else UNITS.get(match[2].lower())
    if match is None or unit is None or float(match[1]) == 0:
        raise typer.BadParameter(
            f"{text!r} is not an amount of memory; write it as 500MB, 4GB, 1.5GiB or in bytes"
        )
    return int(float(match[1]) * unit)


def folder_option(default: str) -> Any:
    """Return the option of the folder that a result goes into; where by default is shown."""
    return typer.Option(
        metavar="DIR",
        help="New folder for the result; if it exists, the next free name is taken.",
        show_default=default,
    )


GameArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, such as kuhn_poker or 'leduc_poker(num_ranks=4)'; infoset games lists them.",
        show_default=False,
    ),
]
PolicyArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="POLICY",
        help="A file .parquet or .csv, or the word uniform.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, and nothing else.", is_eager=True)
]
"""Read before the other options, some of which print and leave."""
MemoryOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="BYTES",
        parser=parse_memory,
        help="Memory allowed for the game tree, such as 4GB.",
        show_default="70% of what is free",
    ),
]
TargetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NUMBER",
        help="Exploitability to stop at, such as 0.01, or 0.1% of the payoff range.",
    ),
]
IterationsOption: TypeAlias = Annotated[
    int | None, typer.Option("--iterations", help="Iterations to stop after.")
]
SecondsOption: TypeAlias = Annotated[
    float | None, typer.Option("--seconds", help="Seconds to stop after.")
]
CheckpointOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep the run in a file, and go on from it if it is there."),
]
CheckpointSecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="What may be lost when it is killed.", show_default="60"),
]
WorkersOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER", help="Runs at a time.", show_default="as many as there are cores"
    ),
]


class Stops(NamedTuple):
    """When to stop."""

    target: str | None
    iterations: int | None
    seconds: float | None


def checkpoint_options(checkpoint: Path | None, seconds: float | None) -> dict[str, Any]:
    """Return how a run is to be kept, checked before any work is done.

    Raises
    ------
    typer.BadParameter
        If it is said how often, and not where.
    ParameterError
        As `Checkpointing`.
    """
    from infoset.runs import Checkpointing

    if checkpoint is None and seconds is not None:
        raise typer.BadParameter(
            "--checkpoint-seconds is for a run that is kept: add --checkpoint FILE"
        )
    if checkpoint is None:
        return {}
    kept = Checkpointing(checkpoint) if seconds is None else Checkpointing(checkpoint, seconds)
    return {"checkpoint": kept.path, "checkpoint_seconds": kept.seconds}
