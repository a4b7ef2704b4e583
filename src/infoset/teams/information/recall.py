"""What a team knew and did before."""

from __future__ import annotations

from infoset.teams.product_form import ProductForm
from infoset.teams.product_form._kernels import inherit_last
from infoset.typing import BoolArray, LongArray

__all__ = ["last_own_edges"]


def last_own_edges(form: ProductForm, is_own: BoolArray) -> LongArray:
    """Return [N] the last edge before each node at which `is_own` [N]; -1 for none."""
    return inherit_last(form.node_of_edge, form.arrays.parent_edge, is_own)
