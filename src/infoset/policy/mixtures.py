"""Mixtures, distances, decompositions and transfers of tabular policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from infoset.efg import ExtensiveForm, find_source_form, world_of_history
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.forms import (
    AnyForm,
    Form,
    SequenceForm,
    TransformedForm,
    Treeplex,
    carry_behavior,
    carry_by_labels,
    widest_plan,
)
from infoset.policy.tabular import TabularPolicy, check_policy, uniform_policy
from infoset.policy.whole_policies import complete_policy, restrict_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray

ROUNDING = 1e-14
"""Weights below this are treated as rounding errors of the subtraction."""

FLOW_TOLERANCE = 1e-9
"""Tolerance for the constraints of a realization plan."""


def mix(policies: Sequence[TabularPolicy], weights: Sequence[float]) -> TabularPolicy:
    """Return the mixture of policies: each player first draws a policy, then plays it throughout.

    Players draw independently, policy k with probability `weights[k] / sum(weights)`. By Kuhn's
    theorem, this is equivalent to the mixture of realization plans, `sum(weights[k] * plan[k]) /
    sum(weights)`.

    Raises
    ------
    ParameterError
        If there is not one weight per policy, or weights are negative or all zero.
    PolicyMismatchError
        If the policies are for different games.
    """
    if len(policies) != len(weights) or min(weights, default=-1) < 0 or not sum(weights) > 0:
        raise ParameterError(
            f"got {len(policies)} policies and weights {list(weights)}; give one weight per "
            "policy, none negative, not all zero"
        )
    _check_same_game(policies)
    shares = np.asarray(weights, dtype=np.float64) / float(sum(weights))
    plans = [policy.realization_plans() for policy in policies]
    mixed = [
        sum(share * plan[player] for share, plan in zip(shares, plans, strict=True))
        for player in range(policies[0].form.num_players)
    ]
    return TabularPolicy.from_weights(policies[0].form, mixed)


def distance(first: TabularPolicy, second: TabularPolicy) -> float:
    """Return the largest total variation distance over all infostates of all players.

    The distance is 0 for equal policies, and 1 if at some infostate no action has positive
    probability in both. It does not depend on the probability of reaching an infostate.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different games.
    """
    _check_same_game([first, second])
    largest = 0.0
    for player, plex in enumerate(first.form.treeplexes):
        # Blocks of sequences by infostate; the empty sequence is before the first one.
        gap = np.abs(first.probabilities[player] - second.probabilities[player])
        if plex.num_infostates:
            largest = max(largest, float(np.add.reduceat(gap, plex.first_sequence).max()) / 2)
    return largest


def _check_same_game(policies: Sequence[TabularPolicy]) -> None:
    for policy in policies:
        check_policy(policy)
    first = policies[0].form
    for policy in policies[1:]:
        other = policy.form
        if other is not first and other.fingerprint != first.fingerprint:
            raise PolicyMismatchError(
                f"one policy is for {first.name}, another for {other.name}; both must be for the "
                "same game and parameters"
            )


def decompose_plan(treeplex: Treeplex, plan: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Decompose a realization plan into a mixture of a few pure plans.

    Each step selects the pure plan whose minimum weight in the rest of the plan is largest, and
    subtracts this weight from its sequences. Every step reduces some sequence without successors to
    zero, so the number of pure plans is at most the number of such sequences.

    Parameters
    ----------
    plan
        [Q] probability of the player's own actions along each sequence.

    Returns
    -------
    pure : BoolArray
        [K, Q] whether a pure plan (of the reduced normal form) contains a sequence.
    weights : FloatArray
        [K] weights of the pure plans, with sum 1; `weights @ pure` is the plan.

    Notes
    -----
    Source: Celli, Marchesi, Bianchi and Gatti (2019). Differs from the paper: the minimum is taken
    over the weights of sequences, not of terminal histories.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> pure, weights = decompose_plan(
    ...     kuhn.treeplexes[0], uniform_policy(kuhn).realization_plan(0)
    ... )
    >>> len(weights), float(weights.sum())
    (3, 1.0)
    """
    _check_flow(treeplex, plan)
    rest = np.array(plan, dtype=np.float64)
    width, taken = np.empty_like(rest), np.empty(len(rest), dtype=bool)
    arrays = treeplex.parent_sequence, treeplex.first_sequence, treeplex.num_actions
    pure, weights = [], []
    while True:
        widest_plan(*arrays, rest, width, taken)
        if not width[0] > ROUNDING:
            break
        pure.append(taken.copy())
        weights.append(width[0])
        rest[taken] -= width[0]
        rest[rest < ROUNDING] = 0.0  # else rounding errors become separate plans
    return np.array(pure), np.array(weights) / sum(weights)


def _check_flow(treeplex: Treeplex, plan: FloatArray) -> None:
    if plan.shape != (treeplex.num_sequences,) or not (plan >= 0).all() or plan[0] != 1:
        raise ParameterError(
            f"got an array of shape {plan.shape}; a realization plan has {treeplex.num_sequences} "
            "numbers, the first 1 and none negative: make it with TabularPolicy.realization_plan"
        )
    total = np.zeros(treeplex.num_infostates)
    np.add.at(total, treeplex.infostate_of_sequence[1:], plan[1:])
    wrong = np.flatnonzero(np.abs(total - plan[treeplex.parent_sequence]) > FLOW_TOLERANCE)
    if len(wrong):
        raise ParameterError(
            f"the plan at acting infostate {wrong[0]} sums to {total[wrong[0]]}; it must sum "
            f"to the plan at its parent sequence, {plan[treeplex.parent_sequence[wrong[0]]]}: make "
            "the plan with TabularPolicy.realization_plan"
        )


@overload
def transfer_policy(policy: TabularPolicy, target: GameTree) -> TabularPolicy[SequenceForm]: ...
@overload
def transfer_policy(policy: TabularPolicy, target: AnyForm) -> TabularPolicy[AnyForm]: ...
def transfer_policy(policy: TabularPolicy, target: GameTree | Form) -> TabularPolicy[Any]:
    """Transfer a policy to another form of its game.

    From a public form to a sequence form or back, the policy is uniform where only the target has
    an infostate, as for hands that chance has removed. A policy of an extensive form is transferred
    to the tree of the game that `as_game` made from it: there, players also have infostates when
    they do not act, and moves may come later, but play is the same. A policy of the target itself
    is returned unchanged.

    Parameters
    ----------
    target
        The form; or a tree, such as `build_tree(as_game(form))`, for its sequence form.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game.

    Examples
    --------
    >>> from infoset.efg import as_game, decision, extensive_form_from_nodes, terminal
    >>> from infoset.tree import build_tree
    >>> guess = {"even": terminal(1), "odd": terminal(-1)}
    >>> form = extensive_form_from_nodes(decision(0, "start", guess), players=1)
    >>> policy = TabularPolicy(form.sequence_form, (np.array([1.0, 0.9, 0.1]),))
    >>> transfer_policy(policy, build_tree(as_game(form))).probabilities[0].tolist()
    [1.0, 0.9, 0.1]
    """
    check_policy(policy)
    if isinstance(target, GameTree):
        source = find_source_form(target.game)
        if source is not None and source.sequence_form.fingerprint == policy.form.fingerprint:
            return _on_tree(policy, source, target)
        return transfer_policy(policy, target.sequence_form)
    if policy.form is target:
        return policy
    return TabularPolicy(target, tuple(carry_behavior(policy.form, policy.probabilities, target)))


class LabelTransfer(NamedTuple):
    """A policy of another game, as `transfer_by_labels` returns it."""

    policy: TabularPolicy
    share: float
    """Share of the target's infostates that correspond to one of the policy's game, over all
    players; 1 for the same game."""


def transfer_by_labels(policy: TabularPolicy, target: Form) -> LabelTransfer:
    """Transfer a policy to a similar game: another board, other ranges or stacks, or locks.

    Within the same game, this is `transfer_policy`. Otherwise, the policy is the same where label
    and actions of an infostate are equal, and uniform elsewhere. The label is the infostate as text
    or, on public forms, the hand and the line. On a locked form, locked probabilities replace those
    of the policy.

    Raises
    ------
    PolicyMismatchError
        If the games have no infostate in common.

    Examples
    --------
    >>> import infoset
    >>> short, long = (
    ...     infoset.load("kuhn_poker"),
    ...     infoset.load("kuhn_poker", num_cards=4),
    ... )
    >>> policy = infoset.solve(short, "lp").policy
    >>> transfer_by_labels(policy, infoset.build_tree(long).sequence_form).share
    0.75
    """
    check_policy(policy)
    if isinstance(target, TransformedForm):
        whole, share = transfer_by_labels(policy, target.base)
        return LabelTransfer(restrict_policy(target, whole), share)
    policy = complete_policy(policy)
    try:
        return LabelTransfer(transfer_policy(policy, target), 1.0)
    except PolicyMismatchError:
        source = policy.form
    if source.num_players == target.num_players:
        found, share = carry_by_labels(source, policy.probabilities, target)
        if share > 0:
            return LabelTransfer(TabularPolicy(target, tuple(found)), share)
    raise PolicyMismatchError(
        f"the policy is for {source.name}, which has no infostate with the same label and actions "
        f"as one of {target.name}; give a policy for the same game, or for a similar one, such as "
        "the same bets on another board"
    )


def _on_tree(
    policy: TabularPolicy, source: ExtensiveForm, tree: GameTree
) -> TabularPolicy[SequenceForm]:
    """Return a policy of an extensive form on the tree of the game that is built from it."""
    # The world states of the tree's game are the numbers of the histories of the padded form.
    numbers, worlds = world_of_history(source), np.array(tree.graph.worlds)[tree.world]
    place = np.full(1 + max(numbers.max(), worlds.max()), -1)
    place[worlds] = np.arange(len(worlds))
    there = place[numbers]  # [H] the history of the tree for each of the form; -1 if none
    is_met = there >= 0
    is_met[0] = False  # the root follows no action
    probabilities = [values.copy() for values in uniform_policy(tree.sequence_form).probabilities]
    for player, values in enumerate(probabilities):
        moved = np.flatnonzero(is_met & (source.actor[source.parent] == player))
        known = policy.probabilities[player][source.sequence[moved, player]]
        values[tree.sequence[there[moved], player]] = known
    return TabularPolicy(tree.sequence_form, tuple(probabilities))
