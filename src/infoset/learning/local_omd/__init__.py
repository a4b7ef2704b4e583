"""LocalOMD: mirror descent from episodes sampled with a fixed policy."""

from infoset.learning.local_omd.learner import LocalOMD, LocalOMDSelfPlay

__all__ = ["LocalOMD", "LocalOMDSelfPlay"]
