"""What learners regret, exactly: among themselves, and against adversaries."""

from infoset.learning.measuring.adversary import AdversarialPlay, Adversary, switch_between
from infoset.learning.measuring.measured_play import (
    RegretTracker,
    learns_joint_play,
    work_of_counting,
)

__all__ = [
    "AdversarialPlay",
    "Adversary",
    "RegretTracker",
    "learns_joint_play",
    "switch_between",
    "work_of_counting",
]
