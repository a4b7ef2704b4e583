"""Correlated policies in Parquet files, one row per infostate and action, with JSON metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import InfosetError, PolicyFileError
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.policy.parquet_files import policy_of_rows, read_table, write_table
from infoset.tree import SequenceForm
from infoset.utils.arguments import check_type

__all__ = ["load_correlated_policy", "save_correlated_policy"]

COLUMN = "probabilities"


def save_correlated_policy(
    policy: CorrelatedPolicy, path: str | Path, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a correlated policy to a Parquet file; an existing file is replaced in one step.

    The file is as that of `infoset.policy.save_policy`, with a column `probabilities` in place of
    `probability`: a list of numbers, one for each of the policies. Its metadata has their `weights`
    besides.

    Parameters
    ----------
    policy : CorrelatedPolicy
    path : str or Path
    metadata : Mapping[str, Any], optional
        JSON values to keep with it.

    Raises
    ------
    ParameterError
        If it is no correlated policy.
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_type("policy", policy, CorrelatedPolicy, "a CorrelatedPolicy; save_policy is for others")
    rows = np.stack(
        [np.concatenate([own[1:] for own in each.probabilities]) for each in policy.policies],
        axis=1,
    )
    lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel(), pa.float64()), rows.shape[1])
    about = {**(metadata or {}), "weights": list(policy.weights)}
    write_table(policy.policies[0], (COLUMN, lists), path, about)


def load_correlated_policy(path: str | Path, sequence_form: SequenceForm) -> CorrelatedPolicy:
    """Read a correlated policy that `save_correlated_policy` wrote for this game.

    Raises
    ------
    ParameterError
        If what is given is no sequence form.
    PolicyFileError
        If the file is missing, damaged, or no correlated policy.
    PolicyMismatchError
        If it was written for another game, or other parameters.
    """
    table, about = read_table(path, COLUMN, sequence_form)
    weights = tuple(about.get("weights", ()))
    numbers = np.array(table.column(COLUMN).to_pylist(), np.float64).ravel()
    if not weights or len(numbers) != len(table) * len(weights):
        raise PolicyFileError(
            f"{path} has {len(numbers)} probabilities in {len(table)} rows, and weights for "
            f"{len(weights)} policies: it is damaged"
        )
    policies = tuple(
        policy_of_rows(column.copy(), path, sequence_form)
        for column in numbers.reshape(-1, len(weights)).T
    )
    try:
        return CorrelatedPolicy(policies, weights)
    except InfosetError as error:
        raise PolicyFileError(f"{path} does not hold a correlated policy: {error}") from error
