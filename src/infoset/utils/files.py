"""Files: atomic and durable writing, where readers see the old or the new one; bounded reading."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from hashlib import sha256
from itertools import count
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

from infoset.errors import ParameterError
from infoset.utils.arguments import check_path
from infoset.utils.text import format_bytes

MAX_STEM_LENGTH = 200
"""Bytes of a name; file systems allow 255, to which a temporary name adds at most 30."""

MIN_LEFTOVER_AGE = 60.0
"""Seconds by which a temporary file is older than a new one before it can be a leftover."""


@contextmanager
def replace_file(path: str | Path, *, remove_leftovers: bool = False) -> Iterator[Path]:
    """Provide a temporary path in the folder of `path`; the file written there replaces `path`.

    The new file is flushed to disk before it is renamed. If the process is killed or the power
    fails, `path` is either unchanged or complete. If the body raises, `path` is unchanged. Several
    processes can write the same path; each has its own temporary file, and the last one wins.

    Parameters
    ----------
    remove_leftovers
        Delete temporary files of `path` that killed processes left behind. A temporary file is
        locked while its writer lives, so the files of other running processes remain. Systems
        without POSIX locks delete nothing.

    Raises
    ------
    OSError
        If the file cannot be written; its `filename` is `path`.

    Examples
    --------
    >>> with replace_file("numbers.txt") as temporary:
    ...     _ = temporary.write_text("1 2 3")
    >>> Path("numbers.txt").read_text()
    '1 2 3'
    """
    path = Path(path)
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = _temporary_name(path)
    try:
        with _locked(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL):
            if remove_leftovers:
                _remove_leftovers(path, temporary)
            yield temporary
            _flush_to_disk(temporary)
            os.replace(temporary, path)
        _flush_folder(path.parent)
    except OSError as error:
        if error.filename not in (None, str(temporary)):
            raise
        # The user knows the file by its name, and not the temporary one.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_folder(path: str | Path, write: Callable[[Path], object]) -> Path:
    """Write a new folder, completely or not at all.

    The files are written to a temporary folder, which is then renamed. If the process is killed or
    `write` raises, no folder of the final name exists. Concurrent processes get different folders.
    Hidden temporary folders of the same name that killed processes left behind are deleted, as
    files are in `replace_file`.

    Parameters
    ----------
    write : callable
        Function of the temporary folder that writes the files, by `write_text` or `replace_file`.

    Returns
    -------
    Path
        The new folder: `path` or, if it exists, the next free name with `-2`, `-3` and so on.

    Raises
    ------
    OSError
        If the folder cannot be written.

    Examples
    --------
    >>> made = write_folder(
    ...     "results", lambda folder: write_text(folder / "numbers.txt", "1 2 3")
    ... )
    >>> os.listdir(made)
    ['numbers.txt']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary_name(path)
    temporary.mkdir()
    try:
        with _locked(temporary, os.O_RDONLY):
            _remove_leftovers(path, temporary)
            write(temporary)
            made = _renamed_to_free_name(temporary, path)
        _flush_folder(path.parent)
        return made
    finally:
        rmtree(temporary, ignore_errors=True)


def write_text(path: str | Path, text: str, *, remove_leftovers: bool = False) -> None:
    """Write text in UTF-8 to a file, completely or not at all; see `replace_file`."""
    with replace_file(path, remove_leftovers=remove_leftovers) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_output(path: str | Path, data: bytes) -> None:
    """Write bytes to a file that the user has named, completely or not at all.

    Raises
    ------
    ParameterError
        If the system does not accept the path, or the file cannot be written.
    """
    check_path("path", path)
    try:
        with replace_file(path) as temporary:
            temporary.write_bytes(data)
    except OSError as error:
        raise ParameterError(
            f"{path} cannot be written ({error.strerror or error}); give the path of a file in an "
            "existing folder where you may write"
        ) from error


def is_free_or_regular(path: Path) -> bool:
    """Return whether a path is free, or that of a file that can be read and replaced.

    Folders, named pipes and devices are not: a pipe would wait for somebody who writes to it.
    """
    return path.is_file() or not os.path.lexists(path)


def open_at_once(path: str, flags: int) -> int:
    """Open a file, as `opener` of `open`: a named pipe that nobody writes is empty.

    To open it would otherwise wait for a writer.
    """
    if os.name != "posix":
        return os.open(path, flags)
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)  # reading waits for a writer that has opened the pipe
    return descriptor


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file, of which no more than a limit is read.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is longer; the message is the reason.
    """
    with open(path, "rb", opener=open_at_once) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it has more than {format_bytes(max_bytes)}")
    return data


def _temporary_name(path: Path) -> Path:
    return path.with_name(f".{_stem(path)}.{os.getpid()}-{token_hex(4)}.tmp")


def _stem(path: Path) -> str:
    """Return the name of a path, or a digest of it if a temporary name would be too long."""
    name = os.fsencode(path.name)
    return path.name if len(name) <= MAX_STEM_LENGTH else sha256(name).hexdigest()


def _renamed_to_free_name(folder: Path, wanted: Path) -> Path:
    """Rename a folder to `wanted` or, if that exists, to the next free name with a number."""
    for number in count(1):
        made = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        # On POSIX, a rename would replace an empty folder of another program.
        if os.path.lexists(made):
            continue
        try:
            os.rename(folder, made)
        except OSError:
            if not os.path.lexists(made):  # not because another process was faster
                raise
        else:
            return made
    raise AssertionError("itertools.count never ends")


@contextmanager
def _locked(path: Path, flags: int) -> Iterator[None]:
    """Open a file or folder, and lock it as long as this process writes to it."""
    if os.name != "posix":
        yield
        return
    from fcntl import LOCK_EX, flock

    descriptor = os.open(path, flags, 0o666)
    try:
        with suppress(OSError):  # a file system without locks
            flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_leftovers(path: Path, own: Path) -> None:
    """Delete temporary files and folders of `path` that are old and that no process has locked."""
    if os.name != "posix":
        return
    # Both times are of the file system's clock, which may differ from the clock of this machine.
    latest = own.stat().st_mtime - MIN_LEFTOVER_AGE
    for leftover in path.parent.glob(f".{escape(_stem(path))}.*.tmp"):
        with suppress(OSError):
            if leftover.stat().st_mtime > latest or _is_locked(leftover):
                continue
            if leftover.is_dir():
                rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink()


def _is_locked(path: Path) -> bool:
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = _opened(path)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError:  # another process has locked it, or the file system has no locks
        return True
    finally:
        os.close(descriptor)
    return False


def _opened(path: Path) -> int:
    """Return a descriptor with which a file or folder can be locked and flushed."""
    return os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)


def _flush_to_disk(path: Path) -> None:
    descriptor = _opened(path)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(path: Path) -> None:
    if os.name == "posix":  # other systems cannot open folders
        _flush_to_disk(path)
