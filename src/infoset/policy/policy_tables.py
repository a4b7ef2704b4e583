"""The tables in policy files: written, read, and compared with a schema and with a game's labels.

Every reader of a Parquet file with a policy calls `read_table`. It checks, in this order, the
fields of the metadata, the names and types of all columns, and one digest of everything: names,
types, labels, numbers and metadata. Whoever changes a file can renew a digest. What protects
against a table that means something else is `PolicyTable.check_rows`: numbers are read by
position, so each row must have the labels that the game has there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import strerror
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from infoset._version import __version__
from infoset.errors import PolicyFileError, PolicyMismatchError, show
from infoset.policy.table_digests import (
    HAND,
    Columns,
    Rows,
    numbers_digest,
    plain,
    table_digest,
    type_name,
)
from infoset.utils.checksums import CHECKSUM, has_checksum, with_checksum
from infoset.utils.files import is_free_or_regular, replace_file
from infoset.utils.json_fields import parse_json, typed_fields
from infoset.utils.text import shortened

if TYPE_CHECKING:
    import pyarrow as pa


FORMAT: Final = 3
NUMBERS_FORMAT: Final = 2
"""The first format of version 0.1.0, whose digest covers the numbers and the metadata only."""

PARQUET: Final = b"PAR1"
"""The first bytes of a Parquet file."""

KEY: Final = b"infoset"
DIGEST: Final = "sha256_of_table"
NUMBERS_DIGEST: Final = "sha256_of_numbers"
"""Keys of the digest of the table, and of that of its numbers in files of the first format."""

PROBABILITY: Final = "probability"
PROBABILITIES: Final = "probabilities"
"""The column of numbers of a single and of a correlated policy."""

STORAGES: Final = ("float64", "float32", "uint16", "uint8")
"""How a file stores a probability: as a floating-point number; or as a whole number, which is the
probability times 65,535 or 255."""

KINDS: Final = {"float64": "double", "float32": "float", "uint16": "uint16", "uint8": "uint8"}
"""The types of columns by storage."""

FIELDS: Final[Mapping[str, Any]] = {"format": int, "version": str, "game": str, "fingerprint": str}
"""The types of the metadata of all policies."""

MORE_FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    PROBABILITY: {},
    PROBABILITIES: {"weights": tuple[float, ...]},
    f"{HAND}0": {
        "form": Literal["public"],
        "storage": Literal[STORAGES],
        "hands": tuple[tuple[str, ...], tuple[str, ...]],
        "hand_probabilities": tuple[tuple[float, ...], tuple[float, ...]],
    },
}
"""By the first column of numbers, the types of the other metadata that a reader uses."""

OPTIONAL_FIELDS: Final[Mapping[str, Any]] = {
    "storage": Literal[STORAGES],
    "form": Literal["sequence", "world"],
    "infostates": Literal["listed", "numbered"],
}
"""Metadata of single policies that are not stored as float64, or not on a sequence form."""


@dataclass(frozen=True)
class PolicyTable:
    """The content of a policy file; names, types and digests are checked."""

    path: Path
    table: Columns
    metadata: Mapping[str, Any]
    """All metadata but the digests, as JSON values."""
    fields: Mapping[str, Any]
    """The metadata that readers use, with their types checked."""

    def check_game(self, name: str, fingerprint: str, same_name: str) -> None:
        """Raise unless the policy is for a game.

        same_name : why the fingerprint may differ, and what to do, if the name is the same.

        Raises
        ------
        PolicyMismatchError
        """
        if self.fields["fingerprint"] == fingerprint:
            return
        game = self.fields["game"]
        if game == name:
            raise PolicyMismatchError(f"{self.path} holds a policy {same_name}")
        raise PolicyMismatchError(
            f"{self.path} holds a policy for {game}, not for {name}; use it with {game}, or give a "
            f"file with a policy for {name}"
        )

    def check_rows(self, expected: Mapping[str, pa.Array[Any]], count: int) -> None:
        """Raise unless the rows are those of the game, in order.

        expected : columns of labels, as in the game, each with `count` rows.

        Raises
        ------
        PolicyFileError
            If a label differs; the message names the first such row.
        """
        if len(self.table) != count:
            raise PolicyFileError(
                f"{self.path} has {len(self.table)} rows, but a policy for this game has {count}: "
                "the file is incomplete or was modified; save the policy again"
            )
        labels = (plain(column) for column in expected.values())
        if all(self._labels(place).equals(own) for place, own in enumerate(labels)):
            return
        columns = [
            zip(self._labels(place).to_pylist(), plain(own).to_pylist(), strict=True)
            for place, own in enumerate(expected.values())
        ]
        rows = enumerate(zip(*columns, strict=True))
        row, pairs = next((row, own) for row, own in rows if any(a != b for a, b in own))
        there, here = (
            ", ".join(
                f"{name} {show(own[side])}" for name, own in zip(expected, pairs, strict=True)
            )
            for side in range(2)
        )
        raise PolicyFileError(
            f"row {row} of {self.path} is for {there}, but row {row} of a policy for "
            f"{self.fields['game']} is for {here}: rows were moved or renamed, or the rules use "
            "different names now. Probabilities are read by row, so save the policy again; a CSV "
            "file may have its lines in any order"
        )

    def _labels(self, place: int) -> Any:
        """Return a column of labels as one array."""
        return plain(self.table.select([place]).column(0))


def read_table(path: Path, column: str) -> PolicyTable:
    """Return the table and the metadata of a policy file after checking its schema and digests.

    The table reads its columns from the file, which stays open as long as the table exists.

    column : the name of the first column of numbers, which depends on the kind of policy.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, changed, of another format, or another kind of policy.
    """
    table = _ParquetColumns(path)
    names = table.schema.names
    if column not in names:
        raise PolicyFileError(f"{path} {_found(names)}")
    metadata = _metadata(table.schema, path)
    try:
        optional = OPTIONAL_FIELDS if column == PROBABILITY else {}
        more = {name: kind for name, kind in optional.items() if name in metadata}
        fields = typed_fields(metadata, {**FIELDS, **MORE_FIELDS[column], **more})
    except ValueError as error:
        raise PolicyFileError(
            f"{path} does not contain a policy that infoset has saved: {error} in its metadata"
        ) from error
    _check_columns(table, _schema(column, fields), path)
    is_old = fields["format"] == NUMBERS_FORMAT
    expected = numbers_digest(table, column) if is_old else table_digest(table)
    if metadata.get(NUMBERS_DIGEST if is_old else DIGEST) != expected:
        raise _changed(path)
    for name in (CHECKSUM, DIGEST, NUMBERS_DIGEST):
        metadata.pop(name, None)
    return PolicyTable(path, table, metadata, fields)


class _ParquetColumns:
    """The columns of an open Parquet file."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        if not is_free_or_regular(path):
            raise PolicyFileError(
                f"{path} is a folder, a pipe or a device; give the name of a file"
            )
        self._path = path
        with self._reading():
            with open(path, "rb") as file:
                if file.read(len(PARQUET)) != PARQUET:
                    raise PolicyFileError(
                        f"{path} cannot be read as a policy: it is not a Parquet file, such as one "
                        "that 'infoset solve' saves; check its path"
                    )
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            self.schema = self._file.schema_arrow
            [name.encode() for name in self.schema.names]  # raises if they are not UTF-8

    def __len__(self) -> int:
        return self._file.metadata.num_rows

    def select(self, columns: list[int], /) -> pa.Table:
        """Decode some columns, whose names are unique."""
        with self._reading():
            table = self._file.read([self.schema.names[place] for place in columns])
            table.validate(full=True)
            if len(table) != len(self):
                raise ValueError(f"{len(table)} rows instead of {len(self)}")
        return table

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise a `PolicyFileError` if the file cannot be read."""
        import pyarrow as pa

        path = self._path
        try:
            yield
        except FileNotFoundError as error:
            raise PolicyFileError(
                f"there is no file {path}; check the path of the policy"
            ) from error
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = shortened(str(error).split("\n", 1)[0])
            raise PolicyFileError(
                f"{path} cannot be read as a Parquet file ({reason}); it is damaged or not a policy"
            ) from error


def column_names(path: str | Path) -> list[str]:
    """Return the names of the columns of a file; empty if it cannot be read."""
    schema = _schema_of(path)
    return [] if schema is None else list(schema.names)


def form_in_file(path: str | Path) -> str:
    """Return the kind of form of the policy in a file, without reading its table.

    It is "public" or "world" if the file says so, and otherwise "sequence", also if the file cannot
    be read.
    """
    schema = _schema_of(path)
    if schema is not None and f"{HAND}0" in schema.names:
        return "public"
    return "world" if _about(schema).get("form") == "world" else "sequence"


def game_in_file(path: str | Path) -> object:
    """Return the game that a file names, without reading its table; None if it cannot be read."""
    return _about(_schema_of(path)).get("game")


def _schema_of(path: str | Path) -> pa.Schema | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not is_free_or_regular(Path(path)):
        return None
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError, ValueError):
        return None


def _about(schema: pa.Schema | None) -> dict[str, Any]:
    """Return the metadata in a schema; empty if they cannot be read."""
    stored = {} if schema is None else schema.metadata or {}
    try:
        about = parse_json(stored.get(KEY, b""))
    except ValueError:
        about = None
    return about if isinstance(about, dict) else {}


def _found(names: Sequence[str]) -> str:
    """Describe a table that lacks the expected column."""
    if PROBABILITY in names:
        return "is a single policy: read it with infoset.policy.load_policy"
    if PROBABILITIES in names:
        return "is a correlated policy: read it with infoset.evaluation.load_correlated_policy"
    if f"{HAND}0" in names:
        return (
            "is a policy on a public form: read it with infoset.load_policy(path), or give its "
            "public form to infoset.policy.load_policy"
        )
    return f"is not a policy: it has no column {PROBABILITY!r}"


def _metadata(schema: pa.Schema, path: Path) -> dict[str, Any]:
    """Return the metadata of a table after comparing its format and its checksum."""
    about = _about(schema)
    if not {"game", "fingerprint", "format"} <= about.keys():
        raise PolicyFileError(f"{path} is a Parquet file, but infoset did not write it as a policy")
    if about["format"] not in (FORMAT, NUMBERS_FORMAT):
        raise PolicyFileError(
            f"{path} has format {shortened(repr(about['format']))}; this version reads formats "
            f"{NUMBERS_FORMAT} and {FORMAT}: save the policy again"
        )
    if not has_checksum(about):
        raise _changed(path)
    return about


def _changed(path: Path) -> PolicyFileError:
    return PolicyFileError(
        f"the content of {path} does not match its checksum: the file was changed or damaged, "
        "so save the policy again"
    )


def _schema(column: str, fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the types of the columns of a table, by name and in order."""
    labels = {"player": "int32", "infostate": "string", "action": "string"}
    if column == PROBABILITY:
        labels = {} if fields.get("infostates") == "numbered" else labels
        return {**labels, PROBABILITY: KINDS[fields.get("storage", "float64")]}
    if column == PROBABILITIES:
        return {**labels, PROBABILITIES: f"double[{len(fields['weights'])}]"}
    labels = {"player": "int32", "line": "string", "action": "string"}
    num_hands = max(map(len, fields["hands"]))
    return labels | {f"{HAND}{hand}": KINDS[fields["storage"]] for hand in range(num_hands)}


def _check_columns(table: Columns, schema: Mapping[str, str], path: Path) -> None:
    """Raise unless a table has the columns of a schema; only those of hands may have gaps."""
    names = table.schema.names
    if names != [*schema]:
        raise PolicyFileError(
            f"{path} has the columns {show(names)}, but a policy has "
            f"{show([*schema])}, so save the policy again"
        )
    for place, (name, kind) in enumerate(schema.items()):
        found = type_name(table.schema.field(place).type)
        if found != kind:
            raise PolicyFileError(
                f"the column {name!r} of {path} has type {found}, but in a "
                f"policy it has type {kind}, so save the policy again"
            )
        if name.startswith(HAND):
            continue
        values = plain(table.select([place]).column(0))
        if kind.endswith("]"):
            values = values.flatten()
        if len(values) < len(table) or values.null_count:
            raise PolicyFileError(f"the column {name!r} of {path} has gaps; save the policy again")


def write_table(
    table: Rows,
    metadata: Mapping[str, Any],
    path: Path,
    dictionary: Any = True,
    row_group_size: int = 1 << 20,
) -> None:
    """Write a table with metadata, to which format, version and digests are added.

    The table is read twice: its columns for the digest, and then its rows for the file.

    dictionary : the columns stored as a dictionary.
    row_group_size : the number of rows in a row group.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow.parquet as pq

    about = {name: value for name, value in metadata.items() if name != CHECKSUM}
    about |= {"format": FORMAT, "version": __version__, DIGEST: table_digest(table)}
    whole = with_checksum(about)
    with (
        replace_policy_file(path) as temporary,
        pq.ParquetWriter(
            temporary,
            table.schema.with_metadata({KEY: json.dumps(whole).encode()}),
            compression="zstd",
            use_dictionary=dictionary,
            write_page_checksum=True,
            # Nobody searches for probabilities, and a file may have a thousand columns.
            write_statistics=False,
        ) as writer,
    ):
        for begin in range(0, len(table), row_group_size):
            writer.write_table(table.slice(begin, row_group_size), row_group_size)


@contextmanager
def replace_policy_file(path: Path) -> Iterator[Path]:
    """Provide a temporary path; the file written there replaces `path` atomically.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    try:
        with replace_file(path) as temporary:
            yield temporary
    except OSError as error:
        found = strerror(error.errno) if error.errno else error
        raise PolicyFileError(
            f"{path} cannot be written: {found}; give the path of a file in an existing folder "
            "where you may write"
        ) from error
