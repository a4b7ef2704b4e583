"""Values and ranges by hand in forms that merge hands: means over classes, and checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from infoset.errors import ParameterError
from infoset.forms.hand_symmetry import HandSymmetry
from infoset.forms.public_form import PublicForm
from infoset.typing import FloatArray, IntArray, LongArray, Player

TOLERANCE = 1e-9
"""Largest difference between ranges of hands that a form merges, as a fraction of the largest."""


def class_means(
    form: PublicForm, player: Player, nodes: LongArray | IntArray, values: FloatArray
) -> FloatArray:
    """Return values by node and hand, averaged over the hands that are equivalent at each node.

    A form with symmetry contains only one of several equivalent outcomes of chance. Hands that are
    equivalent before this outcome can therefore have different values in the form. In the game, the
    value of each of them is the mean.

    Parameters
    ----------
    nodes
        [k] public nodes.
    values
        [k, hands] values of a player, given its hand.
    """
    if form.symmetry is None:
        return values
    found, rows = values.copy(), form.class_map[nodes]
    for row in np.unique(rows).tolist():
        classes = form.hand_classes[player][row]
        order = np.argsort(classes, kind="stable")
        sizes = np.bincount(classes)
        if len(sizes) == len(classes):
            continue
        here = np.flatnonzero(rows == row)
        sums = np.add.reduceat(values[here][:, order], np.cumsum(sizes) - sizes, axis=1)
        found[here] = (sums / sizes)[:, classes]
    return found


def check_symmetric_range(form: PublicForm, node: int, player: Player, reach: FloatArray) -> None:
    """Check that a range [hands] is the same for hands that the form merges at a node.

    Raises
    ------
    ParameterError
        If it differs.
    """
    mean = class_means(form, player, np.array([node]), reach[None])[0]
    wrong = np.flatnonzero(np.abs(mean - reach) > TOLERANCE * reach.max(initial=0.0))
    if len(wrong):
        raise ParameterError(
            f"the range of player {player} distinguishes {form.hands[player][wrong[0]]!s} from "
            f"hands that {form.name} merges at {form.label(node)!r}: build the form by "
            "build_public_form(game, merge_symmetric=False)"
        )


def symmetry_of_part(form: PublicForm, place: IntArray, class_map: IntArray) -> HandSymmetry | None:
    """Return the symmetry of a form that has some of the nodes of another.

    Parameters
    ----------
    form
        The other form.
    place
        [V] the number of each of its nodes in the part; -1 if it is not in the part.
    class_map
        [V'] row of `hand_classes` at each node of the part.
    """
    known = form.symmetry
    if known is None:
        return None
    images = {
        (int(place[node]), seen): image
        for (node, seen), image in known.images.items()
        if place[node] >= 0
    }
    return replace(known, class_map=class_map.astype(np.int32), images=images)
