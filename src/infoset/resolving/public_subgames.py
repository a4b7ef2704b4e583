"""Subgames of public forms: what follows a public node, dealt with given ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import PolicyMismatchError
from infoset.forms import (
    PublicForm,
    check_node,
    check_public_form,
    checked_ranges,
    form_below,
    nodes_below,
    prior_with_ranges,
    sequences_of_nodes,
)
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_player


@dataclass(frozen=True, eq=False)
class PublicSubgame:
    """What follows a public node, as a separate public form."""

    whole: PublicForm
    form: PublicForm
    """The whole game, and the subgame: it can be solved as any public form. Its root is the node,
    and its lines begin there. Its utilities are given that the node was reached with the ranges."""
    node: int
    """The public node of the whole game."""
    nodes: LongArray
    """[V'] the number in the whole game of each public node of `form`."""
    ranges: tuple[FloatArray, FloatArray]
    """Per player, [hands] the ranges with which the hands are dealt; 0 for removed hands."""

    def sequences(self, player: Player) -> LongArray:
        """Return [Q'] the number in the whole game of each sequence of a player.

        Raises
        ------
        ParameterError
            If the player does not exist.
        """
        check_player(player, 2, self.whole.name)
        return np.append(0, sequences_of_nodes(self.whole, player, self.nodes))

    def restrict(self, policy: TabularPolicy[PublicForm]) -> TabularPolicy[PublicForm]:
        """Return a policy of the whole game as a policy of the subgame.

        Raises
        ------
        PolicyMismatchError
            If it is not a policy of the whole game.
        """
        _check_form(policy, self.whole)
        first, second = (own[self.sequences(p)] for p, own in enumerate(policy.probabilities))
        return TabularPolicy(self.form, (first, second))

    def replace_policy(
        self,
        whole_policy: TabularPolicy[PublicForm],
        policy: TabularPolicy[PublicForm],
        player: Player | None = None,
    ) -> TabularPolicy[PublicForm]:
        """Return a policy of the whole game that plays `policy` in the subgame.

        Parameters
        ----------
        whole_policy, policy
            Policies of the whole game and of the subgame.
        player
            The player whose policy is replaced; by default both.

        Raises
        ------
        PolicyMismatchError
            If one of them is a policy of another form.
        """
        _check_form(whole_policy, self.whole)
        _check_form(policy, self.form)
        changed = [own.copy() for own in whole_policy.probabilities]
        for other in range(2) if player is None else [player]:
            changed[other][self.sequences(other)] = policy.probabilities[other]
        return TabularPolicy(self.whole, (changed[0], changed[1]))


def public_subgame(
    form: PublicForm, node: int, ranges: tuple[FloatArray, FloatArray]
) -> PublicSubgame:
    """Return the subgame at a public node, whose hands are dealt with given ranges.

    A pair of hands has a probability in proportion to prior · ranges[0] · ranges[1]. If the ranges
    are the players' own reach of the node (`PublicValues.own_reach`), it is the probability given
    the node. Solving this subgame alone is unsafe: it is optimal against an opponent who has the
    range, and another opponent may exploit it. `infoset.resolving.resolve_public_subgame` bounds
    the opponent's gain.

    Parameters
    ----------
    ranges
        Per player, [hands] the reach of each hand at the node.

    Raises
    ------
    UnsupportedGameError
        If the reach of public nodes is not a product; see `infoset.forms.chance_reach_of_nodes`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> node = form.children[form.children[0, "raise"], "raise"]
    >>> subgame = public_subgame(form, node, (np.ones(6), np.ones(6)))
    >>> subgame.form.num_nodes, form.num_nodes
    (38, 191)
    """
    check_public_form(form)
    check_node(form, node)
    reach = checked_ranges(form, node, ranges)
    name = f"subgame({form.name}, {form.label(node)!r})"
    below = form_below(form, node, prior_with_ranges(form, reach), name=name)
    return PublicSubgame(form, below, node, nodes_below(form, node), reach)


def _check_form(policy: TabularPolicy[PublicForm], form: PublicForm) -> None:
    """Raise if a policy belongs to another public form."""
    check_policy(policy)
    other = policy.form
    if other is not form and other.fingerprint != form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {other.name}, not for {form.name}; give a policy for {form.name}"
        )
