"""LocalOMD: mirror descent from episodes sampled with a fixed policy."""

from infoset.learning.local_omd.learner import LocalOmd, LocalOmdSelfPlay

__all__ = ["LocalOmd", "LocalOmdSelfPlay"]
