"""What the learners that match estimated regrets share."""

from __future__ import annotations

from infoset.kernels import inner_kernel
from infoset.learning.simulation import Infostates
from infoset.typing import FloatArray


@inner_kernel
def match_regrets(
    infostates: Infostates, here: int, floor: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Set the policy at an infostate in proportion to positive regret, `policy` [S] in place.

    Uniform where no regret is positive. `regret` [S] is raised to `floor`, in place: 0 for regret
    matching+, -∞ for regret matching.
    """
    first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
    total = 0.0
    for slot in range(first_slot, first_slot + num_actions):
        regret[slot] = max(regret[slot], floor)
        total += max(regret[slot], 0.0)
    for slot in range(first_slot, first_slot + num_actions):
        policy[slot] = max(regret[slot], 0.0) / total if total > 0.0 else 1.0 / num_actions
