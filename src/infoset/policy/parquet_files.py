"""Policy files: Parquet tables with one row per infostate and action, and JSON metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infoset.errors import InfosetError, PolicyFileError
from infoset.forms import SequenceForm, check_sequence_form
from infoset.game.infostate import label_text
from infoset.policy.policy_tables import (
    HAND,
    PROBABILITIES,
    PROBABILITY,
    PolicyTable,
    column_names,
    read_table,
    write_table,
)
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.typing import FloatArray
from infoset.utils.arguments import check_path

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["is_correlated_file", "is_public_file", "load_policy", "read_metadata", "save_policy"]


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
    numbers = pa.array(probability, pa.float64())
    write_policy_rows(policy.form, (PROBABILITY, numbers), path, metadata)


def write_policy_rows(
    form: SequenceForm,
    column: tuple[str, pa.Array[Any]],
    path: str | Path,
    metadata: Mapping[str, Any] | None,
) -> None:
    """Write a table with the labels and a number or list for each infostate and action of a game.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_path("path", path)
    about = {"game": form.name, "fingerprint": form.fingerprint}
    labels = row_labels(form)
    for name in ("infostate", "action"):
        labels[name] = labels[name].dictionary_encode()
    write_table(pa.table(labels | dict([column])), {**(metadata or {}), **about}, Path(path))


def row_labels(form: SequenceForm) -> dict[str, Any]:
    """Return the columns that identify the rows of a policy: player, infostate and action."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"player": [], "infostate": [], "action": []}
    for tree in form.infostate_trees:
        for infostate, text in zip(tree.acting.tolist(), tree.acting_labels, strict=True):
            legal = tree.legal_actions(infostate)
            columns["player"] += [tree.player] * len(legal)
            columns["infostate"] += [text] * len(legal)
            columns["action"] += map(label_text, legal)
    kinds = {"player": pa.int32(), "infostate": pa.string(), "action": pa.string()}
    return {name: pa.array(columns[name], kind) for name, kind in kinds.items()}


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
    return dict(read_table(Path(path), column).metadata)


def is_correlated_file(path: str | Path) -> bool:
    """Return whether a file is the table of a correlated policy; False if it cannot be read."""
    return PROBABILITIES in column_names(path)


def is_public_file(path: str | Path) -> bool:
    """Return whether a file is the table of a policy on a public form; False if not readable."""
    return f"{HAND}0" in column_names(path)


def load_policy(path: str | Path, form: SequenceForm) -> TabularPolicy:
    """Read a policy that `save_policy` wrote for the same game.

    Raises
    ------
    ParameterError
        If `form` is not a `SequenceForm`, or `path` is not a path.
    PolicyFileError
        If the file is missing, damaged, or not a policy.
    PolicyMismatchError
        If the file was written for another game or other parameters.
    """
    found = read_policy_rows(path, PROBABILITY, form)
    numbers = found.table.column(PROBABILITY).to_numpy()
    return policy_of_rows(numbers, path, form)


def read_policy_rows(path: str | Path, column: str, form: SequenceForm) -> PolicyTable:
    """Return the table that `write_policy_rows` wrote for a game.

    Raises
    ------
    ParameterError, PolicyFileError, PolicyMismatchError
        As `load_policy`.
    """
    check_sequence_form(form)
    check_path("path", path)
    found = read_table(Path(path), column)
    found.check_game(
        form.name,
        form.fingerprint,
        f"for another game called {form.name}: its rules have changed since the policy "
        "was saved, or one of the two is an exported file, whose infostates are different; use the "
        "policy with its own game, or solve this one",
    )
    found.check_rows(row_labels(form))
    return found


def policy_of_rows(
    probabilities: FloatArray, path: str | Path, form: SequenceForm
) -> TabularPolicy:
    """Build a policy from the probabilities in a file, one per row of its table.

    Raises
    ------
    PolicyFileError
        If the probabilities are not a policy.
    """
    ends = np.cumsum([plex.num_sequences - 1 for plex in form.treeplexes])
    parts = np.split(probabilities, ends[:-1])
    try:
        return TabularPolicy(form, tuple(np.concatenate([[1.0], part]) for part in parts))
    except InfosetError as error:
        raise PolicyFileError(f"{path} does not contain a policy: {error}") from error
