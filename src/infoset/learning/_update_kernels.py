"""Kernels shared by the updates of all learners: the lazy average, baselines, regret matching.

The average policy is weighted by own reach. A policy changes only at the infostates on the path of
an episode. So the contribution of an infostate to the average is added lazily: when the next path
crosses the infostate, and once at the end. The average is exact, and its cost is proportional to
the path. `cumulative_plan` [S] is the part counted so far of the sum of realization plans over the
episodes. `parent_counted` [I] is the cumulative plan of the parent sequence at the time when the
infostate was last counted.
"""

from __future__ import annotations

from infoset.learning._simulator_kernels import Paths
from infoset.regret import match_regrets
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel, linear_kernel


@inner_kernel
def count_infostate(
    infostates: Infostates,
    here: int,
    policy: FloatArray,
    cumulative_plan: FloatArray,
    parent_counted: FloatArray,
) -> None:
    """Bring the cumulative plan at an infostate up to date with its parent's, in place."""
    first_sequence = infostates.first_sequence[here]
    parent = cumulative_plan[infostates.parent_sequence[here]]
    # The policy here was the same in all episodes since the last visit, so one product suffices.
    gained = parent - parent_counted[here]
    # Remember what is counted, so that no part is added twice.
    parent_counted[here] = parent
    # Σ_t x_t(Ia) = σ(a) Σ_t x_t(parent) over these episodes, in which σ is constant.
    for sequence in range(first_sequence, first_sequence + infostates.num_actions[here]):
        cumulative_plan[sequence] += gained * policy[sequence]


@inner_kernel
def count_episode(infostates: Infostates, cumulative_plan: FloatArray) -> None:
    """Add one episode of all players to the average, at the empty sequences only, in place."""
    # The plan of an empty sequence is 1 in every episode; everything below follows lazily.
    for root in infostates.root_sequence:
        cumulative_plan[root] += 1.0


@inner_kernel
def count_path(
    infostates: Infostates,
    player: int,
    paths: Paths,
    policy: FloatArray,
    cumulative_plan: FloatArray,
    parent_counted: FloatArray,
) -> None:
    """Add one episode of a player to the average, along its path, in place.

    Call it before the policy changes.
    """
    cumulative_plan[infostates.root_sequence[player]] += 1.0
    # From the root down: a parent's plan is up to date before its child uses it.
    for step in range(paths.length[player]):
        here = paths.infostate[player, step]
        count_infostate(infostates, here, policy, cumulative_plan, parent_counted)


@linear_kernel
def count_rest(
    infostates: Infostates,
    policy: FloatArray,
    cumulative_plan: FloatArray,
    parent_counted: FloatArray,
) -> None:
    """Bring the cumulative plan up to date at every infostate, in place."""
    # Parents come first, so that their children gain what they have gained.
    for here in range(len(infostates.first_sequence)):
        # A second call adds nothing: the parents have gained nothing since.
        count_infostate(infostates, here, policy, cumulative_plan, parent_counted)


@inner_kernel
def update_baseline(
    place: int, loss: float, window: float, baseline: FloatArray, visits: FloatArray
) -> None:
    """Update a baseline, the running mean of losses at a place, with one more loss, in place.

    The first `window` losses have equal weights; each later loss enters with weight 1 / window.
    With a window of 0 the baseline is constant. Call this after the loss has been used: a baseline
    must not depend on the loss that it is subtracted from.
    """
    if window > 0.0:
        visits[place] += 1.0
        # A plain mean first, then an exponential one, which follows changing policies.
        baseline[place] += (loss - baseline[place]) / min(visits[place], window)


@inner_kernel
def match_clipped_regrets(
    infostates: Infostates, here: int, min_regret: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Raise the regrets of an infostate to `min_regret` and match them; both [S] in place.

    min_regret : 0 for regret matching+, -∞ for regret matching.
    """
    first_sequence = infostates.first_sequence[here]
    end = first_sequence + infostates.num_actions[here]
    for sequence in range(first_sequence, end):
        # Regret matching+ stores the clipped regrets, it does not only ignore negative ones.
        regret[sequence] = max(regret[sequence], min_regret)
    match_regrets(first_sequence, end, regret, policy)
