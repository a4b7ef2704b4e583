"""Learning from one episode at a time."""

from infoset.learning.mccfr.outcome.learner import OutcomeSampling, OutcomeSamplingSelfPlay

__all__ = ["OutcomeSampling", "OutcomeSamplingSelfPlay"]
