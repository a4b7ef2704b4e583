"""Whether labels, or a function that gives them, make an information map."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form import Prefix, ProductForm, check_form
from infoset.tree.forms.extensive_form import number_by_appearance
from infoset.typing import IntArray

__all__ = ["asked", "check_labels"]


def check_labels(form: ProductForm, label: IntArray, name: str) -> None:
    """Raise unless labels, one for each node, are those of an information map.

    Raises
    ------
    ParameterError
        If labels are skipped or out of order, or nodes of one label differ in stage, agent or
        actions; two prefixes show where.
    """
    check_form(form)
    is_integers = isinstance(label, np.ndarray) and np.issubdtype(label.dtype, np.integer)
    if not is_integers or label.shape != (form.num_nodes,):
        raise ParameterError(
            f"labels of the information map {name!r} must be an array of {form.num_nodes} whole "
            f"numbers, one for each node of {form}; InformationMap.from_values takes any values"
        )
    _check_numbering(label, name)
    _check_equal(form, label, form.stage, name, "the stage")
    _check_equal(form, label, form.arrays.agent, name, "who acts")
    _check_equal(form, label, form.action_set, name, "what may be done")


def asked(
    function: Callable[[Prefix], Hashable], form: ProductForm, node: int, name: str
) -> Hashable:
    """Return what a function on prefixes says of a node.

    Raises
    ------
    ParameterError
        If it asks for what comes later, or its value cannot be compared with others.
    """
    try:
        value = function(form.prefix(node))
        hash(value)
    except IndexError as error:
        raise ParameterError(
            f"the information map {name!r} depends on the future: of the prefix "
            f"{form.prefix_text(node)!r}, at stage {form.stage[node] + 1}, it asks for something "
            "that is not there yet; use only the outcome and the actions that a prefix has"
        ) from error
    except TypeError as error:
        raise ParameterError(
            f"the information map {name!r} gives no value that can be compared for the prefix "
            f"{form.prefix_text(node)!r} ({error}); give text, numbers, or tuples of them"
        ) from error
    return value


def _check_numbering(label: IntArray, name: str) -> None:
    if (number_by_appearance(label) == label).all():
        return
    missing = np.setdiff1d(np.arange(label.max() + 1), label)
    found = f"label {missing[0]} is at no node" if len(missing) else "they are in another order"
    raise ParameterError(
        f"labels of the information map {name!r} are numbers from 0 in the order of the nodes that "
        f"have them first; {found}. InformationMap.from_values numbers any values"
    )


def _check_equal(form: ProductForm, label: IntArray, value: IntArray, name: str, what: str) -> None:
    first = np.unique(label, return_index=True)[1][label]
    wrong = np.flatnonzero(value != value[first])
    if len(wrong):
        texts = [form.prefix_text(int(node)) for node in (first[wrong[0]], wrong[0])]
        raise ParameterError(
            f"the information map {name!r} has one label for {texts[0]!r} and {texts[1]!r}, but "
            f"{what} is not the same there; an agent always knows when it acts, who it is, and "
            "what it may do"
        )
