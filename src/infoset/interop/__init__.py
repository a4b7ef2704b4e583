"""Exchange of games and policies with OpenSpiel, PettingZoo and Gambit."""

from infoset.interop.gambit import gambit_equilibria
from infoset.interop.openspiel import (
    OpenSpielGame,
    RecallWitness,
    TimingWitness,
    find_recall_witness,
    find_timing_witness,
    load_openspiel,
    policy_from_openspiel,
    policy_to_openspiel,
    to_openspiel,
)
from infoset.interop.pettingzoo import to_pettingzoo, to_pettingzoo_parallel

__all__ = [
    "OpenSpielGame",
    "RecallWitness",
    "TimingWitness",
    "find_recall_witness",
    "find_timing_witness",
    "gambit_equilibria",
    "load_openspiel",
    "policy_from_openspiel",
    "policy_to_openspiel",
    "to_openspiel",
    "to_pettingzoo",
    "to_pettingzoo_parallel",
]
