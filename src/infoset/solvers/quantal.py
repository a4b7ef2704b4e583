"""How far a policy is from a quantal response equilibrium."""

from __future__ import annotations

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import plan_value, utility_gradient
from infoset.policy import TabularPolicy, check_policy
from infoset.regret import Distance, TreeplexProx
from infoset.utils.arguments import check_number

__all__ = ["quantal_gap"]

ENTROPY = Distance("entropy")


def quantal_gap(policy: TabularPolicy, temperature: float, distance: Distance = ENTROPY) -> float:
    """Return the sum of what players would gain by a quantal response, a temperature considered.

    With g the gradient of a player's utility, α the temperature and ψ the regularizer of the
    distance, a player who plays x is away from its quantal response by

        max_z [<g, z> − α ψ(z)] − [<g, x> − α ψ(x)]

    which is never negative, and zero for all players in the quantal response equilibrium alone.
    With plain weights and entropy this is that of the reduced normal form.

    Parameters
    ----------
    policy : TabularPolicy
        Of two players.
    temperature : float
        α, in the game's units of utility; positive.
    distance : Distance
        Dilated entropy, if not given.

    Raises
    ------
    UnsupportedGameError
        If the game has not two players.
    ParameterError
        If `policy` is not a policy, or the temperature is not positive.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> pennies = build_tree(load_game("matrix_mp")).sequence_form
    >>> abs(quantal_gap(uniform_policy(pennies), temperature=0.1)) < 1e-15
    True

    Source: McKelvey and Palfrey (1995); Ling, Fang and Kolter (2018) for the reduced normal form.
    """
    check_policy(policy)
    form = policy.sequence_form
    if form.num_players != 2:
        raise UnsupportedGameError(
            f"the quantal gap is for two players; {form.name} has {form.num_players}"
        )
    check_number("temperature", temperature)
    if temperature == 0:
        raise ParameterError(
            "temperature=0 must be positive: without one, quantal responses are best responses, "
            "and the gap is NashConv: use infoset.nash_conv"
        )
    plans = policy.realization_plans()
    gap = 0.0
    for player, plex in enumerate(form.treeplexes):
        prox = TreeplexProx(plex, distance)
        gradient = utility_gradient(form, plans, player)
        best = prox.respond(gradient, temperature=temperature).value
        cost = temperature * prox.divergence(policy.probabilities[player], plans[player])
        gap += best - (plan_value(gradient, plans[player]) - cost)
    return float(gap)
