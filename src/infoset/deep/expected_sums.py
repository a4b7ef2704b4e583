"""The sums of a batch of episodes in expectation, by a pass through the whole tree."""

from __future__ import annotations

from itertools import pairwise

import jax
import jax.numpy as jnp
from jax import Array

from infoset.deep.networks import legal_exp, legal_log_softmax
from infoset.deep.tree_game import TreeGame
from infoset.deep.tree_moves import CHANCE


def action_values(
    game: TreeGame, logits: Array, reference: Array, eta: float
) -> tuple[Array, Array]:
    """Return the expected value of each action in the regularized game, and the expected visits.

    Parameters
    ----------
    logits
        [I, A] of the policy π of both players.
    reference
        [I, A] log π_reg.
    eta
        η.

    Returns
    -------
    values : Array
        [I, A] Q(a) − η log(π(a) / π_reg(a)), for the player who acts; 0 for illegal actions and
        at infostates that the opponent and chance do not reach.
    visits : Array
        [I] probability that an episode visits each infostate.
    """
    moves = game.moves
    log_policy = legal_log_softmax(logits, game.legal)
    policy = legal_exp(log_policy, game.legal)
    penalty = jnp.where(game.legal, -eta * (log_policy - reference), 0.0)
    taken = moves.infostate, moves.action
    is_chance = moves.mover == CHANCE
    probability = jnp.where(is_chance, moves.chance, policy[taken])
    movers = jnp.arange(3)[:, None]
    # [3, K] each move counts only in the reach of its mover: player 0, player 1 or chance.
    factors = jnp.where(moves.mover == movers, probability, 1.0)
    levels = [slice(*pair) for pair in zip((0, *moves.ends), moves.ends, strict=False)]

    reach = [jnp.ones((3, 1), jnp.float32)]
    for before, level in pairwise(levels):
        parent = moves.parent[level] - before.start
        reach.append(reach[-1][:, parent] * factors[:, level])
    reached = jnp.concatenate(reach, axis=1)

    # Regularization rewards of the move to each node, for player 0.
    sign = jnp.where(moves.mover == 0, 1.0, -1.0)
    earned = jnp.where(is_chance, 0.0, sign * penalty[taken])
    below = game.reward[levels[-1]]
    # From the last level up: the value of a node is its reward plus those of its moves.
    utility = [below]
    for before, level in zip(levels[-2::-1], levels[:0:-1], strict=True):
        parent = moves.parent[level] - before.start
        expected = probability[level] * (below + earned[level])
        size = before.stop - before.start
        below = game.reward[before] + jax.ops.segment_sum(expected, parent, size)
        utility.append(below)
    utilities = jnp.concatenate(utility[::-1])

    # The weight of a history in an infostate is its reach without the player's own actions.
    weight = jnp.where(moves.mover == 0, reached[1], reached[0]) * reached[2]
    weight = jnp.where(is_chance, 0.0, weight)
    shape = game.legal.shape
    zeros = jnp.zeros(shape, jnp.float32)
    total = zeros.at[taken].add(weight * sign * utilities)
    weights = zeros.at[taken].add(weight)
    # Visits: the product of all three reaches, at nodes where a player acts.
    own = jnp.where(game.nodes.kind >= 0, reached.prod(axis=0), 0.0)
    visits = jnp.zeros(shape[0], jnp.float32).at[jnp.maximum(game.nodes.kind, 0)].add(own)
    # The mean over the histories of an infostate, each by its weight.
    values = jnp.where(weights > 0, total / jnp.maximum(weights, 1e-30), 0.0)
    return values + penalty, visits
