"""Matches on the device, and lower bounds on exploitability by learned responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import inf
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.deep.descent import DescentSpec, descend
from infoset.deep.device_games import DeviceGame
from infoset.deep.device_play import Chooser, DeviceSource, chooser, roll_out
from infoset.deep.episodes import Rows
from infoset.deep.network_spec import LearnerState, NetworkSpec, initial_state
from infoset.deep.networks import PolicyValueNetwork, legal_exp, legal_log_softmax
from infoset.deep.rnad import NetworkRNaD, output_gradients, sum_over_episodes
from infoset.runs import COST_BETWEEN_CLOCK_CHECKS, Budget, Outcome
from infoset.typing import FloatArray
from infoset.utils.clocks import compiling

BATCH = 4096
"""Episodes of a match that are played at the same time."""

RESPONSE_BETA = 20.0
LEARNING_SHARE = 0.75
"""Share of a time limit in which a response learns; the rest is for its evaluation."""

SURE = 3.0
"""Standard errors by which a lower bound is below its estimate."""


class Estimate(NamedTuple):
    """An estimate from independent episodes."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class ResponseBound:
    """What a learned response earns against a policy."""

    gains: Estimate | None
    """Sum of the utilities of the responses of both players, minus the sum of the game: an estimate
    of a lower bound on NashConv. None if no response was evaluated."""
    exploitability_lower_bound: float
    """Half of the gains minus three standard errors, and at least 0: true exploitability is larger,
    except with probability 0.2 %. Without a response it is 0, which says nothing."""
    steps: int
    max_steps: int
    """Learner steps of the response that were done, and their limit."""
    outcome: Outcome
    """Why learning ended: `iterations`, `seconds`, `stopped` or `interrupted`."""
    seconds: float
    """Time taken, without compilation."""


def uniform(rows: Rows) -> Array:
    """Return the logarithms of the uniform policy."""
    return legal_log_softmax(jnp.zeros(rows.legal.shape, jnp.float32), rows.legal)


def match_score(
    device: DeviceGame, network: PolicyValueNetwork, num_episodes: int, key: Array
) -> Estimate:
    """Return what a network earns on average against uniform play, over both seats.

    Parameters
    ----------
    device
        A two-player constant-sum game.
    num_episodes
        Number of episodes in each seat, rounded up to a multiple of 4,096.
    """
    return _mean(device, network, None, num_episodes, key)


@eqx.filter_jit
def _centered(
    device: DeviceGame,
    responder: PolicyValueNetwork,
    opponent: PolicyValueNetwork | None,
    seat: Array,
    key: Array,
) -> Array:
    """Return [B] half of the difference of the utilities of the player in a seat and the other."""
    other: Chooser = uniform if opponent is None else chooser(opponent)

    def choose(rows: Rows) -> Array:
        is_responder = (rows.player == seat)[:, None]
        return jnp.where(is_responder, chooser(responder)(rows), other(rows))

    # Half of the difference: without the constant of the game, as if it were zero-sum.
    rewards = roll_out(device, choose, key, BATCH).rewards.sum(axis=0)
    return jnp.where(seat == 0, 0.5, -0.5) * (rewards[:, 0] - rewards[:, 1])


def _mean(
    device: DeviceGame,
    responder: PolicyValueNetwork,
    opponent: PolicyValueNetwork | None,
    num_episodes: int,
    key: Array,
    budget: Budget | None = None,
) -> Estimate:
    """Return the mean over both seats; at least one batch is played in each."""
    # Rounded up.
    num_batches = -(-num_episodes // BATCH)
    keys = [jax.random.split(jax.random.fold_in(key, seat), num_batches) for seat in range(2)]
    found: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for batch in range(num_batches):
        for seat in range(2):
            centered = _centered(device, responder, opponent, jnp.int32(seat), keys[seat][batch])
            found[seat].append(np.asarray(centered, np.float64))
        if budget is not None and budget.is_over:
            break
    seats = [np.concatenate(batches) for batches in found]
    means = [seat.mean(dtype=np.float64) for seat in seats]
    variances = [seat.var(dtype=np.float64) / len(seat) for seat in seats]
    return Estimate(float(np.mean(means)), float(np.sqrt(np.sum(variances)) / 2))


def response_bound(
    source: DeviceSource,
    network: PolicyValueNetwork,
    spec: NetworkSpec,
    *,
    steps: int = 500,
    seconds: float | None = None,
    seed: int = 0,
    num_episodes: int = 4 * BATCH,
    cost_per_step: int = COST_BETWEEN_CLOCK_CHECKS,
    callback: Callable[[int, float], object] | None = None,
) -> ResponseBound:
    """Learn responses to the policy of a network, and return what they earn.

    A second network plays each seat against the first, and is trained by the learner step of
    R-NaD without a regularizer. It is then evaluated by new episodes. A better response may exist,
    so this is a lower bound.

    Parameters
    ----------
    network
        The policy to which to respond.
    spec
        Parameters of the method, of which only those of gradient descent are used.
    steps
        Learner steps of the response.
    seconds
        Time limit of learning and evaluation, without compilation. If it is not positive, nothing
        is learned, and the bound is 0.
    num_episodes
        Number of episodes in each seat by which the response is evaluated; fewer if the time is
        over, but at least 4,096.
    cost_per_step
        How many numbers one learner step reads, roughly: how often the clock is looked at.
    callback : callable, optional
        Called with the number of steps and the seconds so far; a true return value ends learning.
    """
    if seconds is not None and seconds <= 0:
        return ResponseBound(None, 0.0, 0, steps, "seconds", 0.0)
    spec = _response_spec(spec)
    # The response begins at the policy itself, so that it is hardly ever worse.
    state = initial_state(source, spec, seed)._replace(network=network)
    with compiling():
        state = _response_steps(source, spec, state, network, jnp.int32(0))
        _centered(source.device, network, network, jnp.int32(0), jax.random.key(0))
    whole = Budget(seconds=seconds)
    learning = Budget(seconds=None if seconds is None else LEARNING_SHARE * seconds)
    stride = max(1, COST_BETWEEN_CLOCK_CHECKS // cost_per_step)
    outcome: Outcome | None = None
    gains = None
    try:
        while int(state.step) < steps and outcome is None:
            number = min(stride, steps - int(state.step))
            state = _response_steps(source, spec, state, network, jnp.int32(number))
            if callback is not None and callback(int(state.step), whole.elapsed):
                outcome = "stopped"
            elif learning.is_over and int(state.step) < steps:
                outcome = "seconds"
        key = jax.random.fold_in(jax.random.wrap_key_data(state.key), int(state.step))
        found = _mean(source.device, state.network, network, num_episodes, key, whole)
        # The constant of the game drops out of the centered utilities.
        gains = Estimate(2.0 * found.mean, 2.0 * found.standard_error)
    except KeyboardInterrupt:
        outcome = "interrupted"
    bound = 0.0 if gains is None else max(0.0, gains.mean - SURE * gains.standard_error) / 2.0
    return ResponseBound(
        gains, bound, int(state.step), steps, outcome or "iterations", whole.elapsed
    )


def _response_spec(spec: NetworkSpec) -> NetworkRNaD:
    """Return the method that learns a response to a network."""
    descent = {field.name: getattr(spec, field.name) for field in fields(DescentSpec)}
    # A best response is deterministic, so its logits may differ by more than those of R-NaD.
    return NetworkRNaD(**descent | {"halving_steps": inf}, beta=RESPONSE_BETA)


@eqx.filter_jit
def _response_steps(
    source: DeviceSource,
    spec: NetworkRNaD,
    state: LearnerState,
    opponent: PolicyValueNetwork,
    steps: Array,
) -> LearnerState:
    last: LearnerState = jax.lax.fori_loop(
        0, steps, lambda _, now: _response_step(source, spec, now, opponent), state
    )
    return last


def _response_step(
    source: DeviceSource, spec: NetworkRNaD, state: LearnerState, opponent: PolicyValueNetwork
) -> LearnerState:
    """Do a learner step of the player in a seat; the seat changes with every step."""
    seat = state.step % 2
    key = jax.random.fold_in(jax.random.wrap_key_data(state.key), state.step)

    def mixed(rows: Rows, own: Array) -> Array:
        is_own = (rows.player == seat)[:, None]
        return jnp.where(is_own, own, opponent(rows.features)[0])

    def choose(rows: Rows) -> Array:
        return legal_log_softmax(mixed(rows, state.network(rows.features)[0]), rows.legal)

    rows, episodes = source.play_with(choose, key, spec.batch_size)
    (logits, values), pull_back = jax.vjp(lambda theta: theta(rows.features), state.network)
    both = mixed(rows, logits)
    log_policy = legal_log_softmax(both, rows.legal)
    policy = legal_exp(log_policy, rows.legal)
    # Without a difference to the regularizer there is no regularization reward.
    sums = sum_over_episodes(rows, spec, both, values, log_policy, policy, episodes)
    is_own = rows.player == seat
    (gradient,) = pull_back(
        jax.tree.map(
            lambda slope: jnp.where(is_own.reshape(-1, *[1] * (slope.ndim - 1)), slope, 0.0),
            output_gradients(rows, values, sums),
        )
    )
    return descend(spec, state, gradient)
