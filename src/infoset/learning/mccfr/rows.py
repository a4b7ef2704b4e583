"""The members of the Monte Carlo CFR family that have a name."""

from __future__ import annotations

from infoset.learning.balance import subtree_policy
from infoset.learning.knowledge import Knowledge
from infoset.learning.mccfr.outcome import OutcomeSampling
from infoset.learning.mccfr.traversal import SampledTraversal

__all__ = ["MCCFR_LEARNERS"]

MCCFR_LEARNERS: tuple[OutcomeSampling | SampledTraversal, ...] = (
    OutcomeSampling(
        "os-mccfr",
        "Monte Carlo CFR, outcome sampling (Lanctot et al. 2009)",
    ),
    OutcomeSampling(
        "os-mccfr-balanced",
        "outcome sampling that explores by how many sequences follow (ours)",
        Knowledge.OWN_TREE,
        exploration=0.8,
        exploration_policy=subtree_policy,
    ),
    OutcomeSampling(
        "vr-mccfr",
        "outcome sampling with learned baselines (Schmid et al. 2019)",
        baseline_window=2.0,
    ),
    OutcomeSampling(
        "vr-mccfr-balanced",
        "outcome sampling with balanced exploration and baselines over 100 visits (ours)",
        Knowledge.OWN_TREE,
        exploration=0.8,
        exploration_policy=subtree_policy,
        baseline_window=100.0,
    ),
    SampledTraversal(
        "es-mccfr",
        "Monte Carlo CFR, external sampling (Lanctot et al. 2009)",
    ),
    SampledTraversal(
        "cs-mccfr",
        "Monte Carlo CFR, chance sampling (Zinkevich et al. 2007)",
        all_opponents=True,
    ),
    SampledTraversal(
        "as-mccfr",
        "Monte Carlo CFR, average-strategy sampling (Gibson et al. 2012)",
        min_probability=0.05,
        threshold=1000.0,
        bonus=1e6,
    ),
)
"""The rows, each as published unless it says otherwise."""
