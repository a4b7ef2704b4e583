"""Exact team optima, upper bounds, and iterated best response."""

from infoset.teams.exact.best_responses import (
    IteratedBestResponse,
    hill_climb,
    iterated_best_response,
)
from infoset.teams.exact.optimum import TeamOptimum, recall_bound, team_optimum

__all__ = [
    "IteratedBestResponse",
    "TeamOptimum",
    "hill_climb",
    "iterated_best_response",
    "recall_bound",
    "team_optimum",
]
