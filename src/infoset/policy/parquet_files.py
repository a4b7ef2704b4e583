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

__all__ = ["is_correlated_file", "load_policy", "read_metadata", "read_policy_table", "save_policy"]

FORMAT = 2
KEY = b"infoset"
PROBABILITY, PROBABILITIES = "probability", "probabilities"
"""The columns of numbers of a single policy, and of a correlated policy."""

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
    import pyarrow.parquet as pq

    check_path("path", path)
    about = {
        **(metadata or {}),
        "format": FORMAT,
        "version": __version__,
        "game": policy.sequence_form.name,
        "fingerprint": policy.sequence_form.fingerprint,
    }
    name, numbers = column
    about = with_checksum({**about, NUMBERS: numbers_checksum(numbers)})
    table = pa.table({**_labels(policy), name: numbers})
    with replace_policy_file(Path(path)) as temporary:
        pq.write_table(
            table.replace_schema_metadata({KEY: json.dumps(about).encode()}),
            temporary,
            compression="zstd",
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

    The file may contain a correlated policy.

    Raises
    ------
    ParameterError
        If `path` is not a path.
    PolicyFileError
        If the file is not a readable policy.
    """
    check_path("path", path)
    column = PROBABILITIES if is_correlated_file(path) else PROBABILITY
    about = _metadata(_read(Path(path), column), column, Path(path))
    return {name: value for name, value in about.items() if name not in (CHECKSUM, NUMBERS)}


def is_correlated_file(path: str | Path) -> bool:
    """Return whether a file is the table of a correlated policy; False if it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return PROBABILITIES in pq.read_schema(path).names
    except (pa.ArrowException, OSError, ValueError):
        return False


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
    table = _read(Path(path), PROBABILITY)
    _metadata(table, PROBABILITY, Path(path))
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
    table = _read(path, column)
    about = _metadata(table, column, path)
    if about["fingerprint"] != sequence_form.fingerprint:
        if about["game"] == sequence_form.name:
            raise PolicyMismatchError(
                f"{path} holds a policy for another game called {about['game']}: its rules have "
                "changed since the policy was saved, or one of the two is an exported file, whose "
                "infostates are different; use the policy with its own game, or solve this one"
            )
        raise PolicyMismatchError(
            f"{path} holds a policy for {about['game']}, not for {sequence_form.name}; use "
            f"it with {about['game']}, or give a file with a policy for {sequence_form.name}"
        )
    expected = sum(plex.num_sequences - 1 for plex in sequence_form.treeplexes)
    if len(table) != expected:
        raise PolicyFileError(
            f"{path} has {len(table)} rows, but a policy for this game has {expected}: the file is "
            "incomplete or was modified; save the policy again"
        )
    return table, about


def _read(path: Path, column: str) -> pa.Table:
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
    return f"is not a policy: it has no column {PROBABILITY!r}"


def _metadata(table: pa.Table, column: str, path: Path) -> dict[str, Any]:
    """Return the metadata of a table, after comparing its checksums."""
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
    if table.column_names.count(column) != 1 or (
        not has_checksum(about) or about.get(NUMBERS) != numbers_checksum(table.column(column))
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
