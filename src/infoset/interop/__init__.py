"""Games and policies from outside: OpenSpiel's games as factored-observation stochastic games."""

from infoset.interop.openspiel import (
    OpenSpielGame,
    RecallWitness,
    TimingWitness,
    check_recall,
    check_timing,
    load_openspiel,
)

__all__ = [
    "OpenSpielGame",
    "RecallWitness",
    "TimingWitness",
    "check_recall",
    "check_timing",
    "load_openspiel",
]
