"""Atomic and durable writing of files: readers see either the old file or the complete new one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex

__all__ = ["replace_file", "write_bytes", "write_text"]


@contextmanager
def replace_file(path: str | Path, *, remove_leftovers: bool = False) -> Iterator[Path]:
    """Provide a temporary path in the folder of `path`; the file written there replaces `path`.

    The new file is flushed to disk before it is renamed. If the process is killed or the power
    fails, `path` is either unchanged or complete. If the body raises, `path` is unchanged.

    Parameters
    ----------
    path : str or Path
    remove_leftovers : bool
        Delete temporary files of `path` that interrupted processes left behind. Use it only for
        files that one process writes at a time.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> with replace_file("numbers.txt") as temporary:
    ...     _ = temporary.write_text("1 2 3")
    >>> Path("numbers.txt").read_text()
    '1 2 3'
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.tmp")
    try:
        if remove_leftovers:
            for leftover in path.parent.glob(f".{escape(path.name)}.*.tmp"):
                leftover.unlink(missing_ok=True)
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, path)
        if os.name == "posix":  # other systems cannot open folders
            _flush_to_disk(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: str | Path, text: str) -> None:
    """Write text in UTF-8 to a file, completely or not at all."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write bytes to a file, completely or not at all."""
    with replace_file(path) as temporary:
        temporary.write_bytes(data)


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
