"""Deviations as learners hold them: for each trigger a policy, and a share of all."""

from infoset.learning.efce.deviation._kernels import (
    EXPLORATION,
    LEAST_PROBABILITY,
    RATE,
    SEQUENCES,
    TriggerState,
    fill_pair_weights,
    refresh,
    tilt,
)

__all__ = [
    "EXPLORATION",
    "LEAST_PROBABILITY",
    "RATE",
    "SEQUENCES",
    "TriggerState",
    "fill_pair_weights",
    "refresh",
    "tilt",
]
