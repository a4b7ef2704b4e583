"""Policy files: Parquet tables with one row per infostate and action, and JSON metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from os import strerror
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infoset._version import __version__
from infoset.errors import InfosetError, PolicyFileError, PolicyMismatchError
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.tree import SequenceForm, check_sequence_form
from infoset.typing import FloatArray
from infoset.utils.arguments import check_path
from infoset.utils.checksums import CHECKSUM, has_checksum, with_checksum
from infoset.utils.files import replace_file
from infoset.utils.text import shortened

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "is_correlated_file",
    "is_public_file",
    "load_policy",
    "read_metadata",
    "read_policy_table",
    "save_policy",
]

FORMAT = 2
KEY = b"infoset"
PROBABILITY, PROBABILITIES = "probability", "probabilities"
"""The columns of numbers of a single policy, and of a correlated policy."""

HAND = "hand_"
"""Beginning of the names of the columns of a policy on a public form: one for each hand."""

NUMBERS = "sha256_of_numbers"
"""Key of the digest of the probabilities."""


def save_policy(
    policy: TabularPolicy, path: str | Path, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a policy to a Parquet file; an existing file is replaced atomically.

    The columns are `player`, `infostate` and `action` (both as text), and `probability`. The file's
    metadata contains, as JSON under the key `infoset`, the format, the library's version, the game,
    the fingerprint of its tree, the items of `metadata` (such as the method and its seed), and a
    checksum of these values and of the probabilities. The pages of the file have checksums, too.

    Parameters
    ----------
    policy : TabularPolicy
    path : str or Path
    metadata : Mapping[str, Any], optional
        Additional items to store in the file; the values must be JSON values.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`, or `path` is not a path.
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_policy(policy)
    probability = np.concatenate([values[1:] for values in policy.probabilities])
    write_table(policy, (PROBABILITY, pa.array(probability, pa.float64())), path, metadata)


def write_table(
    policy: TabularPolicy,
    column: tuple[str, pa.Array[Any]],
    path: str | Path,
    metadata: Mapping[str, Any] | None,
) -> None:
    """Write a table with one number per infostate and action, and its labels.

    The labels are those of `policy.rows()`.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_path("path", path)
    about = {
        **(metadata or {}),
        "game": policy.sequence_form.name,
        "fingerprint": policy.sequence_form.fingerprint,
    }
    name, numbers = column
    table = pa.table({**_labels(policy), name: numbers})
    write_parquet(table, about, numbers_checksum(numbers), Path(path))


def write_parquet(
    table: pa.Table,
    about: Mapping[str, Any],
    digest: str,
    path: Path,
    dictionary: Any = True,
) -> None:
    """Write a table with metadata, to which format, version and checksums are added.

    digest : of the numbers in the table. dictionary : the columns stored as a dictionary.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow.parquet as pq

    whole = with_checksum({**about, "format": FORMAT, "version": __version__, NUMBERS: digest})
    with replace_policy_file(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata({KEY: json.dumps(whole).encode()}),
            temporary,
            compression="zstd",
            use_dictionary=dictionary,
            write_page_checksum=True,
        )


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


def _labels(policy: TabularPolicy) -> dict[str, pa.Array[Any]]:
    """Return the columns that identify the infostate and action of each row."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"player": [], "infostate": [], "action": []}
    for row in policy.rows():
        count = len(row.actions)
        columns["player"] += [row.player] * count
        columns["infostate"] += [row.infostate] * count
        columns["action"] += map(str, row.actions)
    return {
        "player": pa.array(columns["player"], pa.int32()),
        "infostate": pa.array(columns["infostate"], pa.string()).dictionary_encode(),
        "action": pa.array(columns["action"], pa.string()).dictionary_encode(),
    }


def read_metadata(path: str | Path) -> dict[str, Any]:
    """Return the metadata of a policy file: game, method, seed, version, fingerprint.

    The file may contain a correlated policy, or one on a public form.

    Raises
    ------
    ParameterError
        If `path` is not a path.
    PolicyFileError
        If the file is not a readable policy.
    """
    check_path("path", path)
    if is_public_file(path):
        column = f"{HAND}0"
    else:
        column = PROBABILITIES if is_correlated_file(path) else PROBABILITY
    about = checked_metadata(read_parquet(Path(path), column), column, Path(path))
    return {name: value for name, value in about.items() if name not in (CHECKSUM, NUMBERS)}


def is_correlated_file(path: str | Path) -> bool:
    """Return whether a file is the table of a correlated policy; False if it cannot be read."""
    return PROBABILITIES in _column_names(path)


def is_public_file(path: str | Path) -> bool:
    """Return whether a file is the table of a policy on a public form; False if not readable."""
    return f"{HAND}0" in _column_names(path)


def _column_names(path: str | Path) -> list[str]:
    """Return the names of the columns of a file; empty if it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return []


def load_policy(path: str | Path, sequence_form: SequenceForm) -> TabularPolicy:
    """Read a policy that `save_policy` wrote for the same game.

    Raises
    ------
    ParameterError
        If `sequence_form` is not a `SequenceForm`, or `path` is not a path.
    PolicyFileError
        If the file is missing, damaged, or not a policy.
    PolicyMismatchError
        If the file was written for another game or other parameters.
    """
    table, _ = read_table(path, PROBABILITY, sequence_form)
    return policy_of_rows(table.column(PROBABILITY).to_numpy(), path, sequence_form)


def read_policy_table(path: str | Path) -> list[tuple[int, str, str, float]]:
    """Return the rows of a policy file as they are: player, infostate, action and probability.

    The game is not built, so the rows are not compared with it.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or not a policy.
    """
    check_path("path", path)
    table = read_parquet(Path(path), PROBABILITY)
    checked_metadata(table, PROBABILITY, Path(path))
    names = ("player", "infostate", "action", PROBABILITY)
    if not set(names) <= set(table.column_names):
        raise PolicyFileError(f"{path} lacks one of the columns {', '.join(names)}")
    columns = [table.column(name).to_pylist() for name in names]
    return list(zip(*columns, strict=True))


def policy_of_rows(
    probabilities: FloatArray, path: str | Path, sequence_form: SequenceForm
) -> TabularPolicy:
    """Build a policy from the probabilities in a file, one per row of its table.

    Raises
    ------
    PolicyFileError
        If the probabilities are not a policy.
    """
    ends = np.cumsum([plex.num_sequences - 1 for plex in sequence_form.treeplexes])
    parts = np.split(probabilities, ends[:-1])
    try:
        return TabularPolicy(sequence_form, tuple(np.concatenate([[1.0], part]) for part in parts))
    except InfosetError as error:
        raise PolicyFileError(f"{path} does not contain a policy: {error}") from error


def read_table(
    path: str | Path, column: str, sequence_form: SequenceForm
) -> tuple[pa.Table, dict[str, Any]]:
    """Return the table that `write_table` wrote for a game, and its metadata.

    Raises
    ------
    ParameterError, PolicyFileError, PolicyMismatchError
        As `load_policy`.
    """
    check_sequence_form(sequence_form)
    check_path("path", path)
    path = Path(path)
    table = read_parquet(path, column)
    about = checked_metadata(table, column, path)
    if about["fingerprint"] != sequence_form.fingerprint:
        if about["game"] == sequence_form.name:
            raise PolicyMismatchError(
                f"{path} holds a policy for another game called {about['game']}: its rules have "
                "changed since the policy was saved, or one of the two is an exported file, whose "
                "infostates are different; use the policy with its own game, or solve this one"
            )
        raise other_game_error(path, about, sequence_form.name)
    check_rows(table, sum(plex.num_sequences - 1 for plex in sequence_form.treeplexes), path)
    return table, about


def other_game_error(path: Path, about: Mapping[str, Any], name: str) -> PolicyMismatchError:
    """Return the error for the file of another game."""
    return PolicyMismatchError(
        f"{path} holds a policy for {about['game']}, not for {name}; use "
        f"it with {about['game']}, or give a file with a policy for {name}"
    )


def check_rows(table: pa.Table, expected: int, path: Path) -> None:
    """Raise unless a table has one row for each action."""
    if len(table) != expected:
        raise PolicyFileError(
            f"{path} has {len(table)} rows, but a policy for this game has {expected}: the file is "
            "incomplete or was modified; save the policy again"
        )


def read_parquet(path: Path, column: str) -> pa.Table:
    """Return the table in a file that has a column.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or another kind of policy.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if os.path.isdir(path):
        raise PolicyFileError(f"{path} is a folder; give the name of a file")
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        table.validate(full=True)
        names = table.column_names  # raises if they are not UTF-8
    except FileNotFoundError as error:
        raise PolicyFileError(f"there is no file {path}; check the path of the policy") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = shortened(str(error).split("\n", 1)[0])
        raise PolicyFileError(
            f"{path} cannot be read as a Parquet file ({reason}); it is damaged or not a policy"
        ) from error
    if column not in names:
        raise PolicyFileError(f"{path} {_found(names)}")
    return table


def _found(names: Sequence[str]) -> str:
    """Describe a table that lacks the expected column."""
    if PROBABILITY in names:
        return "is a single policy: read it with infoset.policy.load_policy"
    if PROBABILITIES in names:
        return "is a correlated policy: read it with infoset.evaluation.load_correlated_policy"
    if f"{HAND}0" in names:
        return (
            "is a policy on a public form: read it with infoset.load_policy(path), or with "
            "infoset.policy.load_public_policy(path, public_form)"
        )
    return f"is not a policy: it has no column {PROBABILITY!r}"


def checked_metadata(table: pa.Table, column: str, path: Path) -> dict[str, Any]:
    """Return the metadata of a table, after comparing its checksums.

    column : of the numbers; the first one, if each hand has one.

    Raises
    ------
    PolicyFileError
        If the table is not that of a policy, was changed, or has another format.
    """
    raw = (table.schema.metadata or {}).get(KEY)
    try:
        about = json.loads(raw) if raw else None
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or not {"game", "fingerprint", "format"} <= about.keys():
        raise PolicyFileError(f"{path} is a Parquet file, but infoset did not write it as a policy")
    if about["format"] != FORMAT:
        raise PolicyFileError(
            f"{path} has format {shortened(repr(about['format']))}; this version reads format "
            f"{FORMAT}: save the policy again"
        )
    is_wide = column.startswith(HAND)
    if not (
        has_checksum(about)
        and table.column_names.count(column) == 1
        and about.get(NUMBERS)
        == (hands_checksum(table) if is_wide else numbers_checksum(table.column(column)))
    ):
        raise PolicyFileError(
            f"the content of {path} does not match its checksum: the file was changed or damaged, "
            "so save the policy again"
        )
    return about


def numbers_checksum(numbers: pa.Array[Any] | pa.ChunkedArray[Any]) -> str:
    """Return a digest of the numbers of a column, or of the lists of numbers in it."""
    import pyarrow as pa

    column: Any = numbers.combine_chunks() if isinstance(numbers, pa.ChunkedArray) else numbers
    while pa.types.is_fixed_size_list(column.type) or pa.types.is_list(column.type):
        column = column.flatten()
    if not pa.types.is_float64(column.type) or column.null_count:
        return ""
    values = column.to_numpy(zero_copy_only=False)
    return sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def hands_checksum(table: pa.Table) -> str:
    """Return a digest of the numbers of all hands; of each column, its type and its numbers."""
    digest = sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name.startswith(HAND):
            numbers = column.combine_chunks().drop_null().to_numpy(zero_copy_only=False)
            digest.update(f"{name} {column.type} {len(numbers)} ".encode())
            digest.update(np.ascontiguousarray(numbers).tobytes())
    return digest.hexdigest()
