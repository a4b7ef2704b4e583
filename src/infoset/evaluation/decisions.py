"""What each action is worth at each infostate, and what it costs to choose another one."""

from __future__ import annotations

import numpy as np

from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.arguments import check_player
from infoset.utils.compilation import kernel


def decision_values(policy: TabularPolicy, player: Player) -> FloatArray:
    """Return what each action is worth to a player if everybody follows a policy afterwards.

    `values[q]` is the expected utility of the player, given that play has reached the infostate of
    sequence `q` and that it takes the last action of `q` there:

        values[Ia] = sum_{z after Ia} P_-i(z) P_i(z | Ia) u_i(z) / P_-i(I)

    Parameters
    ----------
    policy
        The policy of all players.

    Returns
    -------
    FloatArray
        [Q] in the game's units. NaN where chance and the others never lead to the infostate; entry
        0, of the empty sequence, is the value of the policy.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`, or the game has no such player.
    UnsupportedGameError
        If the chance reach of the game's terminal histories is unknown (`terminal_reach`).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("kuhn_poker")).sequence_form
    >>> form.infostate_trees[0].acting_labels[0]
    '[J]'
    >>> decision_values(uniform_policy(form), 0)[:3].round(9).tolist()
    [0.125, -1.25, -0.5]
    """
    check_policy(policy)
    form = policy.form
    check_player(player, form.num_players, form.name)
    plex, plans = form.treeplexes[player], policy.realization_plans()
    mass = form.reach_gradient(plans, player)
    values = form.gradient(plans, player)
    # Swept alike, reach becomes the denominator P_-i(I) = sum of P_-i(z) P_i(z | Ia).
    for gradient in (values, mass):
        policy_sweep(
            plex.parent_sequence,
            plex.first_sequence,
            plex.num_actions,
            policy.probabilities[player],
            gradient,
        )
    found: FloatArray = np.divide(values, mass, out=np.full(len(mass), np.nan), where=mass > 0)
    return found


def decision_losses(policy: TabularPolicy, player: Player) -> FloatArray:
    """Return what each action costs a player: its value less than that of the best action.

    Returns
    -------
    FloatArray
        [Q] as `decision_values`, at least 0; entry 0 is 0.

    Raises
    ------
    ParameterError, UnsupportedGameError
        As in `decision_values`.

    Examples
    --------
    With a jack in Kuhn poker, passing costs three quarters of a chip if everybody, including the
    player itself, plays uniformly afterwards.

    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("kuhn_poker")).sequence_form
    >>> decision_losses(uniform_policy(form), 0)[1:3].round(9).tolist()
    [0.75, 0.0]
    """
    values = decision_values(policy, player)
    plex = policy.form.treeplexes[player]
    if not len(plex.num_actions):
        return np.zeros(1)
    # The sequences of an infostate are a block; the empty sequence is before the first one.
    best = np.maximum.reduceat(values, plex.first_sequence)
    losses: FloatArray = np.repeat(best, plex.num_actions) - values[1:]
    return np.concatenate([[0.0], losses])


@kernel
def policy_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    policy: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to each sequence in `gradient` [Q] what follows it if the player follows its policy [Q].

    parent_sequence, first_sequence, num_actions : [I]
    """
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        value = 0.0
        for sequence in range(first, first + num_actions[infostate]):
            value += policy[sequence] * gradient[sequence]
        gradient[parent_sequence[infostate]] += value
