"""Files of named arrays and a JSON header, written atomically and with checksums."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.utils.files import replace_file

HEADER = "header"
NAMES = "arrays"
"""Key of the list of all arrays. Without it, a damaged directory could lose an array unnoticed."""


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header of JSON values to a file, replacing an existing one atomically.

    Temporary files of killed processes are removed.

    Raises
    ------
    OSError
        If the file cannot be written; an existing file is left unchanged.
    """
    about = {**header, NAMES: list(arrays)}
    text: Any = np.frombuffer(json.dumps(about).encode(), np.uint8)
    named: dict[str, Any] = {HEADER: text, **arrays}
    with (
        replace_file(path, remove_leftovers=True) as temporary,
        temporary.open("wb") as file,
    ):
        np.savez(file, **named)


def content_checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of a header and of all arrays: names, types, shapes and numbers."""
    digest = sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def read_arrays(path: Path) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Read the header and the arrays of a file; each of them has a checksum.

    Returns
    -------
    tuple
        The header, which is None if it is missing or not JSON, and the arrays by name.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file cannot be read or is damaged; the message is the reason.
    """
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise zipfile.BadZipFile("not an archive, or incomplete")
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged archives and headers raise errors of many kinds
        reason = str(error).split("\n", 1)[0] or type(error).__name__
        raise ValueError(reason) from error
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("an entry is not an array")
    header = _parsed(arrays.pop(HEADER, None))
    if isinstance(header, dict) and header.pop(NAMES, None) != list(arrays):
        raise ValueError("it does not contain the arrays that were written")
    return header, arrays


def _parsed(text: NDArray[Any] | None) -> Any:
    """Return the content of a header; None if it is missing or not JSON."""
    if text is None:
        return None
    try:
        return json.loads(text.tobytes())
    except (ValueError, RecursionError):
        return None
