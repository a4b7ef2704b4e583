"""Files of named arrays and a JSON header, written atomically and with checksums."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.utils.files import replace_file

__all__ = ["read_arrays", "write_arrays"]

HEADER = "header"
UNREADABLE = (OSError, EOFError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError)


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header of JSON values to a file, replacing an existing one atomically.

    Temporary files of killed processes are removed.

    Raises
    ------
    OSError
        If the file cannot be written; an existing file is left unchanged.
    """
    text: Any = np.frombuffer(json.dumps(header).encode(), np.uint8)
    named: dict[str, Any] = {HEADER: text, **arrays}
    with (
        replace_file(path, remove_leftovers=True) as temporary,
        temporary.open("wb") as file,
    ):
        np.savez(file, **named)


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
    except UNREADABLE as error:
        raise ValueError(str(error).split("\n", 1)[0]) from error
    text = arrays.pop(HEADER, None)
    try:
        # In an archive of other files, an entry is not an array.
        return json.loads(text.tobytes()), arrays
    except (ValueError, RecursionError, AttributeError):
        return None, arrays
