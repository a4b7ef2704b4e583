"""Matches that go on: a file with the deals so far."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from infoset._version import __version__
from infoset.errors import CheckpointFileError, CheckpointMismatchError, ParameterError
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.matches.match_result import Tally
from infoset.policy import TabularPolicy, UniformPolicy
from infoset.utils.files import write_text

__all__ = ["MatchFile", "described"]

FORMAT = 1
SECONDS_BETWEEN_WRITES = 5.0
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class MatchFile:
    """A file that a match is kept in, and goes on from.

    Parameters
    ----------
    path : Path
    about : Mapping[str, Any]
        JSON values that decide what a deal comes to.

    Raises
    ------
    ParameterError
        If the path is not one of a file in a folder.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise ParameterError(
                f"checkpoint={path} cannot be written: give the name of a file, in a folder that "
                "exists"
            )
        self.path = path
        self.about = dict(about)
        self._written = time.monotonic()

    def read(self, tally: Tally) -> int:
        """Go on from the file, if it is there.

        Returns
        -------
        int
            At how many deals the match was to stop and look; 0 if there is no file.

        Raises
        ------
        CheckpointFileError
            If it cannot be read as a match.
        CheckpointMismatchError
            If it is of another match.
        """
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            if kept["format"] != FORMAT:
                raise ValueError(f"format {kept['format']}")
            self._check(kept["match"])
            tally.set_state(kept["deals"])
            return int(kept["look"])
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointFileError(
                f"{self.path} cannot be read as a match ({error!r}): give another file, or delete "
                "it to begin again"
            ) from error

    def _check(self, kept: Mapping[str, Any]) -> None:
        for name, value in self.about.items():
            if kept[name] != value:
                raise CheckpointMismatchError(
                    f"{self.path} is a match whose {name} is {kept[name]!r}, and here it is "
                    f"{value!r}: give another file, or the same match"
                )

    def write_now_and_then(self, tally: Tally, look: int) -> None:
        """Keep the deals so far, if the last time is some seconds ago."""
        if time.monotonic() >= self._written + SECONDS_BETWEEN_WRITES:
            self.write(tally, look)

    def write(self, tally: Tally, look: int) -> None:
        """Keep the deals so far; the file is complete under another name before it takes its own.

        Raises
        ------
        CheckpointFileError
            If it cannot be written.
        """
        kept = {
            "format": FORMAT,
            "version": __version__,
            "match": self.about,
            "look": look,
            "deals": tally.state(),
        }
        try:
            write_text(self.path, json.dumps(kept))
        except OSError as error:
            raise CheckpointFileError(
                f"cannot write the match to {self.path} ({error.strerror or error}); what was "
                "there, if anything, is as it was"
            ) from error
        self._written = time.monotonic()


def described(value: object) -> str:
    """Return what a policy or value function is, as a text that is the same in every process.

    Tables and arrays by a digest of their numbers, anything else by its `repr`: of a class that
    has none of its own, that is its name.
    """
    if value is None or isinstance(value, UniformPolicy):
        return "uniform"
    if isinstance(value, np.ndarray):
        return f"array {_digest(value)}"
    if isinstance(value, TabularPolicy):
        return f"table {_digest(*value.probabilities)}"
    if isinstance(value, CorrelatedPolicy):
        tables = [numbers for policy in value.policies for numbers in policy.probabilities]
        return f"correlated {_digest(*tables, np.array(value.weights))}"
    return ADDRESS.sub("", repr(value))


def _digest(*arrays: np.ndarray[Any, Any]) -> str:
    digest = sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
