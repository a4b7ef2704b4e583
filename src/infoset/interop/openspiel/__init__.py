"""Exchange of games and policies with OpenSpiel (optional extra `openspiel`)."""

from infoset.interop.openspiel.exchange import (
    policy_from_openspiel,
    policy_to_openspiel,
    to_openspiel,
)
from infoset.interop.openspiel.game import (
    OpenSpielGame,
    find_recall_witness,
    find_timing_witness,
)
from infoset.interop.openspiel.specs import load_openspiel
from infoset.interop.openspiel.witnesses import RecallWitness, TimingWitness

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
