"""Policy gradients with a network: PPO, magnetic mirror descent, and NashPG."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from infoset.deep.descent import descend
from infoset.deep.episodes import Episodes, EpisodeSource, Rows
from infoset.deep.network_spec import LearnerState, NetworkSpec
from infoset.deep.networks import PolicyValueNetwork, legal_exp, legal_log_softmax
from infoset.deep.two_player_v_trace import Decisions, v_trace
from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_number

ORDER_STREAM = 1 << 30
"""Number by which the random key of orders differs from those of play, whose numbers are small."""

SMALLEST_DEVIATION = 1e-6
"""Standard deviation of advantages below which they are not scaled up further."""


@dataclass(frozen=True, kw_only=True)
class NetworkPolicyGradient(NetworkSpec):
    """The parameters of policy gradients with a network, besides those of `NetworkSpec`.

    With ρ(a) = π(a) / π_old(a), π_old the policy that has played, and A the advantages by
    generalized advantage estimation, divided by their standard deviation, each of the `epochs`
    times `minibatches` gradient steps on a batch decreases the mean over its decisions of

        −min(ρ A, clip(ρ, 1 − clip, 1 + clip) A) − α H(π) + kl Σ π log(π / π_old)
            + reference Σ π log(π / π_ref) + value (V − v)²

    where α H(π) is, up to a constant, −α times the divergence from the uniform policy, the magnet
    of magnetic mirror descent, and π_ref is the policy of the network after the last multiple of
    `reference_steps` learner steps.

    Notes
    -----
    Source: Schulman et al. (2017) for PPO; Sokota et al. (ICLR 2023) for magnetic mirror descent;
    Yu et al. (2025) for NashPG, whose reference policy is replaced; Rudolph et al. (ICLR 2026) for
    the first two in two-player zero-sum games, with both seats in a batch.
    """

    name: str = "ppo"
    description: str = "PPO: clipped policy gradients with an entropy bonus"
    clip: float = 0.2
    """Distance from 1 up to which a ratio ρ counts; inf for no limit."""
    kl: float = 0.0
    """Weight of the divergence from the policy that has played."""
    reference: float = 0.0
    """Weight of the divergence from the reference policy."""
    reference_steps: int = 300
    """Learner steps after which the policy becomes the reference policy."""
    entropy: float = 0.4
    """α in the first step, in units of the standard deviation of advantages."""
    entropy_halving_steps: float = 2000.0
    """Steps until α is half of `entropy`; inf keeps it constant. After `t` steps, α is
    `entropy / sqrt(1 + 3 t / entropy_halving_steps)`. If α falls faster than the noise of
    gradients, long runs diverge."""
    gae: float = 1.0
    """λ of generalized advantage estimation: 0 uses the next value, 1 the whole return."""
    epochs: int = 2
    """How often each batch of episodes is used."""
    minibatches: int = 1
    """Parts of a batch, of randomly chosen decisions; each has a gradient step in each epoch."""
    value: float = 1.0
    """Weight of the values in the loss."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_positive("value")
        for name in ("clip", "entropy_halving_steps"):
            if getattr(self, name) != inf:
                self._check_positive(name)
        for name in ("kl", "reference", "entropy"):
            check_number(name, getattr(self, name))
        check_number("gae", self.gae, maximum=1)
        for name in ("epochs", "minibatches", "reference_steps"):
            check_count(name, getattr(self, name), minimum=1)
        if not self.is_sampled:
            raise ParameterError(
                f"is_sampled=False: {self.name} learns from sampled episodes; for expectations "
                "over the tree, use NetworkRNaD(is_sampled=False)"
            )

    def update(
        self, source: EpisodeSource, rows: Rows, episodes: Episodes | None, state: LearnerState
    ) -> LearnerState:
        """Do the gradient steps on a batch of episodes."""
        assert episodes is not None
        batch = make_batch(self, rows, episodes, state.network)
        if self.reference:
            batch = batch._replace(log_reference=source.log_policy(state.regularizer, rows))
        alpha = self.entropy / jnp.sqrt(1.0 + 3.0 * state.step / self.entropy_halving_steps)

        key = jax.random.fold_in(jax.random.wrap_key_data(state.key), state.step)
        keys = jax.random.split(jax.random.fold_in(key, ORDER_STREAM), self.epochs)
        orders = jax.vmap(partial(jax.random.permutation, x=episodes.row.size))(keys)
        num_steps = self.epochs * self.minibatches

        def learn(number: Array, now: LearnerState) -> LearnerState:
            part = rows, episodes, batch
            if self.minibatches > 1:
                part = minibatch(*part, orders, number, self.minibatches)
            value, gradient = jax.value_and_grad(surrogate_loss)(now.network, self, *part, alpha)
            count = state.step * num_steps + number
            return descend(self, now, gradient, count)._replace(step=state.step, loss=value)

        after: LearnerState = jax.lax.fori_loop(0, num_steps, learn, state)
        step, reference = state.step + 1, state.regularizer
        if self.reference:
            reference = jax.lax.cond(
                step % self.reference_steps == 0,
                lambda: source.store(after.network),
                lambda: state.regularizer,
            )
        return after._replace(step=step, regularizer=reference)


class Batch(NamedTuple):
    """What stays the same in all gradient steps on a batch of episodes."""

    log_policy: Array
    """[R, A] log π_old."""
    log_reference: Array
    """[R, A] log π_ref; log π_old if there is no reference policy."""
    advantage: Array
    """[T, B] A."""
    target: Array
    """[T, B] v, the target of the value."""


def make_batch(
    spec: NetworkPolicyGradient, rows: Rows, episodes: Episodes, network: PolicyValueNetwork
) -> Batch:
    """Return the advantages of the decisions of a batch that a network has played."""
    logits, values = network(rows.features)
    here, valid = episodes.row, episodes.valid
    value, zeros = values[here], jnp.zeros(here.shape, jnp.float32)
    decisions = Decisions(
        rows.player[here], valid, episodes.reward, value, zeros, jnp.ones_like(zeros)
    )
    # On policy, and with λ as bound of the trace, V-trace is generalized advantage estimation.
    target = v_trace(decisions, c_bar=spec.gae).value
    advantage = jnp.where(valid, target - value, 0.0)
    number = jnp.maximum(valid.sum(), 1)
    mean = advantage.sum() / number
    deviation = jnp.sqrt(jnp.where(valid, (advantage - mean) ** 2, 0.0).sum() / number)
    advantage /= jnp.maximum(deviation, SMALLEST_DEVIATION)
    log_policy = legal_log_softmax(logits, rows.legal)
    return Batch(log_policy, log_policy, advantage, target)


def minibatch(
    rows: Rows, episodes: Episodes, batch: Batch, orders: Array, number: Array, minibatches: int
) -> tuple[Rows, Episodes, Batch]:
    """Return the decisions of a gradient step; those of an epoch are all decisions of a batch.

    If `minibatches` does not divide their number, a few are left out.

    orders : [epochs, T B] the order of decisions in each epoch.
    """
    size = episodes.row.size // minibatches
    if size == 0:
        raise ParameterError(
            f"minibatches={minibatches} is more than the {episodes.row.size} decisions of a batch: "
            "use fewer, or a larger batch_size"
        )
    order = orders[number // minibatches]
    chosen = jax.lax.dynamic_slice(order, (number % minibatches * size,), (size,))

    def pick(values: Array) -> Array:
        return values.reshape(-1)[chosen]

    here = pick(episodes.row)
    return (
        Rows(rows.player[here], rows.features[here], rows.legal[here]),
        Episodes(
            row=jnp.arange(size),
            action=pick(episodes.action),
            valid=pick(episodes.valid),
            reward=pick(episodes.reward),
            state=None,
            earned=pick(episodes.earned),
        ),
        Batch(
            batch.log_policy[here],
            batch.log_reference[here],
            pick(batch.advantage),
            pick(batch.target),
        ),
    )


def surrogate_loss(
    network: PolicyValueNetwork,
    spec: NetworkPolicyGradient,
    rows: Rows,
    episodes: Episodes,
    batch: Batch,
    alpha: Array | float,
) -> Array:
    """Return the loss of a batch, see `NetworkPolicyGradient`."""
    logits, values = network(rows.features)
    log_policy = legal_log_softmax(logits, rows.legal)
    policy = legal_exp(log_policy, rows.legal)
    here, action = episodes.row, episodes.action
    change = log_policy - batch.log_policy
    ratio = jnp.exp(change[here, action])
    limited = jnp.clip(ratio, 1.0 - spec.clip, 1.0 + spec.clip)
    gained = jnp.minimum(ratio * batch.advantage, limited * batch.advantage)
    # Logarithms at illegal actions are 0.
    prices = alpha * log_policy + spec.kl * change
    if spec.reference:
        prices += spec.reference * (log_policy - batch.log_reference)
    penalty = (policy * prices).sum(axis=1)
    errors = (values[here] - batch.target) ** 2
    terms = -gained + penalty[here] + spec.value * errors
    return jnp.where(episodes.valid, terms, 0.0).sum() / jnp.maximum(episodes.valid.sum(), 1)
