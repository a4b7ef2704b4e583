"""Kernels of regularized CFR (Liu et al. 2023), over the layout of `infoset.regret`.

Each infostate runs optimistic mirror descent with the Euclidean distance on its regularized
counterfactual values q − τ σ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from infoset.forms import TwoPlayerPayoffs, pair_gradient, realize_policy
from infoset.regret import project_on_simplex
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel


class PlayerState(NamedTuple):
    """One player's arrays in order of position; iterations change all but the first four."""

    groups: IndexArray
    parent: IndexArray
    """As in `infoset.forms.Layout`."""
    weight: FloatArray
    """[I] how often the regularizer counts each infostate, in the order of the groups."""
    pair: TwoPlayerPayoffs
    """As in `pair_gradient`."""
    gradient: FloatArray
    """[Q] temporary."""
    last: FloatArray
    """[Q] m = q − τ σ of the last iteration: the gradient of the regularized value."""
    change: FloatArray
    """[I] sum over iterations of |m − m₋₁|²."""
    base: FloatArray
    policy: FloatArray
    """[Q] the behavior before the optimistic step, and the behavior after it, which is played."""
    plan: FloatArray
    """[Q] the plan of `policy`."""


@kernel
def observe_infostate(
    state: PlayerState, infostate: int, first: int, step: int, num: int, temperature: float
) -> float:
    """Return the regularized value of one infostate; update its gradient and the sum of changes.

    The value is <q, σ> − ½ τ |σ|². The actions of the infostate are at the positions first,
    first + step, first + 2 step, and so on.
    """
    value = 0.0
    for i in range(first, first + num * step, step):
        probability, earned = state.policy[i], state.gradient[i]
        # One term of <q, σ> − ½ τ |σ|². `gradient` already contains the values of the infostates
        # below, so it is the counterfactual value q.
        value += probability * (earned - 0.5 * temperature * probability)
        # m ← q − τ σ; the sum of its squared changes determines the step size.
        slope = earned - temperature * probability
        change = slope - state.last[i]
        state.change[infostate] += change * change
        state.last[i] = slope
    return value


@kernel
def project_above(
    point: FloatArray, first: int, step: int, num: int, min_probability: float
) -> None:
    """Project onto the probabilities ≥ `min_probability`; see `project_on_simplex`."""
    # Shifting and scaling maps that simplex to the ordinary one. All distances change by the same
    # factor, so the nearest point is the same.
    rest = 1.0 - num * min_probability
    # If the minimums sum to 1, they are the only policy, and there is nothing to project.
    if rest > 0.0:
        for i in range(first, first + num * step, step):
            point[i] = (point[i] - min_probability) / rest
        project_on_simplex(point, first, step, num)
    for i in range(first, first + num * step, step):
        point[i] = min_probability + rest * point[i]


@kernel
def update_policy(
    state: PlayerState, step_size_offset: float, temperature: float, min_probability: float
) -> None:
    """Sweep one player's treeplex bottom up: update base and policy at every infostate, in place.

    The gradient becomes the regularized counterfactual value of each sequence.
    """
    # Groups are in order of depth, so in reverse order all values below a group are complete.
    for group in range(len(state.groups) - 1, -1, -1):
        # Action a of the i-th infostate of the group is at position base + i + a * count.
        base, count, actions, infostate, _ = state.groups[group]
        for i in range(count):
            own, first = infostate + i, base + i
            weight = state.weight[own]
            # The regularized value passes up to the parent; then base ← Π(base + η m).
            value = observe_infostate(state, own, first, count, actions, temperature * weight)
            state.gradient[state.parent[own]] += value
            # η = 1 / √(κ + 2 Σ |m − m₋₁|²), where m is a sum over the infostates counted
            offset = step_size_offset * max(weight, 1.0) ** 2
            step_size = 1.0 / math.sqrt(offset + 2.0 * state.change[own])
            for k in range(first, first + actions * count, count):
                state.base[k] += step_size * state.last[k]
            project_above(state.base, first, count, actions, min_probability)
            # Optimism: σ ← Π(base + η m), with the last gradient as prediction of the next.
            for k in range(first, first + actions * count, count):
                state.policy[k] = state.base[k] + step_size * state.last[k]
            project_above(state.policy, first, count, actions, min_probability)


@kernel
def iterate_regularized(
    schedule: FloatArray, done: LongArray, step_size_offset: float, states: tuple[PlayerState, ...]
) -> None:
    """Run the iterations of `schedule`, with all state updated in place; count them in done[0].

    schedule : [T, 2] temperature τ and minimum probability γ of each iteration.

    Players alternate: player 1 responds to the plan that player 0 has just computed.
    """
    for temperature, min_probability in schedule:
        # Alternating updates: the gradient uses the plan that the opponent computed last.
        for player in range(2):
            state = states[player]
            pair_gradient(state.pair, states[1 - player].plan, state.gradient)
            update_policy(state, step_size_offset, temperature, min_probability)
            realize_policy(state.groups, state.parent, state.policy, state.plan)
        done[0] += 1
