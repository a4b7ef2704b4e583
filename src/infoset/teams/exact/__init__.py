"""The most that a team can win: exactly, at most, and by turns."""

from infoset.teams.exact.alternating import (
    AlternatingResponses,
    alternating_best_responses,
    improve_by_turns,
)
from infoset.teams.exact.bounds import recall_bound
from infoset.teams.exact.optimum import TeamOptimum, team_optimum

__all__ = [
    "AlternatingResponses",
    "TeamOptimum",
    "alternating_best_responses",
    "improve_by_turns",
    "recall_bound",
    "team_optimum",
]
