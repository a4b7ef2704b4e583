"""Depth-limited re-solving of public states during play."""

from infoset.search.resolving.lookahead import Lookahead
from infoset.search.resolving.opponent_values import (
    OPPONENT_VALUES,
    accumulated_gifts,
    best_response_values,
    mean_values,
)
from infoset.search.resolving.resolver import Resolution, TreeResolver
from infoset.search.resolving.resolving_search import ContinualResolving, DepthLimitedSearch

__all__ = [
    "OPPONENT_VALUES",
    "ContinualResolving",
    "DepthLimitedSearch",
    "Lookahead",
    "Resolution",
    "TreeResolver",
    "accumulated_gifts",
    "best_response_values",
    "mean_values",
]
