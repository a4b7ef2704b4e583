"""Files of named arrays and a JSON header, written atomically, with a digest of everything."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from infoset.utils.checksums import CHECKSUM
from infoset.utils.files import is_free_or_regular, replace_file
from infoset.utils.json_fields import parse_json
from infoset.utils.text import shortened

HEADER = "header"
NAMES = "arrays"
"""Key of the list of all arrays. Without it, a damaged directory could lose an array unnoticed."""

FORMAT = "format"
CHUNK = 2**24
"""Number of bytes that are read at a time."""

SUFFIX = ".npy"
"""End of the name of each entry of an archive."""


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header of JSON values to a file, replacing an existing one atomically.

    A digest of everything is added. Temporary files of killed processes are removed.

    Parameters
    ----------
    header
        Its `format` is the number of the format.

    Raises
    ------
    OSError
        If the file cannot be written; an existing file is left unchanged.
    """
    about = {**header, CHECKSUM: content_checksum(header, arrays), NAMES: list(arrays)}
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
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read_arrays(
    path: Path, *, without_digest: Collection[int] = ()
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the header and the arrays of a file, after comparing its digest.

    The sizes that the file states are checked before memory is allocated: arrays take no more
    memory than the file has bytes.

    Parameters
    ----------
    without_digest
        Formats that have no digest.

    Returns
    -------
    tuple
        The header without what `write_arrays` has added, and the arrays by name.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file cannot be read, is damaged, or has no header; the message is the reason.
    """
    try:
        if not is_free_or_regular(path):
            raise ValueError("it is a folder, a pipe or a device, not a file")
        with path.open("rb") as file:
            arrays = _read_entries(file)
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged archives and headers raise errors of many kinds
        reason = str(error).split("\n", 1)[0] or type(error).__name__
        raise ValueError(shortened(reason)) from error
    header = parse_json(arrays.pop(HEADER).tobytes())
    if not isinstance(header, dict):
        raise ValueError("its header is not an object of JSON")
    if header.pop(NAMES, None) != list(arrays):
        raise ValueError("it does not contain the arrays that were written")
    digest = header.pop(CHECKSUM, None)
    if digest is None and header.get(FORMAT) in without_digest:
        return header, arrays
    if digest != content_checksum(header, arrays):
        raise ValueError("its content does not match its checksum: it was changed or damaged")
    return header, arrays


def _read_entries(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Return all arrays of an archive, in order, after checking their sizes."""
    if not zipfile.is_zipfile(file):
        raise zipfile.BadZipFile("not an archive, or incomplete")
    size = file.seek(0, 2)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        # They are written without compression, which could make any amount from a small file.
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise zipfile.BadZipFile("its arrays are compressed, which infoset never does")
        if sum(entry.file_size for entry in entries) > size:
            raise zipfile.BadZipFile("its arrays state sizes larger than the file")
        names = [entry.filename.removesuffix(SUFFIX) for entry in entries]
        if HEADER not in names or len({*names}) < len(names):
            raise zipfile.BadZipFile("its header is missing, or an array is there twice")
        return {
            name: _read_entry(archive, entry) for name, entry in zip(names, entries, strict=True)
        }


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    """Return one array; its description must agree with the size of its entry."""
    with archive.open(entry) as file:
        version = npy.read_magic(file)
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, is_fortran, dtype = read_header[version](file)
        stated = entry.file_size - file.tell()
        if dtype.hasobject or dtype.itemsize * int(np.prod(shape, dtype=object)) != stated:
            raise ValueError(f"{entry.filename} is not an array of numbers of the stated size")
        content = np.empty(stated, np.uint8)
        for begin in range(0, stated, CHUNK):
            content[begin : begin + CHUNK] = np.frombuffer(file.read(CHUNK), np.uint8)
        file.read(1)  # at its end, an entry is compared with its checksum
        return content.view(dtype).reshape(shape, order="F" if is_fortran else "C")
