"""What agents know, as a value: labels of the nodes of a product form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form import ProductForm
from infoset.tree.forms.extensive_form import number_by_appearance
from infoset.tree.forms.knowledge import merge_intersecting
from infoset.typing import IntArray, LongArray

__all__ = ["InformationMap"]


@dataclass(frozen=True, eq=False)
class InformationMap:
    """What whoever acts knows at each node: prefixes of one label are the same to it.

    Attributes
    ----------
    form : ProductForm
    label : IntArray
        [N] label of each node, from 0 to M - 1 by first appearance; so labels are in the order of
        stages.
    name : str
    """

    form: ProductForm
    label: IntArray
    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def num_labels(self) -> int:
        """Number M of labels."""
        return len(self.first_node)

    @cached_property
    def first_node(self) -> LongArray:
        """[M] the first node of each label."""
        return np.unique(self.label, return_index=True)[1]

    @cached_property
    def agent(self) -> IntArray:
        """[M] who acts."""
        return self.form.arrays.agent[self.first_node]

    @cached_property
    def stage(self) -> IntArray:
        """[M] the stage, from 0."""
        return self.form.stage[self.first_node]

    @cached_property
    def num_actions(self) -> LongArray:
        """[M] number of actions."""
        return self.form.num_actions[self.first_node]

    @cached_property
    def first_slot(self) -> LongArray:
        """[M + 1] where the actions of each label begin in a flat array of probabilities."""
        return np.concatenate([[0], np.cumsum(self.num_actions)])

    @property
    def num_slots(self) -> int:
        """Number of actions of all labels together."""
        return int(self.first_slot[-1])

    def refines(self, other: InformationMap) -> bool:
        """Return whether who knows this label always knows that of `other`, too."""
        return self._first_unequal(other) is None

    def coarsened_to(self, other: InformationMap) -> IntArray:
        """Return [M] the label of `other` that each label lies in.

        Raises
        ------
        ParameterError
            If this map does not refine `other`; two prefixes show it.
        """
        pair = self._first_unequal(other)
        if pair is not None:
            first, second = map(self.form.prefix_text, pair)
            raise ParameterError(
                f"the information map {self.name!r} does not refine {other.name!r}: it has one "
                f"label for {first!r} and {second!r}, which {other.name!r} tells apart; a map that "
                f"relaxes another tells apart all that it does: join the two (map.join(other))"
            )
        return other.label[self.first_node]

    def join(self, other: InformationMap) -> InformationMap:
        """Return the coarsest map that refines both: who acts knows what either tells."""
        codes = self.label.astype(np.int64) * other.num_labels + other.label
        return self._made(number_by_appearance(codes), f"{self.name} and {other.name}")

    def meet(self, other: InformationMap) -> InformationMap:
        """Return the finest map that both refine: who acts knows what follows from each."""
        merged = merge_intersecting(np.stack([self.label, other.label], axis=1))
        return self._made(merged, f"common to {self.name} and {other.name}")

    def _made(self, label: IntArray, name: str) -> InformationMap:
        return InformationMap(self.form, label, name)

    def _first_unequal(self, other: InformationMap) -> tuple[int, int] | None:
        """Return two nodes of one label here and different ones in `other`."""
        first = self.first_node[self.label]
        wrong = np.flatnonzero(other.label != other.label[first])
        return (int(first[wrong[0]]), int(wrong[0])) if len(wrong) else None
