"""The distance of a policy from a quantal response equilibrium."""

from __future__ import annotations

from math import inf, sqrt

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import plan_value
from infoset.policy import TabularPolicy, check_policy
from infoset.regret import Distance, TreeplexProx
from infoset.solvers.two_player import check_two_player
from infoset.utils.arguments import check_number

ENTROPY = Distance("entropy")


def quantal_gap(policy: TabularPolicy, temperature: float, distance: Distance = ENTROPY) -> float:
    """Return the sum of the players' gains in regularized utility from quantal responses.

    Let g be the gradient of a player's utility, α the temperature, and ψ the regularizer of the
    distance. The gain of a player with the plan x is

        max_z [<g, z> − α ψ(z)] − [<g, x> − α ψ(x)]

    Gains are never negative. They are zero for all players only in the quantal response
    equilibrium. For entropy with unit weights, this is the equilibrium of the reduced normal form.

    Parameters
    ----------
    policy
        A policy of a two-player game.
    temperature
        α, in the game's units of utility; positive.
    distance
        By default dilated entropy with unit weights.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players.

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
    form = policy.form
    if form.num_players != 2:
        raise UnsupportedGameError(
            f"the quantal gap is defined for two players, but {form.name} has {form.num_players}; "
            "use nash_conv"
        )
    check_number("temperature", temperature)
    if temperature == 0:
        raise ParameterError(
            "temperature=0 is not allowed: at temperature 0, quantal responses are best responses, "
            "and the gap is NashConv; use infoset.nash_conv"
        )
    plans = policy.realization_plans()
    gap = 0.0
    for player, plex in enumerate(form.treeplexes):
        prox = TreeplexProx(plex, distance, form.multiplicities[player])
        gradient = form.gradient(plans, player)
        best = prox.respond(gradient, temperature=temperature).value
        cost = temperature * prox.divergence(policy.probabilities[player], plans[player])
        gap += best - (plan_value(gradient, plans[player]) - cost)
    return float(gap)


def quantal_distance(
    policy: TabularPolicy, temperature: float, distance: Distance = ENTROPY
) -> float:
    """Return an upper bound on the distance in probability from a quantal response equilibrium.

    Let z be the plans and z* the equilibrium. The regularizer is strongly convex, so

        quantal_gap ≥ α Σ D(z, z*) ≥ c α w Σ_I z(parent of I) max_a (σ(I, a) − σ*(I, a))²

    with the smallest dilation weight w, and c = 2 for entropy (by Pinsker's inequality) or 1/2 for
    the Euclidean distance. At an infostate that the player's own plan reaches with probability ρ,
    no probability therefore differs by more than the result divided by √ρ.

    Parameters
    ----------
    policy, temperature, distance
        As in `quantal_gap`.

    Raises
    ------
    UnsupportedGameError, ParameterError
        As raised by `quantal_gap`, or if the game is not constant-sum.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.solvers import payoff_scale
    >>> policy = solve("kuhn_poker", "mmd").policy
    >>> quantal_distance(policy, 0.1 * payoff_scale(policy.form)) < 1e-3
    True
    """
    check_policy(policy)
    check_two_player(policy.form, "quantal_distance")
    gap = max(quantal_gap(policy, temperature, distance), 0.0)
    form = policy.form
    pairs = zip(form.treeplexes, form.multiplicities, strict=True)
    weight = min(
        float(distance.weights_of(plex, counts)[counts > 0].min(initial=inf))
        for plex, counts in pairs
    )
    strength = 0.5 if distance.is_euclidean else 2.0
    return sqrt(gap / (strength * temperature * weight))
