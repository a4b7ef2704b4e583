"""What learners regret, exactly: among themselves, and against adversaries."""

from infoset.learning.measuring.adversary import AdversarialPlay, Adversary, switch_between
from infoset.learning.measuring.measured_play import MeasuredPlay

__all__ = ["AdversarialPlay", "Adversary", "MeasuredPlay", "switch_between"]
