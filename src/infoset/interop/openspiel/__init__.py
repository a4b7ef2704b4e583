"""OpenSpiel's sequential and simultaneous games, loaded by name: the optional extra `openspiel`."""

from infoset.interop.openspiel.game import OpenSpielGame
from infoset.interop.openspiel.loading import load_openspiel
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
]
