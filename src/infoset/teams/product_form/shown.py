"""What chance, or the moves of others, have shown to each player alone."""

from __future__ import annotations

import numpy as np

from infoset.tree import GameTree, InfostateTree
from infoset.typing import IntArray

__all__ = ["shown_alone"]


def shown_alone(tree: GameTree) -> IntArray:
    """Return [H, P] a number for what each player has been shown alone, and when."""
    columns = [_private_record(own)[tree.infostate[:, own.player]] for own in tree.infostate_trees]
    return np.stack(columns, axis=1)


def _private_record(own: InfostateTree) -> IntArray:
    """Return [S] a number for the private observations on the way to each infostate."""
    numbers: dict[tuple[int, int], int] = {}
    record = [0]
    steps = zip(own.parent[1:].tolist(), own.private_observation[1:].tolist(), strict=True)
    for parent, seen in steps:
        record.append(numbers.setdefault((record[parent], seen), len(numbers) + 1))
    return np.array(record, np.int32)
