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
    show,
)
from infoset.evaluation import CorrelatedPolicy
from infoset.matches.match_statistics import Tally
from infoset.policy import TabularPolicy, UniformPolicy
from infoset.utils.checksums import has_checksum, with_checksum
from infoset.utils.files import is_free_or_regular, write_text
from infoset.utils.json_fields import read_json, typed_fields
from infoset.utils.text import shortened

FORMAT = 3
FIELDS = {"format": int, "match": dict, "next_check": int, "deals": dict}
"""The types of the fields of a file that are read."""

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
        if not os.path.isdir(path.absolute().parent) or not is_free_or_regular(path):
            raise ParameterError(
                f"checkpoint={path} is not a file, or is in a missing directory; give the name of "
                "a file in an existing directory"
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
            stored = read_json(self.path)
            fields = typed_fields(stored, FIELDS)
            if fields["format"] != FORMAT:
                raise ValueError(f"its format is {fields['format']}, not {FORMAT}")
            if not has_checksum(stored):
                raise ValueError("its content does not match its checksum")
            if fields["next_check"] < 0:
                raise ValueError(f"next_check is {fields['next_check']}")
            self._check(fields["match"])
            tally.set_state(fields["deals"])
            return int(fields["next_check"])
        except FileNotFoundError:
            return 0
        except (OSError, ValueError) as error:
            reason = shortened(str(getattr(error, "strerror", None) or error))
            raise CheckpointFileError(
                f"{self.path} cannot be read as a match ({reason}): give another file, or delete "
                "this one to start a new match"
            ) from error

    def _check(self, stored: Mapping[str, Any]) -> None:
        for name, value in self.about.items():
            if name not in stored or stored[name] != value:
                raise CheckpointMismatchError(
                    f"{self.path} stores a match with {name} {show(stored.get(name))}, but this "
                    f"match has {show(value)}; give another file, or repeat the settings of the "
                    "stored match"
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
