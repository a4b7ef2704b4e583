"""What the opponent can be given instead of playing on in a subgame."""

from __future__ import annotations

from typing import Final

import numpy as np

from infoset.beliefs import PublicBeliefState, TreePart, gadget_form
from infoset.evaluation import utility_gradient
from infoset.evaluation.best_responses import best_response_sweep
from infoset.policy import behavior_to_plan
from infoset.typing import FloatArray, Player

__all__ = ["OPPONENT_VALUES", "best_response_values", "mean_values"]

OPPONENT_VALUES: Final = ("previous", "transformations", "profile", "best_response")
"""Where a search takes the opponent's values at its root from.

- `previous`: what a best response earns against the searcher's last search, which contained the
  root; `transformations` where there is none.
- `transformations`: the best of the opponent's transformed blueprints at each infostate.
- `profile`: the blueprint, as Kubíček, Burch, Lisý (2023) do. Unless it is an equilibrium, the
  opponent can often earn more, and search may then raise exploitability.
- `best_response`: a best response to the searcher's blueprint. Search to the end of the game then
  never raises exploitability (Burch, Johanson, Bowling 2014); it needs the whole tree.
"""


def mean_values(
    belief: PublicBeliefState, player: Player, own_range: FloatArray, values: FloatArray
) -> FloatArray:
    """Return [S_j, ...] the means of values of histories [R, ...] at the opponent's infostates.

    Histories have the weight of chance and of the searching player's range; infostates of weight
    zero get 0.
    """
    other = 1 - player
    place = belief.position[:, other]
    weight = own_range[belief.position[:, player]] * belief.chance_reach
    size = len(belief.ranges[other])
    total = np.bincount(place, weight, size)
    columns = values.reshape(len(values), -1).T
    sums = np.stack([np.bincount(place, weight * column, size) for column in columns], axis=1)
    means = np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0)
    return means.reshape(size, *values.shape[1:])


def best_response_values(
    part: TreePart,
    player: Player,
    own_range: FloatArray,
    policy: FloatArray,
    leaf_values: FloatArray | None = None,
) -> FloatArray:
    """Return [S_j] what a best response to a policy earns at each infostate of the root.

    Parameters
    ----------
    part : TreePart
    player : Player
        The searching player, whose policy is given.
    own_range : FloatArray
        [S_i] its range at the root.
    policy : FloatArray
        [Q'_i] its probabilities at the sequences of the part.
    leaf_values : FloatArray, optional
        As in `gadget_form`; the opponent chooses the best continuation at each leaf infostate.
    """
    other = 1 - player
    root = PublicBeliefState.with_unit_ranges(part.tree, part.root)
    size = len(root.ranges[other])
    form = gadget_form(part, player, own_range, np.zeros(size), leaf_values)
    own, plex = form.treeplexes[player], form.treeplexes[other]
    plan = behavior_to_plan(own.parent_sequence, own.first_sequence, own.num_actions, policy)
    # The opponent's own plan is not used.
    gradient = utility_gradient(form, (plan, plan), other)
    best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
    # The gadget's infostates are the first ones; each has the sequences "follow", "terminate".
    values = gradient[1 : 1 + 2 * size : 2] if part.root else gradient[:1]
    weight = np.bincount(
        root.position[:, other], own_range[root.position[:, player]] * root.chance_reach, size
    )
    return np.divide(values, weight, out=np.zeros(size), where=weight > 0)
