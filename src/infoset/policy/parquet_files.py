"""Policy files: Parquet tables with one row per decision and action, and JSON metadata.

A form says which rows and columns its table has (`Form.table`): one row per infostate and action,
or, of a public form, one row per public action and one column per hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from infoset.errors import InfosetError, ParameterError, PolicyFileError, show
from infoset.forms import AnyForm, Form, FormT, FormTable, check_form
from infoset.game.infostate import label_text
from infoset.policy.policy_tables import (
    MORE_FIELDS,
    PROBABILITIES,
    PROBABILITY,
    STORAGES,
    PolicyTable,
    column_names,
    read_table,
    write_table,
)
from infoset.policy.table_digests import Rows, column_blocks
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_choice, check_path

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE: Final = {"uint16": 65_535, "uint8": 255}
"""The number that stands for a probability of 1."""

ROW_GROUP_BYTES: Final = 1 << 24
"""Bytes of the numbers in a row group, before they are compressed.

Each column of a row group takes 150 bytes in the file beside its numbers, and 1,600 bytes of memory
until the file is complete. With 1,100 hands, that is 1% and 10% of 16 MB."""

PROBABILITIES_PER_BLOCK: Final = 1 << 17
"""About how many probabilities are computed together, with 100 temporary bytes for each."""

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
    rows = _PolicyRows(policy, table, storage, row_labels(table))
    write_policy_rows(form, table, rows, path, metadata, storage)


@dataclass(frozen=True, eq=False)
class _PolicyRows:
    """The table of a policy; blocks of its rows or columns are computed on demand."""

    policy: TabularPolicy
    table: FormTable
    storage: str
    labels: Mapping[str, Any]

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self.slice(0, 0).schema

    def __len__(self) -> int:
        return sum(map(len, self.table.sequences))

    def select(self, columns: list[int], /) -> pa.Table:
        """Return all rows of some consecutive columns."""
        begin, end = columns[0], columns[-1] + 1
        labels = dict([*self.labels.items()][begin:end])
        first, last = (max(0, place - len(self.labels)) for place in (begin, end))
        return self._block(labels, range(len(self)), range(first, last))

    def slice(self, offset: int, length: int, /) -> pa.Table:
        """Return all columns of some rows."""
        labels = encoded({name: own[offset : offset + length] for name, own in self.labels.items()})
        hands = range(len(self.table.columns))
        return self._block(labels, range(offset, offset + length), hands)

    def _block(self, labels: Mapping[str, Any], rows: range, hands: range) -> pa.Table:
        import pyarrow as pa

        block, parts, first = dict(labels), [], 0
        for player, sequences in enumerate(self.table.sequences):
            num_rows, num_hands = sequences.shape
            own_rows = range(num_rows)[max(0, rows.start - first) : max(0, rows.stop - first)]
            own_hands = range(num_hands)[hands.start : hands.stop]
            parts.append(self._numbers(player, own_rows, own_hands))
            first += num_rows
        kind: Any = pa.from_numpy_dtype(np.dtype(self.storage))
        for place, hand in enumerate(hands):
            column = [
                pa.array(own[place]) if place < len(own) else pa.nulls(own.shape[1], kind)
                for own in parts
            ]
            block[self.table.columns[hand]] = pa.chunked_array(column, kind)
        return pa.table(block)

    def _numbers(self, player: Player, rows: range, hands: range) -> NDArray[Any]:
        """Return [hands, rows] the numbers in some of a player's rows."""
        found = np.empty((len(hands), len(rows)), self.storage)
        counts, row = self.table.num_actions[player], rows.start
        ends, size = np.cumsum(counts), max(1, PROBABILITIES_PER_BLOCK // max(1, len(hands)))
        while row < rows.stop:
            # All rows of a decision are computed, even if the block has only some of them.
            first = int(np.searchsorted(ends, row, side="right"))
            last = int(np.searchsorted(ends, min(row + size, rows.stop)))
            begin = int(ends[first] - counts[first])
            part = self._decisions(player, begin, counts[first : last + 1], hands)
            part = part[row - begin : rows.stop - begin]
            found[:, row - rows.start :][:, : len(part)] = part.T
            row += len(part)
        return found

    def _decisions(
        self, player: Player, begin: int, counts: IntArray, hands: range
    ) -> NDArray[Any]:
        """Return [rows, hands] the numbers of consecutive decisions with given numbers of actions.

        begin : the first row of the first decision.
        """
        first, whole = np.cumsum(counts) - counts, WHOLE.get(self.storage)
        numbers = np.empty((int(counts.sum()), len(hands)), self.storage)
        columns = slice(hands.start, hands.stop)
        for count in np.unique(counts).tolist():
            # [actions, decisions]
            rows = first[counts == count] + np.arange(count)[:, None]
            sequences = self.table.sequences[player][begin + rows, columns]
            own = self.policy.at_sequences(player, sequences)
            numbers[rows] = own if whole is None else _whole_numbers(own, whole)
        return numbers


def write_policy_rows(
    form: Form,
    table: FormTable,
    rows: Rows,
    path: str | Path,
    metadata: Mapping[str, Any] | None,
    storage: str = "float64",
) -> None:
    """Write the table of a form, with columns of numbers or lists after those of `row_labels`.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    check_path("path", path)
    if str(path).lower().endswith(OTHER_ENDINGS):
        raise ParameterError(
            f"{path} is the name of a CSV file or of a network, but this function writes Parquet; "
            "give a path that ends in .parquet, or call save_policy_csv for a CSV file"
        )
    about: dict[str, Any] = {**(metadata or {}), "game": form.name, "fingerprint": form.fingerprint}
    if table.about or storage != "float64":
        about |= {"storage": storage, **table.about}
    # A hand has nearly as many different numbers as rows.
    dictionary = [table.place, "action"] if len(table.columns) > 1 else True
    bytes_of_row = len(table.columns) * np.dtype(storage).itemsize
    write_table(rows, about, Path(path), dictionary, max(1, ROW_GROUP_BYTES // bytes_of_row))


def row_labels(table: FormTable) -> dict[str, Any]:
    """Return the columns that identify the rows of a policy: player, infostate or line, action.

    There are none if the form has too many rows to list.
    """
    import pyarrow as pa

    if not table.is_listed:
        return {}
    sizes = [*map(len, table.sequences)]
    counts = np.concatenate(table.num_actions)
    decision = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    actions = [intern(label_text(action)) for own in table.legal for action in own]
    return {
        "player": pa.array(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)),
        table.place: pa.DictionaryArray.from_arrays(decision, pa.array(table.places, pa.string())),
        "action": pa.array(actions, pa.string()).dictionary_encode(),
    }


def encoded(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return slices of columns of labels, in which dictionaries have only the texts that occur."""
    return {
        name: column if name == "player" else column.dictionary_decode().dictionary_encode()
        for name, column in labels.items()
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
    whole, rounded = WHOLE[storage], []
    for plex, probabilities in zip(form.treeplexes, policy.probabilities, strict=True):
        values = np.ones(plex.num_sequences)
        for count in np.unique(plex.num_actions).tolist():
            first = plex.first_sequence[plex.num_actions == count]
            sequences = first + np.arange(count)[:, None]
            values[sequences] = _whole_numbers(probabilities[sequences], whole) / whole
        rounded.append(values)
    return TabularPolicy(form, tuple(rounded))


def _whole_numbers(probabilities: FloatArray, whole: int) -> FloatArray:
    """Scale [A, ...] probabilities of A actions to integers that sum to exactly `whole`."""
    exact = probabilities * whole
    numbers: FloatArray = np.floor(exact)
    missing = whole - numbers.sum(axis=0)
    # Actions in decreasing order of their remainders; the first ones get one more.
    order = np.argsort(numbers - exact, axis=0, kind="stable")
    numbers += np.argsort(order, axis=0) < missing
    return numbers


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
    names = column_names(path)
    column = next((own for own in MORE_FIELDS if own in names), PROBABILITY)
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
    values = [np.ones(plex.num_sequences) for plex in form.treeplexes]
    for player, sequences, numbers in _numbers_in(found, table):
        values[player][sequences] = numbers
    size = sum(own.shape[0] * own.shape[1] for own in table.sequences)
    if size > sum(len(own) - 1 for own in values):
        # Equivalent hands share a sequence: it has the numbers of the last one written.
        for player, sequences, numbers in _numbers_in(found, table):
            if not np.array_equal(values[player][sequences], numbers, equal_nan=True):
                raise PolicyFileError(
                    f"equivalent hands of player {player} have different probabilities"
                )
    if found.fields.get("storage") == "float32":
        return TabularPolicy.from_weights(form, values)
    return TabularPolicy(form, tuple(values))


def _numbers_in(
    found: PolicyTable, table: FormTable
) -> Iterator[tuple[Player, LongArray, FloatArray]]:
    """Yield the probabilities in a file by blocks: player, [rows, hands] sequences and values."""
    whole, num_columns = WHOLE.get(found.fields.get("storage", "float64"), 1), len(table.columns)
    labels = len(found.table.schema.names) - num_columns
    first = 0
    for block in column_blocks(found.table, range(labels, labels + num_columns)):
        begin, names = 0, block.column_names
        for player, sequences in enumerate(table.sequences):
            num_rows, num_hands = sequences.shape
            hands = range(num_hands)[first : first + len(names)]
            own = block.slice(begin, num_rows).columns
            for place, column in enumerate(own):
                if column.null_count != (0 if place < len(hands) else num_rows):
                    raise PolicyFileError(
                        f"the rows of player {player}, who has {num_hands} hands, have "
                        f"{column.null_count} gaps in the column {names[place]}"
                    )
            size = max(1, PROBABILITIES_PER_BLOCK // max(1, len(hands)))
            for row in range(0, num_rows if hands else 0, size):
                rows = slice(row, row + size)
                parts = [column[rows].to_numpy() for column in own[: len(hands)]]
                numbers = np.stack(parts, axis=1).astype(np.float64) / whole
                yield player, sequences[rows, hands.start : hands.stop], numbers
            begin += num_rows
        first += len(names)
        del block, own  # before the next one is decoded
