"""Games and policies from OpenSpiel and for it: the optional extra `openspiel`."""

from infoset.interop.openspiel.export import to_openspiel
from infoset.interop.openspiel.game import OpenSpielGame
from infoset.interop.openspiel.loading import load_openspiel
from infoset.interop.openspiel.policies import policy_from_openspiel, policy_to_openspiel
from infoset.interop.openspiel.witnesses import (
    RecallWitness,
    TimingWitness,
    find_recall_witness,
    find_timing_witness,
)

__all__ = [
    "OpenSpielGame",
    "RecallWitness",
    "TimingWitness",
    "find_recall_witness",
    "find_timing_witness",
    "load_openspiel",
    "policy_from_openspiel",
    "policy_to_openspiel",
    "to_openspiel",
]
