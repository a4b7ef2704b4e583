"""V-trace for two players whose decisions are interleaved in one episode."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import Array

Later: TypeAlias = tuple[Array, Array, Array, Array, Array]
"""Sums over later decisions, [2, B] each: r_r, r_u, V', v' and ξ of both players."""


class Decisions(NamedTuple):
    """Decisions [T, B] of a batch of episodes, each from the view of the player who acts."""

    player: Array
    """The player who acts."""
    valid: Array
    """True for decisions, False for padding."""
    reward: Array
    """Reward of player 0 after the decision."""
    value: Array
    """V, the estimated value for the player who acts."""
    regularization: Array
    """Expected regularization reward of the player who acts, −η Σ_a π(a) L(a)."""
    ratio: Array
    """π(a) / μ(a) of the action taken, with μ the policy that played; 1 in padding."""


class Targets(NamedTuple):
    """What the acting player learns at each decision [T, B]."""

    value: Array
    """v, the V-trace target of the value."""
    gain: Array
    """What the action taken earned, minus V: the factor of 1[a = a_t] / μ(a_t) in Q(a)."""


def v_trace(decisions: Decisions, c_bar: float = 1.0, rho_bar: float = inf) -> Targets:
    """Compute V-trace targets backwards, simultaneously for both players.

    For player i and decisions from the last to the first, with r the reward, H the expected
    regularization reward and ρ the ratio, in the view of i:

        if i acts:  v = V + min(rho_bar, ρξ) (r + r_u + H + V' − V) + min(c_bar, ρξ) (v' − V')
                    gain = r + r_r + ξ v' − V;  then r_r, r_u, V', v', ξ ← 0, 0, V, v, 1
        otherwise:  r_r, r_u, ξ ← H + ρ (r + r_r), r + r_u + H, ρξ

    V' and v' are those of the player's next decision; they and the rewards are 0 at the end, and
    ξ is 1.

    Notes
    -----
    Source: Perolat et al. (Science 2022), with λ = γ = 1; Espeholt et al. (2018) for one player.
    """
    players = jnp.arange(2)[:, None]
    zeros = jnp.zeros((2, *decisions.player.shape[1:]), jnp.float32)
    ones = jnp.ones_like(zeros)

    def backwards(after: Later, now: Decisions) -> tuple[Later, Targets]:
        sampled, expected, next_value, next_target, ratio_since = after  # each [2, B]
        acts = now.player == players
        # Zero-sum: everything of player 1 is that of player 0 with the other sign.
        reward = jnp.where(players == 0, now.reward, -now.reward)
        regularization = jnp.where(acts, now.regularization, -now.regularization)
        weight = now.ratio * ratio_since
        gain = reward + sampled + ratio_since * next_target - now.value
        error = reward + expected + regularization + next_value - now.value
        target = now.value + jnp.minimum(rho_bar, weight) * error
        target += jnp.minimum(c_bar, weight) * (next_target - next_value)

        def chosen(own: Array, other: Array, padding: Array) -> Array:
            # Padding comes after the end, so that backwards every episode begins with `padding`.
            return jnp.where(now.valid, jnp.where(acts, own, other), padding)

        before = (
            chosen(zeros, regularization + now.ratio * (reward + sampled), zeros),
            chosen(zeros, reward + expected + regularization, zeros),
            chosen(now.value * ones, next_value, zeros),
            chosen(target, next_target, zeros),
            chosen(ones, weight, ones),
        )
        is_target = acts & now.valid
        return before, Targets(
            jnp.where(is_target, target, 0.0).sum(axis=0),
            jnp.where(is_target, gain, 0.0).sum(axis=0),
        )

    start = (zeros, zeros, zeros, zeros, ones)
    targets: Targets = jax.lax.scan(backwards, start, decisions, reverse=True)[1]
    return targets
