"""Learning from one episode at a time."""

from infoset.learning.mccfr.outcome.learner import OutcomeSampling, OutcomeSelfPlay

__all__ = ["OutcomeSampling", "OutcomeSelfPlay"]
