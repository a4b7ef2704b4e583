"""Games and policies from outside and for outside: other libraries and file formats."""

from infoset.interop.gambit import gambit_equilibria
from infoset.interop.openspiel import (
    OpenSpielGame,
    RecallWitness,
    TimingWitness,
    check_recall,
    check_timing,
    load_openspiel,
    policy_from_openspiel,
    policy_to_openspiel,
    to_openspiel,
)
from infoset.interop.pettingzoo import to_pettingzoo
from infoset.interop.steps import StepEncoder

__all__ = [
    "OpenSpielGame",
    "RecallWitness",
    "StepEncoder",
    "TimingWitness",
    "check_recall",
    "check_timing",
    "gambit_equilibria",
    "load_openspiel",
    "policy_from_openspiel",
    "policy_to_openspiel",
    "to_openspiel",
    "to_pettingzoo",
]
