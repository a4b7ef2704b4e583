"""Information maps that tell a team more than the game does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.information.information_map import InformationMap, check_information
from infoset.teams.information.recall import last_own_edges
from infoset.teams.team import check_team
from infoset.typing import BoolArray, LongArray
from infoset.utils.sorting import number_by_appearance

__all__ = ["perfect_recall_closure", "reveal_everything", "reveal_private"]


def perfect_recall_closure(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the coarsest map that refines one given and has a team, as one, remember all.

    Besides what the map tells, whoever acts of the team knows what was known and done when one
    of the team acted before. Other agents know what they knew.

    Parameters
    ----------
    information : InformationMap
    team : Sequence[int]

    Raises
    ------
    ParameterError
        If those are no information map and team.

    Notes
    -----
    The closure of a closure is itself. It goes stage by stage: cells of the stages before are
    final when those of a stage are told apart by them, so one pass is enough.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("cooperative_matching_pennies"))
    >>> closed = perfect_recall_closure(form.information, (0, 1))
    >>> form.information.num_cells, closed.num_cells
    (4, 6)
    """
    is_own = _own_nodes(information, team)
    form = information.form
    last = np.where(is_own, last_own_edges(form, is_own), -1)
    before = form.node_of_edge[last]
    did = last - form.arrays.first_edge[before]
    cell = np.zeros(form.num_nodes, np.int64)
    num_cells = 0
    for start, end in zip(form.arrays.first_node[:-1], form.arrays.first_node[1:], strict=True):
        here = slice(start, end)
        knew_and_did = cell[before[here]] * int(form.num_actions.max()) + did[here]
        record = np.where(last[here] < 0, 0, 1 + knew_and_did)
        codes = record * information.num_cells + information.cell[here]
        cell[here] = num_cells + number_by_appearance(codes)
        num_cells = int(cell[here].max()) + 1
    return InformationMap(form, cell.astype(np.int32), f"recall of {information.name}")


def reveal_private(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map by which each of a team also knows what any of it was shown alone, so far.

    Own actions that others do not see stay hidden.

    Parameters
    ----------
    information : InformationMap
        Whose form tells what is shown to whom, as those made of the rules of a game do.
    team : Sequence[int]

    Raises
    ------
    ParameterError
        If those are no information map and team, or the form does not tell what is shown.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("trade_comm(num_items=2)"))
    >>> revealed = reveal_private(form.information, (0, 1))
    >>> np.bincount(form.information.stage).tolist(), np.bincount(revealed.stage).tolist()
    ([2, 4, 8, 8], [4, 8, 16, 16])
    """
    is_own = _own_nodes(information, team)
    form = information.form
    if form.shown is None:
        raise ParameterError(
            f"{form} does not tell what each agent is shown alone, since it was not made of the "
            "rules of a game: lend no more than the closure (relax='closure', --relax closure), "
            "give shown= to make_product_form, or write a map by InformationMap.from_function"
        )
    cell = information.cell.astype(np.int64)
    for agent in check_team(form, team):
        codes = cell * (int(form.shown.max()) + 1) + form.shown[:, agent]
        cell = number_by_appearance(codes).astype(np.int64)
    return _with_cells(information, is_own, cell, f"{information.name}, private shown")


def reveal_everything(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map by which each of a team knows the whole prefix.

    Parameters
    ----------
    information : InformationMap
    team : Sequence[int]

    Raises
    ------
    ParameterError
        If those are no information map and team.
    """
    is_own = _own_nodes(information, team)
    return _with_cells(information, is_own, np.arange(len(is_own)), "everything shown")


def _own_nodes(information: InformationMap, team: Sequence[int]) -> BoolArray:
    """Return [N] where one of the team acts."""
    check_information(information)
    form = information.form
    return np.isin(form.arrays.agent, check_team(form, team))


def _with_cells(
    information: InformationMap, is_own: BoolArray, cell: LongArray, name: str
) -> InformationMap:
    """Return the map with other cells [N] where `is_own` [N]."""
    codes = np.where(is_own, cell + information.num_cells, information.cell)
    return InformationMap(information.form, number_by_appearance(codes), name)
