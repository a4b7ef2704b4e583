"""Kernels of RTCFR+ (Meng et al. 2025), over the action-major layout of `infoset.regret`.

An iteration of a player is that of CFR+ with two changes. The utility includes the regularizer
−μ/2 Σ w (x − r)², which keeps the plan x close to a reference plan r. The policy that is played
gives every action at least the probability γ.
"""

from __future__ import annotations

from infoset.forms import TwoPlayerPayoffs, pair_gradient, realize_policy
from infoset.regret import apply_min_probabilities, update_regrets
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import kernel


@kernel
def regularize_gradient(
    strength: float,
    weight: FloatArray,
    plan: FloatArray,
    reference: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add −μ w (x − r), the derivative of the regularizer at the plan [Q], to `gradient` [Q]."""
    # The regularizer is Euclidean in the plan, so its gradient needs no sweep of the treeplex.
    # The strength is μ in units of utility, so that μ x can be added to a gradient of utility.
    for i in range(len(plan)):
        gradient[i] -= strength * weight[i] * (plan[i] - reference[i])


@kernel
def iterate_toward_references(
    iterations: int,
    done: LongArray,
    row: FloatArray,
    strength: float,
    min_probability: float,
    period: int,
    weights: tuple[FloatArray, ...],
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[TwoPlayerPayoffs, ...],
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    perturbed: tuple[FloatArray, ...],
    minimums: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    references: tuple[FloatArray, ...],
    tolerances: tuple[FloatArray, ...],
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Run iterations of RTCFR+ for two players, with all arrays in place; count them in done[0].

    row : the row of the schedule of CFR+, the same in all iterations.
    strength : μ, in utility units.
    min_probability : γ in the first `period`.
    weights : per player [Q] w, how often the infostate of each sequence counts.
    groups, parents, tolerances : as in `update_regrets`.
    pairs : as in `pair_gradient`.
    gradients, regrets, policies, perturbed, minimums, plans, references : per player [Q] the
        gradient, the regrets, the policy σ, the perturbed policy σ̂, its minimum probabilities, the
        plan of σ̂, and the reference plan.
    previous, changes : empty, because CFR+ does not predict.
    """
    for step in range(iterations):
        # Outer loop of the paper: r ← x and γ ← γ / 2 after each period; regrets do not change.
        begins = done[0] % period == 0
        for player in range(2):
            if begins:
                copy(plans[player], references[player])
            # Checkpoints do not contain the minimums, so the first step of each call computes them.
            if begins or step == 0:
                minimums[player][:] = min_probability * 0.5 ** (done[0] // period)
        # Inner loop: one iteration of CFR+ on the regularized game, with alternating updates.
        for player in range(2):
            gradient = gradients[player]
            plan = plans[player]
            # g ← ∂u/∂x − μ w (x − r), in sequence form
            pair_gradient(pairs[player], plans[1 - player], gradient)
            regularize_gradient(strength, weights[player], plan, references[player], gradient)
            # Regret matching+. Infostate values are those of σ, not of σ̂, as in the authors' code.
            update_regrets(
                groups[player],
                parents[player],
                row,
                -1.0,
                gradient,
                regrets[player],
                policies[player],
                tolerances[player],
                previous,
                changes,
            )
            # σ̂ ← (1 − γ |A(I)|) σ + γ. The other player responds to its plan in this iteration.
            apply_min_probabilities(
                groups[player], policies[player], minimums[player], perturbed[player]
            )
            realize_policy(groups[player], parents[player], perturbed[player], plan)
        done[0] += 1
