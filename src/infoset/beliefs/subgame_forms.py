"""Sequence forms of trunks and subgames, and counterfactual values at their roots."""

from __future__ import annotations

from math import prod

import numpy as np

from infoset.beliefs.decomposition import TreePart
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import SequenceForm, contract_terminals
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, Player


def value_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return the value-solving subgame of a part of a tree as a sequence form, for any solver.

    It equals the sequence form of `value_subgame(belief)`: chance draws a history from
    `belief.history_distribution`, and utilities are those of whole plays. Policies at infostates of
    range zero have no effect in this game; if they should, use `counterfactual_form`.

    Parameters
    ----------
    belief
        A public belief state at the root of the part.
    leaf_utilities
        [L, N] expected utility of each player at each of `part.leaf_histories`; required if and
        only if the part has leaves.

    Raises
    ------
    UnsupportedGameError
        If no history at the root has positive reach.

    Notes
    -----
    Source: Kovařík et al. (2022), Appendix A.2.
    """
    part.check_belief(belief)
    if not belief.probability > 0:
        raise UnsupportedGameError(
            f"no history at {belief.label!r} is reached with these ranges, so chance cannot draw "
            f"one; use counterfactual_form(part, belief), which does not draw a history"
        )
    reach = part.ends.chance_reach * _range_product(part, belief) / belief.probability
    return _form(part, reach, _utilities(part, leaf_utilities))


def counterfactual_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return a part of a tree with counterfactual payoffs, as a sequence form.

    The payoffs of each player are weighted by chance reach and the ranges of the other players, but
    not by its own range. Gradients on this form are therefore counterfactual values of the whole
    game, even at infostates of range zero. The payoffs are not normalized, and the form is not
    zero-sum even if the game is.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.

    Raises
    ------
    ParameterError
        As in `value_form`.

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
    """Return every player's counterfactual values at the root, `v_cf(s_i) = P_-i(s_i) v_i(s_i)`.

    The values count only future rewards. Adding `belief.counterfactual_rewards(player)` gives
    values that count whole utilities, as in sequence forms. The values scale with the utilities and
    with the ranges of the other players.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.
    policy
        A policy for the part, on either of its forms.

    Returns
    -------
    tuple[FloatArray, ...]
        Per player [S_p], in the order of its range.

    Raises
    ------
    PolicyMismatchError
        If the policy is not for the part; `part.restrict_policy` restricts a policy of the whole
        game.
    ParameterError
        As in `value_form`.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 4.2 and Remark A.2.
    """
    part.check_belief(belief)
    part.check_policy(policy)
    # v_cf(s_i) = Σ_z [z extends s_i] π_c(z) r_-i(z) x(z) u_i(z) - Σ_h P_-i(h) R_i(h), where x is
    # the product of all players' plans from the root. The player's own range r_i is left out.
    reach = part.ends.chance_reach * _plan_product(part, policy)
    utilities = _utilities(part, leaf_utilities)
    values = []
    for player, player_range in enumerate(belief.ranges):
        weight = reach * _range_product(part, belief, without=player) * utilities[:, player]
        entry = part.ends.entry[:, player]
        total = np.bincount(entry, weights=weight, minlength=len(player_range))
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
    """Return [Z, N] the utilities at the ends of the part."""
    expected = (len(part.leaf_histories), part.tree.num_players)
    given = np.zeros((0, expected[1])) if leaf_utilities is None else leaf_utilities
    if given.shape != expected:
        raise ParameterError(
            f"leaf_utilities have shape {given.shape}, but {part.name} has {expected[0]} leaf "
            f"histories; give an array of shape {expected}"
        )
    return np.concatenate([part.tree.rewards_so_far[part.terminals], given])


def _range_product(
    part: TreePart, belief: PublicBeliefState, without: Player | None = None
) -> FloatArray:
    """Return [Z] the product of the players' ranges at each end, except for one player."""
    entered = part.ends.entry.T
    factors = [values[entered[p]] for p, values in enumerate(belief.ranges) if p != without]
    return np.asarray(prod(factors, start=np.ones(len(part.ends.histories))))


def _plan_product(part: TreePart, policy: TabularPolicy) -> FloatArray:
    """Return [Z] the product of the realization plans from the root to each end."""
    return np.asarray(
        prod(
            policy.realization_plan(player)[last]
            for player, last in enumerate(part.ends.sequence.T)
        )
    )
