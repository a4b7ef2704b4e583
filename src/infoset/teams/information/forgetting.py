"""Agents who forget what they did themselves."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.information.information_map import InformationMap
from infoset.teams.product_form import ProductForm, check_form
from infoset.tree import GameTree, InfostateTree
from infoset.typing import BoolArray

__all__ = ["forget_own_actions"]


def forget_own_actions(form: ProductForm) -> InformationMap:
    """Return the map by which agents do not remember what they did.

    An agent knows what it has seen, but not its own actions, nor what everybody saw when nobody
    else acted. It is coarser than the original map: `form.with_original(forget_own_actions(form))`
    is a harder game.

    Parameters
    ----------
    form : ProductForm
        Made of the rules of a game.

    Raises
    ------
    ParameterError
        If it was not, or if agents could not know what they may do.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("trade_comm(num_items=5)"))
    >>> for information in (form.information, forget_own_actions(form)):
    ...     print(np.bincount(information.stage).tolist())
    [5, 25, 125, 125]
    [5, 25, 25, 25]
    """
    check_form(form)
    if form.source is None or not isinstance(form.source.tree, GameTree):
        raise ParameterError(
            f"{form} was not made of the rules of a game, so what agents saw is not known; write "
            "the map as a function: InformationMap.from_function"
        )
    tree = form.source.tree
    values = np.empty(form.num_nodes, np.int64)
    for own in tree.infostate_trees:
        nodes = np.flatnonzero(form.arrays.agent == own.player)
        infostate = tree.infostate[form.source.history[nodes], own.player]
        values[nodes] = np.array(_seen(own, _acts_alone(tree, own)))[infostate]
    return InformationMap.from_values(form, values.tolist(), "own actions forgotten")


def _acts_alone(tree: GameTree, own: InfostateTree) -> BoolArray:
    """Return [S] whether the player acts at an infostate, and surely nobody else."""
    num_actors = (tree.graph.action_set >= 0).sum(axis=1)[tree.world]
    most = np.zeros(own.num_infostates, np.int64)
    np.maximum.at(most, tree.infostate[:, own.player], num_actors)
    alone: BoolArray = (own.num_actions > 0) & (most == 1)
    return alone


def _seen(own: InfostateTree, acts_alone: BoolArray) -> list[int]:
    """Return [S] a number for what the player has seen, at each infostate."""
    numbers: dict[Hashable, int] = {}
    seen = [0]
    for infostate in range(1, own.num_infostates):
        parent = int(own.parent[infostate])
        public = -1 if acts_alone[parent] else int(own.public_observation[infostate])
        key = (seen[parent], public, int(own.private_observation[infostate]))
        seen.append(numbers.setdefault(key, len(numbers) + 1))
    return seen
