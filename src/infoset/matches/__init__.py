"""Matches between policies and searchers: utilities, intervals, AIVAT, averages of searchers."""

from infoset.matches.aivat import aivat_utilities, history_values
from infoset.matches.average_policy import AveragePolicy
from infoset.matches.averaging import AveragedSearch, average_search
from infoset.matches.exact_matches import exact_match
from infoset.matches.match import Contestant, play_matches
from infoset.matches.match_result import Estimate, MatchResult
from infoset.matches.path_corrections import ValueFunction
from infoset.matches.searching import SearchPolicy, SupportsSearch

__all__ = [
    "AveragePolicy",
    "AveragedSearch",
    "Contestant",
    "Estimate",
    "MatchResult",
    "SearchPolicy",
    "SupportsSearch",
    "ValueFunction",
    "aivat_utilities",
    "average_search",
    "exact_match",
    "history_values",
    "play_matches",
]
