"""Perfect recall of a team: whether what it knew and did follows from what it knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.teams.product_form import ProductForm
from infoset.teams.product_form._kernels import inherit_last
from infoset.teams.team import Team
from infoset.typing import BoolArray, IntArray, LongArray

__all__ = ["RecallViolation", "find_recall_violation", "last_own_edges"]


@dataclass(frozen=True)
class RecallViolation:
    """Two prefixes that show that a team does not have perfect recall.

    Attributes
    ----------
    rule : str
        Which of the paper's two conditions they break.
    nodes : tuple[int, int]
    found : str
        The two prefixes in words, and what the team has forgotten of how it came there.
    """

    rule: str
    nodes: tuple[int, int]
    found: str

    def __str__(self) -> str:
        return f"{self.found}. The rule: {self.rule}."


KNOWLEDGE = "a team remembers what it knew whenever it acted before (condition 2)"
ACTIONS = "a team remembers what it did whenever it acted before (condition 3)"


def last_own_edges(form: ProductForm, is_own: BoolArray) -> LongArray:
    """Return [N] the last edge before each node that begins where `is_own` [N]; -1 for none."""
    return inherit_last(form.node_of_edge, form.arrays.parent_edge, is_own)


def find_recall_violation(form: ProductForm, cell: IntArray, team: Team) -> RecallViolation | None:
    """Find two nodes of one cell to which a team came in different ways, by its own lights.

    It is enough to look at the last action of the team and what it knew then: what came before
    that is looked at there.

    Parameters
    ----------
    form : ProductForm
    cell : IntArray
        [N]
    team : Team
    """
    is_own = np.isin(form.arrays.agent, team)
    edge = last_own_edges(form, is_own)
    before = np.where(edge < 0, -1, form.node_of_edge[edge])
    knew = np.where(edge < 0, -1, cell[before])
    did = np.where(edge < 0, -1, edge - form.arrays.first_edge[before])
    first = np.unique(cell, return_index=True)[1][cell]
    for value, rule in ((knew, KNOWLEDGE), (did, ACTIONS)):
        wrong = np.flatnonzero(is_own & (value != value[first]))
        if len(wrong):
            pair = int(first[wrong[0]]), int(wrong[0])
            return RecallViolation(rule, pair, _found(form, team, pair, before[list(pair)]))
    return None


def _found(form: ProductForm, team: Team, pair: tuple[int, int], before: LongArray) -> str:
    names = " and ".join(form.agent_names[agent] for agent in team)
    first, second = map(form.prefix_text, pair)
    ways = [_way(form, node, above) for node, above in zip(pair, before.tolist(), strict=True)]
    return (
        f"{names} cannot tell {first!r} from {second!r}, but came to the first by {ways[0]} and "
        f"to the second by {ways[1]}"
    )


def _way(form: ProductForm, node: int, before: int) -> str:
    """Return the last own action in words."""
    if before < 0:
        return "no action of its own"
    agent, action = form.path(node)[len(form.path(before))]
    return f"{form.agent_names[agent]}: {action} at {form.prefix_text(before)!r}"
