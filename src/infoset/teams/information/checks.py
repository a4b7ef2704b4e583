"""Whether cells, or a function that gives them, make an information map."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form import Prefix, ProductForm, check_form
from infoset.typing import IntArray, LongArray

__all__ = ["asked", "check_cells"]


def check_cells(form: ProductForm, cell: IntArray, name: str) -> None:
    """Raise unless cells, one for each node, are those of an information map.

    Raises
    ------
    ParameterError
        If cells are skipped or out of order, or nodes of one cell differ in stage, agent or
        actions; two prefixes show where.
    """
    check_form(form)
    is_integers = isinstance(cell, np.ndarray) and np.issubdtype(cell.dtype, np.integer)
    if not is_integers or cell.shape != (form.num_nodes,):
        raise ParameterError(
            f"cells of the information map {name!r} must be an array of {form.num_nodes} whole "
            f"numbers, one for each node of {form}; InformationMap.from_values takes any values"
        )
    numbers, first = np.unique(cell, return_index=True)
    _check_numbering(numbers, first, name)
    for value, what in (
        (form.stage, "the stage"),
        (form.arrays.agent, "who acts"),
        (form.action_set, "what may be done"),
    ):
        _check_equal(form, first[cell], value, name, what)


def asked(
    function: Callable[[Prefix], Hashable], form: ProductForm, node: int, name: str
) -> Hashable:
    """Return what a function on prefixes says of a node.

    Raises
    ------
    ParameterError
        If it asks for what comes later, or its value cannot be compared with others.
    """
    prefix = form.prefix(node)
    try:
        value = function(prefix)
    except IndexError as error:
        raise ParameterError(
            f"the information map {name!r} depends on the future: of the prefix "
            f"{form.prefix_text(node)!r}, at stage {form.stage[node] + 1}, it asks for something "
            "that is not there yet; use only the outcome and the actions that a prefix has"
        ) from error
    try:
        hash(value)
    except TypeError as error:
        raise ParameterError(
            f"the information map {name!r} gives no value that can be compared for the prefix "
            f"{form.prefix_text(node)!r} ({error}); give text, numbers, or tuples of them"
        ) from error
    return value


def _check_numbering(numbers: IntArray, first: LongArray, name: str) -> None:
    if np.array_equal(numbers, np.arange(len(numbers))) and (np.diff(first) > 0).all():
        return
    missing = np.setdiff1d(np.arange(numbers[-1] + 1), numbers)
    found = f"cell {missing[0]} is at no node" if len(missing) else "they are in another order"
    raise ParameterError(
        f"cells of the information map {name!r} are numbers from 0 in the order of the nodes that "
        f"have them first; {found}. InformationMap.from_values numbers any values"
    )


def _check_equal(
    form: ProductForm, first: LongArray, value: IntArray, name: str, what: str
) -> None:
    """Raise unless a value [N] of each node is that of the `first` [N] of its cell."""
    wrong = np.flatnonzero(value != value[first])
    if len(wrong):
        texts = [form.prefix_text(int(node)) for node in (first[wrong[0]], wrong[0])]
        raise ParameterError(
            f"the information map {name!r} has one cell for {texts[0]!r} and {texts[1]!r}, but "
            f"{what} is not the same there; an agent always knows when it acts, who it is, and "
            "what it may do: let the values there differ, such as by prefix.actions"
        )
