"""Values that a gadget can offer the opponent instead of playing a subgame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from infoset.beliefs import PublicBeliefState, TreePart
from infoset.beliefs.public_belief_state import check_public_state, infostates_at
from infoset.errors import ParameterError
from infoset.evaluation import PublicValues
from infoset.evaluation.tree_reach import check_same_game, reach_without
from infoset.forms import Form, behavior_to_plan, best_response_sweep
from infoset.policy import TabularPolicy, uniform_policy
from infoset.resolving.gadgets import entered_form
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player

OPPONENT_VALUES: Final = ("previous", "transformations", "profile", "best_response")
"""Where a search takes the opponent's values at its root from.

- `previous`: what a best response earns against the searcher's last search, which contained the
  root; `transformations` where there is none.
- `transformations`: the best of the opponent's transformed blueprints at each infostate.
- `profile`: the blueprint, as Kubíček, Burch, Lisý (2023) do. Unless it is an equilibrium, the
  opponent can often earn more, and search may then raise exploitability.
- `best_response`: a best response to the searcher's blueprint; it needs the whole tree. One search
  in each play, to the end of the game, then never raises exploitability (Burch, Johanson, Bowling
  2014). If searches follow each other, `previous` is safe, and this is not: the blueprint after a
  search may be a bad continuation of its answer.
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
    columns = values.reshape(len(values), -1)
    # All columns are summed by one call, each at its own places.
    num = columns.shape[1]
    places = (num * place[:, None] + np.arange(num)).ravel()
    sums = np.bincount(places, (weight[:, None] * columns).ravel(), size * num).reshape(size, num)
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
    player
        The searching player, whose policy is given.
    own_range
        [S_i] its range at the root.
    policy
        [Q'_i] its probabilities at the sequences of the part.
    leaf_values
        [L, n] as in `gadget_form`; the opponent chooses the best continuation at each leaf
        infostate.
    """
    if leaf_values is not None and np.ndim(leaf_values) == 3:
        raise ParameterError(
            f"leaf_values have shape {np.shape(leaf_values)}, with choices of player {player}, "
            "which the policy does not contain; give values of shape [L, n]"
        )
    entered = entered_form(part, player, leaf_values)
    [values] = responses_at_root(entered, part.root, player, own_range, [policy])
    return values


def responses_at_root(
    entered: Form,
    root: int,
    player: Player,
    own_range: FloatArray,
    policies: Sequence[FloatArray],
) -> list[FloatArray]:
    """Return [S_j] the opponent's best-response values at a root, against each policy.

    There is one value for each of its infostates there, or a single value at the root of the game.
    Infostates of weight zero get 0. Values at leaves that depend on the opponent's range are
    computed with the range of uniform play.

    Parameters
    ----------
    entered, root
        As in `with_gadget`.
    player
        The searching player, whose policies [Q'_i] are given.
    own_range
        [S_i] its range at the root.
    """
    other = 1 - player
    own, theirs = entered.treeplexes[player], entered.treeplexes[other]
    plans = list(uniform_policy(entered).realization_plans())
    totals = []
    for policy in policies:
        # The probabilities of the player's forced moves are its range.
        behavior = np.concatenate([[1.0], own_range, policy[1:]]) if root else policy
        plans[player] = behavior_to_plan(
            own.parent_sequence, own.first_sequence, own.num_actions, behavior
        )
        values = entered.gradient((plans[0], plans[1]), other)
        best_response_sweep(
            theirs.parent_sequence, theirs.first_sequence, theirs.num_actions, values
        )
        totals.append(values)
    if not root:
        return [values[:1] for values in totals]
    count = int((theirs.parent_sequence == 0).sum())
    reach = entered.counterfactual_reach((plans[0], plans[1]), other)[:count]
    met = reach >= np.finfo(np.float64).tiny
    return [
        np.divide(values[1 : 1 + count], reach, out=np.zeros(count), where=met) for values in totals
    ]


def accumulated_gifts(
    tree: GameTree, player: Player, policy: TabularPolicy, public_state: int, since: int = 0
) -> FloatArray:
    """Return [S_j] what the opponent has given up on the way to each infostate of a public state.

    The gift of taking action `a` at infostate `I` is `CBV(I) - CBV(Ia)`, where `CBV` is the value
    of a best response to the searching player's policy, for the reach of chance and of that policy.
    Gifts are summed over the opponent's decisions on the way; infostates of weight zero get 0.

    If the opponent gains up to this sum at each infostate of *all* public states of a cut, then
    every decision above still has a value of at most `CBV(I)`: it is a maximum over actions of
    means over what follows, and all of what follows an action has risen by at most its gift.
    Gifts therefore need not be divided among subgames none of which contains another.

    Parameters
    ----------
    tree
        A two-player constant-sum game.
    player
        The searching player.
    policy
        Only the searching player's policy is used.
    since
        A public state on the way. Only decisions from there on count, because a search at `since`
        has used the gifts before.

    Raises
    ------
    PolicyMismatchError
        If the policy is for another game.
    ParameterError
        If there is no such player or public state.

    Notes
    -----
    Source: Brown and Sandholm, "Safe and Nested Subgame Solving for Imperfect-Information Games"
    (2017), reach margin. Differs: gifts are those against the given policy, and not lower bounds
    for all policies that the searches in other subgames may produce. The searches together then
    still do not raise exploitability above that of the given policy, but one of them may take back
    a part of what others have gained.

    Examples
    --------
    Against uniform play, player 0 gives up 0.5 by passing with a jack or a queen.

    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> kuhn.public_tree.label(2)
    '. / pass'
    >>> accumulated_gifts(kuhn, 1, uniform_policy(kuhn.sequence_form), 2).round(
    ...     3
    ... ).tolist()
    [0.5, 0.5, 0.0]
    """
    check_same_game(tree, policy.form)
    check_player(player, 2, str(tree))
    check_public_state(tree, public_state)
    other = 1 - player
    theirs, plex = tree.infostate_trees[other], tree.sequence_form.treeplexes[other]
    values = tree.sequence_form.gradient(policy.realization_plans(), other)
    best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, values)
    reach = reach_without(tree, policy, [other])
    weight = np.bincount(tree.infostate[:, other], reach, len(theirs.parent))
    here = infostates_at(tree, public_state)[other]
    found = np.zeros(len(here))
    for place, infostate in enumerate(here.tolist()):
        node = infostate
        while node > 0 and theirs.public_state[node] > since:
            above, action = int(theirs.parent[node]), int(theirs.action[node])
            if action >= 0 and weight[above] > 0:
                first = theirs.first_sequence[above]
                actions = values[first : first + theirs.num_actions[above]]
                found[place] += (actions.max() - actions[action]) / weight[above]
            node = above
    return found


def gifts_of_hands(values: PublicValues, player: Player, node: int, since: int = 0) -> FloatArray:
    """Return [hands] the value that the opponent has given up on the way to a public node.

    These are the gifts of `accumulated_gifts`, for each hand of a public form.

    Parameters
    ----------
    values
        The values of a policy. Only the searching player's policy is used.
    player
        The searching player.
    since
        A public node on the way. Only decisions from there on count.
    """
    form, other = values.public_form, 1 - player
    found = np.zeros(form.num_hands[other])
    while node > since:
        above = int(form.parent[node])
        if form.player[above] == other:
            # The action leads only to this node, with the same reach of each hand.
            before, after = (values.response_values(at, other) for at in (above, node))
            found += np.maximum(np.nan_to_num(before - after, nan=0.0), 0.0)
        node = above
    return found
