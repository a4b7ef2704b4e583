"""Checksums of files and JSON objects, with which readers detect changed or damaged content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHECKSUM = "sha256"
"""The key of the checksum in a JSON object."""


def with_checksum(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values with their checksum under the key `sha256`.

    Examples
    --------
    >>> saved = with_checksum({"mean": 0.5})
    >>> has_checksum(saved), has_checksum({**saved, "mean": 0.6})
    (True, False)
    """
    return {**content, CHECKSUM: json_checksum(content)}


def has_checksum(content: Mapping[str, Any]) -> bool:
    """Return whether a JSON object has a checksum that matches the rest of its content."""
    rest = {name: value for name, value in content.items() if name != CHECKSUM}
    return content.get(CHECKSUM) == json_checksum(rest)


def json_checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of JSON values; white space and the order of keys have no effect."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_checksum(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
