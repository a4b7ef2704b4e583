"""Encodings of a player's infostates, by shapes: none of the infostates is listed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.deep._encoded_shape_kernels import Nodes, encode_batch
from infoset.deep.device_games import StepEncoder
from infoset.forms import InfostateShapes
from infoset.typing import LongArray


class EncodedBatch(NamedTuple):
    """Acting infostates of a player, in the first `num_filled` of R rows."""

    features: NDArray[np.float32]
    """[R, F] their encodings."""
    action_set: LongArray
    """[R] the number of their legal actions in `action_sets` of the shapes."""
    first_sequence: LongArray
    """[R] the sequence of their first action."""
    num_filled: int


@dataclass(frozen=True, eq=False)
class EncodedShapes:
    """The infostate trees of a player, in which each step sets entries of an encoding.

    A node is a shape with the memory of the encoder. In the games of the library, there are hardly
    more nodes than shapes.
    """

    nodes: Nodes
    num_features: int
    player: int
    num_infostates: int

    @classmethod
    def of(cls, shapes: InfostateShapes, encoder: StepEncoder, num_features: int) -> EncodedShapes:
        """Return the nodes that are reached from the root."""
        numbers: dict[tuple[int, Hashable], int] = {(shapes.root, encoder.start): 0}
        nodes = [(shapes.root, encoder.start)]
        child: list[int] = []
        before: list[int] = []
        places: list[int] = []
        first_place, first_child = [0], [0]
        for shape, memory in nodes:  # the list grows
            for step, below, sequences in shapes.children(shape):
                after, found = encoder.advance(memory, step)
                number = numbers.setdefault((below, after), len(nodes))
                if number == len(nodes):
                    nodes.append((below, after))
                child.append(number)
                before.append(sequences)
                places += found
                first_place.append(len(places))
            first_child.append(len(child))
        sets = [int(shapes.items[shapes.first[shape]]) for shape, _ in nodes]
        arrays = [
            np.array(found, np.int64)
            for found in (sets, first_child, child, before, first_place, places)
        ]
        return cls(Nodes(*arrays), num_features, shapes.player, shapes.num_infostates)

    @property
    def action_sets(self) -> list[int]:
        """The sets of legal actions that occur."""
        sets = self.nodes.action_set
        found: list[int] = np.unique(sets[sets >= 0]).tolist()
        return found

    def batches(self, size: int) -> Iterator[EncodedBatch]:
        """Yield the acting infostates in the order of their numbers, in batches of `size` rows.

        The arrays are used again for the next batch.
        """
        row, ones = np.zeros(self.num_features, np.float32), np.zeros(self.num_features, np.int64)
        row[self.player], ones[0] = 1.0, self.player
        stack, progress = np.array([0, 1, 1, -1]), np.array([1, 1])
        features = np.zeros((size, self.num_features), np.float32)
        # Rows after the last infostate have a set of actions, too, so that no policy is empty.
        sets = np.full(size, self.nodes.action_set.max())
        first = np.zeros(size, np.int64)
        while progress[0]:
            stack, filled = encode_batch(
                self.nodes, stack, progress, ones, row, features, sets, first
            )
            if filled:
                yield EncodedBatch(features, sets, first, filled)
