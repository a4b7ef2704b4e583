"""Games and policies from OpenSpiel and for it: the optional extra `openspiel`."""

from infoset.interop.openspiel.export import to_openspiel
from infoset.interop.openspiel.game import OpenSpielGame
from infoset.interop.openspiel.loading import load_openspiel
from infoset.interop.openspiel.policies import policy_from_openspiel, policy_to_openspiel
from infoset.interop.openspiel.witnesses import (
    RecallWitness,
    TimingWitness,
    check_recall,
    check_timing,
)

__all__ = [
    "OpenSpielGame",
    "RecallWitness",
    "TimingWitness",
    "check_recall",
    "check_timing",
    "load_openspiel",
    "policy_from_openspiel",
    "policy_to_openspiel",
    "to_openspiel",
]
