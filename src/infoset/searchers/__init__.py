"""Players that search when it is their turn, in the worlds that they believe in."""

from infoset.searchers.ismcts import IsMcts, TreeSearchRecord
from infoset.searchers.models import GraphModel, Roots, RulesModel, SearchModel, search_model
from infoset.searchers.searcher import Searcher

__all__ = [
    "GraphModel",
    "IsMcts",
    "Roots",
    "RulesModel",
    "SearchModel",
    "Searcher",
    "TreeSearchRecord",
    "search_model",
]
