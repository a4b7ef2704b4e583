"""The status of infostates: reached by a policy, or off the path, refined or arbitrary."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Form, may_roll_back, roll_back
from infoset.forms.backward_induction import MAX_COST
from infoset.policy import TabularPolicy, check_policy, uniform_policy
from infoset.typing import FloatArray

Status: TypeAlias = Literal["reached", "refined", "arbitrary"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

SMALLEST_REACH = 1e-6
"""Reach, as a fraction of that under uniform play, below which an infostate is off the path: the
averages of regret minimization reach every infostate with some small probability."""


def infostate_status(policy: TabularPolicy[Form]) -> tuple[NDArray[np.str_], ...]:
    """Return per player [I] the status of each acting infostate.

    - "reached": chance and all players, the player included, lead there with a positive
      probability: more than 10⁻⁶ times that under uniform play.
    - "refined": off the path, but information is perfect there and below, and all actions that are
      played there and below are best, as in a subgame-perfect equilibrium; or there is only one
      action.
    - "arbitrary": off the path, where an equilibrium only makes deviations unprofitable. The
      actions that are played need not be good. Other refinements, such as that of `lp-refined`, are
      not recognized.

    Examples
    --------
    >>> import infoset
    >>> from infoset.policy import tabulate
    >>> kuhn = infoset.build_sequence_form("kuhn_poker")
    >>> never_bet = tabulate(kuhn, lambda infostate, legal_actions: {"pass": 1})
    >>> [own.tolist().count("arbitrary") for own in infostate_status(never_bet)]
    [3, 3]
    """
    check_policy(policy)
    form, found = policy.form, []
    is_tried = form.gradient_cost <= MAX_COST or may_roll_back(form)  # also without payoffs
    rolled = roll_back(form, policy.probabilities) if is_tried else None
    reaches = zip(infostate_reach(policy), infostate_reach(uniform_policy(form)), strict=True)
    for player, (own, uniform) in enumerate(reaches):
        is_reached = own > SMALLEST_REACH * uniform
        is_refined = form.treeplexes[player].num_actions == 1
        if rolled is not None:
            is_refined = is_refined | rolled.is_rational[player]
        found.append(np.select([is_reached, is_refined], STATUSES[:2], STATUSES[2]))
    return tuple(found)


def infostate_reach(policy: TabularPolicy[Form]) -> list[FloatArray]:
    """Return per player [I] the probability with which play leads to each acting infostate."""
    form, plans = policy.form, policy.realization_plans()
    return [
        plans[player][plex.parent_sequence] * form.counterfactual_reach(plans, player)
        for player, plex in enumerate(form.treeplexes)
    ]
