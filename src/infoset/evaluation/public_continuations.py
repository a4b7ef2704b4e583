"""Leaf values of a public form: what hands are worth where a form is cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms import (
    PublicForm,
    as_public_form,
    check_node,
    checked_ranges,
    class_means,
    form_below,
    nodes_below,
    sequences_of_nodes,
    unblocked_reach,
    values_at_terminals,
)
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, Player


class PublicContinuation:
    """A leaf function: the exact values if both players follow a policy from the leaf on.

    The values depend on the opponent's range. A game that is cut with this function is the whole
    game with the policy locked after the leaves.

    Parameters
    ----------
    policy : TabularPolicy[PublicForm]
        A policy on the form that is cut; only its probabilities after the leaves are used.

    Raises
    ------
    UnsupportedGameError
        If it is not on a public form.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> follow = PublicContinuation(uniform_policy(form))
    >>> node = form.decisions[0][1]
    >>> values, _ = follow(node, (np.ones(3), np.array([0.0, 0.0, 1.0])))
    >>> values.tolist()  # against a king; a king cannot meet another one
    [-1.5, -1.5, nan]
    """

    def __init__(self, policy: TabularPolicy) -> None:
        check_policy(policy)
        self.public_form = as_public_form(policy.form)
        self.policy = policy
        self._below: dict[int, _Below] = {}

    def __call__(
        self, node: int, ranges: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return per player [hands] the values at a node, given the ranges; NaN if undefined."""
        form = self.public_form
        check_node(form, node)
        reach = checked_ranges(form, node, ranges)
        if node not in self._below:
            self._below[node] = _Below.of(self.policy, node)
        below, found = self._below[node], list[FloatArray]()
        for player in range(2):
            other = 1 - player
            plan = below.plans[other] * below.spread(other, reach[other])
            earned = values_at_terminals(below.form, player, plan)
            # [T, hands] what each hand earns at the terminals times its own plan to them.
            total = np.einsum("th,th->h", below.played[player], earned)
            total = class_means(form, player, np.array([node]), total[None])[0]
            met = unblocked_reach(form.prior, player, reach[other])
            met[~form.possible_hands(node, player)] = 0.0
            found.append(np.divide(total, met, np.full(len(met), np.nan), where=met > 0))
        return found[0], found[1]


class _Below(NamedTuple):
    """What follows a node: a form with a forced move of both players first, and their policies.

    The reach of a hand at the node is its reach after the forced move. plans: per player [Q] with
    a reach of 1; played: per player [T, hands] the same at the terminals.
    """

    form: PublicForm
    plans: tuple[FloatArray, FloatArray]
    played: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, policy: TabularPolicy, node: int) -> _Below:
        """Return what follows a node, with the probabilities of a policy."""
        whole = as_public_form(policy.form)
        moves = [(player, (None,)) for player in range(2)]
        form = form_below(whole, node, whole.prior, name=f"below({whole.name})", moves=moves)
        weights = []
        for player, own in enumerate(policy.probabilities):
            # The empty sequence and the forced move of each class come first in the new form.
            forced = np.ones(1 + int(form.num_classes[player][form.class_map[0]]))
            kept = sequences_of_nodes(whole, player, nodes_below(whole, node))
            weights.append(np.append(forced, own[kept]))
        own, other = TabularPolicy(form, (weights[0], weights[1])).realization_plans()
        first, second = _at_terminals(form, 0, own), _at_terminals(form, 1, other)
        return cls(form, (own, other), (first, second))

    def spread(self, player: Player, reach: FloatArray) -> FloatArray:
        """Return [Q] the reach of the hand of each sequence of a player; 1 for the empty one."""
        of_hands = np.ones(self.form.treeplexes[player].num_sequences)
        of_hands[self.form.places(player, slice(1, None))] = reach
        return of_hands


def _at_terminals(form: PublicForm, player: Player, plan: FloatArray) -> FloatArray:
    """Return [T, hands] a player's plan at the terminals."""
    last = form.terminal_sequence[:, player].astype(np.int64)
    found: FloatArray = plan[form.places(player, last)]
    return found
