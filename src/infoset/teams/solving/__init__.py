"""Methods that solve team games, and their results."""

from infoset.teams.solving.methods import (
    DEFAULT_TEAM_METHOD,
    TEAM_METHODS,
    TeamMethod,
    default_team_method,
    fill_options,
    get_team_method,
)
from infoset.teams.solving.result import (
    TeamCallback,
    TeamCandidate,
    TeamOutcome,
    TeamPoint,
    TeamResult,
)
from infoset.teams.solving.task import TeamClock, TeamOptions, TeamTask

__all__ = [
    "DEFAULT_TEAM_METHOD",
    "TEAM_METHODS",
    "TeamCallback",
    "TeamCandidate",
    "TeamClock",
    "TeamMethod",
    "TeamOptions",
    "TeamOutcome",
    "TeamPoint",
    "TeamResult",
    "TeamTask",
    "default_team_method",
    "fill_options",
    "get_team_method",
]
