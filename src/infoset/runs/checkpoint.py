"""Checkpoint files: the state of a run as arrays and a JSON header, written atomically.

A checkpoint resumes a run only if it was written by the same version of the library, for the same
game, method and settings (`check_compatibility`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any, get_type_hints

from infoset._version import __version__
from infoset.errors import CheckpointFileError, CheckpointMismatchError, ParameterError
from infoset.runs.result import TracePoint
from infoset.typing import StateArrays
from infoset.utils.arguments import check_number, check_path, check_type
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.files import is_free_or_regular
from infoset.utils.json_fields import typed_fields
from infoset.utils.text import shortened

LONGEST_DIFFERENCE = 100
"""Characters of a setting above which it is omitted from a message if a short one differs."""

DEFAULT_CHECKPOINT_SECONDS = 60.0
FORMAT = 2
WITHOUT_DIGEST = 1
"""The format of version 0.1.0, which is the same without a digest."""

FIELDS: Mapping[str, Any] = {
    **{"game": str, "fingerprint": str, "method": str, "settings": dict},
    **{"iteration": int, "seconds": float, "trace": list, "version": str},
}
"""The types of the fields of a header."""


@dataclass(frozen=True)
class Checkpointing:
    """Where a run saves its checkpoint, and how often.

    Raises
    ------
    ParameterError
        If `seconds` is out of range, or if the path is a folder or its folder does not exist or is
        read-only.
    """

    path: Path
    """The file. If it exists, the run is resumed from it."""
    seconds: float = DEFAULT_CHECKPOINT_SECONDS
    """Time between two checkpoints. If 0, a checkpoint is saved at every check of the clock."""

    def __post_init__(self) -> None:
        check_type("checkpoint", self.path, Path, "the path of a file")
        check_number("checkpoint_seconds", self.seconds)
        if os.path.isdir(self.path):
            raise ParameterError(f"checkpoint={self.path} is a folder; give the name of a file")
        if not is_free_or_regular(self.path):
            raise ParameterError(
                f"checkpoint={self.path} is a pipe or a device; give the name of a file"
            )
        if not os.path.isdir(self.path.parent):
            raise ParameterError(
                f"checkpoint={self.path} cannot be written: the folder "
                f"{self.path.parent} does not exist; create it first"
            )
        if not os.access(self.path.parent, os.W_OK):
            raise ParameterError(
                f"checkpoint={self.path} cannot be written: the folder {self.path.parent} is "
                f"read-only; choose a file in another folder"
            )


@dataclass(frozen=True)
class Checkpoint:
    """The identity, the progress and the state of a run."""

    game: str
    """Name of the game, for comparison and display; it is never loaded."""
    fingerprint: str
    """Fingerprint of the game's sequence form."""
    method: str
    settings: Mapping[str, Any]
    """The settings of the method, including the horizon, as JSON values."""
    iteration: int
    """Iterations done."""
    seconds: float
    """Time taken, summed over all sessions."""
    trace: tuple[Any, ...]
    """Measurements so far: instances of `TracePoint`, or of the class of another kind of run."""
    state: StateArrays
    """The arrays that iterations change, by name."""
    version: str = __version__
    """The version of the library that wrote the checkpoint."""


def write_checkpoint(checkpoint: Checkpoint, path: str | Path) -> None:
    """Write a checkpoint to a file, replacing an existing one atomically.

    If the process is killed or the power fails, the file has either its old or its new content.
    Several processes may write the same file: each writes its own temporary file, and the last one
    wins. Temporary files of killed processes are removed.

    Raises
    ------
    CheckpointFileError
        If the file cannot be written; an existing file is left unchanged.
    """
    check_path("path", path)
    path = Path(path)
    try:
        about = {name: value for name, value in vars(checkpoint).items() if name != "state"}
        about["trace"] = [asdict(point) for point in checkpoint.trace]
        write_arrays(path, {"format": FORMAT, **about}, checkpoint.state)
    except OSError as error:
        raise CheckpointFileError(
            f"cannot write the checkpoint {path} ({error.strerror or error}); an earlier "
            "checkpoint there is unchanged"
        ) from error


def read_checkpoint(path: str | Path, point: type = TracePoint) -> Checkpoint:
    """Read a checkpoint from a file; its measurements become instances of the class `point`.

    Raises
    ------
    CheckpointFileError
        If the file is missing, damaged, of another format, or not a checkpoint.
    """
    check_path("path", path)
    path = Path(path)
    try:
        about, arrays = read_arrays(path, without_digest=(WITHOUT_DIGEST,))
    except FileNotFoundError as error:
        raise CheckpointFileError(
            f"there is no file {path}; check the path of the checkpoint"
        ) from error
    except ValueError as error:
        raise CheckpointFileError(
            f"{path} cannot be read as a checkpoint ({error}); it is damaged or not a checkpoint: "
            "give another file, or delete it to begin again"
        ) from error
    try:
        written = typed_fields(about, {"format": int, "version": str})
        if written["format"] in (FORMAT, WITHOUT_DIGEST):
            fields = typed_fields(about, FIELDS)
            if not (fields["iteration"] >= 0 and 0 <= fields["seconds"] < inf):
                raise ValueError("its iterations or seconds are out of range")
            hints = get_type_hints(point)
            trace = tuple(point(**typed_fields(one, hints)) for one in fields.pop("trace"))
            return Checkpoint(**fields, trace=trace, state=arrays)
    except ValueError as error:
        raise CheckpointFileError(
            f"{path} is not a checkpoint written by infoset ({error}); give another file"
        ) from error
    raise CheckpointFileError(
        f"{path} is a checkpoint of format {written['format']}, but this version reads formats "
        f"{WITHOUT_DIGEST} and {FORMAT}: resume it with infoset {shortened(written['version'])}, "
        "which wrote it, or give another file"
    )


def check_compatibility(saved: Checkpoint, here: Checkpoint, path: Path) -> None:
    """Raise an error unless a saved checkpoint belongs to the current run.

    Raises
    ------
    CheckpointMismatchError
        If the version, game, method, a setting, or the shape of an array differs.
    """
    if saved.version != here.version:
        raise CheckpointMismatchError(
            f"{path} was written by infoset {saved.version}, and this is {here.version}, which may "
            f"round differently: resume the run with infoset {saved.version}, or delete the file "
            "to start over"
        )
    differences = [
        f"{what} {then} there and {now} here" for what, then, now in _differing(saved, here)
    ]
    if differences:
        raise CheckpointMismatchError(
            f"{path} belongs to another run: {'; '.join(differences)}. Give this run another "
            "file, or use the settings with which the file was saved"
        )


def _differing(saved: Checkpoint, here: Checkpoint) -> list[tuple[str, Any, Any]]:
    """Return the differences between the file and this run, as tuples of name, old and new value.

    Game, fingerprint, method, settings and array shapes are compared in this order, and only the
    first of them that differs is reported. Long values are omitted if a short one also differs,
    because it usually is the cause.
    """
    rules = f"fingerprint of {here.game}"
    for then, now in (
        ({"game": saved.game}, {"game": here.game}),
        ({rules: saved.fingerprint[:12]}, {rules: here.fingerprint[:12]}),
        ({"method": saved.method}, {"method": here.method}),
        (saved.settings, here.settings),
        (_shapes(saved.state), _shapes(here.state)),
    ):
        names = {**then, **now}
        found = [(name, then.get(name), now.get(name)) for name in names]
        differing = [(_words(what), old, new) for what, old, new in found if old != new]
        if differing:
            short = [one for one in differing if len(f"{one[1]}{one[2]}") < LONGEST_DIFFERENCE]
            return short or differing
    return []


def _words(setting: str) -> str:
    """Return the name of a setting, with an explanation if users do not set it directly."""
    return "horizon (the number of iterations)" if setting == "horizon" else setting


def _shapes(state: StateArrays) -> dict[str, str]:
    return {name: f"{array.dtype} {list(array.shape)}" for name, array in state.items()}
