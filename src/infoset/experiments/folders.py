"""Folders of results, which are named after the game and the method."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.efg import ExtensiveForm
from infoset.errors import ParameterError, PolicyFileError, ResultFileError, show
from infoset.experiments.json_values import json_text, json_value, portable_integers
from infoset.game import Game, GameSource
from infoset.plotting.figure_files import FORMATS, figure_bytes
from infoset.utils.arguments import check_path
from infoset.utils.checksums import file_checksum, has_checksum, with_checksum
from infoset.utils.files import is_free_or_regular, replace_file, write_folder, write_text
from infoset.utils.json_fields import read_json, typed_fields
from infoset.utils.text import shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RUNS = Path("runs")
"""Default folder of results."""

MAX_SLUG_LENGTH = 100

FILES = (".csv", ".html", ".json", ".npz", ".parquet", ".txt")
"""Suffixes that a folder of results may not have."""

RECORDS = ("result.json", "results.json")
"""Names of the file that describes a folder; one of them is in each folder."""


def run_slug(game: str, method: str) -> str:
    """Return a folder name for a game and a method, with letters, digits, `-` and `_` only.

    Examples
    --------
    >>> run_slug("leduc_poker(num_ranks=4)", "cfr+")
    'leduc_poker-num_ranks-4-cfr-plus'
    """
    end = _slug(method.replace("+", "-plus"))
    return f"{_slug(game)[: MAX_SLUG_LENGTH - len(end) - 1].rstrip('-')}-{end}".strip("-")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def check_writable(folder: str | Path | None) -> None:
    """Raise before any computation starts if a run cannot be saved under `folder`.

    Raises
    ------
    ParameterError
        If the nearest existing parent is not a folder, or is read-only, or the name is that of a
        file.
    """
    wanted = (RUNS if folder is None else _named(folder)).absolute()
    nearest = next(path for path in wanted.parents if path.exists())
    if not nearest.is_dir():
        raise ParameterError(
            f"cannot write to {wanted}: {nearest} is not a folder; choose another folder"
        )
    if not os.access(nearest, os.W_OK):
        raise ParameterError(
            f"cannot write to {wanted}: {nearest} is read-only; choose another folder"
        )


def _named(folder: str | Path) -> Path:
    """Return the path of a folder that ends in its name; `.` and `..` at the end are resolved."""
    check_path("folder", folder)
    path = Path(folder)
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    if not path.name:
        raise ParameterError(f"cannot write a run to {path}; name a new folder inside it")
    ending = path.suffix.lower()
    if ending in FORMATS:
        raise ParameterError(
            f"{path} is the name of a picture, and results are saved as a folder: give "
            f"{path.with_suffix('')}; compare has --format {ending[1:]} for its picture, and "
            f"infoset plot FOLDER --out {path} draws saved results"
        )
    if ending in FILES:
        raise ParameterError(
            f"{path} is the name of a file, and results are saved as a folder: give "
            f"{path.with_suffix('')}"
        )
    return path


def save_result(
    record: Mapping[str, Any],
    files: Mapping[str, str],
    writers: Mapping[str, Callable[[Path], object]],
    folder: str | Path | None,
    default: str,
) -> Path:
    """Write a new folder of results, completely or not at all.

    Parameters
    ----------
    record
        Content of the last file, without the time and the checksums of the other files.
    files
        All file names of the folder by content, that of the record last.
    writers
        Functions of a path that write the other files, by content.
    default
        Name of the folder in `runs` if `folder` is None.

    Returns
    -------
    Path
        The folder or, if it exists, the next free name with `-2`, `-3` and so on. Concurrent
        processes get different folders.

    Raises
    ------
    ParameterError
        If the folder cannot be created or a file cannot be written; no folder is left behind.
    """
    *others, last = files.values()

    def write(made: Path) -> None:
        for what, write_file in writers.items():
            write_file(made / files[what])
        about = {
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": dict(files),
            "checksums": {name: file_checksum(made / name) for name in others},
        }
        whole = with_checksum(portable_integers(json_value({**record, **about})))
        write_text(made / last, json_text(whole, indent=2) + "\n")

    wanted = RUNS / default if folder is None else _named(folder)
    try:
        return write_folder(wanted, write)
    except (OSError, PolicyFileError) as error:
        raise ParameterError(
            f"cannot write {_written(error, wanted)}; choose another folder (nothing was saved)"
        ) from error


def _written(error: OSError | PolicyFileError, folder: Path) -> str:
    """Return what could not be written, and why."""
    cause = error.__cause__ if isinstance(error, PolicyFileError) else error
    file = Path(str(getattr(cause, "filename", None) or folder))
    reason = getattr(cause, "strerror", None) or str(error)
    # Inside the temporary folder the user knows the file by its name only.
    place = f"{file.name} to " if file.parent.name.endswith(".tmp") else ""
    return f"{place}the folder {folder}: {reason}"


def write_trace(rows: Iterable[Iterable[object]], path: Path) -> None:
    """Write the rows of a trace, the names of its columns first, as CSV."""
    with replace_file(path) as made, made.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_picture(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the extension."""
    with replace_file(path) as made:
        made.write_bytes(figure_bytes(figure, path.suffix, figure.dpi))


def source_record(source: GameSource, game: Game | ExtensiveForm | None) -> dict[str, Any]:
    """Return where a game came from and its parameters, as JSON values.

    The name of the game is never loaded: it may be the title of a file.

    Parameters
    ----------
    source
        Source that is used if `game` is None.
    """
    if game is not None:
        source = GameSource.of_rules(game) if isinstance(game, Game) else GameSource()
    return {
        "parameters": json_value(source.parameters),
        "source": {"kind": source.kind, "rules": source.rules or None},
    }


def saved_files(folder: Path) -> dict[str, str]:
    """Return the names of the files in a folder that `save_result` wrote, by content."""
    path = next(path for name in RECORDS if (path := folder / name).is_file())
    files: dict[str, str] = read_json(path)["files"]
    return files


def check_results(folder: str | Path) -> dict[str, Any]:
    """Compare the files of a folder of results with their checksums.

    Parameters
    ----------
    folder
        A folder that `save_run`, `save_learning`, `save_team` or `save_comparison` wrote.

    Returns
    -------
    dict[str, Any]
        The content of `result.json` or `results.json`.

    Raises
    ------
    ResultFileError
        If the folder is not a folder of results, or a file is missing or was changed.
    """
    check_path("folder", folder)
    found = [path for name in RECORDS if (path := Path(folder, name)).is_file()]
    if not found:
        raise ResultFileError(
            f"{folder} has no file {' or '.join(RECORDS)}: give a folder that infoset saved"
        )
    try:
        record: dict[str, Any] = read_json(found[0])
        checksums, files = typed_fields(record, {"checksums": dict, "files": dict}).values()
        damaged = [] if has_checksum(record) else [found[0].name]
        damaged += [
            name for name, checksum in checksums.items() if _checksum(folder, name) != checksum
        ]
        others = [str(name) for name in files.values() if name != found[0].name]
        if sorted(others) != sorted(checksums):
            raise ValueError("the names in files differ from those in checksums")
    except (OSError, ValueError) as error:
        raise ResultFileError(
            f"{found[0]} or a file next to it cannot be read ({shortened(str(error))}); the "
            "folder is damaged, so save the results again"
        ) from error
    if damaged:
        raise ResultFileError(
            f"{', '.join(damaged)} in {folder} does not match its checksum: the file was changed "
            "or damaged, so save the results again"
        )
    return record


def _checksum(folder: str | Path, name: str) -> str:
    """Return the checksum of a file in a folder; raise `ValueError` if the name leaves it."""
    path = Path(folder, name)
    if Path(name).name != name or not is_free_or_regular(path):
        raise ValueError(f"{show(name)} is not the name of a file in the folder")
    return file_checksum(path)
