"""Information relaxations: maps that give a team more or less information than the game does."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import InfostateTree
from infoset.teams.product_form import (
    InformationMap,
    ProductForm,
    check_form,
    check_information,
    check_team,
    last_own_edges,
)
from infoset.tree import GameTree
from infoset.typing import BoolArray, LongArray
from infoset.utils.registry import Registry
from infoset.utils.sorting import number_by_appearance


@dataclass(frozen=True)
class Relaxation:
    """A named information relaxation."""

    name: str
    description: str
    """What the relaxation reveals, in a few words."""
    relax: Callable[[InformationMap, Sequence[int]], InformationMap]
    """Function of an information map and a team that returns a refinement of the map."""


def perfect_recall_closure(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the coarsest refinement under which a team, as one player, has perfect recall.

    In addition to the given information, the acting agent of the team knows what the team knew and
    did when it last acted. The information of other agents does not change.

    Notes
    -----
    The closure of a closure is the same map. One pass over the stages suffices: the cells of a
    stage are split by the cells of earlier stages, which are final by then.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
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
        # One number for each earlier cell and the action taken there; 0 before a first action.
        knew_and_did = cell[before[here]] * int(form.num_actions.max()) + did[here]
        record = np.where(last[here] < 0, 0, 1 + knew_and_did)
        # Codes of a stage use the cells of earlier stages, which are final.
        codes = record * information.num_cells + information.cell[here]
        cell[here] = num_cells + number_by_appearance(codes)
        num_cells = int(cell[here].max()) + 1
    return InformationMap(form, cell.astype(np.int32), f"recall of {information.name}")


def reveal_private(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map under which a team also knows its agents' private information so far.

    Actions of an agent that the others do not observe remain hidden.

    Parameters
    ----------
    information
        Its form must record private signals, as forms built from the rules of a game do.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
    >>> revealed = reveal_private(form.information, (0, 1))
    >>> (
    ...     np.bincount(form.information.stage).tolist(),
    ...     np.bincount(revealed.stage).tolist(),
    ... )
    ([2, 4, 8, 8], [4, 8, 16, 16])
    """
    is_own = _own_nodes(information, team)
    form = information.form
    if form.private_signal is None:
        raise ParameterError(
            f"{form} was not built from the rules of a game and records no private signals; use "
            "relax='closure' (--relax closure), give private_signals= to "
            "product_form_from_functions, or define a map with InformationMap.from_function"
        )
    cell = information.cell.astype(np.int64)
    for agent in check_team(form, team):
        codes = cell * (int(form.private_signal.max()) + 1) + form.private_signal[:, agent]
        cell = number_by_appearance(codes).astype(np.int64)
    return _with_cells(information, is_own, cell, f"{information.name}, private revealed")


def reveal_everything(information: InformationMap, team: Sequence[int]) -> InformationMap:
    """Return the map under which a team knows the whole prefix."""
    is_own = _own_nodes(information, team)
    return _with_cells(information, is_own, np.arange(len(is_own)), "everything revealed")


def _own_nodes(information: InformationMap, team: Sequence[int]) -> BoolArray:
    """Return [N] where an agent of the team acts."""
    check_information(information)
    form = information.form
    return np.isin(form.arrays.agent, check_team(form, team))


def _with_cells(
    information: InformationMap, is_own: BoolArray, cell: LongArray, name: str
) -> InformationMap:
    """Return the map in which nodes with `is_own` [N] have the cells of `cell` [N]."""
    # Shifted past the cells of the others, so that no two get the same number.
    codes = np.where(is_own, cell + information.num_cells, information.cell)
    return InformationMap(information.form, number_by_appearance(codes), name)


def _recall(information: InformationMap, team: Sequence[int]) -> InformationMap:
    return perfect_recall_closure(reveal_private(information, team), team)


def _recall_or_closure(information: InformationMap, team: Sequence[int]) -> InformationMap:
    has_signals = information.form.private_signal is not None
    return (_recall if has_signals else perfect_recall_closure)(information, team)


def _unchanged(information: InformationMap, team: Sequence[int]) -> InformationMap:
    return information


RELAXATIONS: Final = Registry(
    "relaxation",
    (
        Relaxation("none", "nothing: the original information", _unchanged),
        Relaxation("closure", "what the team knew and did before", perfect_recall_closure),
        Relaxation("private_revealed", "private information of all agents", reveal_private),
        Relaxation("recall", "private information, and what the team knew and did before", _recall),
        Relaxation("everything", "everything that has happened so far", reveal_everything),
    ),
    entry_type=Relaxation,
)
"""Relaxations by name. The paper calls `private_revealed` "cheated"."""

DEFAULT_RELAXATION: Final = Relaxation(
    "recall or closure",
    "`recall`; without its private information where the form records none, as that of a file",
    _recall_or_closure,
)
"""The relaxation of methods that learn, unless one is requested."""


def get_relaxation(name: str) -> Relaxation:
    """Return a relaxation by name.

    Examples
    --------
    >>> get_relaxation("private_revealed").description
    'private information of all agents'
    """
    if name == "cheated":
        raise UnknownNameError(
            "the relaxation 'cheated' is called 'private_revealed' here; use "
            "relax='private_revealed'"
        )
    return RELAXATIONS.resolve(name)


def forget_own_actions(form: ProductForm) -> InformationMap:
    """Return the map under which agents do not remember their own actions.

    An agent remembers what it observed, but neither its own actions nor public observations that
    follow from its action alone. The map is coarser than the original one, so
    `form.with_original(forget_own_actions(form))` is a harder game.

    Parameters
    ----------
    form
        Built from the rules of a game.

    Raises
    ------
    ParameterError
        If the form was not built from rules, or agents would not know their legal actions.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=3)"))
    >>> for information in (form.information, forget_own_actions(form)):
    ...     print(np.bincount(information.stage).tolist())
    [3, 9, 27, 27]
    [3, 9, 9, 9]
    """
    check_form(form)
    if form.source is None or not isinstance(form.source.tree, GameTree):
        raise ParameterError(
            f"{form} was not built from the rules of a game, so the observations of agents are not "
            "known; define the map with InformationMap.from_function"
        )
    tree = form.source.tree
    values = np.empty(form.num_nodes, np.int64)
    for own in tree.infostate_trees:
        nodes = np.flatnonzero(form.arrays.agent == own.player)
        infostate = tree.infostate[form.source.history[nodes], own.player]
        values[nodes] = np.array(_observed(own, _acts_alone(tree, own)))[infostate]
    return InformationMap.from_values(form, values.tolist(), "own actions forgotten")


def _acts_alone(tree: GameTree, own: InfostateTree) -> BoolArray:
    """Return [S] whether the player is certainly the only one who acts at an infostate."""
    num_actors = (tree.graph.action_set >= 0).sum(axis=1)[tree.world]
    max_actors = np.zeros(own.num_infostates, np.int64)
    np.maximum.at(max_actors, tree.infostate[:, own.player], num_actors)
    alone: BoolArray = (own.num_actions > 0) & (max_actors == 1)
    return alone


def _observed(own: InfostateTree, acts_alone: BoolArray) -> list[int]:
    """Return [S] a number that identifies what the player has observed at each infostate."""
    numbers: dict[Hashable, int] = {}
    observed = [0]
    for infostate in range(1, own.num_infostates):
        parent = int(own.parent[infostate])
        # What follows from the player's action alone would reveal the action.
        public = -1 if acts_alone[parent] else int(own.public_observation[infostate])
        key = (observed[parent], public, int(own.private_observation[infostate]))
        observed.append(numbers.setdefault(key, len(numbers) + 1))
    return observed
