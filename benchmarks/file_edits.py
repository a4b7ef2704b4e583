"""Random changes to the decoded content of files, which are then written with right checksums.

Damaged bytes seldom pass a checksum, so that they never test what a reader does with a header of
another type, an array of another shape, or a number that does not fit. Here, one to three places of
the content are changed, and every digest is made anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from policy_forgeries import TYPES, write_header, write_plain

from infoset.policy.policy_tables import DIGEST, KEY
from infoset.policy.table_digests import HAND, table_digest
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.checksums import CHECKSUM, with_checksum

Edit: TypeAlias = Callable[[np.random.Generator], bool]
"""A function that writes a changed file; it returns whether another value is a right answer."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 3, 7, 99, 2**31, 2**53 + 1, -(2**63), 2**64, 10**400),
    *(0.5, -0.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", "x", "0", "1/2", "1/0", "1e400", "9" * 400, "\x1b[31m", "\ud800", "\x00", "../x", "[K]"),
    *("kuhn_poker", "leduc_poker", "KUHN_POKER", "cfr+", "e.py:Game", "/dev/zero"),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": [1]}}, [1, 2, 3], ["a"] * 50),
)
"""Values that take the place of others."""

KINDS = ("float16", "float32", "float64", "complex64", "bool", "U9", "int8", "int32", "uint64")


def json_edit(
    path: Path, content: Collection[str], *, has_checksum: bool = True, indent: int | None = None
) -> Edit:
    """Return an edit of a JSON file.

    content : names of fields that may have another value.
    """
    valid = json.loads(path.read_text("utf-8"))
    valid.pop(CHECKSUM, None)

    def write(rng: np.random.Generator) -> bool:
        changed, places = edited_json(valid, rng)
        is_sealed = has_checksum and isinstance(changed, dict)
        whole = with_checksum(changed) if is_sealed else changed
        path.write_text(json.dumps(whole, indent=indent) + "\n", encoding="utf-8")
        return bool(places & {*content})

    return write


def edited_json(value: Any, rng: np.random.Generator) -> tuple[Any, set[str]]:
    """Return a copy of JSON values with one to three changes, and the names of fields changed.

    The whole content and added fields have the name "".
    """
    holder = [deepcopy(value)]
    names = set()
    for _ in range(int(rng.integers(1, 4))):
        places = [*_places(holder)]
        parent, key, name = places[int(rng.integers(len(places)))]
        other, other_key, _ = places[int(rng.integers(len(places)))]
        change = JSON_CHANGES[int(rng.integers(len(JSON_CHANGES)))]
        # A field that is added has no name of the format.
        names.add("" if change is _repeat and parent is holder[0] else name)
        change(parent, key, other[other_key], rng)
        if not holder:
            holder = [None]
    return holder[0], names


def _places(holder: list[Any]) -> Iterator[tuple[Any, Any, str]]:
    """Yield each place as its list or dictionary, its key, and the field it belongs to."""
    stack: list[tuple[Any, Any, str]] = [(holder, 0, "")]
    while stack:
        parent, key, name = stack.pop()
        yield parent, key, name
        value = parent[key]
        if isinstance(value, dict | list):
            keys = [*value] if isinstance(value, dict) else [*range(len(value))]
            stack += [(value, inner, name or str(inner)) for inner in keys]


def _set_value(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    parent[key] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def _set_other(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    parent[key] = deepcopy(other)


def _remove(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    del parent[key]


def _repeat(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    if isinstance(parent, list):
        parent.insert(key, deepcopy(parent[key]))
    else:
        parent[f"{key}{' ' * int(rng.integers(2))}x"] = deepcopy(parent[key])


def _reorder(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    value = parent[key]
    if isinstance(value, list):
        parent[key] = [value[place] for place in rng.permutation(len(value))]
    elif isinstance(value, dict):
        parent[key] = dict(sorted(value.items(), reverse=True))


def _nudge(parent: Any, key: Any, other: Any, rng: np.random.Generator) -> None:
    value = parent[key]
    if isinstance(value, str):
        parent[key] = f"{value}x" if rng.integers(2) else value[1:]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        half = value / 2 if abs(value) < 1e300 else 0
        parent[key] = [value + 1, -value, half, f"{value}", [value]][int(rng.integers(5))]


JSON_CHANGES = (_set_value, _set_value, _set_other, _remove, _repeat, _reorder, _nudge, _nudge)


def arrays_edit(path: Path, content: Collection[str], *, without_digest: int | None = None) -> Edit:
    """Return an edit of a file of arrays; numbers of arrays may be others.

    content : names of fields of the header that may have another value.
    without_digest : an older format that has no digest, in which some files are written.
    """
    header, arrays = read_arrays(path)

    def write(rng: np.random.Generator) -> bool:
        about, given, is_content = dict(header), dict(arrays), False
        if rng.integers(2):
            about, names = edited_json(header, rng)
            is_content = bool(names & {*content})
        else:
            is_content = _edit_array(given, rng)
        if not isinstance(about, dict):
            about = {"format": about}
        if without_digest is not None and not rng.integers(4):
            write_plain(path, {**about, "format": without_digest}, given)
        else:
            write_arrays(path, about, given)
        return is_content

    return write


def _edit_array(arrays: dict[str, Any], rng: np.random.Generator) -> bool:
    """Change one of the arrays; return whether only its numbers are others."""
    name = [*arrays][int(rng.integers(len(arrays)))]
    array = arrays[name].copy()
    change = int(rng.integers(7))
    if change == 0:
        del arrays[name]
    elif change == 1:
        arrays[f"{name}x"] = array
    elif change == 2:
        kind = KINDS[int(rng.integers(len(KINDS)))]
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(kind)
        return bool(arrays[name].dtype == array.dtype)
    elif change == 3:
        one = array if array.ndim else array[None]
        shapes = one[None], one.ravel(), one[:-1], one.T, one[..., :0], np.r_[one, one]
        arrays[name] = np.ascontiguousarray(shapes[int(rng.integers(6))])
        return bool(arrays[name].shape == array.shape)
    elif array.size:
        numbers = [0, 1, -1, 255, 2**31 - 1, -(2**31)]
        if array.dtype.kind == "f":
            numbers += [np.nan, np.inf, -np.inf, 1e30, -1e-30]
        count = int(rng.integers(1, 4))
        for place in rng.integers(array.size, size=count).tolist():
            with np.errstate(all="ignore"):
                value = np.array(numbers[int(rng.integers(len(numbers)))]).astype(array.dtype)
            array.flat[place] = value
        arrays[name] = array
        return True
    return False


def table_edit(path: Path, content: Collection[str]) -> Edit:
    """Return an edit of a Parquet file of a policy; its numbers may be others.

    content : names of fields of the metadata that may have another value.
    """
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[KEY])

    def write(rng: np.random.Generator) -> bool:
        given, fields, is_content = table, dict(about), False
        if rng.integers(2):
            changed, names = edited_json(about, rng)
            fields = changed if isinstance(changed, dict) else {"format": changed}
            is_content = bool(names & {*content})
            if DIGEST in fields and rng.integers(2):
                fields[DIGEST] = table_digest(table)
        else:
            given, is_content = _edited_table(table, rng)
            fields[DIGEST] = table_digest(given)
        write_header(given, fields, path)
        return is_content

    return write


def _edited_table(table: pa.Table, rng: np.random.Generator) -> tuple[pa.Table, bool]:
    """Return a table with a change, and whether only its numbers are others."""
    place = int(rng.integers(len(table.column_names)))
    name, column = table.column_names[place], table.column(place)
    change = int(rng.integers(4))
    if change == 0:
        order = rng.permutation(len(table))
        if rng.integers(2):
            order = np.arange(len(table))
            order[rng.integers(len(table), size=2)] = order[rng.integers(len(table), size=2)]
        return table.take(pa.array(order)), False
    if change == 1:
        names = [other for other in table.column_names if rng.random() < 0.9]
        return table.select(names), False
    values = column.to_pylist()
    if change == 2:
        try:
            kind = [*TYPES.values()][int(rng.integers(len(TYPES)))]
            new = pa.array([None if value is None else kind(value) for value in values])
        except (TypeError, ValueError, OverflowError, pa.ArrowException):
            return table, False
        return table.set_column(place, name, new), False
    is_number = name.startswith(("probabilit", HAND))
    row = int(rng.integers(len(values)))
    others: Mapping[bool, tuple[Any, ...]] = {
        True: (None, 0, 1, 2, -1, float("nan"), float("inf"), 0.25),
        False: (None, "x", "", "\x1b[31m", values[0], 0, 7),
    }
    values[row] = others[is_number][int(rng.integers(len(others[is_number])))]
    try:
        kind = pa.string() if pa.types.is_dictionary(column.type) else column.type
        return table.set_column(place, name, pa.array(values, kind)), is_number
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        return table, False
