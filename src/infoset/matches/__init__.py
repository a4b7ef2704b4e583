"""Matches between policies and searchers, with confidence intervals and AIVAT."""

from infoset.matches.aivat import ValueFunction, aivat_utilities
from infoset.matches.game_matches import DealStream, make_chooser
from infoset.matches.match import play_matches
from infoset.matches.match_statistics import Estimate, MatchResult
from infoset.matches.repeated_search import Contestant, SearchPolicy, SupportsSearch
from infoset.matches.search_averages import AveragedSearch, AveragePolicy, average_search
from infoset.matches.tree_matches import exact_match

__all__ = [
    "AveragePolicy",
    "AveragedSearch",
    "Contestant",
    "DealStream",
    "Estimate",
    "MatchResult",
    "SearchPolicy",
    "SupportsSearch",
    "ValueFunction",
    "aivat_utilities",
    "average_search",
    "exact_match",
    "make_chooser",
    "play_matches",
]
