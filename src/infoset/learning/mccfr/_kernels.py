"""What the learners that match estimated regrets share."""

from __future__ import annotations

from infoset.learning.simulation import Infostates
from infoset.regret import match_regrets
from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel


@inner_kernel
def match_floored(
    infostates: Infostates, here: int, min_regret: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Raise the regrets of an infostate to `min_regret`, and match them, both [S] in place.

    min_regret : 0 for regret matching+, -∞ for regret matching.
    """
    first_slot = infostates.first_slot[here]
    end = first_slot + infostates.num_actions[here]
    for slot in range(first_slot, end):
        regret[slot] = max(regret[slot], min_regret)
    match_regrets(first_slot, end, regret, policy)
