"""Kernels of RTCFR+ (Meng et al. 2025), over the action-major layout of `infoset.regret`.

An iteration of a player is that of CFR+ with two changes: the gradient includes the regularizer
−μ/2 |x − r|² that pulls the plan x toward a reference plan r, and the policy that is played mixes
in minimum action probabilities γ.
"""

from __future__ import annotations

from infoset.regret import (
    BlockPayoffs,
    apply_min_probabilities,
    block_gradient,
    realize_policy,
    update_regrets,
)
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel


@kernel
def regularize_gradient(
    strength: float, plan: FloatArray, reference: FloatArray, gradient: FloatArray
) -> None:
    """Add −μ (x − r), the derivative of the regularizer at the plan [Q], to `gradient` [Q]."""
    for i in range(len(plan)):
        gradient[i] -= strength * (plan[i] - reference[i])


@kernel
def iterate_toward_references(
    iterations: int,
    done: LongArray,
    row: FloatArray,
    strength: float,
    min_probability: float,
    period: int,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[BlockPayoffs, ...],
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    perturbed: tuple[FloatArray, ...],
    minimums: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    references: tuple[FloatArray, ...],
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Run iterations of RTCFR+ for two players, all state in place; count them in done[0].

    row: of the schedule of CFR+; strength: μ, in units of utility; min_probability: γ in the first
    `period`. Per player [Q]: gradients, regrets, policies σ and perturbed policies σ̂, their
    minimum probabilities, the plans of σ̂, and the reference plans. groups and parents: see
    `update_regrets`; pairs: see `block_gradient`. previous, changes: empty arrays, as CFR+ has no
    adaptive prediction.
    """
    for step in range(iterations):
        # Outer loop of the paper: r ← x and γ ← γ / 2 after each period; regrets stay.
        begins = done[0] % period == 0
        for player in range(2):
            if begins:
                references[player][:] = plans[player]
            # γ is not part of the saved state: the first step of each call computes it as well.
            if begins or step == 0:
                minimums[player][:] = min_probability * 0.5 ** (done[0] // period)
        for player in range(2):
            gradient = gradients[player]
            plan = plans[player]
            # g ← ∂u/∂x − μ (x − r), in sequence form
            block_gradient(pairs[player], plans[1 - player], gradient)
            regularize_gradient(strength, plan, references[player], gradient)
            # Regret matching+. Infostate values are those of σ, not of σ̂, as in the authors' code.
            update_regrets(
                groups[player],
                parents[player],
                row,
                -1.0,
                gradient,
                regrets[player],
                policies[player],
                previous,
                changes,
            )
            # σ̂ ← (1 − γ |A(I)|) σ + γ. The other player responds to its plan in this iteration.
            apply_min_probabilities(
                groups[player], policies[player], minimums[player], perturbed[player]
            )
            realize_policy(groups[player], parents[player], perturbed[player], plan)
        done[0] += 1
