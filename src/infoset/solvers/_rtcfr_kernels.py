"""Kernels of solvers, over the action-major layout of `infoset.regret`."""

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
def pull_gradient(
    strength: float, plan: FloatArray, reference: FloatArray, gradient: FloatArray
) -> None:
    """Add to `gradient` [Q] a pull of the plan [Q] toward its reference [Q], in place."""
    for i in range(len(plan)):
        gradient[i] -= strength * (plan[i] - reference[i])


@kernel
def iterate_toward_references(
    iterations: int,
    done: LongArray,
    row: FloatArray,
    strength: float,
    least: float,
    period: int,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[BlockPayoffs, ...],
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    perturbed: tuple[FloatArray, ...],
    leasts: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    references: tuple[FloatArray, ...],
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Run iterations of RTCFR+ for two players, all state in place; count them in done[0].

    row: of the schedule; strength: μ, in units of utility; least: γ before the first `period`.
    Per player: groups, parents (see `update_regrets`), pairs (see `block_gradient`), gradients,
    regrets, policies and perturbed ones, their minimum probabilities, plans of them, and reference
    plans [Q]. previous, changes: empty.
    """
    for step in range(iterations):
        begins = done[0] % period == 0
        for player in range(2):
            if begins:
                references[player][:] = plans[player]
            if begins or step == 0:
                leasts[player][:] = least * 0.5 ** (done[0] // period)
        for player in range(2):
            gradient = gradients[player]
            plan = plans[player]
            block_gradient(pairs[player], plans[1 - player], gradient)
            pull_gradient(strength, plan, references[player], gradient)
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
            apply_min_probabilities(
                groups[player], policies[player], leasts[player], perturbed[player]
            )
            realize_policy(groups[player], parents[player], perturbed[player], plan)
        done[0] += 1
