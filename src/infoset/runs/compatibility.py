"""The check that a checkpoint belongs to the run that resumes from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from infoset.errors import CheckpointMismatchError
from infoset.runs.checkpoint import Checkpoint
from infoset.typing import StateArrays

__all__ = ["check_compatibility"]

LONGEST_DIFFERENCE = 100


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
