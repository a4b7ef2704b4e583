"""Information maps that tell a team more than the game does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.teams.information.information_map import InformationMap
from infoset.teams.information.recall import last_own_edges
from infoset.tree.forms.extensive_form import number_by_appearance
from infoset.typing import LongArray

__all__ = ["perfect_recall_closure", "reveal_everything", "reveal_private"]


def perfect_recall_closure(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the coarsest map that refines one given and has a team remember all as one.

    Whoever acts of the team knows, besides what the map tells, all that the team knew and did
    before. Of others nothing changes.
    """
    form = information.form
    is_own = np.isin(form.arrays.agent, team)
    last = last_own_edges(form, is_own)
    label = np.zeros(form.num_nodes, np.int64)
    first_edge = form.arrays.first_edge
    widest = int(form.num_actions.max())
    num_labels = 0
    for start, end in zip(form.arrays.first_node[:-1], form.arrays.first_node[1:], strict=True):
        edge = np.where(is_own[start:end], last[start:end], -1)
        node = form.node_of_edge[edge]
        record = np.where(edge < 0, 0, 1 + label[node] * widest + edge - first_edge[node])
        codes = record * information.num_labels + information.label[start:end]
        label[start:end] = num_labels + number_by_appearance(codes)
        num_labels = int(label[start:end].max()) + 1
    return InformationMap(form, label.astype(np.int32), f"recall of {information.name}")


def reveal_private(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map by which each of a team also knows what was shown to any other of it alone."""
    form = information.form
    assert form.shown is not None
    label = information.label.astype(np.int64)
    for agent in team:
        codes = label * (int(form.shown.max()) + 1) + form.shown[:, agent]
        label = number_by_appearance(codes).astype(np.int64)
    return _of_team(information, label, team, f"{information.name}, private revealed")


def reveal_everything(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map by which each of a team knows the whole prefix."""
    nodes = np.arange(information.form.num_nodes)
    return _of_team(information, nodes, team, "everything")


def _of_team(
    information: InformationMap, label: LongArray, team: Sequence[int], name: str
) -> InformationMap:
    """Return the map with other labels [N] where one of the team acts."""
    form = information.form
    is_own = np.isin(form.arrays.agent, team)
    codes = np.where(is_own, label + information.num_labels, information.label)
    return InformationMap(form, number_by_appearance(codes), name)
