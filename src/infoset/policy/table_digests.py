"""Digests of tables, which are decoded one block of columns at a time.

The numbers in a table may take more memory than the policy itself. A table is therefore written by
blocks of rows, and read by blocks of columns, because its digest is computed column by column.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from infoset.typing import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

HAND: Final = "hand_"
"""The beginning of the names of the columns of a policy on a public form, one for each hand."""

NUMBERS_PER_BLOCK: Final = 1 << 20
"""About how many numbers of a table are decoded together."""

ROWS_PER_PIECE: Final = 1 << 16
"""Rows of a column that are digested together."""


class Columns(Protocol):
    """A table whose columns are decoded when they are selected; an Arrow table is one, too."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns, and the metadata."""

    def __len__(self) -> int: ...

    def select(self, columns: list[int], /) -> pa.Table:
        """Return all rows of some consecutive columns, by their places."""


class Rows(Columns, Protocol):
    """A table that can be written: blocks of its rows are available, too."""

    def slice(self, offset: int, length: int, /) -> pa.Table:
        """Return all columns of some rows."""


def type_name(kind: pa.DataType) -> str:
    """Return the name of a type, which does not depend on the encoding of its values."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return str(kind.value_type)
    if pa.types.is_fixed_size_list(kind):
        return f"{kind.value_type}[{kind.list_size}]"
    return str(kind)


def plain(column: Any) -> Any:
    """Return a column, or an array, as one array without a dictionary."""
    import pyarrow as pa

    array: Any = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def column_blocks(table: Columns, columns: Sequence[int]) -> Iterator[pa.Table]:
    """Yield some columns of a table, about `NUMBERS_PER_BLOCK` numbers at a time."""
    width = max(1, NUMBERS_PER_BLOCK // max(1, len(table)))
    for begin in range(0, len(columns), width):
        yield table.select([*columns[begin : begin + width]])


def table_digest(table: Columns) -> str:
    """Return a digest of all columns of a table: names, types, lengths, gaps and values."""
    digest = sha256()
    for name, column in _columns(table, range(len(table.schema.names))):
        kind, gaps = type_name(column.type), column.null_count
        digest.update(json.dumps([name, kind, len(column), gaps]).encode())
        if gaps:
            digest.update(column.is_null().to_numpy().tobytes())
        if kind == "string":
            # Lengths first: the joined texts do not show where one of them ends.
            for bounds, _ in map(_texts, _pieces(column)):
                digest.update(np.diff(bounds).astype("<i8").tobytes())
            for _, joined in map(_texts, _pieces(column)):
                digest.update(joined)
        else:
            for piece in _pieces(column):
                digest.update(_bytes_of(piece))
    return digest.hexdigest()


def _columns(table: Columns, columns: Sequence[int]) -> Iterator[tuple[str, Any]]:
    """Yield the names of some columns, and each column."""
    for block in column_blocks(table, columns):
        yield from zip(block.column_names, block.columns, strict=True)
        del block  # before the next one is decoded


def _pieces(column: Any) -> Iterator[Any]:
    """Yield the rows of a column, some at a time, in arrays without a dictionary."""
    for chunk in column.chunks:
        for begin in range(0, len(chunk), ROWS_PER_PIECE):
            yield plain(chunk[begin : begin + ROWS_PER_PIECE])


def _texts(values: Any) -> tuple[IntArray, memoryview]:
    """Return [n + 1] the bounds of texts in UTF-8, and the joined texts.

    No Python object is created for each text.
    """
    _, offsets, joined = values.buffers()
    bounds = np.frombuffer(offsets, "<i4")[values.offset :][: len(values) + 1]
    return bounds, memoryview(joined or b"")[bounds[0] : bounds[-1]]


def _bytes_of(values: Any) -> bytes:
    """Return the numbers in an array, or in its lists, as bytes; gaps are omitted."""
    import pyarrow as pa

    if pa.types.is_fixed_size_list(values.type):
        values = values.flatten()
    numbers = values.drop_null().to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")).tobytes()


def numbers_digest(table: Columns, column: str) -> str:
    """Return the digest of the numbers of a table in the first format of version 0.1.0."""
    is_public = column.startswith(HAND)
    prefix, names = HAND if is_public else column, table.schema.names
    columns = [place for place, name in enumerate(names) if name.startswith(prefix)]
    digest = sha256()
    for name, values in _columns(table, columns):
        if is_public:
            digest.update(f"{name} {values.type} {len(values) - values.null_count} ".encode())
        for piece in _pieces(values):
            digest.update(_bytes_of(piece))
    return digest.hexdigest()
