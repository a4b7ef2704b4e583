"""Exact team optima, upper bounds, and iterated best response."""

from infoset.teams.exact.best_responses import (
    IteratedBestResponse,
    hill_climb,
    iterated_best_response,
)
from infoset.teams.exact.optimum import TeamOptimum, recall_bound, team_optimum
from infoset.teams.exact.security import SecurityLevel, security_level

__all__ = [
    "IteratedBestResponse",
    "SecurityLevel",
    "TeamOptimum",
    "hill_climb",
    "iterated_best_response",
    "recall_bound",
    "security_level",
    "team_optimum",
]
