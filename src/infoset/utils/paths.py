"""Texts that are meant as paths, and the message if nothing exists there."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Final

SUFFIXED: Final = re.compile(r"[^(:]*\.[A-Za-z][A-Za-z0-9]{0,9}")
"""A name with a suffix, which no name of the library has."""

MAX_LISTED: Final = 10_000
MAX_NAME: Final = 255
SIMILAR: Final = 0.75
"""Minimum similarity of names of files, which often share their suffix."""


def looks_like_path(text: str) -> bool:
    """Return whether a text must be a path: it exists, or no name is written like it.

    Examples
    --------
    >>> [
    ...     looks_like_path(text)
    ...     for text in ("runs/kuhn", "kuhn.efg", "pimc", "pimc(belief=0.5)")
    ... ]
    [True, True, False, False]
    """
    before = text.partition("(")[0]
    has_separator = any(sign and sign in before for sign in ("/", os.sep, os.altsep))
    return has_separator or SUFFIXED.fullmatch(text) is not None or os.path.lexists(text)


def no_such_path(path: str | Path, give: str) -> str:
    """Return the message about a path without a file, with similar names in its folder.

    Parameters
    ----------
    give
        Advice on a replacement, for the end of the message.
    """
    if os.path.lexists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        kind = "pipe or a device" if os.path.exists(path) else "link to a missing path"
        return f"{path} is a {kind}; {give}"
    folder, name = Path(path).parent, Path(path).name
    beside: list[str] = []
    if os.path.isdir(folder) and os.access(folder, os.R_OK) and len(name) <= MAX_NAME:
        # Names that a terminal cannot print are no hint, and could be escape codes.
        names = (entry.name for entry in islice(folder.iterdir(), MAX_LISTED))
        beside = [name for name in names if name.isprintable()]
    near = get_close_matches(name, beside, n=1, cutoff=SIMILAR)
    hint = f"did you mean {folder / near[0]}? " if near else ""
    return f"there is no file or folder {path}; {hint}{give}"
