"""What a solver needs of a part of a tree: its sequence forms, and values at its root."""

from __future__ import annotations

from math import prod

import numpy as np

from infoset.beliefs._selection import sum_by
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.beliefs.tree_part import TreePart
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm, contract_terminals
from infoset.typing import FloatArray, Player

__all__ = ["counterfactual_form", "counterfactual_values", "value_form"]


def value_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return a part of a tree, begun with a belief, as a game that any solver takes.

    The same as the sequence form of `value_subgame(belief)`: nature draws a history by
    `belief.history_distribution`, and utilities are of whole plays. What is played at an
    infostate of range zero does not matter in this game; where it should, use
    `counterfactual_form`.

    Parameters
    ----------
    part : TreePart
    belief : PublicBeliefState
        At the root of the part.
    leaf_utilities : FloatArray, optional
        [L, N] expected utility of each player at each of `part.leaf_histories`; needed exactly
        where the part has leaves.

    Raises
    ------
    UnsupportedGameError
        If no history of the root is reached.
    ParameterError
        If the belief is at another public state, or the utilities of leaves have the wrong
        shape.

    Notes
    -----
    Source: Kovařík et al. (2022), Appendix A.2.
    """
    part.check_belief(belief)
    if not belief.probability > 0:
        raise UnsupportedGameError(
            f"no history at {belief.label!r} is reached with these ranges, so that nature cannot "
            "draw one; counterfactual_form needs no such draw"
        )
    reach = part.ends.chance_reach * _range_product(part, belief) / belief.probability
    return _form(part, reach, _utilities(part, leaf_utilities))


def counterfactual_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return a part of a tree, begun with a belief, as decomposition sees it.

    The payoffs of each player are weighted by nature's reach and the ranges of the others, and
    not by its own range: gradients on this form are counterfactual values of the whole game,
    also at infostates of range zero. Nothing is normalised, and the payoffs of two players do
    not cancel.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.

    Raises
    ------
    ParameterError
        As `value_form`.

    Notes
    -----
    Source: Kovařík et al. (2022), Remark A.2.
    """
    part.check_belief(belief)
    weights = [_range_product(part, belief, without=p) for p in range(part.tree.num_players)]
    utilities = _utilities(part, leaf_utilities) * np.stack(weights, axis=1)
    return _form(part, part.ends.chance_reach, utilities)


def counterfactual_values(
    part: TreePart,
    belief: PublicBeliefState,
    policy: TabularPolicy,
    leaf_utilities: FloatArray | None = None,
) -> tuple[FloatArray, ...]:
    """Return every player's counterfactual values at the root: `v_cf = P_-i(s_i) v_i(s_i)`.

    They are of future rewards; `belief.counterfactual_rewards(player)` added makes those of
    whole utilities, which sequence forms count in. Their unit is the game's, times that of the
    ranges of the others.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.
    policy : TabularPolicy
        For the part, on either of its forms.

    Returns
    -------
    tuple[FloatArray, ...]
        Per player [number of its infostates at the root], in the order of its range.

    Raises
    ------
    PolicyMismatchError
        If the policy is not for the part; `part.restrict_policy` makes one that is.
    ParameterError
        As `value_form`.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 4.2 and Remark A.2.
    """
    part.check_belief(belief)
    part.check_policy(policy)
    reach = part.ends.chance_reach * _plan_product(part, policy)
    utilities = _utilities(part, leaf_utilities)
    values = []
    for player, player_range in enumerate(belief.ranges):
        weight = reach * _range_product(part, belief, without=player) * utilities[:, player]
        total = sum_by(part.ends.entry[:, player], weight, len(player_range))
        values.append(total - belief.counterfactual_rewards(player))
    return tuple(values)


def _form(part: TreePart, reach: FloatArray, utilities: FloatArray) -> SequenceForm:
    return contract_terminals(
        name=part.name,
        infostate_trees=part.infostate_trees,
        sequence=part.ends.sequence,
        chance_reach=reach,
        utility=utilities,
        num_steps=len(part.tree.level_offsets) - 2,
    )


def _utilities(part: TreePart, leaf_utilities: FloatArray | None) -> FloatArray:
    """Return [Z, N] the utilities where plays of the part end."""
    expected = (len(part.leaf_histories), part.tree.num_players)
    given = np.zeros((0, expected[1])) if leaf_utilities is None else leaf_utilities
    if given.shape != expected:
        raise ParameterError(
            f"leaf_utilities have shape {given.shape}; {part.name} has {expected[0]} leaf "
            f"histories, so that they need shape {expected}"
        )
    return np.concatenate([part.tree.rewards_so_far[part.terminals], given])


def _range_product(
    part: TreePart, belief: PublicBeliefState, without: Player | None = None
) -> FloatArray:
    """Return [Z] the product of the ranges at the ends, that of one player left out."""
    entered = part.ends.entry.T
    factors = [values[entered[p]] for p, values in enumerate(belief.ranges) if p != without]
    return np.asarray(prod(factors, start=np.ones(len(part.ends.histories))))


def _plan_product(part: TreePart, policy: TabularPolicy) -> FloatArray:
    """Return [Z] the probability that all players play from the root to each end."""
    return np.asarray(
        prod(
            policy.realization_plan(player)[last]
            for player, last in enumerate(part.ends.sequence.T)
        )
    )
