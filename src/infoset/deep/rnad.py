"""R-NaD: regularized Nash dynamics with a network and sampled episodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from infoset.deep.descent import descend
from infoset.deep.entropy_schedule import EntropySchedule
from infoset.deep.episodes import Episodes, EpisodeSource, Rows
from infoset.deep.expected_sums import action_values
from infoset.deep.network_spec import LearnerState, NetworkSpec
from infoset.deep.networks import legal_exp, legal_log_softmax
from infoset.deep.tree_game import TreeGame
from infoset.deep.two_player_v_trace import Decisions, v_trace
from infoset.errors import ParameterError
from infoset.utils.arguments import check_number

DEFAULT_SCHEDULE = EntropySchedule((200, 1000), (5, 1))

MAX_UNIFORM = 0.5
"""Largest weight of the uniform policy in a regularizer."""


@dataclass(frozen=True, kw_only=True)
class NetworkRNaD(NetworkSpec):
    """The parameters of R-NaD with a network, besides those of `NetworkSpec`."""

    name: str = "rnad"
    description: str = "R-NaD with a network (Perolat et al. 2022)"
    eta: float = 0.2
    """η, the weight of regularization rewards, in the unit of utility; see `is_relative`."""
    schedule: EntropySchedule = DEFAULT_SCHEDULE
    """Learner steps per regularizer."""
    uniform_weight: float = 2.0
    """Regularizer k is the policy mixed with the uniform policy, which has the weight
    `uniform_weight / k`, but at most 1/2. It prevents probabilities that are too small for
    sampling."""
    beta: float = 2.0
    """NeuRD does not increase a centered logit above β, nor decrease it below −β."""
    advantage_clip: float = 10_000.0
    """Largest absolute advantage that NeuRD uses."""
    c_bar: float = 1.0
    rho_bar: float = inf
    """Largest ratios of V-trace."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_positive("eta", "beta", "advantage_clip")
        check_number("uniform_weight", self.uniform_weight)
        for name in ("c_bar", "rho_bar"):
            if getattr(self, name) != inf:
                check_number(name, getattr(self, name))
        if not isinstance(self.schedule, EntropySchedule):
            raise ParameterError(
                f"schedule={self.schedule!r} must be an EntropySchedule, such as "
                "EntropySchedule((500, 10000), (200, 1))"
            )

    def update(
        self, source: EpisodeSource, rows: Rows, episodes: Episodes | None, state: LearnerState
    ) -> LearnerState:
        """Update the network, its average and the regularizer."""
        # What `play` has computed with the same network is not computed again: the compiler merges
        # it.
        (logits, values), pull_back = jax.vjp(lambda theta: theta(rows.features), state.network)
        handover, is_last = self.schedule.at(state.step)
        number = self.schedule.iteration(state.step)
        current, previous = (
            mixed_with_uniform(source.log_policy(stored, rows), rows, self.uniform_weight / k)
            for stored, k in (
                (state.regularizer, jnp.maximum(number, 1)),
                (state.previous, jnp.maximum(number - 1, 1)),
            )
        )
        reference = handover * current + (1.0 - handover) * previous

        if episodes is None:
            assert isinstance(rows, TreeGame)
            sums = expected_sums(rows, self, logits, reference)
        else:
            policy = legal_exp(legal_log_softmax(logits, rows.legal), rows.legal)
            target_values = state.target(rows.features)[1]
            sums = sum_over_episodes(rows, self, logits, target_values, reference, policy, episodes)
        (gradient,) = pull_back(output_gradients(rows, values, sums))

        moved = descend(self, state, gradient)
        regularizer, previous = jax.lax.cond(
            is_last,
            lambda: (source.store(moved.target), state.regularizer),
            lambda: (state.regularizer, state.previous),
        )
        return moved._replace(
            regularizer=regularizer, previous=previous, loss=loss(rows, logits, values, sums)
        )


class Sums(NamedTuple):
    """Sums over the decisions of a batch, by row."""

    force: Array
    """[R, A] sum of the forces F(a) of NeuRD."""
    target: Array
    """[R] sum of the value targets v."""
    visits: Array
    """[R] number of decisions."""


def mixed_with_uniform(log_policy: Array, rows: Rows, weight: Array | float) -> Array:
    """Return [R, A] logarithms of a policy mixed with the uniform one, at most half of each."""
    weight = jnp.minimum(weight, MAX_UNIFORM)
    uniform = rows.legal / rows.legal.sum(axis=1, keepdims=True)
    policy = (1.0 - weight) * legal_exp(log_policy, rows.legal) + weight * uniform
    return jnp.where(rows.legal, jnp.log(jnp.where(rows.legal, policy, 1.0)), 0.0)


def sum_over_episodes(
    rows: Rows,
    spec: NetworkRNaD,
    logits: Array,
    target_values: Array,
    reference: Array,
    behavior: Array,
    episodes: Episodes,
) -> Sums:
    """Return the forces of NeuRD and the value targets of a batch, summed by row.

    With L = log π − log π_reg and the gain of `v_trace`,

        Q(a) = V − η L(a) + 1[a = a_t] gain / μ(a_t),   A(a) = Q(a) − Σ_b π(b) Q(b)
        F(a) = 1[y(a) > −β] min(A(a), 0) + 1[y(a) < β] max(A(a), 0)

    where y is the logit minus the mean of the legal logits.

    Parameters
    ----------
    logits
        [R, A] of θ, whose policy is π.
    target_values
        [R] V of the target network.
    reference
        [R, A] log π_reg.
    behavior
        [R, A] μ, the policy that played the episodes.
    """
    here, action, valid = episodes.row, episodes.action, episodes.valid
    log_policy = legal_log_softmax(logits, rows.legal)
    policy = legal_exp(log_policy, rows.legal)
    penalty = -spec.eta * (log_policy - reference)  # −η L, which depends on the infostate alone
    expected = (policy * penalty).sum(axis=1)
    played = behavior[here, action]
    ratio = jnp.where(valid, policy[here, action] / played, 1.0)
    targets = v_trace(
        Decisions(
            rows.player[here], valid, episodes.reward, target_values[here], expected[here], ratio
        ),
        spec.c_bar,
        spec.rho_bar,
    )
    # V and the mean of −η L drop out of the advantages.
    weight = jnp.where(valid, targets.gain / played, 0.0)[..., None]
    one_hot = action[..., None] == jnp.arange(rows.num_actions)
    probability = (policy[here, action])[..., None]
    advantage = (penalty - expected[:, None])[here] + weight * (one_hot - probability)
    advantage = jnp.clip(advantage, -spec.advantage_clip, spec.advantage_clip)

    may_fall, may_rise = gate(rows, logits, spec.beta)
    force = jnp.where(advantage < 0, may_fall[here], may_rise[here]) * advantage
    columns = [force, targets.value[..., None], jnp.ones_like(weight)]
    terms = jnp.where(valid[..., None], jnp.concatenate(columns, axis=-1), 0.0)
    total = jnp.zeros((rows.num_rows, terms.shape[-1]), jnp.float32).at[here].add(terms)
    return Sums(total[:, :-2], total[:, -2], total[:, -1])


def expected_sums(game: TreeGame, spec: NetworkRNaD, logits: Array, reference: Array) -> Sums:
    """Return the sums that a batch of episodes has in expectation, with V the exact values.

    Only the gate differs: it applies to the expected advantage, not to that of each decision.
    """
    values, visits = action_values(game, logits, reference, spec.eta)
    policy = legal_exp(legal_log_softmax(logits, game.legal), game.legal)
    expected = (policy * values).sum(axis=1)
    advantage = jnp.where(game.legal, values - expected[:, None], 0.0)
    advantage = jnp.clip(advantage, -spec.advantage_clip, spec.advantage_clip)
    may_fall, may_rise = gate(game, logits, spec.beta)
    force = jnp.where(advantage < 0, may_fall, may_rise) * advantage
    weight = spec.batch_size * visits
    return Sums(weight[:, None] * force, weight * expected, weight)


def gate(rows: Rows, logits: Array, beta: float) -> tuple[Array, Array]:
    """Return [R, A] whether NeuRD may decrease a logit, and whether it may increase it."""
    centered = _centered(rows, logits)
    return rows.legal & (centered > -beta), rows.legal & (centered < beta)


def _centered(rows: Rows, values: Array) -> Array:
    """Return [R, A] values minus their mean over legal actions; 0 at illegal actions."""
    legal_values = jnp.where(rows.legal, values, 0.0)
    mean = legal_values.sum(axis=1, keepdims=True) / rows.legal.sum(axis=1, keepdims=True)
    return jnp.where(rows.legal, values - mean, 0.0)


def output_gradients(rows: Rows, values: Array, sums: Sums) -> tuple[Array, Array]:
    """Return the gradients of `loss` by logits [R, A] and values [R].

    The loss of the values is Σ_i mean (V − v)², and that of NeuRD −Σ_i mean Σ_a y(a) F(a); the
    means are over the decisions of player i.
    """
    per_decision = _inverse_counts(rows, sums.visits)
    # y(a) is a logit minus a mean of logits, and so is the gradient: a force minus the mean force.
    by_logits = -_centered(rows, sums.force) * per_decision[:, None]
    by_values = 2.0 * (sums.visits * values - sums.target) * per_decision
    return by_logits, by_values


def _inverse_counts(rows: Rows, visits: Array) -> Array:
    """Return [R] the inverse of the number of decisions of the player who acts."""
    of_first = jnp.where(rows.player == 0, visits, 0.0).sum()
    of_second = visits.sum() - of_first
    return 1.0 / jnp.maximum(jnp.where(rows.player == 0, of_first, of_second), 1.0)


def loss(rows: Rows, logits: Array, values: Array, sums: Sums) -> Array:
    """Return the loss whose gradients by logits and values are `output_gradients`.

    The forces and targets are constants; Σ v² is left out.
    """
    per_decision = _inverse_counts(rows, sums.visits)
    neurd = -(_centered(rows, logits) * sums.force).sum(axis=1)
    value = sums.visits * values**2 - 2.0 * values * sums.target
    return ((neurd + value) * per_decision).sum()
