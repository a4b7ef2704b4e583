"""Checkpoint files of matches."""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from infoset._version import __version__
from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    ParameterError,
    UnsavedWarning,
)
from infoset.evaluation import CorrelatedPolicy
from infoset.matches.match_statistics import Tally
from infoset.policy import TabularPolicy, UniformPolicy
from infoset.utils.checksums import has_checksum, with_checksum
from infoset.utils.files import write_text
from infoset.utils.text import shortened

FORMAT = 3
SECONDS_BETWEEN_WRITES = 5.0
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class MatchFile:
    """The checkpoint file of a match, from which the match can be resumed.

    Parameters
    ----------
    about
        JSON values that together determine the result of each deal.

    Raises
    ------
    ParameterError
        If `path` is a directory, or its parent directory does not exist.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        if os.path.isdir(path) or not os.path.isdir(path.absolute().parent):
            raise ParameterError(
                f"checkpoint={path} is a directory or is in a missing directory; give the name of "
                f"a file in an existing directory"
            )
        self.path = path
        self.about = dict(about)
        self._written = time.monotonic()
        self._has_warned = False

    def read(self, tally: Tally) -> int:
        """Load the deals from the file, if it exists.

        Returns
        -------
        int
            Number of deals at which to check the interval next; 0 if there is no file.

        Raises
        ------
        CheckpointFileError
            If the file is damaged, or has another format.
        CheckpointMismatchError
            If the file belongs to another match.
        """
        try:
            stored = json.loads(self.path.read_text(encoding="utf-8"))
            if stored["format"] != FORMAT:
                raise ValueError(f"its format is {stored['format']}, not {FORMAT}")
            if not has_checksum(stored):
                raise ValueError("its content does not match its checksum")
            self._check(stored["match"])
            tally.set_state(stored["deals"])
            return int(stored["next_check"])
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise CheckpointFileError(
                f"{self.path} cannot be read as a match ({shortened(repr(error))}): give another "
                f"file, or delete this one to start a new match"
            ) from error

    def _check(self, stored: Mapping[str, Any]) -> None:
        for name, value in self.about.items():
            if stored[name] != value:
                raise CheckpointMismatchError(
                    f"{self.path} stores a match with {name} {stored[name]!r}, but this match has "
                    f"{value!r}; give another file, or repeat the settings of the stored match"
                )

    def write_occasionally(self, tally: Tally, next_check: int) -> None:
        """Save the deals if the last write was at least `SECONDS_BETWEEN_WRITES` ago."""
        if time.monotonic() >= self._written + SECONDS_BETWEEN_WRITES:
            self.write(tally, next_check)

    def write(self, tally: Tally, next_check: int) -> None:
        """Save the deals, replacing the file atomically.

        If the file cannot be written, the match continues: an `UnsavedWarning` is issued once.
        """
        content = {
            "format": FORMAT,
            "version": __version__,
            "match": self.about,
            "next_check": next_check,
            "deals": tally.state(),
        }
        try:
            text = json.dumps(with_checksum(content))
            write_text(self.path, text, remove_leftovers=True)
        except OSError as error:
            self._warn_once(error)
        self._written = time.monotonic()

    def _warn_once(self, error: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"cannot write the match to {self.path} ({error.strerror or error}); an earlier "
                f"file there is unchanged, and the match continues",
                UnsavedWarning,
                stacklevel=3,
            )


def described(value: object) -> str:
    """Return a text that identifies a policy or value function across processes.

    Tables and arrays are identified by a digest of their numbers, other objects by their `repr`
    without memory addresses.
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
