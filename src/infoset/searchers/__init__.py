"""Players that search when it is their turn, in the worlds that they believe in."""

from infoset.searchers.models import GraphModel, Roots, RulesModel, SearchModel, search_model
from infoset.searchers.searcher import Searcher

__all__ = ["GraphModel", "Roots", "RulesModel", "SearchModel", "Searcher", "search_model"]
