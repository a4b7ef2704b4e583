"""Perfect recall of a team as one player, under an information map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.teams.product_form._product_form_kernels import inherit_last
from infoset.teams.product_form.form import (
    InformationMap,
    ProductForm,
    Team,
    check_information,
    check_team,
)
from infoset.typing import BoolArray, LongArray

CONDITION_2: Final = "a team remembers what it knew whenever it acted before (condition 2)"
CONDITION_3: Final = "a team remembers what it did whenever it acted before (condition 3)"


@dataclass(frozen=True)
class RecallViolation:
    """Two prefixes which show that a team does not have perfect recall."""

    rule: str
    """The violated condition of perfect recall (eq. 2 or 3 of the paper)."""
    nodes: tuple[int, int]
    found: str
    """The two prefixes in words, and what the team has forgotten."""

    def __str__(self) -> str:
        return f"{self.found}. The rule: {self.rule}."


def find_recall_violation(
    information: InformationMap, team: Sequence[int]
) -> RecallViolation | None:
    """Find two prefixes which show that a team, treated as one player, lacks perfect recall.

    Only the last action of the team before each prefix, and the cell at which it was taken, are
    compared. Earlier actions are compared at the prefixes in between.

    Parameters
    ----------
    team
        A team of one agent tests the recall of that agent.

    Returns
    -------
    RecallViolation or None
        None if the team has perfect recall.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> find_recall_violation(form.information, (0, 1)).rule
    'a team remembers what it knew whenever it acted before (condition 2)'
    >>> find_recall_violation(form.information, (1,)) is None
    True
    """
    check_information(information)
    form, agents = information.form, check_team(information.form, team)
    is_own = np.isin(form.arrays.agent, agents)
    edge = last_own_edges(form, is_own)
    before = np.where(edge < 0, -1, form.node_of_edge[edge])
    knew = np.where(edge < 0, -1, information.cell[before])
    did = np.where(edge < 0, -1, edge - form.arrays.first_edge[before])
    # Each node is compared with the first one of its cell; equality is transitive.
    first = information.first_node[information.cell]
    for value, rule in ((knew, CONDITION_2), (did, CONDITION_3)):
        wrong = np.flatnonzero(is_own & (value != value[first]))
        if len(wrong):
            pair = int(first[wrong[0]]), int(wrong[0])
            found = _forgotten(form, agents, pair, before[list(pair)])
            return RecallViolation(rule, pair, found)
    return None


def last_own_edges(form: ProductForm, is_own: BoolArray) -> LongArray:
    """Return [N] the last edge before each node that begins where `is_own` [N]; -1 if none."""
    return inherit_last(form.node_of_edge, form.arrays.parent_edge, is_own)


def _forgotten(form: ProductForm, team: Team, pair: tuple[int, int], before: LongArray) -> str:
    """Describe two prefixes that a team cannot distinguish, and how it reached each of them."""
    names = " and ".join(form.agent_names[agent] for agent in team)
    first, second = map(form.prefix_text, pair)
    ways = [_last_choice(form, *step) for step in zip(pair, before.tolist(), strict=True)]
    return (
        f"{names} cannot tell {first!r} from {second!r}, but reached the first {ways[0]} and "
        f"the second {ways[1]}"
    )


def _last_choice(form: ProductForm, node: int, before: int) -> str:
    """Describe how the team reached a node by its last action, taken at the node `before`."""
    if before < 0:
        return "without acting"
    # Both paths agree up to `before`; the next step is the action taken there.
    agent, action = form.path(node)[len(form.path(before))]
    return f"by {form.agent_names[agent]}: {action} at {form.prefix_text(before)!r}"
