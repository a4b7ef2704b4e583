"""Ranges and values of every hand at every public node of a public form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, show
from infoset.evaluation.frequencies import ROUNDING, fit_frequencies
from infoset.evaluation.hand_equity import equity_at
from infoset.forms import (
    PublicForm,
    as_public_form,
    chance_reach_of_nodes,
    check_node,
    class_means,
    unblocked_reach,
    values_at_terminals,
)
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_player


class PublicValues:
    """What each hand is worth at each public node, if both players follow a policy.

    All values are given the hand and the node: the expected utility against the opponent's range
    there, if both players follow the policy from there on. They are computed by the operators, in
    time linear in the number of hands at showdowns and folds, the first time they are needed; then
    one number for each public node, public action and hand of a player is stored.

    In a form with symmetry, a node stands for all lines that it represents, and `probability` is
    the sum of theirs.

    Parameters
    ----------
    policy : TabularPolicy[PublicForm]

    Raises
    ------
    UnsupportedGameError
        If it is not on a public form.
    UnsupportedGameError
        If the reach of public nodes is not a product; see `chance_reach_of_nodes`.

    Examples
    --------
    After a pass and a bet, player 0 of Kuhn poker loses one chip by passing:

    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> values = PublicValues(uniform_policy(form))
    >>> node = form.decisions[0][1]
    >>> form.label(node)
    'pass / bet'
    >>> values.action_values(node).round(9).tolist()  # [actions, hands]
    [[-1.0, -1.0, -1.0], [-2.0, -0.0, 2.0]]
    """

    def __init__(self, policy: TabularPolicy) -> None:
        check_policy(policy)
        self.public_form = as_public_form(policy.form)
        self.policy = policy
        self._chance = chance_reach_of_nodes(self.public_form)

    def own_reach(self, node: int, player: Player) -> FloatArray:
        """Return [hands] the product of a player's own probabilities before a node: its range.

        It is 0 for hands that chance has removed. Unlike `belief`, it does not sum to 1.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        form = self.public_form
        check_node(form, node)
        check_player(player, 2, form.name)
        before = form.sequences[player].last[node : node + 1].astype(np.int64)
        reach = self._plans[player][form.places(player, before)[0]]
        alive: FloatArray = np.where(form.possible_hands(node, player), reach, 0.0)
        return alive

    def counterfactual_reach(self, node: int, player: Player) -> FloatArray:
        """Return [hands] the probability that chance and the opponent lead each hand to a node.

        It is given that the hand was dealt, up to the probability of the deal: a sum over the
        opponent's unblocked hands of weight times reach, times the probability of public chance.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        form = self.public_form
        other = self.own_reach(node, 1 - player)
        alive = form.possible_hands(node, player)
        reach = unblocked_reach(form.prior, player, other) * self._chance[node]
        found: FloatArray = np.where(alive, reach, 0.0)
        return found

    def belief(self, node: int, player: Player) -> FloatArray:
        """Return [hands] the probability of each hand given the node; NaN if it is not reached.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        weight = self._weight(node, player)
        total = weight.sum()
        return weight / total if total > 0 else np.full(len(weight), np.nan)

    def action_frequencies(self, node: int, hands: BoolArray | None = None) -> FloatArray:
        """Return [actions] how often each action is played at a node, over the actor's hands there.

        Frequencies are NaN if the policy never reaches the node, or never with these hands.

        Parameters
        ----------
        hands
            [hands] the hands to consider; by default all.

        Raises
        ------
        ParameterError
            If the node does not exist, or chance acts there.
        """
        played = self.policy.at_node(node)
        belief = self.belief(node, int(self.public_form.player[node]))
        if hands is not None:
            belief = np.where(hands, belief, 0.0)
            belief = belief / (belief.sum() or np.nan)
        frequencies: FloatArray = played @ belief
        return frequencies

    def with_frequencies(self, node: int, frequencies: Mapping[Action, float]) -> FloatArray:
        """Return [actions, hands] the policy at a node, changed to given frequencies of actions.

        Hands change in proportion (`fit_frequencies`): with one factor for each given action, and
        one for all others. Hands that never play an action still do not play it. Of all policies
        with these frequencies, it has the smallest divergence from the policy. `lock` can then fix
        it; `locked_behavior` does both, with frequencies as text.

        Parameters
        ----------
        frequencies
            How often each action is played, over the actor's hands; other actions share the rest.

        Raises
        ------
        ParameterError
            If a frequency is negative, if frequencies sum to more than 1 or no such factors exist,
            or if the policy never reaches the node.
        UnknownNameError
            If an action is not legal.

        Examples
        --------
        >>> from infoset.games import load_game
        >>> from infoset.policy import uniform_policy
        >>> from infoset.tree import build_public_form
        >>> form = build_public_form(load_game("kuhn_poker"))
        >>> values = PublicValues(uniform_policy(form))
        >>> values.with_frequencies(0, {"bet": 0.2}).round(9).tolist()
        [[0.8, 0.8, 0.8], [0.2, 0.2, 0.2]]
        """
        actions = list(self.public_form.legal_actions(node))
        for action in frequencies:
            if action not in actions:
                raise UnknownNameError.of("action", action, map(str, actions))
        given = [float(share) for share in frequencies.values()]
        rest = 1.0 - sum(given)
        if not (all(share >= 0 for share in given) and rest >= -ROUNDING):
            raise ParameterError(
                f"frequencies={show(frequencies)} are invalid: give numbers of at least 0 "
                "that sum to at most 1"
            )
        belief = self.belief(node, int(self.public_form.player[node]))
        left = [place for place, own in enumerate(actions) if own not in frequencies]
        groups = [left, *([actions.index(action)] for action in frequencies)]
        goal = np.array([max(rest, 0.0), *given])
        found = fit_frequencies(self.policy.at_node(node), belief, groups, goal)
        if found is None:
            raise ParameterError(
                f"frequencies={show(frequencies)} at {self.public_form.label(node)!r} are out of "
                "reach: too few hands ever play these actions, or the policy never reaches the node"
            )
        return found

    def probability(self, node: int) -> float:
        """Return the probability that play reaches a node."""
        return float(self._weight(node, 0).sum())

    def _weight(self, node: int, player: Player) -> FloatArray:
        """Return [hands] the probability that a player has a hand and play reaches a node."""
        prior, own = self.public_form.prior, self.own_reach(node, player)
        # A row of a joint prior has the weights of both hands, and is in the reach already.
        dealt = 1.0 if prior.joint is not None else prior.weights[player]
        weight: FloatArray = dealt * own * self.counterfactual_reach(node, player)
        return weight

    def values(self, node: int, player: Player) -> FloatArray:
        """Return [hands] the expected utility of a player at a node, given its hand.

        It is NaN where the counterfactual reach is 0, so that the hand has no opponent there.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        reach = self.counterfactual_reach(node, player)
        return _divided(self._totals[player].of_nodes[node], reach)

    def mean_value(self, node: int, player: Player) -> float:
        """Return the expected utility of a player at a node, over its hands there.

        It is NaN if the policy never reaches the node.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        return self.mean(node, player, self.values(node, player))

    def mean(self, node: int, player: Player, numbers: FloatArray) -> float:
        """Return the mean of numbers [hands] over a player's hands at a node.

        Hands that are not there do not count, even if their numbers are NaN. The mean is NaN if the
        policy never reaches the node.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        belief = self.belief(node, player)
        return float(np.where(belief == 0, 0.0, belief * numbers).sum())

    def action_values(self, node: int) -> FloatArray:
        """Return [actions, hands] what each action is worth to the player who acts at a node.

        It is NaN where the counterfactual reach is 0.

        Raises
        ------
        ParameterError
            If the node does not exist, or chance acts there.
        """
        form = self.public_form
        check_node(form, node)
        player = int(form.player[node])
        if player < 0:
            raise ParameterError(
                f"chance acts at the public node {node}, {form.label(node)!r}: give one of "
                "public_form.decisions"
            )
        first = int(form.sequences[player].first[node])
        totals = self._totals[player].of_sequences[first : first + int(form.num_actions[node])]
        return _divided(totals, self.counterfactual_reach(node, player))

    def response_values(self, node: int, player: Player) -> FloatArray:
        """Return [hands] what a best response to the opponent's policy earns from a node on.

        It is given the hand and the node, and NaN where the counterfactual reach is 0.

        Raises
        ------
        ParameterError
            If the node or player does not exist.
        """
        reach = self.counterfactual_reach(node, player)
        return _divided(self._responses[player].of_nodes[node], reach)

    def equity(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Return per player [hands] the equity of each hand against the opponent's range.

        The equity is the probability to win plus half of that to tie, if all betting stopped and
        the remaining public cards were dealt; see `equity_at`. It is NaN where the counterfactual
        reach is 0.

        Raises
        ------
        UnsupportedGameError
            If the showdowns after the node do not all compare the same strengths.

        Examples
        --------
        In Kuhn poker a queen beats the jack and loses to the king:

        >>> from infoset.games import load_game
        >>> from infoset.policy import uniform_policy
        >>> from infoset.tree import build_tree, derive_public_form
        >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
        >>> PublicValues(uniform_policy(form)).equity(0)[0].round(9).tolist()
        [0.0, 0.5, 1.0]
        """
        return equity_at(self.public_form, node, (self.own_reach(node, 0), self.own_reach(node, 1)))

    @cached_property
    def _plans(self) -> tuple[FloatArray, FloatArray]:
        first, second = self.policy.realization_plans()
        return first, second

    @cached_property
    def _totals(self) -> tuple[_PassedValues, _PassedValues]:
        return self._values_of(0, False), self._values_of(1, False)

    @cached_property
    def _responses(self) -> tuple[_PassedValues, _PassedValues]:
        return self._values_of(0, True), self._values_of(1, True)

    def _values_of(self, player: Player, responds: bool) -> _PassedValues:
        earned = values_at_terminals(self.public_form, player, self._plans[1 - player])
        mixed = None if responds else self.policy.by_hand(player)
        return _PassedValues(self.public_form, player, earned, mixed)


class _PassedValues:
    """Counterfactual values of a player by node and by public sequence, passed up the public tree.

    of_nodes [V, hands] and of_sequences [public sequences, hands]: sums over the terminals below,
    given what each hand earns at the terminals, and its policy [public actions, hands], or None
    for the best action of each hand.
    """

    def __init__(
        self, form: PublicForm, player: Player, earned: FloatArray, mixed: FloatArray | None
    ) -> None:
        num_hands = form.num_hands[player]
        self._form, self._player, self._mixed = form, player, mixed
        self.of_nodes = np.zeros((form.num_nodes, num_hands))
        self.of_sequences = np.zeros((len(form.sequences[player].start), num_hands))
        self._add(form.terminals.node, form.terminals.action, earned)
        depth = np.zeros(form.num_nodes, np.int64)
        for node, parent in enumerate(form.parent.tolist()[1:], start=1):
            depth[node] = depth[parent] + 1
        # Upwards: the values of a level are complete when those of the levels below are added.
        for level in range(int(depth.max()), -1, -1):
            here = np.flatnonzero(depth == level)
            self._choose(here[form.player[here] == player])
            self.of_nodes[here] = class_means(form, player, here, self.of_nodes[here])
            if level:
                self._add(form.parent[here], form.action[here], self.of_nodes[here])

    def _add(self, node: IntArray, action: IntArray, values: FloatArray) -> None:
        """Add values [k, hands] to the nodes above, or to the actions of the player there."""
        own = self._form.player[node] == self._player
        _add_rows(self.of_nodes, node[~own], values[~own])
        chosen = self._form.sequences[self._player].first[node[own]] + action[own]
        _add_rows(self.of_sequences, chosen, values[own])

    def _choose(self, nodes: LongArray) -> None:
        """Set the values of nodes at which the player acts, given those of its actions."""
        if not len(nodes):
            return
        sizes = self._form.num_actions[nodes].astype(np.int64)
        begins = np.cumsum(sizes) - sizes
        first = self._form.sequences[self._player].first[nodes]
        # The sequences of one node after another: first, first + 1, ... of each.
        rows = np.repeat(first - begins, sizes) + np.arange(sizes.sum())
        values = class_means(
            self._form, self._player, np.repeat(nodes, sizes), self.of_sequences[rows]
        )
        self.of_sequences[rows] = values
        if self._mixed is None:
            self.of_nodes[nodes] = np.maximum.reduceat(values, begins, axis=0)
        else:  # row 0 of `of_sequences` is the empty sequence, which has no entry in `mixed`
            self.of_nodes[nodes] = np.add.reduceat(values * self._mixed[rows - 1], begins, axis=0)


def _add_rows(table: FloatArray, rows: IntArray | LongArray, values: FloatArray) -> None:
    """Add values [k, hands] to rows [k] of a table, where rows may repeat."""
    if not len(rows):
        return
    # `table[rows] += values` would add only one of the values of a row that repeats.
    order = np.argsort(rows, kind="stable")
    found, begins = np.unique(rows[order], return_index=True)
    table[found] += np.add.reduceat(values[order], begins, axis=0)


def _divided(totals: FloatArray, reach: FloatArray) -> FloatArray:
    """Return totals [..., hands] given the hand and the node; NaN where the reach [hands] is 0."""
    unknown = np.full(totals.shape, np.nan)
    found: FloatArray = np.divide(totals, reach, out=unknown, where=reach > 0)
    return found
