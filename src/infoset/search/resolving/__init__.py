"""Depth-limited re-solving of public states during play."""

from infoset.search.resolving.continuation_values import ContinuationValues, ExactContinuationValues
from infoset.search.resolving.lookahead import Lookahead
from infoset.search.resolving.opponent_values import (
    OPPONENT_VALUES,
    accumulated_gifts,
    best_response_values,
    mean_values,
)
from infoset.search.resolving.resolution import Resolution, ResolvingRecord, ResolvingSettings
from infoset.search.resolving.resolver import TreeResolver
from infoset.search.resolving.resolving_search import ContinualResolving, DepthLimitedSearch
from infoset.search.resolving.rules_resolver import RulesResolver

__all__ = [
    "OPPONENT_VALUES",
    "ContinualResolving",
    "ContinuationValues",
    "DepthLimitedSearch",
    "ExactContinuationValues",
    "Lookahead",
    "Resolution",
    "ResolvingRecord",
    "ResolvingSettings",
    "RulesResolver",
    "TreeResolver",
    "accumulated_gifts",
    "best_response_values",
    "mean_values",
]
