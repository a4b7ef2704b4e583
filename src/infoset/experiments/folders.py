"""Folders of results, which are named after the game and the method."""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

from infoset.errors import ParameterError
from infoset.utils.arguments import check_path

__all__ = ["RUNS", "check_writable", "make_folder", "run_slug"]

RUNS = Path("runs")
"""Default folder of results."""

MAX_SLUG_LENGTH = 100


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
        If the nearest existing parent is not a folder, or is read-only.
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
    return path


def make_folder(folder: str | Path) -> Path:
    """Create a new folder; concurrent processes get different folders.

    Returns
    -------
    Path
        The folder or, if it exists, the next free name with `-2`, `-3` and so on.

    Raises
    ------
    ParameterError
        If the folder cannot be created.
    """
    wanted = _named(folder)
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            name = wanted.name if number == 1 else f"{wanted.name}-{number}"
            made = wanted.with_name(name)
            try:
                made.mkdir()
            except FileExistsError:
                continue
            return made
    except OSError as error:
        raise ParameterError(
            f"cannot create the folder {wanted}: {error.strerror}; choose another folder"
        ) from error
    raise AssertionError("itertools.count never ends")
