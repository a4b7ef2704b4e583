"""Checks that an array of cells, one per node of a product form, is an information map."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form.arrays import ProductArrays
from infoset.typing import IntArray, LongArray

NodeText: TypeAlias = Callable[[int], str]
"""A function that describes a node of a form in words, for messages."""


def check_cells(
    cell: IntArray, name: str, arrays: ProductArrays, action_set: IntArray, describe: NodeText
) -> None:
    """Raise unless an array of cells, one per node, is an information map.

    Parameters
    ----------
    cell
        [N] the cell of each node.
    name
        Name of the information map.
    arrays
        The N nodes.
    action_set
        [N] the list of legal actions at each node, as a number.

    Raises
    ------
    ParameterError
        If numbers of cells are skipped or out of order, or if the nodes of one cell differ in
        stage, agent or actions.
    """
    is_integers = isinstance(cell, np.ndarray) and np.issubdtype(cell.dtype, np.integer)
    if not is_integers or cell.shape != arrays.agent.shape:
        raise ParameterError(
            f"cells of the information map {name!r} must be an array of {len(arrays.agent)} "
            "integers, one for each node; to use other values, call InformationMap.from_values"
        )
    numbers, first = np.unique(cell, return_index=True)
    if not np.array_equal(numbers, np.arange(len(numbers))) or (np.diff(first) <= 0).any():
        missing = np.setdiff1d(np.arange(numbers[-1] + 1), numbers)
        found = f"cell {missing[0]} has no node" if len(missing) else "they are in another order"
        raise ParameterError(
            f"cells of the information map {name!r} must be numbered from 0 in order of their "
            f"first nodes, but {found}; use InformationMap.from_values, which numbers any values"
        )
    for value, what in (
        (arrays.stage, "the stage"),
        (arrays.agent, "the acting agent"),
        (action_set, "the set of legal actions"),
    ):
        _check_equal(first[cell], value, name, what, describe)


def _check_equal(
    first: LongArray, value: IntArray, name: str, what: str, describe: NodeText
) -> None:
    """Raise unless `value` [N] is constant within each cell; `first` [N] is its first node."""
    wrong = np.flatnonzero(value != value[first])
    if len(wrong):
        texts = [describe(int(node)) for node in (first[wrong[0]], wrong[0])]
        raise ParameterError(
            f"the information map {name!r} has one cell for {texts[0]!r} and {texts[1]!r}, but "
            f"{what} differs between them; an agent always knows the stage, who it is, and its "
            "legal actions: give these prefixes different values, for example by including "
            "prefix.actions"
        )
