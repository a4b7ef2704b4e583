"""Policy files: Parquet tables with one row per decision and action, and JSON metadata.

A form says which rows and columns its table has (`Form.table`): one row per infostate and action,
or, of a public form, one row per public action and one column per hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from infoset.errors import InfosetError, ParameterError, PolicyFileError, show
from infoset.forms import AnyForm, Form, FormT, FormTable, SequenceTable, Treeplex, check_form
from infoset.game.infostate import label_text
from infoset.policy.policy_tables import (
    HAND,
    PROBABILITIES,
    PROBABILITY,
    STORAGES,
    PolicyTable,
    column_names,
    form_in_file,
    read_table,
    write_table,
)
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_path

WHOLE: Final = {"uint16": 65_535, "uint8": 255}
"""The number that stands for a probability of 1."""

NUMBERS_AT_ONCE: Final = 1 << 20
"""About how many numbers of a table are read or written at once."""

OTHER_ENDINGS: Final = (".csv", ".npz")
"""Suffixes of policy files that are not Parquet files."""


def save_policy(
    policy: TabularPolicy,
    path: str | Path,
    metadata: Mapping[str, Any] | None = None,
    *,
    storage: str = "float64",
) -> None:
    """Write a policy to a Parquet file; an existing file is replaced atomically.

    On a sequence form, the columns are `player`, `infostate` and `action` (both as text), and
    `probability`. On a public form they are `player`, `line`, `action`, and `hand_0`, `hand_1` and
    so on: the probability of the action for each hand of the player. The rows are then those of
    `policy.by_hand(0)`, followed by those of `policy.by_hand(1)`; a player with fewer hands than
    the other has no values in the last columns.

    The file's metadata contains, as JSON under the key `infoset`, the format, the library's
    version, the game, the fingerprint of its form, the items of `metadata` (such as the method and
    its seed), and a checksum of these values and of the probabilities; on a public form, it also
    contains `hands` and `hand_probabilities`, the labels of the hands of each player as text and
    their prior probabilities. The pages of the file have checksums, too.

    Parameters
    ----------
    metadata
        Additional items to store in the file; the values must be JSON values.
    storage
        A name in `STORAGES`; all but "float64" change the policy to that of `rounded_policy`.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`, or `path` is not a path.
    PolicyFileError
        If the file cannot be written.
    """
    check_policy(policy)
    check_choice("storage", storage, STORAGES)
    form = policy.form
    table = form.table()
    write_policy_rows(form, table, _columns(table, policy, storage), path, metadata, storage)


def _columns(table: FormTable, policy: TabularPolicy, storage: str) -> dict[str, Any]:
    """Return the columns of numbers."""
    import pyarrow as pa

    kind: Any = pa.from_numpy_dtype(np.dtype(storage))
    rows = [_rows_of(policy, player, own, storage) for player, own in enumerate(table.sequences)]
    columns = {}
    for column, name in enumerate(table.columns):
        parts = [
            pa.array(own[column]) if column < len(own) else pa.nulls(own.shape[1], kind)
            for own in rows
        ]
        columns[name] = pa.chunked_array(parts, kind)
    return columns


def _rows_of(
    policy: TabularPolicy, player: Player, sequences: SequenceTable, storage: str
) -> NDArray[Any]:
    """Return [columns, rows] the numbers of a player, one column after another."""
    own = policy.probabilities_of(player)
    if storage in WHOLE:
        own = _whole_numbers(policy.form.treeplexes[player], own, WHOLE[storage])
    columns = np.empty(sequences.shape[::-1], storage)
    for some in _parts(sequences):
        columns[:, some] = own[sequences[some]].T
    return columns


def _parts(sequences: SequenceTable) -> Iterator[slice]:
    """Yield ranges of rows of a limited size."""
    rows, columns = sequences.shape
    size = max(1, NUMBERS_AT_ONCE // max(1, columns))
    for begin in range(0, rows, size):
        yield slice(begin, min(begin + size, rows))


def write_policy_rows(
    form: Form,
    table: FormTable,
    columns: Mapping[str, Any],
    path: str | Path,
    metadata: Mapping[str, Any] | None,
    storage: str = "float64",
) -> None:
    """Write the table of a form, with columns of numbers or lists.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_path("path", path)
    if str(path).lower().endswith(OTHER_ENDINGS):
        raise ParameterError(
            f"{path} is the name of a CSV file or of a network, but this function writes Parquet; "
            "give a path that ends in .parquet, or call save_policy_csv for a CSV file"
        )
    about: dict[str, Any] = {**(metadata or {}), "game": form.name, "fingerprint": form.fingerprint}
    if table.about or storage != "float64":
        about |= {"storage": storage, **table.about}
    labels = row_labels(table)
    names = [name for name in (table.place, "action") if name in labels]
    for name in names:
        labels[name] = labels[name].dictionary_encode()
    # A hand has nearly as many different numbers as rows.
    dictionary = names if len(table.columns) > 1 else True
    write_table(pa.table({**labels, **columns}), about, Path(path), dictionary)


def row_labels(table: FormTable) -> dict[str, Any]:
    """Return the columns that identify the rows of a policy: player, infostate or line, action.

    There are none if the form has too many rows to list.
    """
    import pyarrow as pa

    if not table.is_listed:
        return {}
    return {
        "player": pa.array(table.players, pa.int32()),
        table.place: pa.array(table.places, pa.string()),
        "action": pa.array([*map(label_text, table.actions)], pa.string()),
    }


def rounded_policy(policy: TabularPolicy[FormT], storage: str) -> TabularPolicy[FormT]:
    """Return a policy as `load_policy` would read it from a file with a storage.

    Whole numbers are rounded by largest remainders, so that those of a decision sum to 65,535 or
    255; float32 numbers are normalized.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("kuhn_poker"))
    >>> rounded_policy(uniform_policy(form), "uint8")["K", "pass / bet"]["bet"] * 255
    127.0
    """
    check_policy(policy)
    check_choice("storage", storage, STORAGES)
    if storage == "float64":
        return policy
    form = policy.form
    if storage not in WHOLE:
        singles = [values.astype(storage).astype(np.float64) for values in policy.probabilities]
        return TabularPolicy.from_weights(form, singles)
    pairs = zip(form.treeplexes, policy.probabilities, strict=True)
    whole = WHOLE[storage]
    return TabularPolicy(form, tuple(_whole_numbers(*own, whole) / whole for own in pairs))


def _whole_numbers(plex: Treeplex, probabilities: FloatArray, whole: int) -> FloatArray:
    """Scale each infostate's probabilities [Q] to integers that sum to exactly `whole`."""
    exact = probabilities[1:] * whole
    numbers = np.floor(exact)
    if not len(exact):
        return np.array([float(whole)])
    first = plex.first_sequence - 1
    infostate = np.repeat(np.arange(len(first)), plex.num_actions)
    missing = whole - np.add.reduceat(numbers, first)
    # The actions of each infostate by remainder, the largest first; one more for those in front.
    order = np.lexsort((numbers - exact, infostate))
    # Each infostate keeps its block in the order, so `place` and `infostate` hold for both.
    place = np.arange(len(exact)) - first[infostate]
    numbers[order] += place < missing[infostate]
    return np.concatenate([[float(whole)], numbers])


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
    if form_in_file(path) == "public":
        column = f"{HAND}0"
    else:
        column = PROBABILITIES if is_correlated_file(path) else PROBABILITY
    return dict(read_table(Path(path), column).metadata)


def is_correlated_file(path: str | Path) -> bool:
    """Return whether a file is the table of a correlated policy; False if it cannot be read."""
    return PROBABILITIES in column_names(path)


def load_policy(path: str | Path, form: AnyForm) -> TabularPolicy[AnyForm]:
    """Read a policy that `save_policy` wrote for the same form.

    A file that stores float64 numbers returns the policy that was saved, bit for bit.

    Raises
    ------
    ParameterError
        If `form` is not a form, or `path` is not a path.
    PolicyFileError
        If the file is missing, damaged, or not a policy on such a form.
    PolicyMismatchError
        If the file was written for another game or other parameters.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> save_policy(uniform_policy(form), "leduc.parquet")
    >>> load_policy("leduc.parquet", form)["Ks", "raise"]["fold"]
    0.3333333333333333
    """
    check_form(form)
    table = form.table()
    found = read_policy_rows(path, table.columns[0], form, table)
    try:
        return _policy_of(found, form, table)
    except InfosetError as error:
        raise PolicyFileError(f"{path} does not contain a policy: {error}") from error


def read_policy_rows(path: str | Path, column: str, form: Form, table: FormTable) -> PolicyTable:
    """Return the table that `write_policy_rows` wrote for a form.

    Raises
    ------
    ParameterError, PolicyFileError, PolicyMismatchError
        As `load_policy`.
    """
    check_path("path", path)
    found = read_table(Path(path), column)
    found.check_game(
        form.name, form.fingerprint, f"for another form called {form.name}: {table.other_game}"
    )
    found.check_rows(row_labels(table), sum(map(len, table.sequences)))
    hands = table.about.get("hands")
    if hands is not None and [*map(list, found.fields["hands"])] != hands:
        raise PolicyFileError(
            f"the columns of {path} are for the hands {show(found.fields['hands'])}, but "
            f"{form.name} has {show(hands)}: save the policy again"
        )
    return found


def _policy_of(found: PolicyTable, form: AnyForm, table: FormTable) -> TabularPolicy[AnyForm]:
    """Return the policy in a table whose rows are those of a form."""
    storage, policies, begin = found.fields.get("storage", "float64"), [], 0
    for player, (plex, sequences) in enumerate(zip(form.treeplexes, table.sequences, strict=True)):
        own = found.table.slice(begin, len(sequences))
        begin += len(own)
        columns = [own.column(name) for name in table.columns]
        width = sequences.shape[1]
        for place, column in enumerate(columns):
            if column.null_count != (0 if place < width else len(own)):
                raise PolicyFileError(
                    f"the rows of player {player}, who has {width} hands, have "
                    f"{column.null_count} gaps in the column {table.columns[place]}"
                )
        values = np.ones(plex.num_sequences)
        # Equivalent hands share a sequence: it has the numbers of the last one written.
        for again in (False, True):
            for some in _parts(sequences):
                parts = [column[some].to_numpy() for column in columns[:width]]
                rows = np.stack(parts, axis=1).astype(np.float64) / WHOLE.get(storage, 1)
                if not again:
                    values[sequences[some]] = rows
                elif not np.array_equal(values[sequences[some]], rows, equal_nan=True):
                    raise PolicyFileError(
                        f"equivalent hands of player {player} have different probabilities"
                    )
        policies.append(values)
    if storage == "float32":
        return TabularPolicy.from_weights(form, policies)
    return TabularPolicy(form, tuple(policies))
