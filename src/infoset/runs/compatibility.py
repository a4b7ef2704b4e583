"""Whether a checkpoint is of the run that would go on from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from infoset.errors import CheckpointMismatchError
from infoset.runs.checkpoint import Checkpoint
from infoset.typing import StateArrays

__all__ = ["check_compatibility"]

LONGEST_DIFFERENCE = 100


def check_compatibility(kept: Checkpoint, here: Checkpoint, path: Path) -> None:
    """Raise if a checkpoint kept in a file is of another run than the one here.

    Raises
    ------
    CheckpointMismatchError
        If the version, the game, the method, one of its numbers, or an array differs.
    """
    if kept.version != here.version:
        raise CheckpointMismatchError(
            f"{path} was written by infoset {kept.version}, and this is {here.version}, whose last "
            "digits may differ: go on with that version, or delete the file to begin again"
        )
    differences = [
        f"{what} {then} there and {now} here" for what, then, now in _differing(kept, here)
    ]
    if differences:
        raise CheckpointMismatchError(
            f"{path} belongs to another run: {'; '.join(differences)}. Give this run a file of its "
            "own, or ask for the run that the file belongs to"
        )


def _differing(kept: Checkpoint, here: Checkpoint) -> list[tuple[str, Any, Any]]:
    """Return what differs, there and here, of the first kind of thing that does.

    Long lists of numbers are left out where something else does too: they follow from it.
    """
    rules = f"fingerprint of {here.game}"
    for then, now in (
        ({"game": kept.game}, {"game": here.game}),
        ({rules: kept.fingerprint[:12]}, {rules: here.fingerprint[:12]}),
        ({"method": kept.method}, {"method": here.method}),
        (kept.settings, here.settings),
        (_shapes(kept.state), _shapes(here.state)),
    ):
        names = {**then, **now}
        found = [(name, then.get(name), now.get(name)) for name in names]
        differing = [(_words(what), old, new) for what, old, new in found if old != new]
        if differing:
            short = [one for one in differing if len(f"{one[1]}{one[2]}") < LONGEST_DIFFERENCE]
            return short or differing
    return []


def _words(setting: str) -> str:
    """Return what is said of a setting: where it comes from, for one that users do not give."""
    return "horizon (the iterations asked for)" if setting == "horizon" else setting


def _shapes(state: StateArrays) -> dict[str, str]:
    return {name: f"{array.dtype} {list(array.shape)}" for name, array in state.items()}
