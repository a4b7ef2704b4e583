"""Folders of results, named after what is in them."""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

from infoset.errors import ParameterError
from infoset.utils.arguments import check_path

__all__ = ["RUNS", "check_writable", "make_folder", "run_slug"]

RUNS = Path("runs")
"""Where results go by default."""

LONGEST_SLUG = 100


def run_slug(game: str, method: str) -> str:
    """Return a folder name of a game and a method, of letters, digits, `-` and `_` alone.

    Examples
    --------
    >>> run_slug("leduc_poker(num_ranks=4)", "cfr+")
    'leduc_poker-num_ranks-4-cfr-plus'
    """
    end = _slug(method.replace("+", "-plus"))
    return f"{_slug(game)[: LONGEST_SLUG - len(end) - 1].rstrip('-')}-{end}".strip("-")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


def check_writable(folder: str | Path | None) -> None:
    """Raise, before any work is done, if a run could not be saved under `folder`.

    Raises
    ------
    ParameterError
        If the nearest folder that exists is none, or may not be written to.
    """
    wanted = (RUNS if folder is None else _named(folder)).absolute()
    nearest = next(path for path in wanted.parents if path.exists())
    if not nearest.is_dir():
        raise ParameterError(f"cannot write to {wanted}: {nearest} is not a folder; choose another")
    if not os.access(nearest, os.W_OK):
        raise ParameterError(f"cannot write to {wanted}: {nearest} is read-only; choose another")


def _named(folder: str | Path) -> Path:
    """Return a folder by a path that ends in its name, as `.` and `..` do not."""
    check_path("folder", folder)
    path = Path(folder)
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    if not path.name:
        raise ParameterError(f"cannot write a run to {path}; give a folder inside of it")
    return path


def make_folder(folder: str | Path) -> Path:
    """Make a folder that did not exist; of several processes, each gets its own.

    Returns
    -------
    Path
        The folder, or, where it exists, the next free one, with `-2`, `-3` and so on.

    Raises
    ------
    ParameterError
        If it cannot be made.
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
            f"cannot make the folder {wanted}: {error.strerror}; choose another"
        ) from error
    raise AssertionError("count has no end")
