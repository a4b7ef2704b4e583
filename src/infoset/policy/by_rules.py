"""Policies of trees given as such, for the rules that are made of them."""

from __future__ import annotations

import numpy as np

from infoset.efg import ExtensiveForm, find_source_form, world_of_history
from infoset.errors import PolicyMismatchError
from infoset.policy.tabular import TabularPolicy, check_policy, uniform_policy
from infoset.tree import GameTree
from infoset.typing import LongArray

__all__ = ["policy_by_rules"]


def policy_by_rules(policy: TabularPolicy, tree: GameTree) -> TabularPolicy:
    """Return a policy of an extensive form as one of the game that `as_game` made of it.

    In that game players also have infostates off turn, and moves may come later, so that its
    tables are others; what is played is the same. A policy of the tree itself is returned as it is.

    Parameters
    ----------
    policy : TabularPolicy
    tree : GameTree
        Of the rules: `build_tree(as_game(form))`.

    Raises
    ------
    ParameterError
        If it is no table.
    PolicyMismatchError
        If it is for neither.

    Examples
    --------
    >>> from infoset.efg import as_game, decision, extensive_form_from_nodes, terminal
    >>> from infoset.tree import build_tree
    >>> guess = {"even": terminal(1), "odd": terminal(-1)}
    >>> form = extensive_form_from_nodes(decision(0, "start", guess), players=1)
    >>> policy = TabularPolicy(form.sequence_form, (np.array([1.0, 0.9, 0.1]),))
    >>> policy_by_rules(policy, build_tree(as_game(form))).probabilities[0].tolist()
    [1.0, 0.9, 0.1]
    """
    check_policy(policy)
    if policy.sequence_form.fingerprint == tree.sequence_form.fingerprint:
        return policy
    form = find_source_form(tree.game)
    if form is None or form.sequence_form.fingerprint != policy.sequence_form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {policy.sequence_form.name}, not for {tree.sequence_form.name}; "
            "everything in a match or measure is for one game, with the same parameters"
        )
    there = _histories_by_rules(form, tree)
    is_met = there >= 0
    is_met[0] = False
    probabilities = [values.copy() for values in uniform_policy(tree.sequence_form).probabilities]
    for player, values in enumerate(probabilities):
        moved = np.flatnonzero(is_met & (form.actor[form.parent] == player))
        known = policy.probabilities[player][form.sequence[moved, player]]
        values[tree.sequence[there[moved], player]] = known
    return TabularPolicy(tree.sequence_form, tuple(probabilities))


def _histories_by_rules(form: ExtensiveForm, tree: GameTree) -> LongArray:
    """Return [H] the numbers of the histories of a form in the tree of its rules; -1 for none.

    The world states of these rules are the numbers of the histories, once they are padded.
    """
    numbers, worlds = world_of_history(form), np.array(tree.graph.worlds)[tree.world]
    place = np.full(1 + max(numbers.max(), worlds.max()), -1)
    place[worlds] = np.arange(len(worlds))
    return place[numbers]
