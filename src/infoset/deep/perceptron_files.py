"""Files of perceptrons, of networks and critics alike: a header, the layers, and one digest.

Every reader calls `read_perceptron`. It checks the types of the header, the names, types and shapes
of all arrays, and a digest of everything. The digest detects damage, not intent: whoever changes a
file can update it. Only a measurement shows how good the weights are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset._version import __version__
from infoset.deep.networks import Perceptron
from infoset.errors import PolicyFileError, show
from infoset.utils.arguments import check_path
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.json_fields import typed_fields

PARTS = "weights", "biases"
"""Beginnings of the names of arrays; the number of the layer follows."""


@dataclass(frozen=True)
class FileKind:
    """A kind of files with a perceptron."""

    name: str
    format: int
    """The format before it, the first of version 0.1.0, is the same without a digest."""
    source: str
    """What saves such files, for messages."""
    others: tuple[str, ...] = ()
    """Names of arrays that are not layers."""


@dataclass(frozen=True)
class PerceptronFile:
    """The decoded content of a file with a perceptron; its digest is checked."""

    kind: FileKind
    path: str | Path
    header: Mapping[str, Any]
    """All fields but the digest, as JSON values."""
    arrays: Mapping[str, NDArray[Any]]

    def fields(self, hints: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields of the header after checking their types, as `typed_fields` does.

        Raises
        ------
        PolicyFileError
            If a field is missing or has another type.
        """
        try:
            return typed_fields(self.header, hints)
        except ValueError as error:
            raise self.error(f"{error} in its header") from None

    def layers(self) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Return the weights and the biases, per layer, after checking them.

        Raises
        ------
        PolicyFileError
            If an array is missing, unknown, or has another type or shape.
        """
        names = [name for name in self.arrays if name not in self.kind.others]
        numbers = range(len(names) // 2)
        expected = [f"{part}_{layer}" for part in PARTS for layer in numbers]
        if not numbers or sorted(names) != sorted(expected):
            raise self.error(f"its arrays are {', '.join(self.arrays)}")
        for name in expected:
            array, num_axes = self.arrays[name], 2 if name.startswith(PARTS[0]) else 1
            if array.dtype != np.float32 or array.ndim != num_axes or not array.size:
                raise self.error(f"{name} has type {array.dtype} and shape {array.shape}")
            if not np.isfinite(array).all():
                raise self.error(f"{name} has numbers that are not finite")
        weights, biases = ([self.arrays[f"{part}_{n}"] for n in numbers] for part in PARTS)
        sizes = [len(weight) for weight in weights[1:]], [weight.shape[1] for weight in weights]
        if sizes[0] != sizes[1][:-1] or sizes[1] != [*map(len, biases)]:
            shapes = ", ".join(f"{name} {self.arrays[name].shape}" for name in expected)
            raise self.error(f"its layers do not fit together: {shapes}")
        return weights, biases

    def error(self, reason: str) -> PolicyFileError:
        """Return the error for a file that is not whole."""
        kind = self.kind
        return PolicyFileError(
            f"{self.path} does not contain a whole {kind.name} ({reason}); give a file that "
            f"{kind.source} has saved"
        )


def write_perceptron(
    path: str | Path,
    kind: FileKind,
    network: Perceptron,
    header: Mapping[str, Any],
    others: Mapping[str, NDArray[Any]],
) -> None:
    """Write the layers of a network, other arrays and a header to a file, atomically.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    check_path("path", path)
    parts = zip(PARTS, (network.weights, network.biases), strict=True)
    arrays = {f"{part}_{n}": np.asarray(a) for part, own in parts for n, a in enumerate(own)}
    arrays |= others
    about = {**header, "format": kind.format, "kind": kind.name, "version": __version__}
    try:
        write_arrays(Path(path), about, arrays)
    except OSError as error:
        raise PolicyFileError(
            f"{path} cannot be written: {error.strerror or error}; give the path of a file in an "
            "existing folder where you may write"
        ) from error


def read_perceptron(path: str | Path, kind: FileKind) -> PerceptronFile:
    """Return the content of a file of a kind after checking its format and its digest.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, changed, of another format, or of another kind.
    """
    check_path("path", path)
    try:
        about, arrays = read_arrays(Path(path), without_digest=(kind.format - 1,))
    except FileNotFoundError as error:
        raise PolicyFileError(
            f"there is no file {path}; check the path of the {kind.name}"
        ) from error
    except ValueError as error:
        raise PolicyFileError(
            f"{path} cannot be read as a {kind.name} ({error}); give a file that {kind.source} has "
            "saved"
        ) from error
    if about.get("kind") != kind.name:
        raise PolicyFileError(
            f"{path} does not contain a {kind.name}; give a file that {kind.source} has saved"
        )
    found = PerceptronFile(kind, path, about, arrays)
    number = found.fields({"format": int, "version": str})["format"]
    if number not in (kind.format, kind.format - 1):
        raise PolicyFileError(
            f"{path} has format {number}, but this version reads formats {kind.format - 1} and "
            f"{kind.format}: read it with infoset {show(about['version'])}"
        )
    return found
