"""How many infostates of the game each infostate of a public form stands for."""

from __future__ import annotations

import numpy as np

from infoset.forms.public_structure import PublicStructure
from infoset.typing import LongArray, Player

__all__ = ["num_lines", "public_multiplicity"]


def public_multiplicity(form: PublicStructure, player: Player) -> LongArray:
    """Return [I] the number of infostates of the game that each acting infostate stands for.

    It is 0 if the hand cannot be held at the public node: chance has removed it, or all hands of
    the opponent that it can meet. It is more than 1 if `symmetry` merges hands or lines.
    """
    if form.tree_infostates is not None:
        listed: LongArray = (form.tree_infostates[player] >= 0).astype(np.int64)
        return listed
    node, hand = form.infostates[player]
    classes = form.hand_classes[player]
    sizes = np.stack([np.bincount(row, minlength=classes.shape[1]) for row in classes])
    row = form.class_map[node]
    merged = num_lines(form)[node] * sizes[row, classes[row, hand]]
    held: LongArray = np.where(_can_hold(form, player)[form.hand_set[node], hand], merged, 0)
    return held


def _can_hold(form: PublicStructure, player: Player) -> LongArray:
    """Return [sets of hands, hands] the number of hands that the opponent may have then."""
    meets = (form.prior.matrix() > 0).astype(np.float32)  # sums of ones are exact
    own, other = form.hand_sets[player], form.hand_sets[1 - player].astype(np.float32)
    counts = other @ (meets.T if player == 0 else meets)
    return np.where(own, counts, 0).astype(np.int64)


def num_lines(form: PublicStructure) -> LongArray:
    """Return [V] the number of lines that each public node represents."""
    outcomes = np.ones(form.num_nodes, np.int64)
    if form.symmetry is not None:
        for (node, _), (seen, _) in form.symmetry.images.items():
            if (node, seen) in form.children:  # a trunk may end before it
                outcomes[form.children[node, seen]] += 1
    lines = outcomes.copy()
    for node, parent in enumerate(form.parent.tolist()[1:], start=1):
        lines[node] *= lines[parent]
    return lines
